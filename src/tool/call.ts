import type { CallOrigin } from './call-origin.ts';
import type { ContentPart, NewFile } from './content.ts';
import type { WorkerEnv } from './env.ts';
import type { ProcessView } from './frame.ts';
import type { Json, JsonObject, JsonSchema } from './json.ts';
import type { CallBlackboard, CallState } from './kept-values.ts';
import type { Log } from './log.ts';
import type { Secrets } from './secrets.ts';
import {
  ANY_OBJECT,
  CLOSED,
  type Infer,
  type Loose,
  OPTIONAL_TEXT,
  OPTIONAL_YES,
  type Shape,
  type ShapeAs,
  TEXT,
} from './shape.ts';
import type { ToolCallContext } from './tool-call-context.ts';
import type { FactOptions, ToolMemory } from './tool-memory.ts';
import type { ResultData, ToolResult } from './tool-result.ts';

/** What a tool gets beside its input: `run`, `reconcile` and the functions of its decorators. One call, as its code sees it. */
export interface CallContext {
  /** `{turn}.{sequence of the reply}.{index}`, unique in the session and the same when the call is run again. */
  readonly id: string;
  readonly tool: string;
  /** The session's id, as its owner and its URL name it; empty outside of a session. */
  readonly session: string;
  /** The name of the session's agent, also in the loop of a subagent; empty outside of a session. */
  readonly agent: string;
  /** Values beside the schema, which the model never sees. */
  readonly context: ToolCallContext;
  /** Who asked for the turn: nothing that a client writes into a message can change it. Data of others is kept apart by it. */
  readonly principal: TurnPrincipal;
  /** Aborts on cancel, on the tool's timeout, and when this invocation may no longer act for the session. */
  readonly signal: AbortSignal;
  readonly state: CallState;
  readonly blackboard: CallBlackboard;
  /** Credentials for this invocation; never journaled, logged or shown. */
  readonly secrets: Secrets;
  /** Takes a line for whoever runs the app, by way of its `log`; secrets are hidden in it. */
  readonly log: Log;
  /**
   * The Worker's vars, secrets and bindings, such as `call.env.DB`, typed by the `Cloudflare.Env` of `wrangler types`. Nothing of it is
   * journaled, logged or shown; texts in it that are called like credentials (`API_KEY`) are taken out of results as secrets are.
   * Empty where there is no Worker and nobody gives any.
   */
  readonly env: WorkerEnv;
  /** Whether a session keeps what this call says and changes. Not when a tool-calling manager runs alone. */
  readonly inSession: boolean;
  /** The call, as the turns that it starts know it, for functions such as `sendLater`. Absent where no session keeps turns. */
  readonly origin?: CallOrigin | undefined;
  /** The turn that the call is made in; absent outside of a session. */
  readonly process?: ProcessView | undefined;
  /** Milliseconds since the epoch, by the clock of whoever runs the turn; never before the turn's start. */
  now(): number;
  /**
   * Remembers a fact of a module, as its `remember` says, which is the way to it.
   *
   * @throws TypeError when something of the fact is not JSON; ToolConfigurationError as `recall`.
   */
  record<Value extends Json, Fact extends Json>(
    memory: ToolMemory<Value, Fact>,
    fact: Fact,
    options?: FactOptions,
  ): void;
  /**
   * The state of a module, as its `recall` says, which is the way to it; not to be changed.
   *
   * @throws ToolConfigurationError when the app was not given the kind, or its memory cannot be folded.
   */
  recall<Value extends Json, Fact extends Json>(memory: ToolMemory<Value, Fact>): Value;
  /** Tells whoever watches the turn; not journaled, and lost when nobody listens. */
  progress(status: string): void;
  /**
   * Says something to the user: with the call's end, if the call succeeds. It is a message of the conversation: in the turn's answer
   * (`said`), in the session's messages, and behind the call's result in what the model is shown next.
   */
  say(message: string): void;
  /** Answers a file of this session with its bytes, by the id under which the model is told of it; `undefined` when it is not there. */
  file(id: string): Promise<NewFile | undefined>;
  /** The conversation of this loop as the model was shown it, this call's own reply included. Made when asked for. */
  history(): readonly HistoryMessage[];
  /**
   * Asks somebody outside, and returns their answer: a decision about the call, or the result of a tool that the caller runs. Until
   * then the call is suspended, and this never settles in the invocation that asked; after the answer the call restarts, and comes
   * by here again. So everything before it may run twice, and the questions of a call come in the same order every time. Inside
   * `run` a `once` tool may ask only with a `checkpoint`, or `meanwhile: 'running'`.
   *
   * @example
   * ```ts
   * const { decision } = await call.ask({ for: 'decision', message: 'Refund 20 euro?', by: 'manager' });
   * ```
   *
   * @throws Error if the tool or its schema has changed since it was asked: the decision is void; ToolConfigurationError if the app
   *   lacks the module `answers` of `holdfast/answers`: it ends the turn as `misconfigured`.
   */
  ask<For extends keyof Asks>(question: Question<For>): Promise<AnswerTo<For>>;
  /**
   * Returns the checkpoint of the question that this call asks next, if it was asked before: `run` has restarted, and resumes from
   * there. `undefined` for a question that is new, or was asked without one.
   */
  checkpoint(): Json | undefined;
  /**
   * Unique across sessions, and the same when the call is run again: send it to whatever deduplicates. 32 hexadecimal digits that cannot
   * be guessed, and the place of the call in its turn, such as `.3.0`.
   */
  readonly idempotencyKey: string;
  /**
   * When the call was started last, in ms since the epoch. Another invocation started a call that `reconcile` asks about: then it is by
   * the clock of the session's object. What that start has sent may still be on its way: compare with `now()`.
   */
  readonly startedAt: number;
}

