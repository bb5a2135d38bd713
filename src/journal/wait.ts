import { DECISION, DECISION_KIND } from '../tool/call.ts';
import type { JsonSchema } from '../tool/json.ts';
import {
  ANY_JSON,
  ANY_OBJECT,
  type Infer,
  JSON_SCHEMA,
  OPTIONAL_NUMBER,
  OPTIONAL_TEXT,
  OPTIONAL_YES,
  type Shape,
  type ShapeAs,
  TEXT,
} from '../tool/shape.ts';
import { RESULT } from '../tool/tool-result.ts';

/** Who may not decide. */
export const NOT_REQUESTER = { optional: { only: 'requester' } } as const;

const WAIT_BASE = {
  object: {
    message: TEXT,
    /** Milliseconds from the time of this event. */
    expires: OPTIONAL_NUMBER,
    /**
     * Hex SHA-256 over the tool's name, the call's input, the tool's schema and what was put to whom: a decision holds for
     * these only.
     */
    binding: TEXT,
  },
} as const satisfies Shape;

const DECISION_WAIT = {
  object: {
    for: { only: 'decision' },
    allows: { listOf: DECISION_KIND },
    /** What the tool is about to be called with, where that is no longer what the model sent. */
    input: { optional: ANY_OBJECT },
    /** What the input of an `edit` must match. */
    schema: JSON_SCHEMA,
    /** Nothing that looks like a credential is taken. */
    credentials: { optional: { only: 'refused' } },
    /** The role that may decide. */
    by: OPTIONAL_TEXT,
    /** Who may not: those whose messages the turn has taken. */
    notBy: NOT_REQUESTER,
    onExpiry: { oneOf: ['approve', 'reject', 'exit'] },
    /** What the tool resumes from when the call restarts. Nothing of it runs meanwhile, and nothing of it is in doubt. */
    checkpoint: { optional: ANY_JSON },
  },
  and: WAIT_BASE,
} as const satisfies Shape;

/** The caller runs the tool and sends its outcome. */
const RESULT_WAIT = { object: { for: { only: 'result' } }, and: WAIT_BASE } as const satisfies Shape;

/** What a suspended call waits for: a question, as it is journaled. */
export type Wait<For extends AnyWait['for'] = AnyWait['for']> = Extract<AnyWait, { readonly for: For }>;
type AnyWait = Infer<typeof WAIT>;
export const WAIT = { anyOf: [DECISION_WAIT, RESULT_WAIT] } as const satisfies Shape;

/** What somebody outside answered, once. */
export type JournaledAnswer = Infer<typeof JOURNALED_ANSWER>;
export const JOURNALED_ANSWER = {
  anyOf: [
    {
      object: {
        type: { only: 'decision' },
        /** A call of another turn has decided, and no person. */
        inCall: OPTIONAL_YES,
      },
      and: DECISION,
    },
    {
      object: {
        type: { only: 'result' },
        result: RESULT,
        by: OPTIONAL_TEXT,
        /** No result was sent in time. */
        expired: OPTIONAL_YES,
      },
    },
  ],
} as const satisfies Shape;

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
    notBy: NOT_REQUESTER,
    /** Milliseconds since the epoch after which no answer is taken. */
    expiresAt: { optional: { type: 'number', says: 'In ms since the epoch.' } },
  },
} as const satisfies Shape;
