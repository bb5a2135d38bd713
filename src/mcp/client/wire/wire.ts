import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  specTypeSchemas,
  type Transport,
} from '@modelcontextprotocol/client';
import { untilAborted } from '../../../tool/async.ts';
import type { JsonObject } from '../../../tool/json.ts';
import type { Fetch } from './guarded-fetch.ts';
import { beginsAnswer, readJson } from './read-events.ts';
import {
  AnswerTooLargeError,
  ConnectionLostError,
  HttpStatusError,
  type RefusalWords,
  ResponseTooLargeError,
  WireError,
} from './wire-error.ts';

/**
 * A transport of the SDK's client, of which more is asked than of the SDK's own: `send` of a request settles only with the
 * exchange, so that a request whose answer cannot come any more fails at once, with a WireError that says why.
 */
export interface Wire extends Transport {
  /** Finds the request of ours on whose stream the server sent this one of its own; undefined when it does not show. */
  askedDuring(id: RequestId): JSONRPCRequest | undefined;
  /** Says why it is closed; undefined while it is open. */
  readonly broken: WireError | undefined;
  /** Resolves once every notification that is on its way has been taken note of, or has failed. */
  notified(): Promise<void>;
  /** Tells the server that its session is over; without one, nothing. */
  end(signal: AbortSignal): Promise<void>;
  /** What another connection needs to go on with its session; absent without one, and before it has begun. */
  readonly session?: WireSession | undefined;
}

/** A session that a server keeps, as whoever goes on with it has to know it. */
export interface WireSession {
  /** A credential: whoever has it is taken for whom the session was begun. */
  readonly id: string;
  /** What the server said of itself when it began: the result of `initialize`, without what is for people. */
  readonly begun: JsonObject;
}

/** Where and how a server is spoken to, on one connection. */
export interface ServerAccess {
  readonly url: URL;
  /** It is guarded, and sends the tokens of an OAuth provider. */
  readonly fetch: Fetch;
  /** They are the caller's, and sent with every request to the server; none of them is of the protocol. */
  readonly headers: Readonly<Record<string, string>>;
  /** Tells whether this answer to the server may be sent, and counts it: to be asked once an answer. */
  mayAnswer(answer: JSONRPCMessage): boolean;
  /** Takes the caller's secrets, and what is sent as credentials, out of what the server says. */
  redact<T>(value: T): T;
  /** Has this value taken out too from now on; the name stands in its place. */
  hide(name: string, credential: string): void;
}

/** One request of HTTP. */
interface WireRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The server's address unless given. */
  readonly url?: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/**
 * Makes a request of HTTP, with the headers of the caller.
 *
 * @throws WireError: HttpStatusError for a status that is none of success, and what the guarded `fetch` throws.
 */
export async function ask(access: ServerAccess, { url, headers, ...init }: WireRequest): Promise<Response> {
  const all = new Headers(access.headers);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  const response = await access.fetch(url ?? access.url, { ...init, headers: all }).catch(asWireError);
  if (response.ok) return response;
  throw new HttpStatusError(response.status, {
    said: access.redact(await refusalWords(response)),
    isChallenge: response.headers.has('www-authenticate'),
  });
}

/** The most characters of a refusal that are read, and the milliseconds that they may take: the status says what matters. */
const REFUSAL = { characters: 16 * 1024, ms: 1_000 };

/** Reads what a server says of its refusal, where that is a JSON-RPC error; whether that names the request does not matter. */
async function refusalWords({ body, headers }: Response): Promise<RefusalWords | undefined> {
  if (!body) return undefined;
  const reader = body.getReader();
  const late = AbortSignal.timeout(REFUSAL.ms);
  const decoder = new TextDecoder();
  try {
    if (!headers.get('content-type')?.toLowerCase().startsWith('application/json')) return undefined;
    for (let text = ''; text.length <= REFUSAL.characters; ) {
      const { done, value } = await untilAborted(late, reader.read());
      if (done) return refusalIn(readJson(text));
      text += decoder.decode(value, { stream: true });
    }
    return undefined;
  } catch {
    return undefined;
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

function refusalIn(read: unknown): RefusalWords | undefined {
  const { code, message, data } = toObject(toObject(read).error);
  if (typeof code !== 'number' || typeof message !== 'string') return undefined;
  return { code, message, ...(data !== undefined && { data }) };
}

/** What was parsed of JSON is JSON. */
const toObject = (read: unknown): JsonObject =>
  typeof read === 'object' && read !== null && !Array.isArray(read) ? (read as JsonObject) : {};

/** Throws the WireError that an error of the platform stands for: the platform's own words may hold anything. */
export function asWireError(error: unknown): never {
  throw error instanceof WireError ? error : new ConnectionLostError();
}

/** Reads a value as a message, and takes the credentials out of it; undefined when it is no message. */
export function readMessage({ redact }: ServerAccess, value: unknown): JSONRPCMessage | undefined {
  const read = specTypeSchemas.JSONRPCMessage['~standard'].validate(value);
  if (read.issues) return undefined;
  const message = read.value;
  if ('result' in message) return { ...message, result: redact(message.result) };
  if ('error' in message) return { ...message, error: redact(message.error) };
  return message.params === undefined ? message : { ...message, params: redact(message.params) };
}

/** The most messages of one batch. */
const MAX_BATCH = 100;

/**
 * Reads the body of a response: one message, or those of a batch (until 2025-03-26).
 *
 * @throws AnswerTooLargeError, and what reading the body throws.
 */
export async function messagesOf(
  access: ServerAccess,
  response: Response,
): Promise<readonly JSONRPCMessage[]> {
  try {
    const values = [readJson(await response.text().catch(asWireError))].flat();
    if (values.length > MAX_BATCH) throw new ResponseTooLargeError(MAX_BATCH, 'messages');
    return values.flatMap((value) => readMessage(access, value) ?? []);
  } catch (error) {
    throw error instanceof ResponseTooLargeError ? new AnswerTooLargeError(error) : error;
  }
}

/**
 * Reads the message that an event holds; undefined when it holds none, which is seen at little cost: a stream may have
 * thousands.
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

/** The id of the request that a message answers. */
export const answeredBy = (message: JSONRPCMessage): RequestId | undefined =>
  isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message) ? message.id : undefined;

/** The id of the request that a message cancels. */
export function cancelledBy(message: JSONRPCMessage): RequestId | undefined {
  if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') return undefined;
  const id: unknown = message.params?.requestId;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

/** Milliseconds that a server has to take note of a notification, or of an answer. */
const NOTIFY_TIMEOUT = 5_000;

/** The notifications, and answers to its own questions, that a server is being sent: it answers none of them. */
interface PendingNotifications {
  /** Posts a message. The signal aborts when that takes too long, or the wire is closed. */
  tell(post: (signal: AbortSignal) => Promise<Response>): Promise<void>;
  /** Resolves once every post has ended, well or not. */
  notified(): Promise<void>;
}

/** Begins with none; `closed` ends them all. Each has a timer of its own, which ends with its message. */
export function createPendingNotifications(closed: AbortSignal): PendingNotifications {
  const pending = new Set<Promise<void>>();
  return {
    tell(post) {
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), NOTIFY_TIMEOUT);
      const sending = post(AbortSignal.any([closed, late.signal]))
        .then((response) => response.body?.cancel())
        .finally(() => {
          clearTimeout(timer);
          pending.delete(sending);
        });
      pending.add(sending);
      return sending;
    },
    notified: async () => void (await Promise.allSettled(pending)),
  };
}