/** The part of a tool that acts on the world, with its input. Everything before it may be repeated freely. */
export interface ToolEffect {
  readonly effect: Effect;
  /** Milliseconds until the signal is aborted and the call ends without `run`'s answer. */
  readonly timeout: number;
  /** Requests that `run` makes at the most; 1 unless given. The invocation must have them left. */
  readonly subrequests?: number | undefined;
  run(call: CallContext): unknown;
  /** Asked instead of running again, when a `once` call started and its end is not known. Answers as `Reconciliation` says. */
  readonly reconcile?: ((call: CallContext) => Reconciliation | Promise<Reconciliation>) | undefined;
}

/**
 * What may happen if a call is run twice. `read`: nothing, any number of runs. `idempotent`: at least one run,
 * all under one key. `once`: at most one run.
 */
export type Effect = Infer<typeof EFFECT>;
export const EFFECT = { oneOf: ['read', 'idempotent', 'once'] } as const satisfies Shape;

/**
 * What `reconcile` found out about a `once` call that was in doubt. `done`: it happened, and this is what it answers. `not-done`: it
 * did not happen **and cannot happen any more**; the call is run again, or told as one that had no effect, so that whatever
 * arrives after that word happens a second time. `unknown`: all else. A receiver that does not have it may get it yet, from a
 * request that is still on its way: `not-done` is for calls that are older than any request can be (by `startedAt`), and for
 * receivers that refuse what comes late.
 */
export type Reconciliation = { readonly done: unknown } | 'not-done' | 'unknown';

/** One message of the conversation as a tool may read it. */
export type HistoryMessage =
  | {
      readonly role: 'user';
      readonly text: string;
      /** All of it in its order, where it has files. A transformer that changes the words has the files behind them. */
      readonly parts?: readonly ContentPart[] | undefined;
      readonly by?: MessageBy | undefined;
      /** Which tools came and went before it. */
      readonly toolsChange?: NamedChange | undefined;
    }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly HistoryCall[];
      /**
       * What its model gave beside words and calls, in its order, which goes back to that model. A transformer that leaves this
       * out, or changes the words or the calls beside it, has all of the reply told in words.
       */
      readonly parts?: readonly HistoryPart[] | undefined;
      /** Which tools came and went before it was asked for. */
      readonly toolsChange?: NamedChange | undefined;
    };

