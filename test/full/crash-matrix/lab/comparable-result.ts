import type { SessionEvent, StoredEvent } from '../../../../src/journal/entry.ts';
import type { SessionState } from '../../../../src/testing/entry.ts';
import { emptyState, reduce, valueIn } from '../../../doors/journal.ts';
import { BUILT_IN_KINDS, PROCESS } from '../../../doors/kinds.ts';
import { type CallNames, callNames, type PlayResult, unknownIn } from '../../../doors/testing.ts';
import { comparable, comparableState } from './comparable.ts';

/** An result in a form in which two can be compared: texts that are equal when nothing was lost. */
export interface ComparableResult {
  /** What the model was shown, each request. */
  readonly shown: readonly string[];
  /** What happened, in no order: calls that ran at once end as they please. */
  readonly happened: readonly string[];
  /** What the session remembers. */
  readonly memory: Readonly<Record<string, string>>;
  /** Invocations that took the turn over because the one before them had fallen silent. */
  readonly takenOver: number;
  /** Names of the calls whose outcome is unknown. */
  readonly unknown: ReadonlySet<string>;
  /** Of those, the ones that the invocation which says so had begun itself. */
  readonly unjustified: readonly string[];
}

/** What invocations say of themselves, and of time. */
const OF_INVOCATIONS: readonly string[] = [
  'session-opened',
  'turn-resumed',
  'turn-yielded',
  'tool-call-started',
];

/** What a budget holds back for an attempt at a reply. */
const isHeldBack = (event: SessionEvent): boolean =>
  event.type === 'module-event' && event.module === 'budgets';

/** What calls ask somebody outside, and are answered. */
const OF_QUESTIONS: readonly string[] = ['tool-call-suspended', 'tool-call-answered'];

const nameOf = (event: SessionEvent, names: CallNames): string =>
  'call' in event ? (names.get(event.call) ?? event.call) : '';

export function toComparable(
  { events, requests }: Pick<PlayResult, 'events' | 'requests'>,
  kinds: typeof BUILT_IN_KINDS = BUILT_IN_KINDS,
): ComparableResult {
  const names = callNames(events);
  const unknown = unknownIn(events);
  return {
    // How long a reply may be depends on what dead attempts have used of a limit.
    shown: requests.map(({ maxOutputTokens: _, ...request }) => comparable(request, names)),
    happened: events
      .filter((event) => !OF_INVOCATIONS.includes(event.type) && !isHeldBack(event))
      // How far it came with its questions depends on where it was cut off.
      .filter((event) => !OF_QUESTIONS.includes(event.type) || !unknown.has(nameOf(event, names)))
      .map((event) =>
        comparable(
          { ...placeless(event), seq: undefined, at: undefined, ms: undefined, from: undefined },
          names,
        ),
      )
      .sort(),
    memory: memoryOf(foldEvents(events, kinds), names),
    takenOver: events.filter((event) => event.type === 'turn-resumed' && event.cause === 'expired').length,
    unknown,
    unjustified: unjustifiedIn(events, names),
  };
}

/** Where in the journal the messages stood of which a summary was dropped is not compared. */
const placeless = (event: StoredEvent): StoredEvent =>
  event.type === 'module-event'
    ? { ...event, facts: event.facts.map((one) => ({ ...one, fact: { ...Object(one.fact), from: 0 } })) }
    : event;

/** The state, but for what it says of the invocations that made it. */
function memoryOf(state: SessionState, names: CallNames): Record<string, string> {
  // Where in the journal something stands depends on who took a turn over before it.
  const { seq: _, turn, memories, callState: cells, starts, cut, ...rest } = state;
  const { lastEvent: __, resumedSinceReply: ___, ...last } = turn ?? {};
  const parts = {
    ...rest,
    turn: last,
    starts: starts.length,
    cut: cut?.text,
    cells: Object.fromEntries(cells),
    ...Object.fromEntries(
      [...memories].map(([name, value]) => [name, name.startsWith('app:') ? timeless(value) : value]),
    ),
    compaction: memories.get('compaction') !== undefined && memories.get('compaction') !== null,
    [PROCESS.name]: sortedProcess(memories),
  };
  return Object.fromEntries(
    Object.entries(parts).map(([part, value]) => [part, comparableState(value, names)]),
  );
}

/** What a scenario's own kind remembers is times alone: how many there are is compared, and not when it was. */
const timeless = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, one: unknown) => (typeof one === 'number' ? 'a time' : one)));

/** It tells of calls as they ended: at once ended calls in any order, and some run for longer than others. */
function sortedProcess(memories: SessionState['memories']): object {
  const { history, tools, ...rest } = valueIn(memories, PROCESS, '');
  const called = history.map(({ tool, failed }) => `${tool} ${failed}`);
  return { ...rest, history: called.sort(), tools: tools.toSorted((a, b) => (a.tool < b.tool ? -1 : 1)) };
}

/** Calls that are unknown to the very invocation that began them. */
function unjustifiedIn(events: readonly StoredEvent[], names: CallNames): string[] {
  const begunBefore = new Set<string>();
  let begun: string[] = [];
  return events.flatMap((event) => {
    if (event.type === 'tool-call-started') begun.push(event.call);
    if (event.type === 'turn-resumed') {
      for (const call of begun) begunBefore.add(call);
      begun = [];
    }
    if (event.type !== 'tool-call-ended' || event.result.type !== 'error') return [];
    const isUnknown = event.result.reason === 'unknown-outcome' && !begunBefore.has(event.call);
    return isUnknown ? (names.get(event.call) ?? event.call) : [];
  });
}

/** The state of a session by its whole journal. */
export const foldEvents = (
  events: readonly StoredEvent[],
  { memories }: Pick<typeof BUILT_IN_KINDS, 'memories'> = BUILT_IN_KINDS,
): SessionState => events.reduce((state, stored) => reduce(state, stored, memories), emptyState());
