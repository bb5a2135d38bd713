import { DECISION, DECISION_KIND } from '../tool/call.ts';
import type { JsonSchema } from '../tool/json.ts';
import {
  ANY_JSON,
  ANY_OBJECT,
  type Infer,
  JSON_SCHEMA,
  OPTIONAL_NUMBER,
  OPTIONAL_TEXT,
  OPTIONAL_TRUE,
  type Shape,
  type ShapeAs,
  TEXT,
} from '../tool/shape.ts';
import { RESULT } from '../tool/tool-result.ts';

/** The principals that must not decide. */
export const EXCLUDED_PRINCIPAL = { optional: { only: 'requester' } } as const;

const WAIT_BASE = {
  object: {
    message: TEXT,
    /** Milliseconds from the time of this event. */
    expires: OPTIONAL_NUMBER,
    /**
     * Hex SHA-256 over the tool's name, the call's input, the tool's schema, the question and its recipients.
     * A decision is valid only for these.
     */
    binding: TEXT,
  },
} as const satisfies Shape;

const DECISION_WAIT = {
  object: {
    for: { only: 'decision' },
    allows: { listOf: DECISION_KIND },
    /** The input that the tool will receive, if it differs from what the model sent. */
    input: { optional: ANY_OBJECT },
    /** The schema for the input of an `edit`. */
    schema: JSON_SCHEMA,
    /** `refused`: answers that look like credentials are not accepted. */
    credentials: { optional: { only: 'refused' } },
    /** The role that can decide. */
    by: OPTIONAL_TEXT,
    /** Excludes the principals whose messages the turn contains. */
    notBy: EXCLUDED_PRINCIPAL,
    onExpiry: { oneOf: ['approve', 'reject', 'exit'] },
    /**
     * The data from which the tool resumes when the call restarts. The tool does not run while the call
     * waits, so the outcome is never in doubt.
     */
    checkpoint: { optional: ANY_JSON },
  },
  and: WAIT_BASE,
} as const satisfies Shape;

/** The caller runs the tool and sends its outcome. */
const RESULT_WAIT = { object: { for: { only: 'result' } }, and: WAIT_BASE } as const satisfies Shape;

/** The question that a suspended call waits for, as journaled. */
export type Wait<For extends AnyWait['for'] = AnyWait['for']> = Extract<AnyWait, { readonly for: For }>;
type AnyWait = Infer<typeof WAIT>;
export const WAIT = { anyOf: [DECISION_WAIT, RESULT_WAIT] } as const satisfies Shape;

/** The answer to a question, as journaled. */
export type JournaledAnswer = Infer<typeof JOURNALED_ANSWER>;
export const JOURNALED_ANSWER = {
  anyOf: [
    {
      object: {
        type: { only: 'decision' },
        /** `true` if a call of another turn decided, not a person. */
        inCall: OPTIONAL_TRUE,
      },
      and: DECISION,
    },
    {
      object: {
        type: { only: 'result' },
        result: RESULT,
        by: OPTIONAL_TEXT,
        /** `true` if no result was sent in time. */
        expired: OPTIONAL_TRUE,
      },
    },
  ],
} as const satisfies Shape;

const EDIT_SCHEMA: ShapeAs<JsonSchema> = {
  like: JSON_SCHEMA,
  says: 'The schema for the input of an edit.',
};

/** A call that waits for an answer, as shown to those who can answer it. */
export interface PendingCall extends Infer<typeof PENDING_CALL> {}
export const PENDING_CALL = {
  object: {
    call: TEXT,
    /** The number of the question within its call, starting at 1. An answer includes it. */
    question: { type: 'integer', says: 'Its number among the questions of its call, from 1.' },
    tool: TEXT,
    /**
     * The input that the tool will receive, and that an edit replaces. A string if the model did not send a
     * JSON object. In a decision, its strings show invisible characters as `\u{202e}`. An edit can keep that
     * form.
     */
    input: ANY_JSON,
    /**
     * The input that the model sent, if it differs: decorators, an earlier edit or an unfolding tool have
     * changed it.
     */
    sent: { optional: ANY_JSON },
    /** `result`: the client runs the tool and sends its result. */
    for: { oneOf: ['decision', 'result'] },
    message: TEXT,
    /** For a decision: the possible choices. */
    allows: { optional: { listOf: DECISION_KIND } },
    /** The schema for the input of an `edit`. Its strings are shown like those of `input`. */
    schema: { optional: EDIT_SCHEMA },
    /** The role that can answer. */
    by: { optional: { type: 'string', says: 'The role that can answer.' } },
    /**
     * Excludes principals from deciding, even with the role. `requester`: those who started or steered the
     * turn.
     */
    notBy: EXCLUDED_PRINCIPAL,
    /** The time after which answers are refused, in ms since the epoch. */
    expiresAt: { optional: { type: 'number', says: 'In ms since the epoch.' } },
  },
} as const satisfies Shape;
