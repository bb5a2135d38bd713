import { fillInput } from './fill-input.ts';
import type { PastCall } from './memory.ts';
import {
  direct,
  fresh,
  gather,
  lacksAbsent,
  type Next,
  onlyPointed,
  type PlannedCall,
  readers,
  type Situation,
} from './situation.ts';
import type { ToolCard } from './tool-card.ts';
import { changesOf, stemsOf } from './words.ts';

/** It is far more than the words of a message add up to, so that a tool for what the command names beats one for what it mentions. */
const objectCounts = 100;
/** What was spoken of before says less than the step itself, and decides only between tools that are close. */
const contextCounts = 1 / 4;

/**
 * The next calls of a command: the one tool of `makes` that fits its object best, once, or first a look for what that
 * tool lacks. Nothing is called where two tools fit equally well, nor after the command's call, whatever came of it.
 */
export function carryOut(situation: Situation, kind: string, makes: readonly ToolCard[]): Next {
  const { cards, relevance, sources, topic, context } = situation;
  const { step, segment } = sources;
  const ours = ({ tool }: PastCall): boolean =>
    changesOf(tool, '').includes(kind) || makes.some(({ name }) => name === tool);
  const last = segment.filter((call) => ours(call) && !onlyPointed(call, cards)).at(-1);
  if (last !== undefined) return last.failed ? { type: 'blocked', missing: [] } : { type: 'done' };
  const object = stemsOf(step.object);
  const ranked = makes
    .filter((card) => fitsObject(card, object, step.counted))
    .map((card) => ({
      card,
      filling: fillInput(card, sources),
      rank:
        objectCounts * direct(card, object) +
        relevance(card, topic) +
        contextCounts * relevance(card, context),
    }));
  const strange = ranked.length > 0 && ranked.every(({ card }) => direct(card, object) === 0);
  const opening = strange ? lookAbout(object, situation) : [];
  if (opening.length > 0) return { type: 'call', calls: opening };
  const best = Math.max(...ranked.map(({ rank }) => rank));
  const top = ranked.filter(({ rank }) => rank === best);
  const ready = top.filter(({ filling }) => filling.inputs.length > 0);
  const [only] = ready;
  if (only !== undefined && ready.length === 1) {
    const calls = fresh(only.card, only.filling, situation);
    if (calls.length > 0) return { type: 'call', calls };
  }
  const missing = top.flatMap(({ filling }) => filling.missing);
  const nouns = missing.flatMap((param) => param.nouns);
  const hopeless = ready.length > 1 || top.some(({ filling }) => lacksAbsent(filling, sources));
  const calls = hopeless ? [] : gather(situation, nouns, top.length > 0);
  return calls.length > 0
    ? { type: 'call', calls }
    : { type: 'blocked', missing: missing.map(({ name }) => name) };
}

/** A look without input that says something about the object: it may open the tool that the command means. */
function lookAbout(object: readonly string[], situation: Situation): readonly PlannedCall[] {
  const says = ({ weights }: ToolCard): number =>
    object.reduce((sum, word) => sum + (weights.get(word) ?? 0), 0);
  const looks = readers(situation.cards)
    .filter((card) => says(card) > 0 && card.params.every(({ required }) => !required))
    .toSorted((left, right) => says(right) - says(left))
    .map((card) => fresh(card, fillInput(card, situation.sources), situation));
  return looks.find((calls) => calls.length > 0) ?? [];
}

/** A command names what it acts on; a tool for something else is never taken for it. */
function fitsObject(card: ToolCard, object: readonly string[], counted: boolean): boolean {
  if (object.length === 0 || direct(card, object) > 0) return true;
  const required = card.params.filter((param) => param.required);
  if (counted && required.some(({ shape }) => shape.type === 'number')) return true;
  const takesWords = required.some(({ shape }) => shape.type === 'phrase');
  return takesWords || !required.some(({ shape }) => shape.type === 'id');
}
