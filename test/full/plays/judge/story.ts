import type { ResultData } from '../../../../src/index.ts';
import type { StoredEvent } from '../../../../src/journal/entry.ts';
import { findPlan, type ToolName } from '../app/plan.ts';
import type { Finding } from './witness.ts';

/**
 * The result of a call as the model received it. `unknown` is an unknown outcome, and `not-run` is a call that
 * did not run.
 */
export type ReportedResult = 'done' | 'unknown' | 'not-run' | 'failed';

/** A call, as recorded in the journal. */
export interface CallStory {
  readonly id: string;
  readonly tool: ToolName;
  readonly label: string;
  readonly turn: string;
  isStarted: boolean;
  /** Another invocation took over between the start and the end of the call. */
  isTakenOver: boolean;
  readonly told: ReportedResult[];
  readonly results: ResultData[];
}

/** A turn, as recorded in the journal. */
export interface TurnStory {
  readonly turn: string;
  /** The sequence number of its first event. */
  readonly seq: number;
  /** The turn that it retries. */
  readonly retries: string | undefined;
  /** The first message and the steering messages, each with the turn under which it was accepted. */
  readonly messages: { readonly name: string; readonly as: string }[];
  readonly outcomes: string[];
  /** The error of a failed turn. */
  error: { readonly type: string; readonly message: string } | undefined;
  isCancelled: boolean;
  readonly calls: Map<string, CallStory>;
  readonly scheduled: string[];
  /** The types of the events after its end. */
  readonly afterEnd: string[];
  takeOvers: number;
}

/** Returns the turns of a journal, in the order of their starts. */
export function readStory(events: readonly StoredEvent[]): readonly TurnStory[] {
  const turns = new Map<string, TurnStory>();
  for (const event of events) {
    if (!('turn' in event)) continue;
    if (event.type === 'turn-started' && !turns.has(event.turn)) turns.set(event.turn, createStory(event));
    const story = turns.get(event.turn);
    if (!story) continue;
    // The note of a fork can be stored at any time.
    if (story.outcomes.length > 0 && event.type !== 'module-event') story.afterEnd.push(event.type);
    take(story, event);
  }
  return [...turns.values()];
}

const createStory = ({
  turn,
  seq,
  message,
  retries,
}: Extract<StoredEvent, { type: 'turn-started' }>): TurnStory => ({
  turn,
  seq,
  retries,
  messages: retries === undefined ? [{ name: getPlainMessage(message), as: turn }] : [],
  outcomes: [],
  error: undefined,
  isCancelled: false,
  calls: new Map(),
  scheduled: [],
  afterEnd: [],
  takeOvers: 0,
});

const getPlainMessage = (message: string): string => findPlan(message)?.message ?? message;

/**
 * Adds the results of calls in turns that were abandoned as unreadable. These results come from the fold of the
 * turn's end, not from events.
 */
export function closeUnread(turns: readonly TurnStory[], closed: ReadonlyMap<string, ResultData>): void {
  for (const { error, calls } of turns) {
    if (error?.type !== 'stuck' || !error.message.includes(UNREAD_TEXT)) continue;
    for (const call of calls.values()) {
      if (call.told.length > 0) continue;
      const result = closed.get(call.id);
      // The model does not receive results of nested calls.
      call.told.push(result ? getReportedResult(result) : call.isStarted ? 'unknown' : 'not-run');
      if (result) call.results.push(result);
    }
  }
}

const UNREAD_TEXT = 'could not be read';

/**
 * Checks that a late effect of a call is reported once: before its end, or after an end with an unknown
 * outcome.
 */
export function judgeLate(events: readonly StoredEvent[], turns: readonly TurnStory[]): Finding[] {
  const calls = new Map(turns.flatMap((turn) => [...turn.calls]));
  const late = events.filter((event) => event.type === 'late-result-received');
  const times = Map.groupBy(late, ({ call }) => call);
  return [...times].flatMap(([id, all]) => {
    const find = (what: string): Finding => ({ rule: 'late result', where: id, what });
    const [word] = calls.get(id)?.told ?? [];
    const isInTime = all.every(({ open }) => open);
    return [
      ...(all.length > 1 ? [find(`It was received ${all.length} times.`)] : []),
      ...(word === 'unknown' || isInTime ? [] : [find(`The model had been shown ${word}.`)]),
    ];
  });
}

function take(story: TurnStory, event: StoredEvent): void {
  switch (event.type) {
    case 'turn-steered':
      story.messages.push({ name: getPlainMessage(event.message), as: event.as });
      return;
    case 'turn-resumed':
      if (event.cause === 'expired') story.takeOvers += 1;
      for (const call of story.calls.values()) call.isTakenOver ||= call.isStarted && call.told.length === 0;
      return;
    case 'cancel-requested':
      story.isCancelled = true;
      return;
    case 'model-replied':
      for (const { id, name, input } of event.toolCalls)
        story.calls.set(id, createCallStory(story.turn, { id, name, input }));
      return;
    case 'tool-call-started': {
      const call = story.calls.get(event.call);
      if (call) call.isStarted = true;
      return;
    }
    case 'tool-call-ended': {
      const call = story.calls.get(event.call);
      call?.told.push(getReportedResult(event.result));
      call?.results.push(event.result);
      story.scheduled.push(...(event.changes?.scheduled ?? []).map(({ turn }) => turn));
      return;
    }
    case 'turn-ended':
      story.outcomes.push(event.outcome);
      story.error = event.error;
  }
}

function createCallStory(
  turn: string,
  { id, name, input }: { readonly id: string; readonly name: string; readonly input: string },
): CallStory {
  const { label }: { label: string } = JSON.parse(input); // the input is from the planned model
  const tool = name as ToolName; // the planned model calls only these tools
  return { id, tool, label, turn, isStarted: false, isTakenOver: false, told: [], results: [] };
}

/** The end of the result of an `idempotent` call that was cancelled while it ran. */
const IN_DOUBT_SUFFIX = ' while it ran. It may have taken effect.';

function getReportedResult(result: ResultData): ReportedResult {
  if (result.type !== 'error') return result.withheld ? 'not-run' : 'done';
  // A decision ended the loop.
  if (result.signal) return 'not-run';
  switch (result.reason) {
    case 'unknown-outcome':
      return 'unknown';
    case 'cancelled':
      return result.message.endsWith(IN_DOUBT_SUFFIX) ? 'unknown' : 'not-run';
    case 'declined':
    case 'skipped':
    case 'limit':
      return 'not-run';
    default:
      return 'failed';
  }
}
