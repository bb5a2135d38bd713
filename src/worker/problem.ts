import { WAITING_TURN } from '../journal/event-page.ts';
import { NOT_REQUESTER } from '../journal/wait.ts';
import { MEDIA_TAKEN } from '../model/chat-model.ts';
import { STOPPED_TURN, type TurnAnswer } from '../session/watching/turn-outcome.ts';
import {
  type Fields,
  type Infer,
  OPTIONAL_NUMBER,
  OPTIONAL_TEXT,
  OPTIONAL_WHOLE,
  type Shape,
  type ShapeAs,
  TEXT,
  TEXT_OR_NULL,
  WHOLE,
} from '../tool/shape.ts';
import { PENDING_VIEW } from './turn-view.ts';

/** The status of a problem, by its name, which stays: of all that are neither 404 nor 409. */
const STATUS = {
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

/** What is not there: 404. Their names begin alike, and no others do. */
const UNKNOWN = [
  'unknown-route',
  'unknown-agent',
  'unknown-session',
  'unknown-turn',
  'unknown-file',
  'unknown-webhook',
  'unknown-call',
] as const satisfies readonly `unknown-${string}`[];

/** What the state of a session does not allow: 409. */
const CONFLICTS = [
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

/** The name of what went wrong. */
export type ProblemType = keyof typeof STATUS | (typeof UNKNOWN)[number] | (typeof CONFLICTS)[number];

/** Returns the status that a problem has unless it names another. */
export function statusOf(type: ProblemType): number {
  if (type in STATUS) return STATUS[type as keyof typeof STATUS]; // it is among the keys
  return type.startsWith('unknown-') ? 404 : 409;
}

/** What HTTP alone can refuse. */
type OfHttp =
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

/** Why a session does not do what it was asked for: the name that the problem has over HTTP too. `rate-limited`: for modules, which refuse clients. */
export type SessionErrorType = Exclude<ProblemType, OfHttp>;

/** What a problem may say beside what went wrong. */
export type ProblemMembers = Infer<{ readonly object: typeof MEMBERS }>;
const MEMBERS = {
  /** The turn that is in the way, or that may have been taken. */
  turn: OPTIONAL_TEXT,
  /** What that waits for. */
  pending: { optional: { listOf: PENDING_VIEW } },
  /** Everything that is wrong with what was sent, or that a deployment lacks. */
  problems: { optional: { listOf: TEXT } },
  /** Of several answers, the calls of those that were taken. */
  taken: { optional: { listOf: TEXT } },
  /** The role that is needed. */
  role: OPTIONAL_TEXT,
  /** Who may not answer. */
  notBy: NOT_REQUESTER,
  /** The calls that a fork would leave out. */
  calls: { optional: { listOf: { object: { call: TEXT, tool: TEXT } } } },
  /** The limit of the owner that is reached: `turns`, `tokens`, `cost`, `openSessions` or `running`. */
  ownerLimit: OPTIONAL_TEXT,
  /** What is allowed: in bytes, or in the unit of the limit. */
  most: OPTIONAL_NUMBER,
  /** What is used of it. */
  used: OPTIONAL_NUMBER,
  /** When the limit is reset, in ISO 8601. */
  resetAt: OPTIONAL_TEXT,
  /** The files that the agent takes. */
  accepts: { optional: MEDIA_TAKEN },
  /** Of a session that cannot be read: its last event. */
  seq: OPTIONAL_WHOLE,
  /** Of a session that cannot be read: its open turn. */
  openTurn: { optional: TEXT_OR_NULL },
  /** Of a session that cannot be read: the turns that wait. */
  waiting: { optional: { listOf: WAITING_TURN } },
} as const satisfies Fields;

const PROBLEM_TYPE: ShapeAs<`urn:holdfast:problem:${ProblemType}`> = {
  schema: () => ({
    type: 'string',
    enum: [...Object.keys(STATUS), ...UNKNOWN, ...CONFLICTS].map((type) => `urn:holdfast:problem:${type}`),
  }),
};

const WRONG = {
  /** `urn:holdfast:problem:` and the name of what went wrong. */
  type: PROBLEM_TYPE,
  title: TEXT,
  status: WHOLE,
  /** Says what to do. */
  detail: TEXT,
} as const satisfies Fields;

/** A problem as it is answered (RFC 9457). */
export type ProblemDocument = Infer<typeof PROBLEM>;
export const PROBLEM = { object: MEMBERS, and: { object: WRONG } } as const satisfies Shape;

/** A turn that failed, as it is answered: what went wrong, and the answer of the turn. */
export type FailedTurn = Infer<typeof FAILED_TURN>;
export const FAILED_TURN = {
  object: { outcome: { only: 'failed' } },
  and: { object: WRONG, and: STOPPED_TURN },
} as const satisfies Shape;

/**
 * Words a refusal for the clients of a protocol. `parameter` writes what they send to ask otherwise, such as `?whenBusy=queue`. Without it, the
 * protocol has no such parameters, and the words name none.
 */
export type Worded = (parameter?: (name: 'whenBusy' | 'pending', value: string) => string) => string;

/** How clients of the REST API write a parameter. */
const inQuery: Parameters<Worded>[0] = (name, value) => `?${name}=${value}`;

interface SessionErrorDetails {
  readonly retryAfter?: number | undefined;
  readonly more?: ProblemMembers | undefined;
  readonly cause?: unknown;
}

/**
 * A session does not do what it was asked for. `sessionOf` throws it, and over HTTP a problem is made of it: with the same
 * `type`, with `message` as the `detail`, and with the members of `more`.
 */
export class SessionError extends Error {
  override readonly name = 'SessionError';
  readonly type: SessionErrorType;
  /** When to ask again, in seconds, where that helps. */
  readonly retryAfter: number | undefined;
  /** What else is known: the `turn` in the way, its `pending` calls, the `problems` of what was sent, the `role` that is needed. */
  readonly more: ProblemMembers;

  /** Its words for other protocols than the REST API, where those differ. */
  readonly worded: Worded | undefined;

  constructor(
    type: SessionErrorType,
    words: string | Worded,
    { retryAfter, more = {}, cause }: SessionErrorDetails = {},
  ) {
    super(typeof words === 'string' ? words : words(inQuery), { cause });
    this.type = type;
    this.worded = typeof words === 'string' ? undefined : words;
    this.retryAfter = retryAfter;
    this.more = more;
  }
}

interface Details {
  /** Where the same thing has another status than usual. */
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** In seconds: when a further request may help. */
  readonly retryAfter?: number | undefined;
  /** Members beside those of RFC 9457, such as every problem of a body. */
  readonly more?: ProblemMembers | Partial<TurnAnswer> | undefined;
  /** Its words for other protocols than the REST API, where those differ. */
  readonly worded?: Worded | undefined;
}

/** An answer that is an error; thrown anywhere below the app and made a response in one place. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly type: ProblemType;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly more: ProblemMembers | Partial<TurnAnswer>;
  /** Its words for other protocols than the REST API, where those differ. */
  readonly worded: Worded | undefined;

  /** `detail` tells the client what to do. */
  constructor(
    type: ProblemType,
    detail: string,
    { status = statusOf(type), headers = {}, retryAfter, more = {}, worded }: Details = {},
  ) {
    super(detail);
    this.status = status;
    this.type = type;
    this.headers = retryAfter === undefined ? headers : { ...headers, 'retry-after': String(retryAfter) };
    this.more = more;
    this.worded = worded;
  }

  /** The problem of what a session has refused. */
  static of(refused: SessionError): Problem {
    return new Problem(refused.type, refused.message, refused);
  }

  /** RFC 9457. */
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
