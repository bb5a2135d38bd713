import {
  isInitializedNotification,
  isInitializeRequest,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../../../tool/json.ts';
import { standardHeaders } from './mcp-headers.ts';
import { type Followed, followEvents } from './read-events.ts';
import {
  answeredBy,
  ask,
  cancelledBy,
  createPendingNotifications,
  messagesOf,
  readEventData,
  type ServerAccess,
  type Wire,
  type WireSession,
} from './wire.ts';
import { ConnectionLostError, NoAnswerError, NotMcpError, type WireError } from './wire-error.ts';

/** What a session's id may be made of (MCP specification, Session Management). */
const SESSION_ID = /^[\x21-\x7e]{1,1024}$/;

/** The first id of the requests of a connection that goes on with a session is less than this. */
const MAX_FIRST_ID = 2 ** 30;

/** The most times that the stream of an answer is resumed, and the one that is only listened to. */
const MAX_RESUMES = { answer: 4, listening: 3 };

/** Milliseconds within which a stream that is asked for has to begin. */
const STREAM_TIMEOUT = 10_000;

/** A request that waits for its answer. */
interface Exchange {
  readonly request: JSONRPCRequest;
  /** Aborting it frees the connection of HTTP. */
  readonly over: AbortController;
  /** Aborts when nobody waits for the answer any more: in the revision without sessions, that is how a request is cancelled. */
  readonly cancelled: AbortSignal | undefined;
  answered: boolean;
}

/**
 * Streamable HTTP (MCP specification 2025-11-25 and 2026-07-28, Transports). Each request has a stream of its own, which is
 * resumed by `last-event-id` when it breaks, and let go of with the answer; in the revisions with sessions, another one listens
 * to what the server says unasked.
 *
 * It stands in the place of the SDK's own transport, which would repeat or resume requests by itself, bounds neither bodies nor
 * redirects, counts nothing, and does not say whether a request that failed was refused or lost.
 */
export class StreamableHttp implements Wire {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  sessionId?: string;
  broken: WireError | undefined;
  /** Tells the SDK to cancel by `requestSignal`, where the revision does. */
  readonly hasPerRequestStream = true;
  readonly #access: ServerAccess;
  readonly #exchanges = new Map<RequestId, Exchange>();
  readonly #asked = new Map<RequestId, JSONRPCRequest>();
  readonly #closed = new AbortController();
  readonly #notifications = createPendingNotifications(this.#closed.signal);
  readonly #former: WireSession | undefined;
  /** Added to the ids of requests, which the SDK counts from 0: in one session none is to be used twice. */
  readonly #idsFrom: number;
  #begun: JsonObject | undefined;
  #version: string | undefined;

  /**
   * `former`: a session to go on with. In place of `initialize` the server is sent a `ping` in it, and when it answers that, the
   * session goes on with what it began with.
   */
  constructor(access: ServerAccess, former?: WireSession) {
    this.#access = access;
    this.#former = former;
    this.#idsFrom = former ? Math.floor(Math.random() * MAX_FIRST_ID) : 0;
  }

  get session(): WireSession | undefined {
    const { sessionId: id } = this;
    return id === undefined || this.#begun === undefined ? undefined : { id, begun: this.#begun };
  }

  async start(): Promise<void> {}

  setProtocolVersion(version: string): void {
    this.#version = version;
  }

  async send(given: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    const message = this.#renumbered(given);
    if (isJSONRPCRequest(message)) return this.#exchange(message, options);
    if (answeredBy(message) !== undefined && !this.#access.mayAnswer(message)) return;
    const hasBegun = isInitializedNotification(message);
    // The server of a session that goes on was told so when it began.
    if (!hasBegun || !this.#former) await this.#notify(message);
    if (hasBegun) void this.#listen();
  }

  askedDuring(id: RequestId): JSONRPCRequest | undefined {
    return this.#asked.get(id);
  }

  notified(): Promise<void> {
    return this.#notifications.notified();
  }

  async end(signal: AbortSignal): Promise<void> {
    if (this.sessionId === undefined) return;
    const response = await ask(this.#access, { method: 'DELETE', headers: this.#headers(), signal });
    await response.body?.cancel();
  }

  async close(): Promise<void> {
    if (this.broken) return;
    this.broken = new ConnectionLostError();
    this.#closed.abort();
    this.onclose?.();
  }

  async #exchange(
    request: JSONRPCRequest,
    { requestSignal: cancelled, headers = {} }: TransportSendOptions,
  ): Promise<void> {
    const over = new AbortController();
    const exchange: Exchange = { request, over, cancelled, answered: false };
    this.#exchanges.set(request.id, exchange);
    try {
      const begins = isInitializeRequest(request);
      const former = begins ? this.#former : undefined;
      if (former) this.#goOn(former);
      const sent: JSONRPCRequest = former ? { jsonrpc: '2.0', id: request.id, method: 'ping' } : request;
      const own = { ...headers, ...standardHeaders(sent) };
      const response = await this.#post(sent, this.#until(exchange), own);
      if (begins && !former) this.#noteSession(response);
      await this.#read(response, exchange);
    } catch (error) {
      // The answer may have come on another stream, and have ended this one.
      if (!exchange.answered) throw error;
    } finally {
      this.#exchanges.delete(request.id);
    }
  }

  async #read(response: Response, exchange: Exchange): Promise<void> {
    switch (mediaType(response)) {
      case 'application/json':
        for (const message of await messagesOf(this.#access, response)) this.#take(message, exchange);
        break;
      case 'text/event-stream':
        await followEvents(response, this.#followed(this.#until(exchange), exchange));
        break;
      default:
        await response.body?.cancel();
        throw new NotMcpError();
    }
    if (!exchange.answered) throw new NoAnswerError();
  }

  /** Listens to what the server says on no request's stream. A server without such a stream answers 405. */
  async #listen(): Promise<void> {
    const { signal } = this.#closed;
    try {
      await followEvents(await this.#get({}, signal), this.#followed(signal));
    } catch {
      // No request depends on this stream.
    }
  }

  /** Says how to follow the stream of an exchange, or the one that is only listened to. */
  #followed(signal: AbortSignal, exchange?: Exchange): Followed {
    return {
      signal,
      // The stream that is only listened to is asked for again even without an id of its last event.
      alwaysResumes: exchange === undefined,
      maxResumes: exchange ? MAX_RESUMES.answer : MAX_RESUMES.listening,
      resume: (lastId) => this.#get(lastId === undefined ? {} : { 'last-event-id': lastId }, signal),
      take: (data) => {
        const message = readEventData(this.#access, data);
        if (message) this.#take(message, exchange);
      },
      isDone: () => exchange?.answered ?? signal.aborted,
    };
  }

  #take(message: JSONRPCMessage, exchange: Exchange | undefined): void {
    const answered = this.#exchanges.get(answeredBy(message) ?? '');
    if (answered) answered.answered = true;
    if (isJSONRPCRequest(message) && exchange) this.#asked.set(message.id, exchange.request);
    this.onmessage?.(answered ? this.#asAnswer(message, answered) : message);
    if (answered && answered !== exchange) answered.over.abort();
  }

  async #notify(message: JSONRPCMessage): Promise<void> {
    const cancelled = this.#exchanges.get(cancelledBy(message) ?? '');
    const answer = answeredBy(message);
    try {
      await this.#notifications.tell((signal) => this.#post(message, signal));
    } finally {
      cancelled?.over.abort();
      if (answer !== undefined) this.#asked.delete(answer);
    }
  }

  #post(
    message: JSONRPCMessage,
    signal: AbortSignal,
    own: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const headers = {
      ...this.#headers(),
      ...own,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    };
    return ask(this.#access, { method: 'POST', headers, body: JSON.stringify(message), signal });
  }

  /** Until its headers come, a request holds one of the six connections that the platform gives to an invocation. */
  async #get(more: Readonly<Record<string, string>>, until: AbortSignal): Promise<Response> {
    const headers = { ...this.#headers(), accept: 'text/event-stream', ...more };
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), STREAM_TIMEOUT);
    const signal = AbortSignal.any([until, late.signal]);
    return ask(this.#access, { method: 'GET', headers, signal }).finally(() => clearTimeout(timer));
  }

  #headers(): Record<string, string> {
    return {
      ...(this.sessionId === undefined ? {} : { 'mcp-session-id': this.sessionId }),
      ...(this.#version === undefined ? {} : { 'mcp-protocol-version': this.#version }),
    };
  }

  #goOn({ id, begun: { protocolVersion } }: WireSession): void {
    this.sessionId = id;
    if (typeof protocolVersion === 'string') this.#version = protocolVersion;
  }

  #renumbered(message: JSONRPCMessage): JSONRPCMessage {
    if (this.#idsFrom === 0) return message;
    if (isJSONRPCRequest(message)) return { ...message, id: this.#idsFrom + Number(message.id) };
    const cancelled = cancelledBy(message);
    if (cancelled === undefined || !('params' in message)) return message;
    return { ...message, params: { ...message.params, requestId: this.#idsFrom + Number(cancelled) } };
  }

  /**
   * An answer under the id that the SDK knows. That to `initialize` is remembered; of a session that goes on, it is the one with
   * which it began.
   */
  #asAnswer(message: JSONRPCMessage, { request }: Exchange): JSONRPCMessage {
    const answer = this.#idsFrom === 0 ? message : { ...message, id: Number(request.id) - this.#idsFrom };
    if (!isInitializeRequest(request) || !isJSONRPCResultResponse(answer)) return answer;
    this.#begun = this.#former?.begun ?? withoutWords(answer.result);
    return this.#former ? { ...answer, result: this.#begun } : answer;
  }

  #noteSession(response: Response): void {
    const id = response.headers.get('mcp-session-id') ?? '';
    if (SESSION_ID.test(id)) this.sessionId = id;
  }

  #until({ over, cancelled }: Exchange): AbortSignal {
    return AbortSignal.any([this.#closed.signal, over.signal, ...(cancelled ? [cancelled] : [])]);
  }
}

const mediaType = (response: Response): string | undefined =>
  response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();

/** What of the answer to `initialize` is for programs: how a server describes itself may be long. */
function withoutWords(result: Readonly<Record<string, unknown>>): JsonObject {
  const { protocolVersion, capabilities, serverInfo } = isJsonObject(result) ? result : {};
  const { name = '', version = '' } = isJsonObject(serverInfo) ? serverInfo : {};
  return {
    ...(protocolVersion !== undefined && { protocolVersion }),
    ...(capabilities !== undefined && { capabilities }),
    serverInfo: { name, version },
  };
}
