import type { CheckedInput } from './check-input.ts';
import type { InjectionStrategy, LoopView } from './injection.ts';
import type { Json, JsonObject } from './json.ts';
import type { ProcessView } from './process-view.ts';
import type { Secrets } from './secrets.ts';
import type { Slice, SliceFact } from './slice.ts';
import type { ToolCallContext } from './tool-call-context.ts';
import type { ArtifactType, ResultData, Signal, ToolResult } from './tool-result.ts';

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

/** What somebody outside may decide about a call. */
export type DecisionKind = 'approve' | 'edit' | 'reject' | 'exit';

/** A question to somebody outside the turn, who may take days. Journaled, and listed in the session's state. */
export interface DecisionRequest {
  /** What is asked, for whoever decides. */
  readonly message: string;
  /** What may be decided; all four unless given. */
  readonly allows?: readonly DecisionKind[] | undefined;
  /** What the tool is about to be called with, where that is no longer what the model sent. */
  readonly input?: JsonObject | undefined;
  /** What the input of an `edit` must match; the tool's own input unless given. */
  readonly schema?: JsonSchema | undefined;
  /** The role that may decide; anybody who may see the session unless given. */
  readonly by?: string | undefined;
  /** Milliseconds until `onExpiry` is decided; never unless given. */
  readonly expires?: number | undefined;
  /** What counts as decided when nobody does in time; `reject` unless given. */
  readonly onExpiry?: Exclude<DecisionKind, 'edit'> | undefined;
}

/** What was decided, once and for this call only. */
export interface Decision {
  readonly decision: DecisionKind;
  /** Of an `edit`: it matches the schema that was asked with. */
  readonly input?: JsonObject | undefined;
  readonly reason?: string | undefined;
  /** The id of whoever decided. */
  readonly by?: string | undefined;
  /** Nobody decided in time. */
  readonly expired?: true | undefined;
}

/** A tool that the caller runs: what is asked of them, and for how long. */
export interface ResultRequest {
  readonly message: string;
  /** Milliseconds until the call is answered by an error; never unless given. */
  readonly expires?: number | undefined;
}

/** One message of the conversation as a tool may read it (SPA-08). */
export type HistoryMessage =
  /** `by`: nobody sent it; the loop asks for something. */
  | { readonly role: 'user'; readonly text: string; readonly by?: 'loop' | undefined }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly HistoryCall[] };

/** One call of a reply; without a result while it is open. */
export interface HistoryCall {
  readonly id: string;
  readonly name: string;
  /** The model's own text. */
  readonly input: string;
  readonly result?: ResultData | undefined;
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
  /** Credentials for this invocation; never journaled, logged or shown. */
  readonly secrets: Secrets;
  /** Whether a session keeps what this call says and changes. Not when a tool-calling manager runs alone. */
  readonly inSession: boolean;
  /** The turn that the call is made in; absent outside of a session. */
  readonly process?: ProcessView | undefined;
  /** Tells whoever watches the turn; not journaled, and lost when nobody listens. */
  progress(status: string): void;
  /** Says something to the user: a journaled event, with the call's end, if the call succeeds. */
  say(message: string): void;
  /** The conversation of this loop as the model was shown it, this call's own reply included. Made when asked for. */
  history(): readonly HistoryMessage[];
  /**
   * Asks somebody outside, and answers what they decided. Until then the call is suspended, and this never settles in
   * the invocation that asked; after the decision the call begins anew, and comes by here again. So everything before it
   * may run twice, and the questions of a call come in the same order every time. Inside `run` only `read` and
   * `idempotent` tools may ask.
   *
   * @throws Error when the tool or its schema has changed since it was asked: the decision is void.
   */
  decide(request: DecisionRequest): Promise<Decision>;
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
  /**
   * The loop that the call belongs to, as of the start of its batch; `recall` also knows the facts of earlier calls of the
   * same `serial`.
   */
  readonly view: LoopView;
  /** The tools that the model could have called, as of the start of the batch. */
  offered(): readonly AnyTool[];
  /**
   * The tools that the model would be offered next if the batch came to nothing but this fact and those of earlier calls
   * of the same `serial`, for a call that tells the model what it changes. In the strategies' order; of two of one name
   * the first counts. Nothing is remembered by it.
   */
  offeredAfter<Value extends Json, Fact extends Json>(
    slice: Slice<Value, Fact>,
    fact: Fact,
  ): readonly AnyTool[];
  /** Remembers a fact of a kind of tool, if the call succeeds. */
  record<Value extends Json, Fact extends Json>(slice: Slice<Value, Fact>, fact: Fact): void;
  execute(leaf: Leaf): Promise<ToolResult>;
  /** A frame of this call is open: an earlier invocation was cut off inside it, and `nest` goes on there. */
  readonly resumesFrame: boolean;
  /** Runs a nested tool loop in a frame of this call, or goes on inside the one that is open. At most once a call. */
  nest(frame: Frame): Promise<FrameOutcome>;
  /** Leaves the running of the tool to the caller, and answers the result that they send. As `decide` otherwise. */
  receive(request: ResultRequest): Promise<ToolResult>;
}

