/** The timeline of a turn from its journal, as plain data for pages and exports. */
import type { EventType, FinalOutcome, TurnError } from '../../journal/events.ts';
import type { UsageTotals } from '../../journal/reply-data.ts';
import type { ResultData } from '../../tool/tool-result.ts';

/** A node of a timeline. All times are those of the session's object, in milliseconds since the epoch. */
interface TimelineNode {
  /** The id, which is unique in the turn and does not change as the journal grows. */
  readonly id: string;
  readonly start: number;
  /** The end, which is absent while the node is open. */
  readonly end?: number;
  /** The sequence numbers of the events that belong to this node and to no other node. */
  readonly seqs: readonly number[];
}

/**
 * One turn. `running` means that, according to the journal, an invocation works on it. `suspended` means that
 * it waits for answers, and `handed-over` that it waits for its next invocation.
 */
export interface TurnTimeline extends TimelineNode {
  readonly kind: 'turn';
  readonly status: 'running' | 'suspended' | 'handed-over' | 'ended';
  readonly outcome?: FinalOutcome;
  readonly error?: TurnError;
  readonly loop: LoopNode;
  /** The invocations that held the lease, in order. */
  readonly invocations: readonly InvocationNode[];
  /** The usage that the models reported, including nested loops. */
  readonly usage: UsageTotals;
}

/** A loop: the turn's own loop, or a loop that a call opened. */
export interface LoopNode extends TimelineNode {
  readonly kind: 'loop';
  /** The name of a nested loop. Absent for the turn's own loop. */
  readonly name?: string;
  /** The id of the call that opened it. Absent for the turn's own loop. */
  readonly frame?: string;
  readonly iterations: readonly IterationNode[];
  /** Other events of the loop, in order, such as changed tools and steered messages. */
  readonly marks: readonly TimelineMark[];
}

/** An event without a duration. */
export interface TimelineMark {
  readonly type: EventType;
  readonly at: number;
  readonly seq: number;
}

/** One reply of the model, and its calls. It has no events of its own. */
export interface IterationNode extends TimelineNode {
  readonly kind: 'iteration';
  /** Its number in its loop, starting at 1. */
  readonly number: number;
  readonly model: ModelNode;
  readonly calls: readonly CallNode[];
}

/** One request to a model, and its repetitions. Open until there is a reply. */
export interface ModelNode extends TimelineNode {
  readonly kind: 'model';
  /** The model that replied, if any. */
  readonly model?: string;
  /** The provider of the model, if the journal names it. */
  readonly provider?: string;
  readonly finish?: string;
  readonly usage?: UsageTotals;
  /** `true` if the reply comes from a plan, not from a model. */
  readonly planned: boolean;
  /** `true` if the reply was the last one at a limit. */
  readonly last: boolean;
  /** The model that was replaced by another model. */
  readonly tookOverFrom?: string;
  readonly attempts: readonly AttemptNode[];
}

/** One tool call. It starts with the reply that contains it, and can wait before it runs. */
export interface CallNode extends TimelineNode {
  readonly kind: 'call';
  /** The tool as the model named it. */
  readonly name: string;
  /** The tool that ran. Differs from `name` if the model called it through an unfolding tool. */
  readonly tool: string;
  /** The effect of the tool. Absent if the tool did not run. */
  readonly effect?: 'read' | 'idempotent' | 'once';
  /** Absent while the call is open. `withheld` is neither an error nor a success. */
  readonly outcome?: 'success' | 'withheld' | 'error';
  /** The reason of an error. Absent if the tool itself returned it. */
  readonly reason?: Extract<ResultData, { readonly type: 'error' }>['reason'];
  /** Milliseconds that `run` took by the Worker's clock. */
  readonly ms?: number;
  /** The attempts to run the tool. Empty if the tool did not run. */
  readonly attempts: readonly AttemptNode[];
  readonly waits: readonly WaitNode[];
  /** The loop that it opened. */
  readonly loop?: LoopNode;
}

/** An invocation's attempt at a model request or a call. It has no events of its own. */
export interface AttemptNode extends TimelineNode {
  readonly kind: 'attempt';
  /** The `number` of its invocation. */
  readonly invocation: number;
  /**
   * Absent while it is open. `lost` means that its invocation died, `suspended` that it asked a question and
   * restarts after the answer, and `unanswered` that its loop ended without a reply or a result.
   */
  readonly outcome?: 'done' | 'lost' | 'handed-over' | 'suspended' | 'unanswered';
}

/** A question of a call to a person or a client, from the question to the answer. */
export interface WaitNode extends TimelineNode {
  readonly kind: 'wait';
  /** `decision` is for a person, and `result` for the caller, who runs the tool. */
  readonly for: 'decision' | 'result';
  /** The kind of the answer, if any. */
  readonly answer?: 'approve' | 'edit' | 'reject' | 'exit' | 'result';
  /** `true` if the answer was set when the time to answer expired. */
  readonly expired: boolean;
}

/** An invocation that held the lease of the session. */
export interface InvocationNode extends TimelineNode {
  readonly kind: 'invocation';
  /** Its number in the turn, starting at 1. */
  readonly number: number;
  /**
   * `expired` means that its predecessor died, and `handed-over` that its predecessor handed the turn over.
   */
  readonly cause: 'started' | 'expired' | 'handed-over';
  /** The time of its last event. */
  readonly lastSeen: number;
  /**
   * The reason for its end. `died` means that it stored no event after `lastSeen`. `end` is then the start of
   * its successor.
   */
  readonly outcome?: 'died' | 'handed-over' | 'suspended' | 'done';
}
