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
  type Infer,
  NO_OTHER_PROPERTIES,
  OPTIONAL_TEXT,
  OPTIONAL_TRUE,
  type Shape,
  type ShapeAs,
  TEXT,
  type WithUndefined,
} from './shape.ts';
import type { ToolCallContext } from './tool-call-context.ts';
import type { FactOptions, ToolMemory } from './tool-memory.ts';
import type { ResultData, ToolResult } from './tool-result.ts';

/** The second argument of `run` and `reconcile`, and an argument of decorators: one call. */
export interface CallContext {
  /** `{turn}.{sequence of the reply}.{index}`. Unique in the session, and stable when the call runs again. */
  readonly id: string;
  readonly tool: string;
  /** The session's id, as in its URL. Empty outside a session. */
  readonly session: string;
  /** The name of the session's agent, even in the loop of a subagent. Empty outside a session. */
  readonly agent: string;
  /** Values beside the input that the model never sees. */
  readonly context: ToolCallContext;
  /** The principal that started the turn. Use it to separate the data of users: clients cannot forge it. */
  readonly principal: TurnPrincipal;
  /** Aborts on cancel, on the tool's timeout, and when this invocation can no longer act for the session. */
  readonly signal: AbortSignal;
  readonly state: CallState;
  readonly blackboard: CallBlackboard;
  /** Credentials for this invocation. Never journaled, logged or shown. */
  readonly secrets: Secrets;
  /** Writes a line to the app's log. Secrets in it are redacted. */
  readonly log: Log;
  /**
   * The Worker's vars, secrets and bindings, such as `call.env.DB`, typed by the `Cloudflare.Env` of
   * `wrangler types`. Never journaled, logged or shown. Strings under names of credentials (`API_KEY`) are
   * redacted from results like secrets. Empty without a Worker, unless a test or program sets it.
   */
  readonly env: WorkerEnv;
  /** `true` if a session stores this call's messages and changes. `false` for a loop without a session. */
  readonly inSession: boolean;
  /** Identifies the call to the turns that it starts, as for `sendLater`. Absent without a session. */
  readonly origin?: CallOrigin | undefined;
  /** The turn of the call. Absent outside a session. */
  readonly process?: ProcessView | undefined;
  /** Returns ms since the epoch by the clock of the turn's code, but at least the turn's start. */
  now(): number;
  /**
   * Records a fact of a module. Use the module's `remember` instead.
   *
   * @throws TypeError if part of the fact is not JSON.
   * @throws ToolConfigurationError as `recall` does.
   */
  record<Value extends Json, Fact extends Json>(
    memory: ToolMemory<Value, Fact>,
    fact: Fact,
    options?: FactOptions,
  ): void;
  /**
   * Returns the state of a module. Use the module's `recall` instead. Do not change the returned value.
   *
   * @throws ToolConfigurationError if the app lacks the module, or if its memory cannot be folded.
   */
  recall<Value extends Json, Fact extends Json>(memory: ToolMemory<Value, Fact>): Value;
  /** Reports progress to clients that watch the turn. Not journaled, and lost if no client watches. */
  progress(status: string): void;
  /**
   * Sends a message to the user when the call ends, if it succeeds. It is part of the conversation: in the
   * turn's answer (`said`), in the session's messages, and after the call's result in the model's next
   * request.
   */
  say(message: string): void;
  /** Returns a file of this session by its id, with its bytes, or `undefined`. */
  file(id: string): Promise<NewFile | undefined>;
  /** Returns the conversation as the model was shown it, including the reply with this call. */
  history(): readonly HistoryMessage[];
  /**
   * Asks a person or client outside the turn, and returns the answer: a decision about the call, or the
   * result of a tool that the caller runs. The call is suspended until then, and this promise never settles
   * in the invocation that asked. After the answer, the call restarts and reaches this line again. So code
   * before it can run twice, and a call must always ask its questions in the same order. Inside `run`, a
   * `once` tool can ask only with a `checkpoint` or with `meanwhile: 'running'`.
   *
   * @example
   * ```ts
   * const { decision } = await call.ask({ for: 'decision', message: 'Refund 20 euro?', by: 'manager' });
   * ```
   * @throws Error if the tool or its schema has changed since the question, which voids the decision.
   * @throws ToolConfigurationError if the app lacks the module `answers` from `holdfast/answers`. This ends the
   * turn as `misconfigured`.
   */
  ask<For extends keyof QuestionKinds>(question: Question<For>): Promise<ReceivedAnswer<For>>;
  /**
   * If `run` has restarted and can resume, returns the checkpoint of the question that this call asks next.
   * Returns `undefined` if the question is new or has no checkpoint.
   */
  checkpoint(): Json | undefined;
  /**
   * A key that is unique across sessions and stable when the call runs again. Send it to services that
   * deduplicate requests. It consists of 32 hexadecimal digits that cannot be guessed, and the place of the
   * call in its turn, such as `.3.0`.
   */
  readonly idempotencyKey: string;
  /**
   * When the call was last started, in ms since the epoch. In `reconcile`, another invocation started it, so
   * the time comes from the clock of the session's object. Requests from that start may still be in flight:
   * compare with `now()`.
   */
  readonly startedAt: number;
}

