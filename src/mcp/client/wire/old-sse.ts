import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/client';
import { readEvents, type StreamEvent } from './read-events.ts';
import {
  createPendingNotifications,
  findAnsweredRequestId,
  findCancelledRequestId,
  readEventData,
  type ServerAccess,
  sendHttp,
  type Wire,
} from './wire.ts';
import {
  AddressRefusedError,
  AnswerTooLargeError,
  ConnectionLostError,
  NoAnswerError,
  NotMcpError,
  WireError,
} from './wire-error.ts';

/**
 * HTTP with SSE, the transport before streamable HTTP (MCP specification 2024-11-05, Transports). One stream
 * carries all messages of the server, and its first event has the URL for posts. A broken stream is not
 * reopened: the server would begin a new session, without the responses of this one.
 */
export class OldSse implements Wire {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  broken: WireError | undefined;
  readonly #access: ServerAccess;
  readonly #waiting = new Map<RequestId, PromiseWithResolvers<void>>();
  readonly #closed = new AbortController();
  readonly #notifications = createPendingNotifications(this.#closed.signal);
  readonly #address = Promise.withResolvers<URL>();

  constructor(access: ServerAccess) {
    this.#access = access;
    // The stream can break when no caller is waiting.
    this.#address.promise.catch(() => undefined);
  }

  /** Resolves when the server has sent the URL for posts. */
  async start(): Promise<void> {
    const { signal } = this.#closed;
    const headers = { accept: 'text/event-stream' };
    const { body, headers: answered } = await sendHttp(this.#access, { method: 'GET', headers, signal });
    if (!body || !answered.get('content-type')?.toLowerCase().startsWith('text/event-stream')) {
      await body?.cancel();
      throw new NotMcpError();
    }
    void this.#listen(body);
    await this.#address.promise;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!isJSONRPCRequest(message)) {
      const isTold = findAnsweredRequestId(message) === undefined || this.#access.mayAnswer(message);
      return isTold ? this.#notify(message) : undefined;
    }
    const answer = Promise.withResolvers<void>();
    answer.promise.catch(() => undefined); // in case posting fails first
    this.#waiting.set(message.id, answer);
    try {
      await (await this.#post(message, this.#closed.signal)).body?.cancel();
      await answer.promise;
    } finally {
      this.#waiting.delete(message.id);
    }
  }

  /** Returns `undefined`, since all messages of the server arrive on one stream. */
  askedDuring(): undefined {
    return undefined;
  }

  allNotified(): Promise<void> {
    return this.#notifications.notified();
  }

  /** Does nothing, since the session ends with its stream. */
  async end(): Promise<void> {}

  async close(): Promise<void> {
    this.#break(new ConnectionLostError());
  }

  async #listen(body: ReadableStream<Uint8Array>): Promise<void> {
    try {
      for await (const event of readEvents(body)) if ('type' in event) this.#take(event);
      this.#break(new NoAnswerError());
    } catch (error) {
      // All responses arrive here. If several are pending, it is unknown which one is too large.
      const isOfAny = error instanceof AnswerTooLargeError && this.#waiting.size > 1;
      const why = isOfAny ? error.response : error;
      this.#break(why instanceof WireError ? why : new ConnectionLostError());
    }
  }

  #take({ type, data }: StreamEvent): void {
    if (type === 'endpoint') this.#noteAddress(data);
    const message = type === 'message' ? readEventData(this.#access, data) : undefined;
    if (!message) return;
    this.onmessage?.(message);
    this.#waiting.get(findAnsweredRequestId(message) ?? '')?.resolve();
  }

  /** Stores the URL for posts. It receives credentials, so it must belong to the server. */
  #noteAddress(data: string): void {
    const address = URL.parse(data, this.#access.url.href);
    if (address?.origin === this.#access.url.origin) this.#address.resolve(address);
    else this.#address.reject(new AddressRefusedError('it redirects messages to another server'));
  }

  async #notify(message: JSONRPCMessage): Promise<void> {
    try {
      await this.#notifications.tell((signal) => this.#post(message, signal));
    } finally {
      this.#waiting.get(findCancelledRequestId(message) ?? '')?.reject(new NoAnswerError());
    }
  }

  async #post(message: JSONRPCMessage, signal: AbortSignal): Promise<Response> {
    return sendHttp(this.#access, {
      method: 'POST',
      url: await this.#address.promise,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(message),
      signal,
    });
  }

  #break(why: WireError): void {
    if (this.broken) return;
    this.broken = why;
    this.#closed.abort();
    this.#address.reject(why);
    for (const { reject } of this.#waiting.values()) reject(why);
    this.onclose?.();
  }
}
