import { fillInput } from './fill-input.ts';
import type { PastCall } from './memory.ts';
import {
  countDirectWords,
  createNewCalls,
  gatherLookUps,
  isMissingAbsent,
  isOnlyPointer,
  type NextAction,
  openWords,
  type PlannedCall,
  readOnlyTools,
  type Situation,
} from './situation.ts';
import type { MessageStep } from './steps.ts';
import type { ToolCard } from './tool-card.ts';
import { isLookVerb, listChanges, listImpliedStems, toStem, toStems, toWords } from './words.ts';

/**
 * The weight of a match with the command's object. It exceeds the sum of all other words in a message, so a
 * tool for the object outranks a tool for a word mentioned elsewhere.
 */
const objectWeight = 100;
/**
 * The weight of earlier topics. They count less than the step itself, and decide only between tools that are
 * close.
 */
const contextWeight = 1 / 4;

/**
 * Returns the next calls of a command: one call to the tool in `makes` that fits its object best, or first a
 * look-up for a missing input. Makes no call if two tools fit equally well, or after the command's call, even
 * if that failed.
 */
export function executeCommand(situation: Situation, kind: string, makes: readonly ToolCard[]): NextAction {
  const { cards, relevance, sources, topic, context } = situation;
  const { step, segment } = sources;
  const isOurs = ({ tool }: PastCall): boolean =>
    listChanges(tool, '').includes(kind) || makes.some(({ name }) => name === tool);
  const last = segment.filter((call) => isOurs(call) && !isOnlyPointer(call, cards)).at(-1);
  if (last !== undefined) return last.failed ? { type: 'blocked', missing: [] } : { type: 'done' };
  const object = toStems(step.object);
  const ranked = makes
    .filter((card) => isFittingObject(card, object, step.counted))
    .map((card) => ({
      card,
      filling: fillInput(card, sources),
      rank:
        objectWeight * countDirectWords(card, object) +
        relevance(card, topic) +
        contextWeight * relevance(card, context),
    }));
  const strange = ranked.length > 0 && ranked.every(({ card }) => countDirectWords(card, object) === 0);
  const opening = strange ? lookUpObject(object, situation) : [];
  if (opening.length > 0) return { type: 'call', calls: opening };
  const best = Math.max(...ranked.map(({ rank }) => rank));
  const top = ranked.filter(({ rank }) => rank === best);
  const ready = top.filter(({ filling }) => filling.inputs.length > 0);
  const [only] = ready;
  if (only !== undefined && ready.length === 1) {
    const calls = createNewCalls(only.card, only.filling, situation);
    if (calls.length > 0) return { type: 'call', calls };
  }
  const missing = top.flatMap(({ filling }) => filling.missing);
  const nouns = missing.flatMap((param) => param.nouns);
  const hopeless = ready.length > 1 || top.some(({ filling }) => isMissingAbsent(filling, sources));
  const calls = hopeless ? [] : gatherLookUps(situation, nouns, top.length > 0);
  return calls.length > 0
    ? { type: 'call', calls }
    : { type: 'blocked', missing: missing.map(({ name }) => name) };
}

/**
 * Returns a call to a tool that needs no input and matches the object. It can unlock the tool that the
 * command means.
 */
function lookUpObject(object: readonly string[], situation: Situation): readonly PlannedCall[] {
  const computeWeight = ({ weights }: ToolCard): number =>
    object.reduce((sum, word) => sum + (weights.get(word) ?? 0), 0);
  const looks = readOnlyTools(situation.cards)
    .filter((card) => computeWeight(card) > 0 && card.params.every(({ required }) => !required))
    .toSorted((left, right) => computeWeight(right) - computeWeight(left))
    .map((card) => createNewCalls(card, fillInput(card, situation.sources), situation));
  return looks.find((calls) => calls.length > 0) ?? [];
}

/** Returns whether the tool acts on the command's object. A command never uses a tool for another object. */
function isFittingObject(card: ToolCard, object: readonly string[], counted: boolean): boolean {
  if (object.length === 0 || countDirectWords(card, object) > 0) return true;
  const required = card.params.filter((param) => param.required);
  if (counted && required.some(({ shape }) => shape.type === 'number')) return true;
  const takesWords = required.some(({ shape }) => shape.type === 'phrase');
  return takesWords || !required.some(({ shape }) => shape.type === 'id');
}

