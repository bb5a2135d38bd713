import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type JSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import type { Fetch } from './guarded-fetch.ts';
import { beginsAnswer, readJson } from './read-json.ts';
import {
  AnswerTooLargeError,
  ConnectionLostError,
  HttpStatusError,
  ResponseTooLargeError,
  WireError,
} from './wire-error.ts';

/**
 * A transport of the SDK's client, of which more is asked than of the SDK's own: `send` of a request settles only with the
 * exchange, so that a request whose answer cannot come any more fails at once, with a WireError that says why.
 */
export interface Wire extends Transport {
  /** The request of ours on whose stream the server sent this one of its own; undefined when it does not show. */
  askedDuring(id: RequestId): JSONRPCRequest | undefined;
  /** Why it is closed; undefined while it is open. */
  readonly broken: WireError | undefined;
  /** Resolves once the server has taken note of all that it is being told, or has not. */
  told(): Promise<void>;
  /** Tells the server that its session is over; without one, nothing. */
  end(signal: AbortSignal): Promise<void>;
}

/** Where and how a server is spoken to, on one connection. */
export interface ServerAccess {
  readonly url: URL;
  /** The guarded one, which sends the tokens of an OAuth provider. */
  readonly fetch: Fetch;
  /** The caller's, sent with every request to the server; none of them is of the protocol. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether this answer to the server is sent; asked once an answer. */
  mayAnswer(answer: JSONRPCMessage): boolean;
  /** Takes the caller's secrets, and what is sent as credentials, out of what the server says. */
  redact<T>(value: T): T;
}

/** One request of HTTP; without a body unless given. */
interface WireRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The server's unless given. */
  readonly url?: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** @throws WireError: HttpStatusError for a status that is none of success, and what the guarded `fetch` throws. */
export async function ask(access: ServerAccess, { url, headers, ...init }: WireRequest): Promise<Response> {
  const all = new Headers(access.headers);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  const response = await access.fetch(url ?? access.url, { ...init, headers: all }).catch(asWireError);
  if (response.ok) return response;
  await response.body?.cancel();
  throw new HttpStatusError(response.status);
}

/** @throws the WireError that an error of the platform stands for; its words are the platform's, and may hold anything. */
export function asWireError(error: unknown): never {
  throw error instanceof WireError ? error : new ConnectionLostError();
}

/** The message that a value is, without credentials; undefined when it is none. */
export function readMessage({ redact }: ServerAccess, value: unknown): JSONRPCMessage | undefined {
  const message = JSONRPCMessageSchema.safeParse(value).data;
  if (!message) return undefined;
  if ('result' in message) return { ...message, result: redact(message.result) };
  if ('error' in message) return { ...message, error: redact(message.error) };
  return message.params === undefined ? message : { ...message, params: redact(message.params) };
}

/**
 * The message that an event holds; undefined when it holds none, which is seen at little cost: a stream may have thousands.
 *
 * @throws AnswerTooLargeError, and ResponseTooLargeError for anything else that is too large.
 */
export function readEventData(access: ServerAccess, data: string): JSONRPCMessage | undefined {
  if (!data.includes('"jsonrpc"')) return undefined;
  try {
    return readMessage(access, readJson(data));
  } catch (error) {
    const isOfAnswer = error instanceof ResponseTooLargeError && beginsAnswer(data);
    throw isOfAnswer ? new AnswerTooLargeError(error) : error;
  }
}

/** The request that a message answers. */
export const answeredBy = (message: JSONRPCMessage): RequestId | undefined =>
  isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message) ? message.id : undefined;

/** The request that a message cancels. */
export function cancelledBy(message: JSONRPCMessage): RequestId | undefined {
  if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') return undefined;
  const id: unknown = message.params?.requestId;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

/** Milliseconds that a server has to take note of a notification, or of an answer. */
const TELL_TIMEOUT = 5_000;

/** What a server is told without being asked for an answer. */
interface PendingNotifications {
  /** Posts a message; the signal aborts when it takes too long, or the wire is closed. */
  tell(post: (signal: AbortSignal) => Promise<Response>): Promise<void>;
  /** Resolves once all that is being told has been taken note of, or not. */
  told(): Promise<void>;
}

/** The messages of one wire, which `closed` ends. A timer each, which ends with its message. */
export function createPendingNotifications(closed: AbortSignal): PendingNotifications {
  const pending = new Set<Promise<void>>();
  return {
    tell(post) {
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), TELL_TIMEOUT);
      const telling = post(AbortSignal.any([closed, late.signal]))
        .then((response) => response.body?.cancel())
        .finally(() => {
          clearTimeout(timer);
          pending.delete(telling);
        });
      pending.add(telling);
      return telling;
    },
    told: async () => void (await Promise.allSettled(pending)),
  };
}
