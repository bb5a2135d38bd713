import { type Json, shorten } from '../../../tool/json.ts';
import { oneLine } from '../../content/words.ts';

/**
 * Why no answer came by the wire. `phrase` goes on after "MCP server 'x' cannot be reached: "; of what a server wrote it says
 * no more than the words of a JSON-RPC error, on one line and without credentials, and nothing of any header. What a server
 * answered with a status of success is a ProtocolError of the SDK instead.
 */
export abstract class WireError extends Error {
  abstract readonly phrase: string;
}

/** A JSON-RPC error, without the credentials that its server may repeat. */
export interface RefusalWords {
  readonly code: number;
  readonly message: string;
  readonly data?: Json | undefined;
}

/** The most characters of a server's own words about a refusal. */
const MAX_WORDS = 500;

/** The server answered with another status than one of success. */
export class HttpStatusError extends WireError {
  override readonly name = 'HttpStatusError';
  readonly status: number;
  /** What it said of that in JSON-RPC, if anything. */
  readonly said: RefusalWords | undefined;
  /** It asks for other credentials. A 403 without `WWW-Authenticate` does not: a host, an origin or a plan may not be allowed. */
  readonly isOfCredentials: boolean;

  constructor(
    status: number,
    { said, isChallenge }: { readonly said?: RefusalWords | undefined; readonly isChallenge: boolean },
  ) {
    super(`HTTP ${status}`);
    this.status = status;
    this.said = said;
    this.isOfCredentials = status === 401 || (status === 403 && isChallenge);
  }

  get phrase(): string {
    const words = oneLine(this.said?.message ?? '', MAX_WORDS).replace(/\.$/, '');
    return `it answered HTTP ${this.status}${words && `: ${words}`}`;
  }
}

/** The server speaks MCP, but no revision of it that is spoken here. */
export class UnknownRevisionError extends WireError {
  override readonly name = 'UnknownRevisionError';
  readonly phrase: string;

  /** Takes the revisions that it names, as it may be shown. */
  constructor(revisions: readonly string[]) {
    super('No common revision');
    this.phrase = `it speaks no revision of MCP that is known here, but ${oneLine(revisions.join(', '), MAX_WORDS)}`;
  }
}

/** A response is more than is read: the server says something, and it may or may not be an answer. */
export class ResponseTooLargeError extends WireError {
  override readonly name: string = 'ResponseTooLargeError';
  readonly phrase: string;

  constructor(max: number, unit: 'bytes' | 'events' | 'messages' | 'parts of JSON' = 'bytes') {
    super(`More than ${max} ${unit}`);
    this.phrase = `it answered with more than ${max} ${unit}`;
  }
}

/** It is the answer to a request that is too large: the server has done what it was asked. */
export class AnswerTooLargeError extends WireError {
  override readonly name = 'AnswerTooLargeError';
  /** What is said of it when it does not show which request it answers. */
  readonly response: ResponseTooLargeError;

  constructor(response: ResponseTooLargeError) {
    super(response.message);
    this.response = response;
  }

  get phrase(): string {
    return this.response.phrase;
  }
}

/** An address must not be asked; nothing was sent there. */
export class AddressRefusedError extends WireError {
  override readonly name = 'AddressRefusedError';
  readonly phrase: string;

  constructor(phrase: string) {
    super(phrase);
    this.phrase = phrase;
  }
}

/** These keep a request's method and body: what was asked is to be asked there. The others may tell of what was done. */
const ASKS_AGAIN: ReadonlySet<number> = new Set([307, 308]);

/** The server has another address, which is not its own to name; the request was not sent there. */
export class RedirectRefusedError extends WireError {
  override readonly name = 'RedirectRefusedError';
  readonly phrase: string;
  /** True when nothing was done with the request. */
  readonly isCertain: boolean;

  /** Takes the origin as it may be shown. */
  constructor(origin: string | undefined, status: number) {
    super('Redirect');
    this.isCertain = ASKS_AGAIN.has(status);
    const whither = origin === undefined ? 'more often than is followed' : `to ${shorten(origin, 80)}`;
    this.phrase = `it redirects ${whither}`;
  }
}

/** The server ended its answer without a result, and there is no way to ask for the rest. */
export class NoAnswerError extends WireError {
  override readonly name = 'NoAnswerError';
  readonly phrase = 'it ended its answer before there was a result';
}

/** The connection could not be made, or broke. */
export class ConnectionLostError extends WireError {
  override readonly name = 'ConnectionLostError';
  readonly phrase = 'the connection was lost';
}

/** The connection is closed: nothing was sent. */
export class NotSentError extends WireError {
  override readonly name = 'NotSentError';
  readonly phrase = 'the connection is closed';
}

/** The server's answer is nothing that an MCP server answers. */
export class NotMcpError extends WireError {
  override readonly name = 'NotMcpError';
  readonly phrase = 'what it answers is not MCP';
}

/** The server wants somebody to sign in by a browser, or refuses the credentials that its OAuth provider has. */
export class SignInRequiredError extends WireError {
  override readonly name = 'SignInRequiredError';
  readonly phrase: string;

  constructor(phrase = 'it wants somebody to sign in') {
    super('Sign in');
    this.phrase = phrase;
  }
}
