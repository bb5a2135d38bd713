import type { Json, JsonObject } from './json.ts';
import type { ToolCallContext } from './tool-call-context.ts';
import type { ToolResult } from './tool-result.ts';

/**
 * What may happen if a call is run twice. `read`: nothing, any number of runs. `idempotent`: at least one run,
 * all under one key. `once`: at most one run.
 */
export type Effect = 'read' | 'idempotent' | 'once';

/** A JSON Schema whose root is an object, as the model is shown it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What `reconcile` found out about a `once` call that was in doubt. */
export type Reconciliation = { readonly done: unknown } | 'not-done' | 'unknown';

/** Values that tools of one agent (or of one frame) share; they are journaled when the call succeeds. */
export interface CallState {
  /** The value as of the start of the batch, earlier calls of the same `serial`, and this call's own writes. */
  get(key: string): Json | undefined;
  /** Takes effect when the call ends successfully; a failed call leaves no trace. */
  set(key: string, value: Json): void;
}

/** One object on the blackboard, in the order in which it was added. */
export interface BlackboardEntry {
  readonly name?: string;
  readonly type?: string;
  readonly value: Json;
}

/** The session's blackboard as one call sees it. Additions take effect when the call succeeds. */
export interface CallBlackboard {
  /** The newest entry bound to this name. */
  get(name: string): Json | undefined;
  /** All entries, oldest first. */
  entries(): readonly BlackboardEntry[];
  add(
    value: Json,
    options?: { readonly name?: string | undefined; readonly type?: string | undefined },
  ): void;
}

/** One call, as a tool and its decorators see it. */
export interface CallScope {
  /** `{turn}.{sequence of the reply}.{index}`, unique in the session and the same when the call is run again. */
  readonly id: string;
  readonly tool: string;
  /** Values beside the schema, which the model never sees. */
  readonly context: ToolCallContext;
  /** Aborts on cancel, on the tool's timeout, and when this invocation may no longer act for the session. */
  readonly signal: AbortSignal;
  readonly state: CallState;
  readonly blackboard: CallBlackboard;
  /** Tells whoever watches the turn; not journaled, and lost when nobody listens. */
  progress(status: string): void;
}

/** What `run` is given beside its input. */
export interface ToolCall extends CallScope {
  /** Hex SHA-256, unique across sessions and the same when the call is run again: send it to whatever deduplicates. */
  readonly idempotencyKey: string;
}

/** The part of a tool that acts on the world. Everything before it may be repeated freely. */
export interface Leaf {
  readonly effect: Effect;
  /** Milliseconds until the signal is aborted and the call ends without `run`'s answer. */
  readonly timeout: number;
  run(call: ToolCall): unknown;
  /** Asked instead of running again, when a `once` call started and its end is not known. */
  readonly reconcile?: ((call: ToolCall) => Reconciliation | Promise<Reconciliation>) | undefined;
}

/**
 * What the tool loop hands to a tool. `execute` is the only door to side effects: it waits for a slot, journals the
 * start where the effect asks for it, keeps the deadline, and answers what is known of a call that was interrupted.
 * Code around it (validation, decorators) runs again on every resume.
 */
export interface ToolInvocation extends CallScope {
  execute(leaf: Leaf): Promise<ToolResult>;
  /** Runs a nested tool loop in a frame of this call, or goes on inside the one that is open. At most once a call. */
  nest(frame: Frame): Promise<FrameOutcome>;
  /**
   * Leaves the call open until somebody outside answers it: journals what it waits for and never returns. Before
   * `execute` only.
   */
  suspend(wait: Json): never;
}

/** What a nested loop is made of. Only its data is journaled; the code makes the rest again on every resume. */
export interface Frame {
  /** Joined to the path of what is around it; keeps state of its tools apart. */
  readonly name: string;
  readonly instructions: string;
  /** What the nested loop is asked, as its user message. */
  readonly message: string;
  readonly tools: readonly AnyTool[];
  readonly limits?: Limits | undefined;
}

/** How a nested loop stopped, with its answer and its artifacts in order. */
export interface FrameOutcome {
  readonly outcome: 'completed' | 'returned-direct' | 'limit-reached' | 'failed';
  readonly text: string;
  readonly artifacts: readonly Json[];
}

/**
 * Bounds of a loop. A turn that meets one ends as `limit-reached`, with the best answer so far. Tool calls are counted
 * over the whole turn, nested loops included.
 */
export interface Limits {
  /** Model calls, the last one (without tools) not counted. */
  readonly iterations?: number | undefined;
  /** Tool calls in the turn. */
  readonly toolCalls?: number | undefined;
  /** Calls of any one tool in the turn. */
  readonly callsPerTool?: number | undefined;
}

/** A tool as lists hold it, its types erased. Made by `defineTool` or by a decorator of one; never mutated. */
export interface AnyTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** `none`: the tool only opens a frame, and has no effect of its own. */
  readonly effect: Effect | 'none';
  /** Calls of one batch that share this word run one after another, in source order. */
  readonly serial?: string | undefined;
  /** The turn may end with this tool's result, without another model call (LOOP-11). */
  readonly returnDirect: boolean;
  /** `input` is the model's parsed JSON, not yet validated. Bad input is an error result that lists every problem. */
  call(input: JsonObject, invocation: ToolInvocation): Promise<ToolResult>;
}

/** A tool with its literal name, input and output, for inference; the types are phantoms, so that any list accepts it. */
export interface Tool<Name extends string = string, Input = unknown, Output = unknown> extends AnyTool {
  readonly name: Name;
  readonly '~types'?: { readonly input: Input; readonly output: Output };
}
