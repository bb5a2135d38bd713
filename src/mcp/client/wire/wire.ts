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
import { raceAbort } from '../../../tool/async.ts';
import type { JsonObject } from '../../../tool/json.ts';
import type { Fetch } from './guarded-fetch.ts';
import { isAnswerStart, readJson } from './read-events.ts';
import {
  AnswerTooLargeError,
  ConnectionLostError,
  HttpStatusError,
  ResponseTooLargeError,
  type RpcRefusal,
  WireError,
} from './wire-error.ts';

/**
 * A transport of the SDK's client with one stronger guarantee: for a request, `send` settles only at the end
 * of the exchange. If the response cannot arrive any more, the request therefore fails at once, with a
 * WireError.
 */
export interface Wire extends Transport {
  /**
   * Returns our request on whose stream the server sent its own request, or `undefined` if that is unknown.
   */
  askedDuring(id: RequestId): JSONRPCRequest | undefined;
  /** The reason why it is closed. `undefined` while it is open. */
  readonly broken: WireError | undefined;
  /** Resolves when every pending notification was received or has failed. */
  allNotified(): Promise<void>;
  /** Ends the server's session, if there is one. */
  end(signal: AbortSignal): Promise<void>;
  /**
   * The data for resuming the session in another connection. Absent without a session, and before it has
   * begun.
   */
  readonly session?: WireSession | undefined;
}

/** A server's session, with the data to resume it. */
export interface WireSession {
  /** A credential: the server treats its holder as the user of the session. */
  readonly id: string;
  /** The machine-readable part of the result of `initialize`. */
  readonly begun: JsonObject;
}

/** The URL, requests and credentials of one connection to a server. */
export interface ServerAccess {
  readonly url: URL;
  /** The guarded `fetch`, which also sends the tokens of an OAuth provider. */
  readonly fetch: Fetch;
  /** The caller's headers, sent with every request to the server. They exclude protocol headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Returns whether this answer to the server can be sent, and counts it. Call it once for each answer. */
  mayAnswer(answer: JSONRPCMessage): boolean;
  /** Removes the caller's secrets and sent credentials from the server's data. */
  redact<T>(value: T): T;
  /** Also hides this value from now on. The name replaces it. */
  hide(name: string, credential: string): void;
}

interface WireRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Defaults to the server's URL. */
  readonly url?: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/**
 * Makes an HTTP request with the headers of the caller.
 *
 * @throws HttpStatusError for a status outside 2xx. Errors from the guarded `fetch` pass through. All are
 * WireErrors.
 */
export async function sendHttp(
  access: ServerAccess,
  { url, headers, ...init }: WireRequest,
): Promise<Response> {
  const all = new Headers(access.headers);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  const response = await access.fetch(url ?? access.url, { ...init, headers: all }).catch(rethrowAsWireError);
  if (response.ok) return response;
  throw new HttpStatusError(response.status, {
    said: access.redact(await readRefusal(response)),
    isChallenge: response.headers.has('www-authenticate'),
  });
}

/** How much of a refusal's body to read, and for how many milliseconds. Only the status is essential. */
const REFUSAL_LIMITS = { characters: 16 * 1024, ms: 1_000 };

