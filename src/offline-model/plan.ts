import type { ModelRequest } from '../model/chat-model.ts';
import { isRecord, isScalar, parseJson } from '../model/untrusted-json.ts';
import type { Memory, PastCall } from './memory.ts';
import { type Fact, mentionsIn } from './mentions.ts';
import { type Next, onlyPointed, type PlannedCall, type Situation } from './situation.ts';
import { carryOut, lookUp } from './step-calls.ts';
import { type Step, stepsOf } from './steps.ts';
import { relevanceAmong, type ToolCard } from './tool-card.ts';
import { changeOf, isVerb, stem, topicOf } from './words.ts';

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
  const room = maxCalls - memory.turn.flat().length;
  if (room <= 0 || cards.length === 0) return { calls: [], undone: [] };
  const steps = stepsOf(memory.task).map((step) => asMeant(step, cards));
  const situationAt = situationsOf(memory, cards, steps);
  let place: Place = { at: 0, start: 0, replies: 0 };
  for (let step = steps[0]; step !== undefined; step = steps[place.at]) {
    const next = nextFor(situationAt(step, place));
    switch (next.type) {
      case 'blocked':
        return { calls: [], undone: [{ step, missing: next.missing }] };
      case 'call':
        if (place.replies === memory.turn.length) return { calls: next.calls.slice(0, room), undone: [] };
        place = { ...place, replies: place.replies + 1 };
        break;
      case 'done':
        place = { ...place, at: place.at + 1, start: place.replies };
    }
  }
  return { calls: [], undone: [] };
}

/** How far the turn was gone through: the step at work, the replies before it, and all replies up to now. */
interface Place {
  readonly at: number;
  readonly start: number;
  readonly replies: number;
}

/** Tells where the planner stood at a place of the turn. What is the same at every place is worked out once. */
function situationsOf(memory: Memory, cards: readonly ToolCard[], steps: readonly Step[]) {
  const relevance = relevanceAmong(cards);
  const vocabulary = vocabularyOf(cards);
  const said = memory.said.map((text) => mentionsIn(text));
  return (step: Step, { at, start, replies }: Place): Situation => {
    // What was refused has said nothing and done nothing.
    const segment = memory.turn.slice(start, replies).flat().filter(isHeard);
    const before = memory.turn.slice(0, start).flat().filter(isHeard).reverse();
    const past = steps.slice(0, at);
    const heard = [...past.map(({ mentions }) => mentions).reverse(), ...said];
    const background = [...before, ...memory.earlier.filter(isHeard)];
    const summary = summaryOf([...before, ...segment].filter((call) => !onlyPointed(call, cards)));
    const calls = memory.turn.slice(0, replies).flat();
    const made = new Set(
      calls.filter((call, at) => !mayBeRetried(call, calls.slice(at))).map(({ key }) => key),
    );
    return {
      cards: cards.map((card) => withLock(card, memory, calls)),
      relevance,
      sources: { step, segment, background, heard, vocabulary, summary },
      made,
      ...topicAndContext(step, past, memory),
    };
  };
}

const isHeard = ({ refused }: PastCall): boolean => !refused;

/** The card of a tool as of some calls: it may wait for others, by what the instructions say and by what it answered last. */
function withLock(card: ToolCard, { needs, earlier }: Memory, calls: readonly PastCall[]): ToolCard {
  const { name } = card;
  const known = [...earlier.toReversed(), ...calls];
  const isUsed = (tool: string): boolean => known.some((call) => call.tool === tool && hasWorked(call));
  const { used = [], isMore = false } = needs.get(name) ?? {};
  const at = calls.findLastIndex(({ tool }) => tool === name);
  const last = calls[at];
  const isRefused = last?.refused === true && !mayBeRetried(last, calls.slice(at));
  if (isRefused || !used.every(isUsed)) return { ...card, locked: true };
  return isMore && !isUsed(name) ? { ...card, unsure: true } : card;
}

/** A call that was refused may be made again once another one has worked: that may have opened its tool. */
const mayBeRetried = ({ refused }: PastCall, since: readonly PastCall[]): boolean =>
  refused && since.some(hasWorked);

const hasWorked = ({ result, failed, refused }: PastCall): boolean =>
  result !== undefined && !failed && !refused;

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

/**
 * The step without its command where that is no verb ("weather in Paris"): neither a listed one, nor one that leads a
 * tool's name, nor one that stands as a verb before what a tool makes ("blork a flomp" for `create_blork`).
 */
