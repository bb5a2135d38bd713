import { carryOut } from './carry-out.ts';
import { lookUp } from './look-up.ts';
import type { Memory } from './memory.ts';
import { mentionsIn } from './mentions.ts';
import { relevanceAmong } from './relevance.ts';
import type { Next, PlannedCall, Situation } from './situation.ts';
import { type Step, stepsOf } from './steps.ts';
import { summaryOf } from './summary.ts';
import type { ToolCard } from './tool-card.ts';
import { changeOf, isLook, isVerb } from './verbs.ts';
import { stem, topicOf } from './words.ts';

/** The calls to make now, none when it is time to answer, and the commands that cannot be carried out. */
export interface Plan {
  readonly calls: readonly PlannedCall[];
  readonly undone: readonly { readonly step: Step; readonly missing: readonly string[] }[];
}

/** The calls of one turn, at most. */
const maxCalls = 8;

/**
 * Plans by going through the turn's replies again from its start: which step was at work when each was made follows
 * from the messages alone, so nothing needs to be remembered between two requests. Steps are taken in order, and a
 * command that fails or cannot be filled ends the plan: what was to come after it may depend on it.
 */
export function planNext(memory: Memory, cards: readonly ToolCard[]): Plan {
  const steps = stepsOf(memory.task);
  const relevance = relevanceAmong(cards);
  const vocabulary = vocabularyOf(cards);
  const said = memory.said.map((text) => mentionsIn(text));
  const room = maxCalls - memory.turn.flat().length;
  if (room <= 0 || cards.length === 0) return { calls: [], undone: [] };
  let at = 0;
  let start = 0;
  for (let replies = 0; replies <= memory.turn.length; replies += 1) {
    for (let step = steps[at]; step !== undefined; step = steps[at]) {
      const segment = memory.turn.slice(start, replies).flat();
      const before = memory.turn.slice(0, start).flat().reverse();
      const heard = [
        ...steps
          .slice(0, at)
          .reverse()
          .map(({ mentions }) => mentions),
        ...said,
      ];
      const summary = summaryOf([...before, ...segment]);
      const next = nextFor({
        cards,
        relevance,
        sources: { step, segment, background: [...before, ...memory.earlier], heard, vocabulary, summary },
        made: new Set(
          memory.turn
            .slice(0, replies)
            .flat()
            .map(({ key }) => key),
        ),
        ...topicAndContext(step, steps.slice(0, at), memory),
      });
      if (next.type === 'blocked') return { calls: [], undone: [{ step, missing: next.missing }] };
      if (next.type === 'call') {
        if (replies === memory.turn.length) return { calls: next.calls.slice(0, room), undone: [] };
        break;
      }
      at += 1;
      start = replies;
    }
  }
  return { calls: [], undone: [] };
}

/** "What about 12?" asks again what was asked before. */
const elliptical = /^\s*(?:and|what about|how about|same for)\s+(?:the\s+)?(?<word>\p{L}+)?/iu;

function topicAndContext(
  step: Step,
  before: readonly Step[],
  { said }: Memory,
): { topic: string[]; context: string[] } {
  const context = [...new Set([...before.flatMap(({ topic }) => topic), ...topicOf(said[0] ?? '')])];
  const opening = elliptical.exec(step.text);
  const verb = isVerb(stem(opening?.groups?.word?.toLowerCase() ?? ''));
  const repeats = opening !== null && !verb && step.mentions.length > 0 && step.command === undefined;
  return { topic: [...new Set([...step.topic, ...(repeats ? context : [])])], context };
}

const vocabularyOf = (cards: readonly ToolCard[]): ReadonlySet<string> =>
  new Set(
    cards.flatMap(({ nouns, params }) => [
      ...nouns,
      ...params.flatMap((param) => (param.shape.type === 'id' ? param.nouns : [])),
    ]),
  );

/** A command is carried out; whatever else a step is, it is looked up. */
function nextFor(situation: Situation): Next {
  const { command } = situation.sources.step;
  if (command === undefined) return lookUp(situation);
  const kind = changeOf(command);
  const makes = situation.cards.filter(({ changes, locked }) => changes.includes(kind) && !locked);
  const commanded = makes.length > 0 || (isVerb(command) && !isLook(command));
  return commanded ? carryOut(situation, kind, makes) : lookUp(situation);
}