/** The part of a tool that has effects, with its input. All code before it can repeat. */
export interface ToolEffect {
  readonly effect: Effect;
  /** Milliseconds until the signal aborts and the call ends without the result of `run`. */
  readonly timeout: number;
  /**
   * The maximum number of requests that `run` makes. Defaults to 1. `run` starts only if the invocation has
   * that many left.
   */
  readonly subrequests?: number | undefined;
  run(call: CallContext): unknown;
  /** Called instead of `run` if a `once` call was started and its outcome is unknown. */
  readonly reconcile?: ((call: CallContext) => Reconciliation | Promise<Reconciliation>) | undefined;
}

/**
 * How often a call can run. `read`: any number of times, without effects. `idempotent`: at least once, always
 * with the same key. `once`: at most once.
 */
export type Effect = Infer<typeof EFFECT>;
export const EFFECT = { oneOf: ['read', 'idempotent', 'once'] } as const satisfies Shape;

/**
 * The return value of `reconcile` for a `once` call in doubt. `done`: it happened, and this is its result.
 * `not-done`: it did not happen **and cannot happen any more**. The call then runs again or is reported as
 * not done, so a request that arrives later would repeat the effect. `unknown`: all other cases. A request in
 * flight can still reach a receiver that has not seen the call. Return `not-done` only for calls that are
 * older than any request can be (by `startedAt`), or if the receiver refuses late requests.
 */
export type Reconciliation = { readonly done: unknown } | 'not-done' | 'unknown';

/** A message of the conversation, for tools. */
export type HistoryMessage =
  | {
      readonly role: 'user';
      readonly text: string;
      /** All parts in order, if it has files. If a transformer changes the text, the files come after it. */
      readonly parts?: readonly ContentPart[] | undefined;
      readonly by?: MessageSource | undefined;
      /** The tools that were added and removed before this message. */
      readonly toolsChange?: ToolNamesChange | undefined;
    }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly HistoryCall[];
      /**
       * The reply's parts beyond text and calls, in order, which go back to its model. If a transformer drops
       * them, or changes the text or the calls, the reply is sent as plain text.
       */
      readonly parts?: readonly HistoryPart[] | undefined;
      /** The tools that were added and removed before the request for this reply. */
      readonly toolsChange?: ToolNamesChange | undefined;
    };

interface ToolNamesChange {
  readonly came: readonly NamedTool[];
  readonly went: readonly NamedTool[];
}

interface NamedTool {
  readonly name: string;
}

/** The readable fields of a part of a reply. Other fields are only for its model. */
export interface HistoryPart {
  /** The type, such as `text`, `reasoning` or `tool-call`. */
  readonly type: string;
  /** The text of a text or reasoning part. */
  readonly text?: string | undefined;
}

