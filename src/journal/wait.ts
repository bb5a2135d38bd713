import { DECISION_KIND, type Decision, type DecisionKind } from '../tool/call.ts';
import type { Json, JsonObject, JsonSchema } from '../tool/json.ts';
import { ANY_JSON, type Infer, JSON_SCHEMA, type Shape, type ShapeAs, TEXT } from '../tool/shape.ts';
import type { ResultData } from '../tool/tool-result.ts';

/** What a suspended call waits for. */
export type Wait = DecisionWait | ResultWait;

interface WaitBase {
  readonly message: string;
  /** Milliseconds from the time of this event. */
  readonly expires?: number;
  /**
   * Hex SHA-256 over the tool's name, the call's input, the tool's schema and what was put to whom: a decision holds for
   * these only.
   */
  readonly binding: string;
}

/** Somebody decides about the call. */
export interface DecisionWait extends WaitBase {
  readonly for: 'decision';
  readonly allows: readonly DecisionKind[];
  /** What the tool is about to be called with, where that is no longer what the model sent. */
  readonly input?: JsonObject;
  /** What the input of an `edit` must match. */
  readonly schema: JsonSchema;
  /** Nothing that looks like a credential is taken. */
  readonly credentials?: 'refused';
  /** The role that may decide. */
  readonly by?: string;
  /** Who may not: those whose messages the turn has taken. */
  readonly notBy?: 'requester';
  readonly onExpiry: Exclude<DecisionKind, 'edit'>;
  /** What the tool goes on from when the call begins anew. Nothing of it runs meanwhile, and nothing of it is in doubt. */
  readonly checkpoint?: Json;
}

/** The caller runs the tool and sends what came of it. */
export interface ResultWait extends WaitBase {
  readonly for: 'result';
}

/** What somebody outside answered, once. */
export type Answer =
  | ({
      readonly type: 'decision';
      /** A call of another turn has decided, and no person. */
      readonly inCall?: true;
    } & Decision)
  | {
      readonly type: 'result';
      readonly result: ResultData;
      readonly by?: string;
      /** Nobody sent one in time. */
      readonly expired?: true;
    };

/** A decision as its sender words it. */
export interface SentDecision {
  readonly decision: DecisionKind;
  /** What an `edit` calls the tool with instead. */
  readonly input?: JsonObject | undefined;
  readonly reason?: string | undefined;
}

/** What came of a tool that the caller ran: any JSON, words for the model, or what went wrong. */
export type SentResult =
  | { readonly result: Json; readonly text?: undefined; readonly error?: undefined }
  | { readonly text: string; readonly result?: undefined; readonly error?: undefined }
  | { readonly error: string; readonly result?: undefined; readonly text?: undefined };

const EDIT_SCHEMA: ShapeAs<JsonSchema> = {
  like: JSON_SCHEMA,
  says: 'What the input of an edit must match.',
};

/** A call that waits for somebody outside, as it is shown to the person or client that answers it. */
export interface PendingCall extends Infer<typeof PENDING_CALL> {}
export const PENDING_CALL = {
  object: {
    call: TEXT,
    /** The place of the question among those of its call, from 1: an answer names it. */
    question: { type: 'integer', says: 'Its place among the questions of its call, from 1.' },
    tool: TEXT,
    /**
     * What the tool is to be called with: what an edit takes the place of. A text where the model sent no JSON object. Of a decision,
     * characters that cannot be seen stand in its texts as `\u{202e}`, and an edit may leave them so.
     */
    input: ANY_JSON,
    /** What the model sent, where that is something else: decorators, an edit before this one or an unfolding tool have changed it. */
    sent: { optional: ANY_JSON },
    /** `result`: the client runs the tool and sends its result. */
    for: { oneOf: ['decision', 'result'] },
    message: TEXT,
    /** Of a decision: what may be decided. */
    allows: { optional: { listOf: DECISION_KIND } },
    /** What the input of an `edit` must match; its texts are shown as those of `input`. */
    schema: { optional: EDIT_SCHEMA },
    /** The role that may answer. */
    by: { optional: { type: 'string', says: 'The role that may answer.' } },
    /** Who may not decide, even with the role. `requester`: the people who began or steered the turn. */
    notBy: { optional: { only: 'requester' } },
    /** Milliseconds since the epoch after which no answer is taken. */
    expiresAt: { optional: { type: 'number', says: 'In ms since the epoch.' } },
  },
} as const satisfies Shape;
