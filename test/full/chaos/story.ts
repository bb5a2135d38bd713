import type { TimelineEvent } from '../../../src/examples/demo/client.ts';
import type { ResultData } from '../../../src/index.ts';
import type { FinalOutcome, TurnError } from '../../../src/journal/entry.ts';
import { planIn, type ToolName } from './worker/plan.ts';

/** What the model was told of a call: that it was done, that nobody knows, or that it was not run. */
export type Told = 'done' | 'unknown' | 'not-run' | 'failed';

/** A call, by the journal. */
export interface CallStory {
  readonly id: string;
  readonly tool: ToolName;
  readonly label: string;
  /** Its effect may begin: the start is on record. */
  started: boolean;
  /** Another invocation took over between its start and its end. */
  tookOver: boolean;
  /** Once, if all is well. */
  readonly told: Told[];
}

/** A message, and the turn that it was accepted as. */
interface TakenIn {
  readonly name: string;
  readonly as: string;
}

/** A turn, by the journal. Times are ms since the epoch, by the object's clock. */
export interface TurnStory {
  readonly turn: string;
  /** The messages that it takes in, the first and those that steer it. */
  readonly messages: TakenIn[];
  readonly startedAt: number;
  /** When the turn before it ended; 0 for the first. */
  readonly freeAt: number;
  endedAt: number;
  /** One, if all is well; none while it waits. */
  readonly outcomes: FinalOutcome[];
  error: TurnError | undefined;
  cancelRequested: boolean;
  /** Take-overs from a dead holder since the last reply or result. */
  inVain: number;
  /** A call waits for somebody outside. */
  waiting: number;
  readonly calls: Map<string, CallStory>;
}

/** The turns of a session, by its journal, in the order of their starts. */
export function storyOf(events: readonly TimelineEvent[]): readonly TurnStory[] {
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
  messages: [{ name: nameOf(message), as: turn }],
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

const nameOf = (message: string): string => planIn(message)?.message ?? message;

function take(turn: TurnStory, event: TimelineEvent): void {
  switch (event.type) {
    case 'turn-steered':
      turn.messages.push({ name: nameOf(event.message), as: event.as });
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
  if (event.type === 'tool-call-ended') call?.told.push(toldBy(event.result));
  // Those that the turn's own end closes are no progress, and tell that nobody knows.
  if (event.type === 'tool-call-ended' && toldBy(event.result) === 'done') turn.inVain = 0;
  if (event.type === 'tool-call-suspended') turn.waiting += 1;
  if (event.type === 'tool-call-answered') turn.waiting -= 1;
}

function toCall(id: string, name: string, input: string): CallStory {
  const { label }: { label: string } = JSON.parse(input); // the chaos model wrote it
  const tool = name as ToolName; // it calls no others
  return { id, tool, label, started: false, tookOver: false, told: [] };
}

/** What the model is told of an `idempotent` call that a cancel met while it ran. */
const IN_DOUBT = ' while it ran. It may have taken effect.';

function toldBy(result: ResultData): Told {
  if (result.type !== 'error') return result.withheld ? 'not-run' : 'done';
  switch (result.reason) {
    case 'unknown-outcome':
      return 'unknown';
    case 'cancelled':
      return result.message.endsWith(IN_DOUBT) ? 'unknown' : 'not-run';
    case 'declined':
    case 'skipped':
    case 'limit':
      return 'not-run';
    default:
      return 'failed';
  }
}
