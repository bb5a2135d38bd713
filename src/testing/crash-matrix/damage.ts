import type { StoredEvent } from '../../journal/events.ts';
import type { ReplyPart } from '../../model/parts.ts';
import { getFirstLine } from '../../tool/log.ts';
import { isGentle, type Mode } from './disturbances.ts';
import type { SeenRun } from './effects.ts';
import type { PlayResult } from './play-script.ts';

/** The damage of disturbances in a play, as visible to senders of messages and receivers of effects. */
export interface Damage {
  /** The number of turns that ended as in the undisturbed play. */
  readonly turnsCompleted: number;
  /** The number of accepted messages without exactly one outcome. */
  readonly messagesLost: number;
  /** The number of effects beyond those of the undisturbed play. */
  readonly effectsDoubled: number;
  /**
   * The number of interrupted calls that are reported to the model as unknown: calls to `once` tools without
   * `reconcile`, and calls of any tool in a cancelled turn.
   */
  readonly effectsUnknown: number;
  /** Describes all violations as text. */
  readonly problems: readonly string[];
  /**
   * The last error result of a call, with the name of its tool. Absent without such a result, or without
   * problems.
   */
  readonly toolError?: string;
}

interface Expectation {
  /** The undisturbed play, with broken connections for calls whose outcome is unknown. */
  readonly expected: PlayResult;
  readonly modes: readonly Mode[];
  /** Whether the course of the script can vary (see `isOpenEnded`). */
  readonly isOpen: boolean;
}

/**
 * Compares the external effects, and the outcome of each message, with the undisturbed play. Uses only the
 * names of calls from the journal.
 */
export function computeDamage(
  seen: PlayResult,
  { expected: undisturbed, modes, isOpen }: Expectation,
): Damage {
  const expected = isOpen ? deriveExpectation(seen) : undisturbed;
  const turns = findTurnFaults(seen, { expected: undisturbed, isOpen });
  const doubts = findUnknownOutcomes(seen, { expected: undisturbed, modes });
  const effects = findEffectFaults(seen, expected, doubts.unknown);
  const repeated = modes.every(isGentle) ? findRepeatedRuns(seen, expected) : [];
  const problems = [
    ...(seen.broken ? [seen.broken.message] : []),
    ...(seen.missed.length > undisturbed.missed.length ? [`the script has no ${seen.missed.at(-1)}`] : []),
    ...(seen.disturbed || seen.broken ? [] : ['the play was over before it was disturbed']),
    ...turns.problems,
    ...effects.problems,
    ...doubts.problems,
    ...repeated,
    ...findReturnedReplyFaults(seen),
    ...(seen.timersLeft > 0 && !seen.broken ? [`${seen.timersLeft} timers are left`] : []),
  ];
  const last = problems.length > 0 ? findLastToolError(seen) : undefined;
  return {
    ...(last !== undefined && { toolError: last }),
    turnsCompleted: turns.completed,
    messagesLost: turns.lost,
    effectsDoubled: effects.doubled,
    effectsUnknown: doubts.allowed,
    problems,
  };
}

/** Returns the last error result of a call, as text, or `undefined` if no call failed. */
export function findLastToolError({ events }: Pick<PlayResult, 'events'>): string | undefined {
  const names = new Map(
    events.flatMap((event) =>
      event.type === 'model-replied' ? event.toolCalls.map(({ id, name }) => [id, name]) : [],
    ),
  );
  for (const event of events.toReversed())
    if (event.type === 'tool-call-ended' && event.result.type === 'error')
      return `tool '${names.get(event.call) ?? ''}' answered: ${getFirstLine(event.result.message.replaceAll(/\s+/g, ' '))}`;
  return undefined;
}

/** Returns the outcomes of each accepted or scheduled message, by a name that is the same in every play. */
function collectOutcomes({ events, turns }: PlayResult): ReadonlyMap<string, readonly string[]> {
  const names = callNames(events);
  const scheduled = events.flatMap((event) =>
    event.type === 'tool-call-ended' ? (event.changes?.scheduled ?? []).map(({ turn }) => turn) : [],
  );
  const outcomes = new Map([...turns, ...scheduled].map((turn): [string, string[]] => [turn, []]));
  for (const event of events) {
    if (event.type === 'turn-ended') outcomes.get(event.turn)?.push(event.outcome);
    if (event.type === 'turn-steered') outcomes.get(event.as)?.push('steered');
  }
  return new Map([...outcomes].map(([turn, list]) => [names.get(turn) ?? turn, list]));
}