/** What a nested loop is made of. Only its data is journaled; the code makes the rest again on every resume. */
export interface Frame {
  /** Joined to the path of what is around it; keeps state of its tools apart. */
  readonly name: string;
  /** Told to the model first; a function is asked anew before each model call. */
  readonly instructions: Instructions;
  /** What the nested loop is asked, as its user message. */
  readonly message: string;
  readonly tools: readonly AnyTool[];
  readonly limits?: Limits | undefined;
  /** Add tools before those of every loop unfold, in order. */
  readonly sources?: readonly InjectionStrategy[] | undefined;
  /** Change what is offered after all others, in order. */
  readonly strategies?: readonly InjectionStrategy[] | undefined;
  /** Take effect when the frame opens, whatever becomes of it; never again when it is resumed. */
  readonly facts?: readonly SliceFact[] | undefined;
  /** Under the context of the loop around it, which wins where both have a key. */
  readonly context?: ToolCallContext | undefined;
  /**
   * The frame has a blackboard of its own: a copy of the one around it, whose additions nobody else sees. They are the
   * outcome's `added`.
   */
  readonly ownBlackboard?: boolean | undefined;
  /** Decides the calls in place of a model: a pipeline. */
  readonly plan?: Plan | undefined;
}

/** What a model is told first. Must be a function of the view alone. */
export type Instructions = string | ((view: LoopView) => string);

/**
 * The next call of a planned frame, by those before it, in order; `undefined` when there is none. It is
 * asked again on every resume, so it depends on nothing else.
 */
export type Plan = (done: readonly DoneCall[]) => PlannedCall | undefined;

/** A call of a nested loop that has ended. */
export interface DoneCall {
  readonly tool: string;
  readonly result: ToolResult;
  /** It opened a frame in which a model decided. */
  readonly nested: boolean;
}

export interface PlannedCall {
  readonly tool: string;
  /** Text is read as a model's own is: what is wrong with it is the call's answer. */
  readonly input: JsonObject | string;
}

/** How a nested loop stopped, with its answer and its calls in order. */
export interface FrameOutcome {
  readonly outcome: 'completed' | 'returned-direct' | 'limit-reached' | 'failed';
  readonly text: string;
  /** The text as data, when it had to have a form and has it. */
  readonly object?: Json | undefined;
  readonly calls: readonly DoneCall[];
  /** What was added to the frame's own blackboard. */
  readonly added: readonly BlackboardEntry[];
  /** What ended it, when a call sent one. */
  readonly signal?: Signal | undefined;
}

/**
 * Bounds of a loop. A turn that meets one ends as `limit-reached`, with the best answer so far. Those on tool
 * calls, tokens and cost count what nests in the loop too, and a nested loop is bound by those around it besides its own.
 */
export interface Limits {
  /**
   * Tokens that models may use, input and output together, nested loops included. Each model call is held to what is left,
   * and refused when that would not do for a reply. What a provider does not report counts with what was held back for it.
   */
  readonly tokens?: number | undefined;
  /** The same in USD, for models that have prices. */
  readonly cost?: number | undefined;
  /** Model calls, the last one (without tools) not counted. */
  readonly iterations?: number | undefined;
  /** Tool calls in the turn, or in the nested loop. */
  readonly toolCalls?: CallLimit | undefined;
  /** Calls of any one tool there; or by the tool's name, where `*` is every tool that is not named (SPM-13). */
  readonly callsPerTool?: CallLimit | Readonly<Record<string, CallLimit>> | undefined;
}

/** How many calls are allowed. A tool that is `unlimited` still counts among the calls of the turn. */
export type CallLimit = number | 'unlimited';

/** What calls of one batch that may not meet have in common. */
export type Serial = string | ((input: JsonObject) => string);

/** Whom a call is meant for. */
export interface RoutedCall {
  readonly tool: AnyTool;
  readonly input: JsonObject;
}

/** A tool as lists hold it, its types erased. Made by `defineTool` or by a decorator of one; never mutated. */
export interface AnyTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** `none`: the tool opens a frame or leaves its running to the caller, and has no effect of its own. */
  readonly effect: Effect | 'none';
  /**
   * Calls of one batch that share this word run one after another, in source order. A function is given the model's parsed
   * input, which is not checked yet, and must not throw.
   */
  readonly serial?: Serial | undefined;
  /**
   * The turn may end with this tool's result, without another model call (LOOP-11). What it answers without having acted,
   * as a memo does, goes to the model.
   */
  readonly returnDirect: boolean;
  /** For programs that list tools: never sent to a model (TOOL-12). */
  readonly metadata: Readonly<Record<string, Json>>;
  /** The type of the artifacts that it returns without naming one. */
  readonly output?: ArtifactType | undefined;
  /** What a decorator was made of (DEC-01). */
  readonly delegate?: AnyTool | undefined;
  /** The tools inside, for whoever lists them (TOOL-20). */
  readonly inner?: readonly AnyTool[] | undefined;
  /** Wraps the tools that this one unfolds into: what guards a facade, guards what is behind it. */
  readonly adopt?: ((inner: AnyTool) => AnyTool) | undefined;
  /**
   * The tool that this input is meant for in place of this one, and the input for it; the loop treats the call as one of
   * that tool. Must be a function of the input alone, and must not throw. A decorator that replaces `call` drops it.
   */
  readonly route?: ((input: JsonObject) => RoutedCall | undefined) | undefined;
  /** Reads the model's own text in place of the parser, which refuses what is no JSON object (AET-05). Must not throw. */
  readonly readInput?: ((raw: string) => JsonObject) | undefined;
  /**
   * Checks an input without running anything: what `run` would be given, or what the model is answered. `name` is the
   * one under which the model knows the tool; its own unless given.
   */
  check(input: JsonObject, name?: string): Promise<CheckedInput<unknown>>;
  /** `input` is the model's parsed JSON, not yet validated. Bad input is an error result that lists every problem. */
  call(input: JsonObject, invocation: ToolInvocation): Promise<ToolResult>;
}

/** A tool with its literal name, input and output, for inference; the types are phantoms, so that any list accepts it. */
export interface Tool<Name extends string = string, Input = unknown, Output = unknown> extends AnyTool {
  readonly name: Name;
  readonly '~types'?: { readonly input: Input; readonly output: Output };
}
