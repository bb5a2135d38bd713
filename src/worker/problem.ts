import { WAITING_TURN } from '../journal/event-page.ts';
import { EXCLUDED_PRINCIPAL } from '../journal/wait.ts';
import { MEDIA_TAKEN } from '../model/chat-model.ts';
import { STOPPED_TURN_SHAPE, type TurnAnswer } from '../session/watching/turn-outcome.ts';
import {
  type Fields,
  INTEGER,
  type Infer,
  OPTIONAL_INTEGER,
  OPTIONAL_NUMBER,
  OPTIONAL_TEXT,
  type Shape,
  type ShapeAs,
  TEXT,
  TEXT_OR_NULL,
} from '../tool/shape.ts';
import { PENDING_VIEW } from './turn-view.ts';

/** The statuses of problems other than 404 and 409. The names are stable. */
const STATUS_BY_TYPE = {
  'bad-json': 400,
  'bad-form': 400,
  'unsupported-media-type': 415,
  'body-too-large': 413,
  'file-too-large': 413,
  'files-full': 413,
  'session-full': 507,
  'invalid-body': 422,
  'invalid-session-id': 400,
  'invalid-header': 400,
  'invalid-query': 400,
  'method-not-allowed': 405,
  'range-not-satisfiable': 416,
  'session-erased': 410,
  'invalid-signature': 401,
  'webhook-failed': 500,
  unauthorized: 401,
  'invalid-person': 400,
  'cross-site': 403,
  'not-configured': 401,
  'only-localhost': 403,
  'queue-full': 429,
  'rate-limited': 429,
  'owner-limit': 429,
  'role-required': 403,
  'another-person-required': 403,
  'idempotency-key-reused': 422,
  'model-failure': 502,
  'turn-failed': 500,
  misconfigured: 500,
  'newer-deployment': 503,
  'session-unavailable': 503,
  'session-unreadable': 503,
  'files-unavailable': 503,
  'internal-error': 500,
} as const;

/** Problems with status 404. Only their names begin with `unknown-`. */
const NOT_FOUND_TYPES = [
  'unknown-route',
  'unknown-agent',
  'unknown-session',
  'unknown-turn',
  'unknown-file',
  'unknown-webhook',
  'unknown-call',
] as const satisfies readonly `unknown-${string}`[];

/** Problems with status 409: the state of a session does not allow the request. */
const CONFLICT_TYPES = [
  'session-busy',
  'turn-suspended',
  'turn-over',
  'call-over',
  'not-waiting',
  'wrong-answer',
  'already-answered',
  'approval-void',
  'approval-expired',
  'result-void',
  'result-expired',
  'no-open-turn',
  'session-exists',
  'would-repeat-effects',
  'nothing-to-retry',
  'erasing',
] as const;

/** The name of a problem. */
export type ProblemType =
  | keyof typeof STATUS_BY_TYPE
  | (typeof NOT_FOUND_TYPES)[number]
  | (typeof CONFLICT_TYPES)[number];

/** Returns the default status of a problem. */
export function getHttpStatus(type: ProblemType): number {
  if (type in STATUS_BY_TYPE) return STATUS_BY_TYPE[type as keyof typeof STATUS_BY_TYPE]; // it is among the keys
  return type.startsWith('unknown-') ? 404 : 409;
}

/** Problems that exist only over HTTP. */
type HttpOnlyType =
  | 'bad-json'
  | 'bad-form'
  | 'unknown-route'
  | 'method-not-allowed'
  | 'range-not-satisfiable'
  | 'unknown-webhook'
  | 'invalid-signature'
  | 'webhook-failed'
  | 'unauthorized'
  | 'invalid-person'
  | 'cross-site'
  | 'not-configured'
  | 'only-localhost'
  | 'model-failure'
  | 'turn-failed'
  | 'misconfigured'
  | 'internal-error';

/**
 * The reason why a session refuses a request, with the same name as over HTTP. `rate-limited` is for modules
 * that refuse clients.
 */
export type SessionErrorType = Exclude<ProblemType, HttpOnlyType>;

export type ProblemMembers = Infer<{ readonly object: typeof PROBLEM_MEMBERS }>;
const PROBLEM_MEMBERS = {
  /** The turn that blocks the request, or that may have been accepted. */
  turn: OPTIONAL_TEXT,
  /** The calls that this turn waits for. */
  pending: { optional: { listOf: PENDING_VIEW } },
  /** All problems of the request, or everything missing in a deployment. */
  problems: { optional: { listOf: TEXT } },
  /** If several answers were sent, the calls whose answers were accepted. */
  taken: { optional: { listOf: TEXT } },
  /** The required role. */
  role: OPTIONAL_TEXT,
  /** The principal who must not answer. */
  notBy: EXCLUDED_PRINCIPAL,
  /** The calls that a fork would leave out. */
  calls: { optional: { listOf: { object: { call: TEXT, tool: TEXT } } } },
  /** The limit that the owner has reached: `turns`, `tokens`, `cost`, `openSessions` or `running`. */
  ownerLimit: OPTIONAL_TEXT,
  /** The limit, in bytes or in its own unit. */
  most: OPTIONAL_NUMBER,
  /** The amount used. */
  used: OPTIONAL_NUMBER,
  /** The time when the limit is reset, in ISO 8601. */
  resetAt: OPTIONAL_TEXT,
  /** The files that the agent accepts. */
  accepts: { optional: MEDIA_TAKEN },
  /** The last event of an unreadable session. */
  seq: OPTIONAL_INTEGER,
  /** The open turn of an unreadable session. */
  openTurn: { optional: TEXT_OR_NULL },
  /** The waiting turns of an unreadable session. */
  waiting: { optional: { listOf: WAITING_TURN } },
} as const satisfies Fields;