/** A call of a reply. It has no result while it is open. */
export interface HistoryCall {
  readonly id: string;
  readonly name: string;
  /** The model's own text. */
  readonly input: string;
  readonly result?: ResultData | undefined;
  /** The maximum characters of the result that the model sees. Set if the conversation was too long. */
  readonly shown?: number | undefined;
  /** Messages to the user from the call or its nested loop, in order. Absent if empty. */
  readonly said?: readonly TurnSaid[] | undefined;
}

/** A message to the user, and the call that sent it, in any loop of the turn. */
export interface TurnSaid extends Infer<typeof TURN_SAID> {}
export const TURN_SAID = { object: { call: TEXT, tool: TEXT, text: TEXT } } as const satisfies Shape;

/**
 * The source of a user message that did not start a turn. `loop`: the loop itself, to ask for something.
 * `steer`: it arrived while the turn ran. `late`: the late result of an earlier call. `summary`: it replaces
 * older messages.
 */
export type MessageSource = Infer<typeof MESSAGE_SOURCE>;
export const MESSAGE_SOURCE = { oneOf: ['loop', 'steer', 'late', 'summary'] } as const satisfies Shape;

/**
 * The principal of a turn, as journaled: without credentials. Turns without a sender have special ids:
 * `webhook:{name}`, `schedule:{name}`, and `code` for code that runs without a session.
 */
export interface TurnPrincipal {
  readonly id: string;
  readonly tenant?: string | undefined;
  /**
   * The roles at the time of the message. A person decides about a call with the roles of that time. Absent
   * if empty.
   */
  readonly roles?: readonly string[] | undefined;
}

/** The principal of turns that code runs without a sender. */
export const CODE_PRINCIPAL: TurnPrincipal = { id: 'code' };

/**
 * How to handle a message while a turn of its session is open. `queue`: it starts a separate turn after
 * earlier ones. `steer`: the model of the open turn receives it.
 */
export type WhenBusy = 'queue' | 'steer';

/** The kinds of questions, with the types of the question, the sent answer, and the received answer. */
interface QuestionKinds {
  readonly decision: {
    readonly question: DecisionTerms & (SuspendTerms | RunTerms);
    readonly sent: WithUndefined<Infer<typeof SENT_DECISION>>;
    readonly got: Decision;
  };
  readonly result: {
    readonly question: ResultTerms;
    readonly sent: SentResult;
    readonly got: ToolResult;
  };
}

/**
 * A question to a person or client outside the turn, who can take days to answer. It is journaled, and listed
 * in the session's state.
 */
export type Question<For extends keyof QuestionKinds = keyof QuestionKinds> = {
  readonly for: For;
} & QuestionKinds[For]['question'];

/** A question for a decision that suspends the call. */
export type SuspendingQuestion = Exclude<QuestionKinds['decision']['question'], RunTerms>;

/** An answer in the sender's form: a decision, or the outcome of a tool that the caller ran. */
export type Answer<For extends keyof QuestionKinds = keyof QuestionKinds> = QuestionKinds[For]['sent'];

/** The answer in the form that the call receives. */
export type ReceivedAnswer<For extends keyof QuestionKinds> = QuestionKinds[For]['got'];

const RETURNED_VALUE: ShapeAs<Json> = { schema: {}, says: 'Any JSON, as if the tool had returned it.' };

/** The outcome of a tool, in exactly one of these fields. */
type SentResult = {
  [Key in keyof ResultFields]-?: Required<Pick<ResultFields, Key>> & {
    readonly [Other in Exclude<keyof ResultFields, Key>]?: undefined;
  };
}[keyof ResultFields];
interface ResultFields extends Infer<typeof SENT_RESULT> {}

/** The outcome of a tool that the caller ran. Exactly one of the fields is set. */
export const SENT_RESULT = {
  object: {
    result: { optional: RETURNED_VALUE },
    text: { optional: { type: 'string', says: 'Text for the model.' } },
    error: { optional: { type: 'string', says: 'The error message for the model.' } },
  },
  also: { additionalProperties: false, minProperties: 1, maxProperties: 1 },
  says: 'Exactly one of the three.',
} as const satisfies Shape;