/**
 * A call with a value concerns one object. A call with free words concerns only a subject, so it must fit
 * twice as well.
 */
const groundedWeight = 2;
/** The weight of a value that was not looked up yet, about one word of a description. */
const newValueWeight = 1;
/**
 * The weight of a word's form. If a question names no value, each of its own words in a tool's name, in the
 * same form, outweighs an earlier value. "List the flomps" means `list_flomps`, and not `get_flomp` with the
 * last one.
 */
const formWeight = 2;
/** The weight that breaks ties: if two tools fit equally, the one without required input wins. */
const openWeight = 1 / 1000;
/**
 * A weight of little more than a tie-breaker, for earlier topics, which must not outweigh a word of the step.
 */
const spokenWeight = 1 / 100;

/**
 * Returns the next look-ups for a question. It picks the tool that matches the open words best and prefers
 * values over free words. Otherwise it picks a tool that can supply a missing input, or once a tool that
 * accepts any question.
 */
export function lookUp(situation: Situation): NextAction {
  const { cards, relevance, sources, context, topic } = situation;
  const { segment, step } = sources;
  const words = openWords(situation);
  const spent = new Set(segment.flatMap(({ input }) => Object.values(input).map(String)));
  const related = readOnlyTools(cards).filter((card) => relevance(card, [...words, ...context]) > 0);
  const candidates = related.map((card) => {
    const filling = fillInput(card, sources);
    const gain = relevance(card, words);
    const newValue = filling.mentions.some(({ value }) => !spent.has(value));
    const useful =
      (gain > 0 && (filling.grounded || segment.length === 0 || countDirectWords(card, words) > 0)) ||
      newValue;
    const rank =
      gain * ((filling.grounded ? groundedWeight : 1) + formWeight * countSharedForms(card, step)) +
      (newValue ? newValueWeight : 0) +
      (card.params.some(({ required }) => required) ? 0 : openWeight) +
      spokenWeight * relevance(card, context);
    return {
      card,
      filling,
      rank: useful ? rank : 0,
      wanted: countDirectWords(card, words) > 0 || hasImpliedDirectWord(card, words),
    };
  });
  const best = candidates
    .filter(({ rank }) => rank > 0)
    .map((candidate) => ({
      ...candidate,
      calls: createNewCalls(candidate.card, candidate.filling, situation),
    }))
    .filter(({ calls }) => calls.length > 0)
    .toSorted((left, right) => right.rank - left.rank)[0];
  if (best !== undefined) return { type: 'call', calls: best.calls };
  const unreached = candidates.filter(({ wanted, filling }) => wanted && filling.missing.length > 0);
  const nouns = unreached.flatMap(({ filling }) => filling.missing.flatMap((param) => param.nouns));
  const bridge = unreached.length > 0 ? gatherLookUps(situation, nouns, segment.length > 0) : [];
  if (bridge.length > 0) return { type: 'call', calls: bridge };
  const unknown =
    words.length > 0 && words.length === topic.length && segment.length === 0 && !step.refersBack;
  const last = unknown ? planFallbackCalls(situation) : [];
  return last.length > 0 ? { type: 'call', calls: last } : { type: 'done' };
}

/**
 * Returns how many of the step's look-up verbs and plurals occur in the tool's name. 0 if the step names a
 * value.
 */
function countSharedForms({ name }: ToolCard, { text, mentions, refersBack }: MessageStep): number {
  if (mentions.length > 0 || refersBack) return 0;
  const forms = toWords(text).filter(
    (word) => isLookVerb(toStem(word)) || (word !== toStem(word) && word.endsWith('s')),
  );
  const own = new Set(toWords(name));
  return new Set(forms.filter((word) => own.has(word))).size;
}

const hasImpliedDirectWord = (card: ToolCard, words: readonly string[]): boolean =>
  words.some((word) => countDirectWords(card, listImpliedStems(word)) > 0);

/** Returns a call to a tool that accepts any question. Used if no tool shares a word with it. */
function planFallbackCalls(situation: Situation): readonly PlannedCall[] {
  const { cards, sources } = situation;
  for (const card of readOnlyTools(cards)) {
    const required = card.params.filter((param) => param.required);
    if (required.length !== 1 || !required.every(({ shape }) => shape.type === 'text' && !shape.tells))
      continue;
    const calls = createNewCalls(card, fillInput(card, sources), situation);
    if (calls.length > 0) return calls;
  }
  return [];
}