const PROBLEM_TYPE: ShapeAs<`urn:holdfast:problem:${ProblemType}`> = {
  schema: () => ({
    type: 'string',
    enum: [...Object.keys(STATUS_BY_TYPE), ...NOT_FOUND_TYPES, ...CONFLICT_TYPES].map(
      (type) => `urn:holdfast:problem:${type}`,
    ),
  }),
};

const PROBLEM_FIELDS = {
  /** `urn:holdfast:problem:` and the name of the problem. */
  type: PROBLEM_TYPE,
  title: TEXT,
  status: INTEGER,
  /** Explains how to fix the problem. */
  detail: TEXT,
} as const satisfies Fields;

/** A problem in a response (RFC 9457). */
export type ProblemDocument = Infer<typeof PROBLEM>;
export const PROBLEM = { object: PROBLEM_MEMBERS, and: { object: PROBLEM_FIELDS } } as const satisfies Shape;

/** A failed turn in a response: the problem, with the answer of the turn. */
export type FailedTurn = Infer<typeof FAILED_TURN>;
export const FAILED_TURN = {
  object: { outcome: { only: 'failed' } },
  and: { object: PROBLEM_FIELDS, and: STOPPED_TURN_SHAPE },
} as const satisfies Shape;

/**
 * Returns the text of a refusal for the clients of a protocol. `parameter`: formats a parameter to suggest,
 * such as `?whenBusy=queue`. If absent, the protocol has no such parameters, and the text does not suggest
 * any.
 */
export type RefusalFormatter = (
  parameter?: (name: 'whenBusy' | 'pending', value: string) => string,
) => string;

/** Formats a parameter of the REST API. */
const formatQueryParameter: Parameters<RefusalFormatter>[0] = (name, value) => `?${name}=${value}`;

interface SessionErrorDetails {
  readonly retryAfter?: number | undefined;
  readonly more?: ProblemMembers | undefined;
  readonly cause?: unknown;
}

/**
 * Thrown by the methods of `sessionOf` if a session refuses a request. Over HTTP it becomes a problem with
 * the same `type`, with `message` as the `detail`, and with the members of `more`.
 */
export class SessionError extends Error {
  override readonly name = 'SessionError';
  readonly type: SessionErrorType;
  /** Seconds to wait before a retry, if a retry can help. */
  readonly retryAfter: number | undefined;
  /**
   * More data: the blocking `turn`, its `pending` calls, the `problems` of the request, the required `role`.
   */
  readonly more: ProblemMembers;

  /** Returns its text for protocols other than the REST API, if it differs. */
  readonly worded: RefusalFormatter | undefined;

  constructor(
    type: SessionErrorType,
    words: string | RefusalFormatter,
    { retryAfter, more = {}, cause }: SessionErrorDetails = {},
  ) {
    super(typeof words === 'string' ? words : words(formatQueryParameter), { cause });
    this.type = type;
    this.worded = typeof words === 'string' ? undefined : words;
    this.retryAfter = retryAfter;
    this.more = more;
  }
}

interface ProblemOptions {
  /** Overrides the default status. */
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Seconds to wait before a retry, if a retry can help. */
  readonly retryAfter?: number | undefined;
  /** Members in addition to those of RFC 9457, such as every problem of a body. */
  readonly more?: ProblemMembers | Partial<TurnAnswer> | undefined;
  /** Returns its text for protocols other than the REST API, if it differs. */
  readonly worded?: RefusalFormatter | undefined;
}

/** An error response. Thrown anywhere below the app, and converted to a response in one place. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly type: ProblemType;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly more: ProblemMembers | Partial<TurnAnswer>;
  /** Returns its text for protocols other than the REST API, if it differs. */
  readonly worded: RefusalFormatter | undefined;

  /** `detail` says how the client can fix the problem. */
  constructor(
    type: ProblemType,
    detail: string,
    { status = getHttpStatus(type), headers = {}, retryAfter, more = {}, worded }: ProblemOptions = {},
  ) {
    super(detail);
    this.status = status;
    this.type = type;
    this.headers = retryAfter === undefined ? headers : { ...headers, 'retry-after': String(retryAfter) };
    this.more = more;
    this.worded = worded;
  }

  /** Converts a session's refusal to a problem. */
  static of(refused: SessionError): Problem {
    return new Problem(refused.type, refused.message, refused);
  }

  /** Formats the problem by RFC 9457. */
  toResponse(): Response {
    const body = {
      type: `urn:holdfast:problem:${this.type}`,
      title: this.type.replaceAll('-', ' '),
      status: this.status,
      detail: this.message,
      ...this.more,
    };
    return new Response(JSON.stringify(body), {
      status: this.status,
      headers: { ...this.headers, 'content-type': 'application/problem+json' },
    });
  }
}