function findTurnFaults(seen: PlayResult, { expected, isOpen }: Omit<Expectation, 'modes'>) {
  const problems: string[] = [];
  let [completed, lost] = [0, 0];
  const mine = collectOutcomes(seen);
  for (const [turn, [usual]] of collectOutcomes(expected)) {
    const outcomes = mine.get(turn);
    const [outcome, ...more] = outcomes ?? [];
    if (outcomes === undefined) problems.push(`the message of turn ${turn} was never accepted`);
    else if (outcome === undefined && usual === undefined)
      completed += 1; // the turn waits for a person in both plays
    else if (outcome === undefined || more.length > 0) {
      lost += 1;
      problems.push(`turn ${turn} has ${outcomes.length} outcomes, not 1`);
    } else if (outcome !== usual && !(isOpen && outcome !== 'failed'))
      problems.push(`turn ${turn} ended as ${outcome}, not ${usual}`);
    else completed += 1;
  }
  return { completed, lost, problems };
}

/** Returns the calls with an unknown outcome, and the number for which it is allowed. */
function findUnknownOutcomes(seen: PlayResult, { expected, modes }: Omit<Expectation, 'isOpen'>) {
  const unknown = collectUnknownCalls(seen.events);
  const cares = new Map([...nameRuns(seen), ...nameRuns(expected)].map((run) => [run.name, run.care]));
  const names = callNames(seen.events);
  const cancelled = seen.events.flatMap((event) =>
    event.type === 'turn-ended' && event.outcome === 'cancelled'
      ? `${names.get(event.turn) ?? event.turn}:`
      : [],
  );
  // A cancelled turn ends without reconciling its calls.
  const isCancelled = (call: string): boolean => cancelled.some((turn) => call.startsWith(turn));
  const isAllowed = (call: string): boolean =>
    !modes.every(isGentle) && (cares.get(call) === 'once' || isCancelled(call));
  const problems = [...unknown]
    .filter((call) => !isAllowed(call))
    .map((call) => `call ${call} (${cares.get(call) ?? 'never run'}) is unknown`);
  return { unknown, allowed: unknown.size - problems.length, problems };
}

/**
 * A run with the name of its call, which is the same in every play. The name is `undefined` if the call is
 * not in the journal.
 */
type NamedRun = SeenRun & { readonly name: string | undefined };

function nameRuns({ events, runs }: Pick<PlayResult, 'events' | 'runs'>): NamedRun[] {
  const names = callNames(events);
  return runs.map((run) => ({ ...run, name: names.get(run.call) }));
}

function findEffectFaults(seen: PlayResult, expected: PlayResult, unknown: ReadonlySet<string>) {
  const [mine, theirs] = [seen, expected].map((one) => nameRuns(one).filter(({ care }) => care !== 'read'));
  const tools = new Set([...(mine ?? []), ...(theirs ?? [])].map(({ tool }) => tool));
  const ofTools = [...tools].map((tool) => {
    const is = (run: NamedRun): boolean => run.tool === tool;
    return runFaults(tool, { mine: (mine ?? []).filter(is), theirs: (theirs ?? []).filter(is), unknown });
  });
  const faults = [...ofTools, reportFaults(seen, expected, unknown.size)];
  return {
    doubled: faults.reduce((sum, { doubled }) => sum + doubled, 0),
    problems: faults.flatMap(({ problems }) => problems),
  };
}

interface Faults {
  readonly doubled: number;
  readonly problems: readonly string[];
}

interface ComparedRuns {
  readonly mine: readonly NamedRun[];
  readonly theirs: readonly NamedRun[];
  readonly unknown: ReadonlySet<string>;
}

/**
 * Returns the number of effects that a receiver would carry out: one for each complete run, or one for each
 * key of an idempotent tool. Does not count runs that were cut off, since only the receivers know their
 * effects.
 */
function countEffects(runs: readonly NamedRun[]): number {
  const done = runs.filter(({ isDone }) => isDone);
  return done[0]?.care === 'idempotent' ? new Set(done.map(({ key }) => key)).size : done.length;
}

function runFaults(tool: string, { mine, theirs, unknown }: ComparedRuns): Faults {
  const names = new Set([...mine, ...theirs].map(({ name }) => name));
  const problems: string[] = [];
  let doubled = 0;
  for (const name of names) {
    const [own, others] = [mine, theirs].map((runs) => runs.filter((run) => run.name === name));
    const [count, usual] = [countEffects(own ?? []), countEffects(others ?? [])];
    const isCutOff = (own ?? []).some(({ isDone }) => !isDone);
    const of =
      name === undefined ? `calls of '${tool}' that are not in the journal` : `call ${name} of '${tool}'`;
    if (count > usual) problems.push(`${of} had ${count} effects, not ${usual}`);
    if (count < usual && !isCutOff && !(name !== undefined && unknown.has(name)))
      problems.push(`${of} had ${count} effects, not ${usual}`);
    if (name !== undefined) doubled += Math.max(0, count - usual);
  }
  // If a reply is lost, the next reply repeats its runs with different keys.
  return { doubled: Math.max(doubled, countEffects(mine) - countEffects(theirs), 0), problems };
}

/**
 * Returns the calls that did not run as often as expected. Without an interruption, even a harmless run must
 * not repeat.
 */