interface NamedChange {
  readonly came: readonly NamedTool[];
  readonly went: readonly NamedTool[];
}

interface NamedTool {
  readonly name: string;
}

/** One part of a reply, as far as others than its model may read it. */
export interface HistoryPart {
  /** Such as `text`, `reasoning` or `tool-call`. */
  readonly type: string;
  /** Of words and of reasoning. */
  readonly text?: string | undefined;
}

/** One call of a reply; without a result while it is open. */
export interface HistoryCall {
  readonly id: string;
  readonly name: string;
  /** The model's own text. */
  readonly input: string;
  readonly result?: ResultData | undefined;
  /** The model is shown no more characters of the result, where the conversation had become too long for it. */
  readonly shown?: number | undefined;
  /** What was said to the user by it, or inside the loop that it has opened, in order; absent when nothing was. */
  readonly said?: readonly TurnSaid[] | undefined;
}

/** Something that a call of the turn said to the user, in any of its loops, and which call that was. */
export interface TurnSaid extends Infer<typeof SAID> {}
export const SAID = { object: { call: TEXT, tool: TEXT, text: TEXT } } as const satisfies Shape;

/**
 * Whose a message of the user is that did not start a turn. `loop`: nobody's; the loop asks for something. `steer`: it came
 * while the turn ran. `late`: nobody's; it tells the result of an earlier call. `summary`: it stands for older messages.
 */
export type MessageBy = Infer<typeof MESSAGE_BY>;
export const MESSAGE_BY = { oneOf: ['loop', 'steer', 'late', 'summary'] } as const satisfies Shape;

/**
 * Whose turn it is, as far as the journal knows: no credential. What nobody sent has a name of its own: `webhook:{name}`,
 * `schedule:{name}`, and `code` for what runs without a session.
 */
export interface TurnPrincipal {
  readonly id: string;
  readonly tenant?: string | undefined;
  /** As of the message that the turn answers; whoever decides about a call is judged by what they have then. Absent for none. */
  readonly roles?: readonly string[] | undefined;
}

/** The principal of what code runs, and nobody has sent. */
export const CODE: TurnPrincipal = { id: 'code' };

/**
 * What becomes of a message when a turn of its session is open. `queue`: it is a turn of its own, when those before it have
 * ended. `steer`: it is shown to the model of the open turn.
 */
export type WhenBusy = 'queue' | 'steer';

/** What somebody outside may be asked for: each question, what is sent, and what the call gets. */
interface Asks {
  readonly decision: {
    readonly question: DecisionTerms & (SuspendedMeanwhile | RunningMeanwhile);
    readonly sent: Loose<Infer<typeof SENT_DECISION>>;
    readonly got: Decision;
  };
  readonly result: {
    readonly question: ResultTerms;
    readonly sent: SentResult;
    readonly got: ToolResult;
  };
}

/** A question to somebody outside the turn, who may take days. Journaled, and listed in the session's state. */
export type Question<For extends keyof Asks = keyof Asks> = { readonly for: For } & Asks[For]['question'];

/** A question for a decision, until which the call is suspended. */
export type SuspendingQuestion = Exclude<Asks['decision']['question'], RunningMeanwhile>;

/** An answer as its sender words it: a decision, or the outcome of a tool that the caller ran. */
export type Answer<For extends keyof Asks = keyof Asks> = Asks[For]['sent'];

/** The answer as the call gets it. */
export type AnswerTo<For extends keyof Asks> = Asks[For]['got'];

const RETURNED: ShapeAs<Json> = { schema: {}, says: 'Any JSON, as if the tool had returned it.' };

/** Exactly one of the fields. */
type SentResult = {
  [Key in keyof ResultFields]-?: Required<Pick<ResultFields, Key>> & {
    readonly [Other in Exclude<keyof ResultFields, Key>]?: undefined;
  };
}[keyof ResultFields];
interface ResultFields extends Infer<typeof SENT_RESULT> {}

