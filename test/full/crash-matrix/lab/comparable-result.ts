import type { SessionEvent, StoredEvent } from '../../../../src/journal/entry.ts';
import type { SessionState } from '../../../../src/testing/entry.ts';
import { createEmptyState, getMemoryValue, reduce } from '../../../doors/journal.ts';
import { BUILT_IN_KINDS, PROCESS_MEMORY } from '../../../doors/kinds.ts';
import { type CallNames, callNames, collectUnknownCalls, type PlayResult } from '../../../doors/testing.ts';
import { toComparableJson, toComparableState } from './comparable.ts';

/** The result of a play in a comparable form. If no data was lost, the results of two plays are equal. */
export interface ComparableResult {
  /** Each request that the model received. */
  readonly shown: readonly string[];
  /** The events, sorted. Parallel calls can end in any order. */
  readonly happened: readonly string[];
  /** The state of the session. */
  readonly memory: Readonly<Record<string, string>>;
  /** The number of invocations that took over the turn after a lease expired. */
  readonly takenOver: number;
  /** The names of the calls with an unknown outcome. */
  readonly unknown: ReadonlySet<string>;
  /** The calls with an unknown outcome that the same invocation had started. */
  readonly unjustified: readonly string[];
}

/** The types of events about invocations and their timing. */
const INVOCATION_EVENTS: readonly string[] = [
  'session-opened',
  'turn-resumed',
  'turn-yielded',
  'tool-call-started',
];

/** Returns `true` for an event about the tokens that a budget reserves for a reply. */
const isBudgetEvent = (event: SessionEvent): boolean =>
  event.type === 'module-event' && event.module === 'budgets';

/** The types of events about questions of calls. */
const QUESTION_EVENTS: readonly string[] = ['tool-call-suspended', 'tool-call-answered'];

const getCallName = (event: SessionEvent, names: CallNames): string =>
  'call' in event ? (names.get(event.call) ?? event.call) : '';

export function toComparable(
  { events, requests }: Pick<PlayResult, 'events' | 'requests'>,
  kinds: typeof BUILT_IN_KINDS = BUILT_IN_KINDS,
): ComparableResult {
  const names = callNames(events);
  const unknown = collectUnknownCalls(events);
  return {
    // The output limit depends on the tokens that lost attempts used.
    shown: requests.map(({ maxOutputTokens: _, ...request }) => toComparableJson(request, names)),
    happened: events
      .filter((event) => !INVOCATION_EVENTS.includes(event.type) && !isBudgetEvent(event))
      // The number of questions of an interrupted call depends on when it was interrupted.
      .filter((event) => !QUESTION_EVENTS.includes(event.type) || !unknown.has(getCallName(event, names)))
      .map((event) =>
        toComparableJson(
          { ...withoutPlace(event), seq: undefined, at: undefined, ms: undefined, from: undefined },
          names,
        ),
      )
      .sort(),
    memory: collectMemory(foldEvents(events, kinds), names),
    takenOver: events.filter((event) => event.type === 'turn-resumed' && event.cause === 'expired').length,
    unknown,
    unjustified: findUnjustified(events, names),
  };
}

/** Removes the journal positions of messages whose summary was dropped. */
const withoutPlace = (event: StoredEvent): StoredEvent =>
  event.type === 'module-event'
    ? { ...event, facts: event.facts.map((one) => ({ ...one, fact: { ...Object(one.fact), from: 0 } })) }
    : event;

/** Returns the state without its data about invocations. */
function collectMemory(state: SessionState, names: CallNames): Record<string, string> {
  // Journal positions depend on earlier take-overs.
  const { seq: _, turn, memories, callState: cells, starts, cut, ...rest } = state;
  const { lastEvent: __, resumedSinceReply: ___, ...last } = turn ?? {};
  const parts = {
    ...rest,
    turn: last,
    starts: starts.length,
    cut: cut?.text,
    cells: Object.fromEntries(cells),
    ...Object.fromEntries(
      [...memories].map(([name, value]) => [name, name.startsWith('app:') ? withoutTimes(value) : value]),
    ),
    compaction: memories.get('compaction') !== undefined && memories.get('compaction') !== null,
    [PROCESS_MEMORY.name]: sortProcess(memories),
  };
  return Object.fromEntries(
    Object.entries(parts).map(([part, value]) => [part, toComparableState(value, names)]),
  );
}

/**
 * Replaces times. The memory of a scenario's own module contains only times, so only their number is compared.
 */
const withoutTimes = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, one: unknown) => (typeof one === 'number' ? 'a time' : one)));

/** Sorts the history, because parallel calls end in any order and differ in duration. */
function sortProcess(memories: SessionState['memories']): object {
  const { history, tools, ...rest } = getMemoryValue(memories, PROCESS_MEMORY, '');
  const called = history.map(({ tool, failed }) => `${tool} ${failed}`);
  return { ...rest, history: called.sort(), tools: tools.toSorted((a, b) => (a.tool < b.tool ? -1 : 1)) };
}

/** Returns the calls with an unknown outcome that the same invocation had started. */
function findUnjustified(events: readonly StoredEvent[], names: CallNames): string[] {
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

/** Folds a whole journal to the state of its session. */
export const foldEvents = (
  events: readonly StoredEvent[],
  { memories }: Pick<typeof BUILT_IN_KINDS, 'memories'> = BUILT_IN_KINDS,
): SessionState => events.reduce((state, stored) => reduce(state, stored, memories), createEmptyState());
