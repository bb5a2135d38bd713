import { type Json, shorten } from '../../../tool/json.ts';
import { toOneLine } from '../../content/words.ts';

/**
 * An error for a response that did not arrive over the wire. `phrase` follows "MCP server 'x' cannot be
 * reached: ". The only server text in it is that of a JSON-RPC error, on one line and without credentials. It
 * contains no header. An error response with a success status is a ProtocolError of the SDK instead.
 */
export abstract class WireError extends Error {
  abstract readonly phrase: string;
}

/** A JSON-RPC error, without credentials. */
export interface RpcRefusal {
  readonly code: number;
  readonly message: string;
  readonly data?: Json | undefined;
}

/** The maximum length of a server's own text about a refusal. */
const MAX_REFUSAL_TEXT = 500;

/** The server responded with a status outside 2xx. */
export class HttpStatusError extends WireError {
  override readonly name = 'HttpStatusError';
  readonly status: number;
  /** The JSON-RPC error in the response, if there is one. */
  readonly said: RpcRefusal | undefined;
  /**
   * `true` if it demands other credentials. A 403 without `WWW-Authenticate` does not: the host, the origin
   * or the plan can be forbidden.
   */
  readonly isOfCredentials: boolean;

  constructor(
    status: number,
    { said, isChallenge }: { readonly said?: RpcRefusal | undefined; readonly isChallenge: boolean },
  ) {
    super(`HTTP ${status}`);
    this.status = status;
    this.said = said;
    this.isOfCredentials = status === 401 || (status === 403 && isChallenge);
  }

  get phrase(): string {
    const words = toOneLine(this.said?.message ?? '', MAX_REFUSAL_TEXT).replace(/\.$/, '');
    return `it answered HTTP ${this.status}${words && `: ${words}`}`;
  }
}

/** The server speaks only revisions of MCP that this client does not support. */
export class UnknownRevisionError extends WireError {
  override readonly name = 'UnknownRevisionError';
  readonly phrase: string;

  /** `revisions` are the server's, safe to display. */
  constructor(revisions: readonly string[]) {
    super('No common revision');
    this.phrase = `it speaks no supported revision of MCP, but ${toOneLine(revisions.join(', '), MAX_REFUSAL_TEXT)}`;
  }
}

/** A server's message, which need not be a response, exceeds a limit. */
export class ResponseTooLargeError extends WireError {
  override readonly name: string = 'ResponseTooLargeError';
  readonly phrase: string;

  constructor(max: number, unit: 'bytes' | 'events' | 'messages' | 'parts of JSON' = 'bytes') {
    super(`More than ${max} ${unit}`);
    this.phrase = `it answered with more than ${max} ${unit}`;
  }
}

/** The response to a request exceeds a limit. The server has run the request. */
export class AnswerTooLargeError extends WireError {
  override readonly name = 'AnswerTooLargeError';
  /** The error to report if the request is unknown. */
  readonly response: ResponseTooLargeError;

  constructor(response: ResponseTooLargeError) {
    super(response.message);
    this.response = response;
  }

  get phrase(): string {
    return this.response.phrase;
  }
}

/** The URL is not allowed. Nothing was sent. */
export class AddressRefusedError extends WireError {
  override readonly name = 'AddressRefusedError';
  readonly phrase: string;

  constructor(phrase: string) {
    super(phrase);
    this.phrase = phrase;
  }
}

/**
 * The statuses that keep a request's method and body, so the request was not run. Others can point to the
 * outcome of a request.
 */
const REQUEST_KEEPING_STATUSES: ReadonlySet<number> = new Set([307, 308]);

/** The server redirects to another origin, which it must not choose. The request was not sent there. */
export class RedirectRefusedError extends WireError {
  override readonly name = 'RedirectRefusedError';
  readonly phrase: string;
  /** `true` if the request certainly did not run. */
  readonly isCertain: boolean;

  /** `origin` is safe to display. */
  constructor(origin: string | undefined, status: number) {
    super('Redirect');
    this.isCertain = REQUEST_KEEPING_STATUSES.has(status);
    const whither = origin === undefined ? 'too many times' : `to ${shorten(origin, 80)}`;
    this.phrase = `it redirects ${whither}`;
  }
}

/** The server ended its response without a result, and the stream cannot be resumed. */
export class NoAnswerError extends WireError {
  override readonly name = 'NoAnswerError';
  readonly phrase = 'it ended its answer before there was a result';
}

/** The connection failed or broke. */
export class ConnectionLostError extends WireError {
  override readonly name = 'ConnectionLostError';
  readonly phrase = 'the connection was lost';
}

/** The connection is closed. Nothing was sent. */
export class NotSentError extends WireError {
  override readonly name = 'NotSentError';
  readonly phrase = 'the connection is closed';
}

/** The response is not valid MCP. */
export class NotMcpError extends WireError {
  override readonly name = 'NotMcpError';
  readonly phrase = 'its answer is not MCP';
}

/** The server requires a sign-in by a browser, or refuses the credentials of its OAuth provider. */
export class SignInRequiredError extends WireError {
  override readonly name = 'SignInRequiredError';
  readonly phrase: string;

  constructor(phrase = 'it requires a sign-in') {
    super('Sign in');
    this.phrase = phrase;
  }
}