function findRepeatedRuns(seen: PlayResult, expected: PlayResult): string[] {
  const [mine, theirs] = [nameRuns(seen), nameRuns(expected)];
  const names = new Set([...mine, ...theirs].map(({ name }) => name));
  return [...names].flatMap((name) => {
    const [count, usual] = [mine, theirs].map((runs) => runs.filter((run) => run.name === name).length);
    return count === usual
      ? []
      : [`call ${name ?? 'outside the journal'} ran ${count} times, not ${usual}, without an interruption`];
  });
}

/** Returns the faults in the receivers' reports. If a call has an unknown outcome, reports may be missing. */
function reportFaults(seen: PlayResult, expected: PlayResult, unknown: number): Faults {
  const names = new Set([...seen.reported, ...expected.reported].map(({ name }) => name));
  const problems: string[] = [];
  let doubled = 0;
  for (const name of names) {
    const [count = 0, usual = 0] = [seen, expected].map(
      ({ reported }) => reported.filter((one) => one.name === name).length,
    );
    doubled += Math.max(0, count - usual);
    if (count > usual || (count < usual && unknown === 0)) {
      problems.push(`'${name}' happened ${count} times, not ${usual}`);
    }
  }
  return { doubled, problems };
}

/**
 * Derives a play's expectations from its own journal, for a script whose course varies: every successful call
 * ran once, and all other calls ran at most once.
 */
function deriveExpectation(seen: PlayResult): PlayResult {
  const names = callNames(seen.events);
  const known = seen.runs.filter(({ call }) => names.has(call));
  const calls = new Set([...known.map(({ call }) => call), ...listSucceededCalls(seen)]);
  const runs = [...calls].map((call): SeenRun => {
    const own = known.filter((run) => run.call === call);
    const nobody = { tool: 'nobody', care: 'once', call, key: '', isDone: true } as const;
    return own.find(({ isDone }) => isDone) ?? own[0] ?? nobody;
  });
  return { ...seen, runs };
}

/** Returns the calls that started and succeeded. */
function listSucceededCalls({ events }: PlayResult): readonly string[] {
  const started = new Set(events.flatMap((event) => (event.type === 'tool-call-started' ? event.call : [])));
  return events.flatMap((event) =>
    event.type === 'tool-call-ended' && event.result.type !== 'error' && started.has(event.call)
      ? event.call
      : [],
  );
}

/**
 * Returns the replies whose parts differ in later requests: one is missing or changed, or the order is
 * different. A reply that a transformer turned into text has no parts.
 */
function findReturnedReplyFaults({ requests, replies }: Pick<PlayResult, 'requests' | 'replies'>): string[] {
  const made = new Set(replies.map(getText));
  const given = requests.flatMap(({ messages }) =>
    messages.flatMap((message) => (message.role === 'assistant' && message.parts ? getText(message) : [])),
  );
  return [...new Set(given)]
    .filter((text) => !made.has(text))
    .map((text) => `the model was shown a reply that it had not given: ${text}`);
}

interface ReplyContent {
  readonly parts?: readonly ReplyPart[] | undefined;
  readonly provider?: unknown;
}

/**
 * Formats a reply for comparison. The order of fields does not matter in a part, but can matter in the
 * provider's data.
 */
const getText = ({ parts = [], provider }: ReplyContent): string =>
  JSON.stringify([parts.map((part) => Object.entries(part).toSorted(compareNames)), provider]);

const compareNames = ([one]: [string, unknown], [other]: [string, unknown]): number => (one < other ? -1 : 1);

/** Returns the names of the calls whose outcome is unknown. */
export function collectUnknownCalls(events: readonly StoredEvent[]): ReadonlySet<string> {
  const names = callNames(events);
  return new Set(
    events.flatMap((event) => {
      if (event.type !== 'tool-call-ended' || event.result.type !== 'error') return [];
      return event.result.reason === 'unknown-outcome' ? (names.get(event.call) ?? event.call) : [];
    }),
  );
}

/** Names of calls, and of the turns that calls have scheduled, by their ids. */
export type CallNames = ReadonlyMap<string, string>;

/**
 * Names the calls of a journal. Names do not contain sequence numbers, which a disturbance shifts, but the
 * turn, the enclosing calls, and the place in the replies of the frame.
 */
export function callNames(events: readonly StoredEvent[]): CallNames {
  const names = new Map<string, string>();
  const replies = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'tool-call-ended') {
      event.changes?.scheduled?.forEach(({ turn }, index) => {
        names.set(turn, `${names.get(event.call) ?? event.call}+${index}`);
      });
    }
    if (event.type !== 'model-replied') continue;
    const { turn, frame: of } = event;
    const frame = of === undefined ? `${names.get(turn) ?? turn}:` : `${names.get(of) ?? of}/`;
    const reply = (replies.get(frame) ?? 0) + 1;
    replies.set(frame, reply);
    event.toolCalls.forEach(({ id }, index) => {
      names.set(id, `${frame}${reply}.${index}`);
    });
  }
  return names;
}