/** Reads the JSON-RPC error of a refusal, if there is one. It need not have the id of the request. */
async function readRefusal({ body, headers }: Response): Promise<RpcRefusal | undefined> {
  if (!body) return undefined;
  const reader = body.getReader();
  const late = AbortSignal.timeout(REFUSAL_LIMITS.ms);
  const decoder = new TextDecoder();
  try {
    if (!headers.get('content-type')?.toLowerCase().startsWith('application/json')) return undefined;
    for (let text = ''; text.length <= REFUSAL_LIMITS.characters; ) {
      const { done, value } = await raceAbort(late, reader.read());
      if (done) return toRpcRefusal(readJson(text));
      text += decoder.decode(value, { stream: true });
    }
    return undefined;
  } catch {
    return undefined;
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

function toRpcRefusal(read: unknown): RpcRefusal | undefined {
  const { code, message, data } = toObject(toObject(read).error);
  if (typeof code !== 'number' || typeof message !== 'string') return undefined;
  return { code, message, ...(data !== undefined && { data }) };
}

/** Returns parsed JSON if it is an object, or else an empty object. */
const toObject = (read: unknown): JsonObject =>
  typeof read === 'object' && read !== null && !Array.isArray(read) ? (read as JsonObject) : {};

/** Throws a WireError for an error of the platform, whose message can contain anything. */
export function rethrowAsWireError(error: unknown): never {
  throw error instanceof WireError ? error : new ConnectionLostError();
}

/** Validates a message and redacts its credentials. Returns `undefined` for an invalid message. */
export function readMessage({ redact }: ServerAccess, value: unknown): JSONRPCMessage | undefined {
  const read = specTypeSchemas.JSONRPCMessage['~standard'].validate(value);
  if (read.issues) return undefined;
  const message = read.value;
  if ('result' in message) return { ...message, result: redact(message.result) };
  if ('error' in message) return { ...message, error: redact(message.error) };
  return message.params === undefined ? message : { ...message, params: redact(message.params) };
}

/** The maximum number of messages in a batch. */
const MAX_BATCH = 100;

/**
 * Reads the body of a response: one message, or a batch (until 2025-03-26).
 *
 * @throws AnswerTooLargeError if it is too large. Errors from the body pass through.
 */
export async function readMessages(
  access: ServerAccess,
  response: Response,
): Promise<readonly JSONRPCMessage[]> {
  try {
    const values = [readJson(await response.text().catch(rethrowAsWireError))].flat();
    if (values.length > MAX_BATCH) throw new ResponseTooLargeError(MAX_BATCH, 'messages');
    return values.flatMap((value) => readMessage(access, value) ?? []);
  } catch (error) {
    throw error instanceof ResponseTooLargeError ? new AnswerTooLargeError(error) : error;
  }
}

/**
 * Reads the message of an event, or returns `undefined`. That check is cheap, because a stream can have
 * thousands of events.
 *
 * @throws AnswerTooLargeError for a response that is too large, ResponseTooLargeError for any other message.
 */
export function readEventData(access: ServerAccess, data: string): JSONRPCMessage | undefined {
  if (!data.includes('"jsonrpc"')) return undefined;
  try {
    return readMessage(access, readJson(data));
  } catch (error) {
    const isOfAnswer = error instanceof ResponseTooLargeError && isAnswerStart(data);
    throw isOfAnswer ? new AnswerTooLargeError(error) : error;
  }
}

/** Returns the id of the request that a message answers. */
export const findAnsweredRequestId = (message: JSONRPCMessage): RequestId | undefined =>
  isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message) ? message.id : undefined;

/** Returns the id of the request that a message cancels. */
export function findCancelledRequestId(message: JSONRPCMessage): RequestId | undefined {
  if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') return undefined;
  const id: unknown = message.params?.requestId;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

/** The time limit for a server to accept a notification or an answer, in milliseconds. */
const NOTIFY_TIMEOUT_MS = 5_000;

/** The notifications and answers in flight to a server, which sends no response to them. */
interface PendingNotifications {
  /** Posts a message. The signal aborts on a timeout, or when the wire closes. */
  tell(post: (signal: AbortSignal) => Promise<Response>): Promise<void>;
  /** Resolves when every post has succeeded or failed. */
  notified(): Promise<void>;
}

/**
 * Creates an empty set of posts. `closed` aborts them all. Each has its own timer, which is cleared when the
 * post ends.
 */
export function createPendingNotifications(closed: AbortSignal): PendingNotifications {
  const pending = new Set<Promise<void>>();
  return {
    tell(post) {
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), NOTIFY_TIMEOUT_MS);
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
