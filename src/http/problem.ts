/** What went wrong, by a name that stays. */
export type ProblemType =
  | 'bad-json'
  | 'unsupported-media-type'
  | 'body-too-large'
  | 'invalid-body'
  | 'invalid-session-id'
  | 'invalid-header'
  | 'invalid-query'
  | 'unknown-route'
  | 'method-not-allowed'
  | 'unknown-agent'
  | 'unknown-session'
  | 'unknown-turn'
  | 'session-erased'
  | 'unknown-webhook'
  | 'invalid-signature'
  | 'webhook-failed'
  | 'unauthorized'
  | 'cross-site'
  | 'not-configured'
  | 'session-busy'
  | 'turn-suspended'
  | 'queue-full'
  | 'turn-over'
  | 'call-over'
  | 'unknown-call'
  | 'not-waiting'
  | 'role-required'
  | 'wrong-answer'
  | 'already-answered'
  | 'approval-void'
  | 'approval-expired'
  | 'result-void'
  | 'result-expired'
  | 'no-open-turn'
  | 'idempotency-key-reused'
  | 'model-failure'
  | 'turn-failed'
  | 'misconfigured'
  | 'newer-deployment'
  | 'session-unavailable'
  | 'internal-error';

interface Details {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Members beside those of RFC 9457, such as every problem of a body. */
  readonly more?: Readonly<Record<string, unknown>> | undefined;
}

/** An answer that is an error; thrown anywhere below the app and made a response in one place. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly type: ProblemType;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly more: Readonly<Record<string, unknown>>;

  /** `detail` tells the client what to do. */
  constructor(status: number, type: ProblemType, detail: string, { headers = {}, more = {} }: Details = {}) {
    super(detail);
    this.status = status;
    this.type = type;
    this.headers = headers;
    this.more = more;
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