/** The outcome of a tool that the caller ran: the fields of which it has one. */
export const SENT_RESULT = {
  object: {
    result: { optional: RETURNED },
    text: { optional: { type: 'string', says: 'Words for the model.' } },
    error: { optional: { type: 'string', says: 'What went wrong, for the model.' } },
  },
  also: { additionalProperties: false, minProperties: 1, maxProperties: 1 },
  says: 'Exactly one of the three.',
} as const satisfies Shape;

/** A tool that the caller runs: what is asked of them, and for how long. */
interface ResultTerms {
  readonly for: 'result';
  readonly message: string;
  /** Milliseconds until the call is answered by an error. Defaults to never. */
  readonly expires?: number | undefined;
}

/** A decision about the call, or a value in the place of its input. */
interface DecisionTerms {
  readonly for: 'decision';
  /** What is asked, for whoever decides. */
  readonly message: string;
  /** What may be decided. Defaults to all four. */
  readonly allows?: readonly DecisionKind[] | undefined;
  /** What the tool is about to be called with, where that is no longer what the model sent. */
  readonly input?: JsonObject | undefined;
  /** What the input of an `edit` must match; defaults to the schema of the tool. */
  readonly schema?: JsonSchema | undefined;
  /**
   * `refused`: an input or a reason that looks like a credential is refused to whoever sends it, and nothing of it is kept.
   * Answers are journaled. Any is taken unless given.
   */
  readonly credentials?: 'refused' | undefined;
  /** The role that may decide; anybody who may see the session unless given. */
  readonly by?: string | undefined;
  /** Who may not decide, even with the role. `requester`: the people whose messages began or steered the turn. */
  readonly notBy?: 'requester' | undefined;
  /** What counts as decided if time runs out. Defaults to `reject`. */
  readonly onExpiry?: Exclude<DecisionKind, 'edit'> | undefined;
}

/** The call is suspended, and restarts after the answer. */
interface SuspendedMeanwhile {
  readonly meanwhile?: 'suspended' | undefined;
  /** Milliseconds until `onExpiry` is decided. Defaults to never. */
  readonly expires?: number | undefined;
  /**
   * What `run` resumes from after the decision: `call.checkpoint()` returns it then. It is journaled with the question, and shown
   * neither to the model nor to the person who decides. Pass it only inside `run`, and only if nothing that `run` started is still
   * running or must not happen again: the call counts as not started until it restarts.
   */
  readonly checkpoint?: Json | undefined;
}

/**
 * `run` stays where it is, for what must not restart: a `once` call may ask so too. Nothing is suspended, so the tool's timeout
 * applies, and a call whose invocation is gone before the answer is in doubt like any other. Outside of `run`, as in a decorator, it is an
 * error.
 */
interface RunningMeanwhile {
  readonly meanwhile: 'running';
  /** Milliseconds until `onExpiry` is decided. */
  readonly expires: number;
  readonly checkpoint?: undefined;
}

/** What somebody outside may decide about a call. */
export type DecisionKind = Infer<typeof DECISION_KIND>;
export const DECISION_KIND = { oneOf: ['approve', 'edit', 'reject', 'exit'] } as const satisfies Shape;

/** The most characters of a reason, which a model reads. */
export const MAX_REASON = 2_000;

const EDITED: ShapeAs<JsonObject> = {
  like: ANY_OBJECT,
  says: 'Of an edit: takes the place of what the model sent.',
};

/** A decision as its sender words it. */
export const SENT_DECISION = {
  object: {
    decision: DECISION_KIND,
    /** Of an `edit`: it matches the schema that was asked with. */
    input: { optional: EDITED },
    reason: {
      optional: {
        type: 'string',
        also: { maxLength: MAX_REASON },
        says: 'For the model, and for the journal.',
      },
    },
  },
  also: CLOSED,
} as const satisfies Shape;

/** What was decided, once and for this call only. */
export interface Decision extends Loose<Infer<typeof DECISION>> {}
export const DECISION = {
  object: {
    /** The id of whoever decided. */
    by: OPTIONAL_TEXT,
    /** Nobody decided in time. */
    expired: OPTIONAL_YES,
  },
  and: SENT_DECISION,
} as const satisfies Shape;
