import type { TimelineEvent } from '../../../src/examples/demo/client.ts';
import type { ResultData } from '../../../src/index.ts';
import type { FinalOutcome, TurnError } from '../../../src/journal/entry.ts';
import { parsePlan, type ToolName } from './worker/plan.ts';

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
  /** `true` if the journal has the start of the call, so its effect may have happened. */
  started: boolean;
  /** `true` if another invocation took over between the start and the end of the call. */
  tookOver: boolean;
  /** The results that the model received. A correct run has one result. */
  readonly told: ReportedResult[];
}

/** A message, and the status under which its turn accepted it. */
interface AcceptedMessage {
  readonly name: string;
  readonly as: string;
}

/** A turn, as recorded in the journal. Times are in ms since the epoch, by the object's clock. */
export interface TurnStory {
  readonly turn: string;
  /** The first message, and the messages that steered the turn. */
  readonly messages: AcceptedMessage[];
  readonly startedAt: number;
  /** The time at which the previous turn ended. 0 for the first turn. */
  readonly freeAt: number;
  endedAt: number;
  /** The outcomes of the turn. A correct run has one outcome, or none while the turn waits. */
  readonly outcomes: FinalOutcome[];
  error: TurnError | undefined;
  cancelRequested: boolean;
  /** The number of take-overs from dead holders since the last reply or result. */
  inVain: number;
  /** The number of calls that wait for a person. */
  waiting: number;
  readonly calls: Map<string, CallStory>;
}

/** Returns the turns in a session's journal, in the order of their starts. */
export function readStory(events: readonly TimelineEvent[]): readonly TurnStory[] {
  const turns = new Map<string, TurnStory>();
  const begun: TurnStory[] = [];
  for (const event of events) {
    if (event.type === 'turn-started') {
      const story = toStory(event, begun.at(-1)?.endedAt ?? 0);
      turns.set(event.turn, story);
      begun.push(story);
    }
    const turn = 'turn' in event ? turns.get(event.turn) : undefined;
    if (turn) take(turn, event);
  }
  return begun;
}

const toStory = (
  { turn, message, at }: Extract<TimelineEvent, { readonly type: 'turn-started' }>,
  freeAt: number,
): TurnStory => ({
  turn,
  messages: [{ name: getMessageName(message), as: turn }],
  startedAt: at,
  freeAt,
  endedAt: 0,
  outcomes: [],
  error: undefined,
  cancelRequested: false,
  inVain: 0,
  waiting: 0,
  calls: new Map(),
});

const getMessageName = (message: string): string => parsePlan(message)?.message ?? message;

function take(turn: TurnStory, event: TimelineEvent): void {
  switch (event.type) {
    case 'turn-steered':
      turn.messages.push({ name: getMessageName(event.message), as: event.as });
      return;
    case 'turn-resumed':
      if (event.cause === 'expired') turn.inVain += 1;
      for (const call of turn.calls.values()) call.tookOver ||= call.started && call.told.length === 0;
      return;
    case 'cancel-requested':
      turn.cancelRequested = true;
      return;
    case 'model-replied':
      turn.inVain = 0;
      for (const { id, name, input } of event.toolCalls) turn.calls.set(id, toCall(id, name, input));
      return;
    case 'tool-call-started':
    case 'tool-call-ended':
    case 'tool-call-suspended':
    case 'tool-call-answered':
      takeCall(turn, event);
      return;
    case 'turn-ended':
      turn.outcomes.push(event.outcome);
      turn.error = event.error;
      turn.endedAt = event.at;
  }
}

type CallEvent = Extract<TimelineEvent, { readonly call: string; readonly type: `tool-call-${string}` }>;

function takeCall(turn: TurnStory, event: CallEvent): void {
  const call = turn.calls.get(event.call);
  if (event.type === 'tool-call-started' && call) call.started = true;
  if (event.type === 'tool-call-ended') call?.told.push(getReportedResult(event.result));
  // Calls that the end of the turn closes have an unknown outcome, and do not count as progress.
  if (event.type === 'tool-call-ended' && getReportedResult(event.result) === 'done') turn.inVain = 0;
  if (event.type === 'tool-call-suspended') turn.waiting += 1;
  if (event.type === 'tool-call-answered') turn.waiting -= 1;
}

function toCall(id: string, name: string, input: string): CallStory {
  const { label }: { label: string } = JSON.parse(input); // the input is from the chaos model
  const tool = name as ToolName; // the chaos model calls only these tools
  return { id, tool, label, started: false, tookOver: false, told: [] };
}

/** The end of the result of an `idempotent` call that was cancelled while it ran. */
const IN_DOUBT_SUFFIX = ' while it ran. It may have taken effect.';

function getReportedResult(result: ResultData): ReportedResult {
  if (result.type !== 'error') return result.withheld ? 'not-run' : 'done';
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
