import type { ModelRequest } from '../model/chat-model.ts';
import { isRecord, isScalar, parseJson } from '../model/untrusted-json.ts';
import type { ConversationMemory, PastCall } from './memory.ts';
import { findMentions, type NamedValue } from './mentions.ts';
import { isOnlyPointer, type NextAction, type PlannedCall, type Situation } from './situation.ts';
import { executeCommand, lookUp } from './step-calls.ts';
import { type MessageStep, splitSteps } from './steps.ts';
import { createRelevance, type ToolCard } from './tool-card.ts';
import { extractTopic, isVerb, toChange, toStem } from './words.ts';

/** The calls to make now, and the commands that cannot run. Both are empty when it is time to answer. */
export interface Plan {
  readonly calls: readonly PlannedCall[];
  readonly undone: readonly { readonly step: MessageStep; readonly missing: readonly string[] }[];
}

/** The maximum number of calls in one turn. */
const maxCalls = 8;

/**
 * Plans the next calls by replaying the turn's replies from its start. The messages alone show which step
 * each reply served, so the planner keeps no state between requests. Steps run in order. A command that fails
 * or cannot be filled ends the plan, because later steps can depend on it.
 */
export function planNext(memory: ConversationMemory, cards: readonly ToolCard[]): Plan {
  const room = maxCalls - memory.turn.flat().length;
  if (room <= 0 || cards.length === 0) return { calls: [], undone: [] };
  const steps = splitSteps(memory.task).map((step) => withoutFalseCommand(step, cards));
  const situationAt = createSituationLookup(memory, cards, steps);
  let place: ReplayPosition = { at: 0, start: 0, replies: 0 };
  for (let step = steps[0]; step !== undefined; step = steps[place.at]) {
    const next = planAction(situationAt(step, place));
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

/**
 * The progress of the replay: the index of the current step, the replies before it, and all replies so far.
 */
interface ReplayPosition {
  readonly at: number;
  readonly start: number;
  readonly replies: number;
}

/**
 * Creates a function that returns the situation at a place of the turn. Values that are equal at every place
 * are computed once.
 */
function createSituationLookup(
  memory: ConversationMemory,
  cards: readonly ToolCard[],
  steps: readonly MessageStep[],
) {
  const relevance = createRelevance(cards);
  const vocabulary = collectVocabulary(cards);
  const said = memory.said.map((text) => findMentions(text));
  return (step: MessageStep, { at, start, replies }: ReplayPosition): Situation => {
    // A refused call returned no facts and had no effect.
    const segment = memory.turn.slice(start, replies).flat().filter(isAccepted);
    const before = memory.turn.slice(0, start).flat().filter(isAccepted).reverse();
    const past = steps.slice(0, at);
    const heard = [...past.map(({ mentions }) => mentions).reverse(), ...said];
    const background = [...before, ...memory.earlier.filter(isAccepted)];
    const summary = summarizeCalls([...before, ...segment].filter((call) => !isOnlyPointer(call, cards)));
    const calls = memory.turn.slice(0, replies).flat();
    const made = new Set(calls.filter((call, at) => !canRetry(call, calls.slice(at))).map(({ key }) => key));
    return {
      cards: cards.map((card) => withLock(card, memory, calls)),
      relevance,
      sources: { step, segment, background, heard, vocabulary, summary },
      made,
      ...resolveTopic(step, past, memory),
    };
  };
}

const isAccepted = ({ refused }: PastCall): boolean => !refused;

/** Returns the card of a tool after some calls. The instructions or its last result can mark it as locked. */
function withLock(
  card: ToolCard,
  { needs, earlier }: ConversationMemory,
  calls: readonly PastCall[],
): ToolCard {
  const { name } = card;
  const known = [...earlier.toReversed(), ...calls];
  const isUsed = (tool: string): boolean => known.some((call) => call.tool === tool && hasWorked(call));
  const { used = [], isMore = false } = needs.get(name) ?? {};
  const at = calls.findLastIndex(({ tool }) => tool === name);
  const last = calls[at];
  const isRefused = last?.refused === true && !canRetry(last, calls.slice(at));
  if (isRefused || !used.every(isUsed)) return { ...card, locked: true };
  return isMore && !isUsed(name) ? { ...card, unsure: true } : card;
}

/** Returns whether a refused call can be repeated. A later successful call may have unlocked its tool. */
const canRetry = ({ refused }: PastCall, since: readonly PastCall[]): boolean =>
  refused && since.some(hasWorked);

const hasWorked = ({ result, failed, refused }: PastCall): boolean =>
  result !== undefined && !failed && !refused;

/** Matches a question that repeats the previous one, such as "What about 12?". */
const ellipticalQuestion = /^\s*(?:and|what about|how about|same for)\s+(?:the\s+)?(?<word>\p{L}+)?/iu;

function resolveTopic(
  step: MessageStep,
  before: readonly MessageStep[],
  { said }: ConversationMemory,
): { topic: string[]; context: string[] } {
  const context = [...new Set([...before.flatMap(({ topic }) => topic), ...extractTopic(said[0] ?? '')])];
  const opening = ellipticalQuestion.exec(step.text);
  const verb = isVerb(toStem(opening?.groups?.word?.toLowerCase() ?? ''));
  const repeats = opening !== null && !verb && step.mentions.length > 0 && step.command === undefined;
  return { topic: [...new Set([...step.topic, ...(repeats ? context : [])])], context };
}

const collectVocabulary = (cards: readonly ToolCard[]): ReadonlySet<string> =>
  new Set(
    cards.flatMap(({ nouns, params }) => [
      ...nouns,
      ...params.flatMap((param) => (param.shape.type === 'id' ? param.nouns : [])),
    ]),
  );

/**
 * Returns the step without its command if that word is not a verb ("weather in Paris"). A verb is a listed
 * verb, the first word of a tool's name, or a word used as a verb before the object that a tool makes ("blork
 * a flomp" for `create_blork`).
 */
function withoutFalseCommand(step: MessageStep, cards: readonly ToolCard[]): MessageStep {
  const { command, governs } = step;
  if (command === undefined || isVerb(command)) return step;
  const hasLeadingCommand = ({ changes }: ToolCard): boolean => changes[0] === command;
  const hasGovernedCommand = ({ changes }: ToolCard): boolean => governs && changes.includes(command);
  return cards.some((card) => hasLeadingCommand(card) || hasGovernedCommand(card))
    ? step
    : { ...step, command: undefined };
}

/** Calls a tool that may be locked only if there is no other call to make. */
function planAction(situation: Situation): NextAction {
  const { cards } = situation;
  const isUnsure = cards.some(({ unsure }) => unsure);
  const sure = isUnsure
    ? planActionAmong({
        ...situation,
        cards: cards.map((card) => (card.unsure ? { ...card, locked: true } : card)),
      })
    : undefined;
  return sure?.type === 'call' ? sure : planActionAmong(situation);
}

/** Executes a command. Any other step is a look-up. */
function planActionAmong(situation: Situation): NextAction {
  const { command } = situation.sources.step;
  if (command === undefined) return lookUp(situation);
  const kind = toChange(command);
  const makes = situation.cards.filter(({ changes, locked }) => changes.includes(kind) && !locked);
  return executeCommand(situation, kind, makes);
}

/** Returns a fact as text: `ships on: 2026-03-01`, `probe code: none`. */
export const formatFact = ({ label, value }: NamedValue): string =>
  `${label.replaceAll('_', ' ')}: ${value === '' ? 'none' : clipText(String(value), 200)}`;

/** Returns the result of a call on one line, clipped. */
export function formatPastResult({ result, facts, absent, failed }: PastCall): string {
  if (result === undefined) return 'no result yet';
  if (failed) return clipText(result, maxLine);
  const json = parseJson(result);
  if (json === undefined || isScalar(json) || json === null) return clipText(result.trim(), maxLine);
  const lines = [...new Set([...facts, ...absent].map(formatFact))].slice(0, maxFacts);
  return lines.length === 0 ? 'nothing' : clipText(lines.join(', '), maxLine);
}

/** Returns a call as text: the tool and the plain values of its input. */
export const formatPastCall = ({ tool, input }: PastCall): string => {
  const values = Object.values(input).filter((value) => typeof value !== 'object');
  return values.length === 0 ? tool : `${tool} (${values.join(', ').slice(0, 100)})`;
};

/** Returns the results of the successful calls, for text addressed to a person. */
const summarizeCalls = (calls: readonly PastCall[]): string =>
  clipText(
    calls
      .filter(({ failed, result }) => !failed && result !== undefined)
      .map(formatPastResult)
      .join('; '),
    1_000,
  );

/**
 * Shortens a conversation that was passed in for summarizing, as JSON with one message per line. Keeps the
 * beginning of each message and each result, about a quarter in total. Returns `undefined` for any other
 * request.
 */
export function shortenConversation({ messages, tools, output }: ModelRequest): string | undefined {
  const last = messages.at(-1);
  if (tools.length > 0 || output || messages.length > 2 || last?.role !== 'user') return undefined;
  const lines = last.text.split('\n').map(parseJson);
  // The request to a nested loop is a single line.
  if (lines.length < 2 || !lines.every(isLine)) return undefined;
  const most = Math.max(MIN_LINE_CHARACTERS, Math.floor(last.text.length / 4 / lines.length));
  return [
    SHORTENED_NOTICE,
    ...lines.flatMap((line) => formatLine(line).map((text) => clipText(text, most))),
  ].join('\n');
}

const maxLine = 600;
const maxFacts = 16;

const clipText = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

/** Precedes shortened text, which is not a language model's summary. */
const SHORTENED_NOTICE = '(Shortened by the offline planner.)';

/** The keys with which a line of a conversation can begin. */
const LINE_SPEAKERS: readonly string[] = ['user', 'assistant', 'summary', 'steer', 'late', 'loop', 'leftOut'];

/** The minimum length in characters of a useful line. */
const MIN_LINE_CHARACTERS = 24;

type ConversationLine = Readonly<Record<string, unknown>>;

const isLine = (line: unknown): line is ConversationLine =>
  isRecord(line) && LINE_SPEAKERS.includes(Object.keys(line)[0] ?? '');

function formatLine(line: ConversationLine): string[] {
  const [[speaker, text] = ['', '']] = Object.entries(line);
  const calls = Array.isArray(line.calls) ? line.calls.filter(isRecord) : [];
  const said = text === '' ? [] : [`${speaker}: ${String(text).replace(SHORTENED_NOTICE, '').trim()}`];
  return [...said, ...calls.map(({ tool, input, result }) => `${tool} ${input}: ${result ?? 'no result'}`)];
}