/** A question for a tool that the caller runs. */
interface ResultTerms {
  readonly for: 'result';
  readonly message: string;
  /** Milliseconds until the call ends with an error. Defaults to never. */
  readonly expires?: number | undefined;
}

/** A question for a decision about the call, or for a value that replaces its input. */
interface DecisionTerms {
  readonly for: 'decision';
  /** The question, for the person who decides. */
  readonly message: string;
  /** The possible choices. Defaults to all four. */
  readonly allows?: readonly DecisionKind[] | undefined;
  /** The input that the tool will receive, if it differs from what the model sent. */
  readonly input?: JsonObject | undefined;
  /** The schema for the input of an `edit`. Defaults to the schema of the tool. */
  readonly schema?: JsonSchema | undefined;
  /**
   * `refused`: since answers are journaled, an input or reason that looks like a credential is refused and
   * not stored. By default, all are accepted.
   */
  readonly credentials?: 'refused' | undefined;
  /** The role that can decide. Defaults to anyone who can see the session. */
  readonly by?: string | undefined;
  /**
   * Excludes principals from deciding, even if they have the role. `requester`: the people whose messages
   * began or steered the turn.
   */
  readonly notBy?: 'requester' | undefined;
  /** The decision if no one decides in time. Defaults to `reject`. */
  readonly onExpiry?: Exclude<DecisionKind, 'edit'> | undefined;
}

/** The call is suspended, and restarts after the answer. */
interface SuspendTerms {
  readonly meanwhile?: 'suspended' | undefined;
  /** Milliseconds until `onExpiry` takes effect. Defaults to never. */
  readonly expires?: number | undefined;
  /**
   * The data from which `run` resumes after the decision, when `call.checkpoint()` returns it. It is
   * journaled with the question, but not shown to the model or to the person who decides. Pass it only inside
   * `run`, when all work that `run` started has finished and may repeat: the call counts as not started until
   * it restarts.
   */
  readonly checkpoint?: Json | undefined;
}

/**
 * `run` keeps running while it waits, for work that must not restart. Also allowed for `once` calls. The call
 * is not suspended, so the tool's timeout applies, and if its invocation ends before the answer, the outcome
 * of the call is unknown. Not allowed outside `run`, such as in a decorator.
 */
interface RunTerms {
  readonly meanwhile: 'running';
  /** Milliseconds until `onExpiry` takes effect. */
  readonly expires: number;
  readonly checkpoint?: undefined;
}

/** The possible decisions about a call. */
export type DecisionKind = Infer<typeof DECISION_KIND>;
export const DECISION_KIND = { oneOf: ['approve', 'edit', 'reject', 'exit'] } as const satisfies Shape;

/** The maximum characters of a reason, which a model reads. */
export const MAX_REASON_CHARACTERS = 2_000;

const EDITED_INPUT: ShapeAs<JsonObject> = {
  like: ANY_OBJECT,
  says: 'For an edit: replaces the input that the model sent.',
};

/** A decision in the sender's form. */
export const SENT_DECISION = {
  object: {
    decision: DECISION_KIND,
    /** For an `edit`: an input that matches the schema in the question. */
    input: { optional: EDITED_INPUT },
    reason: {
      optional: {
        type: 'string',
        also: { maxLength: MAX_REASON_CHARACTERS },
        says: 'For the model, and for the journal.',
      },
    },
  },
  also: NO_OTHER_PROPERTIES,
} as const satisfies Shape;

/** A decision, for this call only. */
export interface Decision extends WithUndefined<Infer<typeof DECISION>> {}
export const DECISION = {
  object: {
    /** The id of the principal who decided. */
    by: OPTIONAL_TEXT,
    /** `true` if no one decided in time. */
    expired: OPTIONAL_TRUE,
  },
  and: SENT_DECISION,
} as const satisfies Shape;