function asMeant(step: Step, cards: readonly ToolCard[]): Step {
  const { command, governs } = step;
  if (command === undefined || isVerb(command)) return step;
  const leads = ({ changes }: ToolCard): boolean => changes[0] === command;
  const makes = ({ changes }: ToolCard): boolean => governs && changes.includes(command);
  return cards.some((card) => leads(card) || makes(card)) ? step : { ...step, command: undefined };
}

/** What may still be locked is tried when there is nothing else to do. */
function nextFor(situation: Situation): Next {
  const { cards } = situation;
  const isUnsure = cards.some(({ unsure }) => unsure);
  const sure = isUnsure
    ? nextAmong({
        ...situation,
        cards: cards.map((card) => (card.unsure ? { ...card, locked: true } : card)),
      })
    : undefined;
  return sure?.type === 'call' ? sure : nextAmong(situation);
}

/** A command is carried out; whatever else a step is, it is looked up. */
function nextAmong(situation: Situation): Next {
  const { command } = situation.sources.step;
  if (command === undefined) return lookUp(situation);
  const kind = changeOf(command);
  const makes = situation.cards.filter(({ changes, locked }) => changes.includes(kind) && !locked);
  return carryOut(situation, kind, makes);
}

/** A fact in words: `ships on: 2026-03-01`, `probe code: none`. */
export const factInWords = ({ label, value }: Fact): string =>
  `${label.replaceAll('_', ' ')}: ${value === '' ? 'none' : clipped(String(value), 200)}`;

/** Answers what a call found, on one line, clipped. */
export function resultInWords({ result, facts, absent, failed }: PastCall): string {
  if (result === undefined) return 'no result yet';
  if (failed) return clipped(result, maxLine);
  const json = parseJson(result);
  if (json === undefined || isScalar(json) || json === null) return clipped(result.trim(), maxLine);
  const lines = [...new Set([...facts, ...absent].map(factInWords))].slice(0, maxFacts);
  return lines.length === 0 ? 'nothing' : clipped(lines.join(', '), maxLine);
}

/** A call in words: the tool, and the plain values of its input. */
export const callInWords = ({ tool, input }: PastCall): string => {
  const values = Object.values(input).filter((value) => typeof value !== 'object');
  return values.length === 0 ? tool : `${tool} (${values.join(', ').slice(0, 100)})`;
};

/** The results of the calls that worked, for text that tells somebody about them. */
const summaryOf = (calls: readonly PastCall[]): string =>
  clipped(
    calls
      .filter(({ failed, result }) => !failed && result !== undefined)
      .map(resultInWords)
      .join('; '),
    1_000,
  );

/**
 * Answers what stands for a conversation that was handed over to be summarised, one message a line, as JSON: the
 * beginning of each message and of each result, about a quarter of it all. `undefined` when something else is asked.
 */
export function digestOf({ messages, tools, output }: ModelRequest): string | undefined {
  const last = messages.at(-1);
  if (tools.length > 0 || output || messages.length > 2 || last?.role !== 'user') return undefined;
  const lines = last.text.split('\n').map(parseJson);
  // What a nested loop is asked with is one line.
  if (lines.length < 2 || !lines.every(isLine)) return undefined;
  const most = Math.max(MIN_LINE, Math.floor(last.text.length / 4 / lines.length));
  return [NOTICE, ...lines.flatMap((line) => toldIn(line).map((text) => clipped(text, most)))].join('\n');
}

const maxLine = 600;
const maxFacts = 16;

const clipped = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

/** It stands before what was shortened, which is not a summary that a language model would write. */
const NOTICE = '(Shortened by the offline planner.)';

/** The names that a line of a conversation may begin with. */
const SPEAKERS: readonly string[] = ['user', 'assistant', 'summary', 'steer', 'late', 'loop', 'leftOut'];

/** A line is of use with so many characters at the least. */
const MIN_LINE = 24;

type Line = Readonly<Record<string, unknown>>;

const isLine = (line: unknown): line is Line =>
  isRecord(line) && SPEAKERS.includes(Object.keys(line)[0] ?? '');

function toldIn(line: Line): string[] {
  const [[speaker, text] = ['', '']] = Object.entries(line);
  const calls = Array.isArray(line.calls) ? line.calls.filter(isRecord) : [];
  const said = text === '' ? [] : [`${speaker}: ${String(text).replace(NOTICE, '').trim()}`];
  return [...said, ...calls.map(({ tool, input, result }) => `${tool} ${input}: ${result ?? 'no result'}`)];
}
