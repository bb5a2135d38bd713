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
import { createStandardHeaders } from './mcp-headers.ts';
import { type FollowedStream, followEvents } from './read-events.ts';
import {
  createPendingNotifications,
  findAnsweredRequestId,
  findCancelledRequestId,
  readEventData,
  readMessages,
  type ServerAccess,
  sendHttp,
  type Wire,
  type WireSession,
} from './wire.ts';
import { ConnectionLostError, NoAnswerError, NotMcpError, type WireError } from './wire-error.ts';

/** The valid ids of a session (MCP specification, Session Management). */
const SESSION_ID_PATTERN = /^[\x21-\x7e]{1,1024}$/;

/** The exclusive maximum of the first request id in a resumed session. */
const MAX_FIRST_ID = 2 ** 30;

/** The maximum number of times to resume a response's stream and the listening stream. */
const MAX_RESUMES = { answer: 4, listening: 3 };

/** The time limit for a stream to begin, in milliseconds. */
const STREAM_TIMEOUT_MS = 10_000;

/** A request without a response yet. */
interface Exchange {
  readonly request: JSONRPCRequest;
  /** Aborts to free the HTTP connection. */
  readonly over: AbortController;
  /**
   * Aborts when the response is no longer awaited. In the revision without sessions, this cancels the
   * request.
   */
  readonly cancelled: AbortSignal | undefined;
  answered: boolean;
}

/**
 * Streamable HTTP (MCP specification 2025-11-25 and 2026-07-28, Transports). Each request has its own stream.
 * A broken stream is resumed by `last-event-id`, and the response ends it. In revisions with sessions,
 * another stream delivers the server's own messages.
 *
 * This replaces the SDK's transport, which repeats or resumes requests by itself, does not limit bodies or
 * redirects, does not count requests, and does not report whether a failed request was refused or lost.
 */
export class StreamableHttp implements Wire {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  sessionId?: string;
  broken: WireError | undefined;
  /** Makes the SDK cancel by `requestSignal`, in revisions that support it. */
  readonly hasPerRequestStream = true;
  readonly #access: ServerAccess;
  readonly #exchanges = new Map<RequestId, Exchange>();
  readonly #asked = new Map<RequestId, JSONRPCRequest>();
  readonly #closed = new AbortController();
  readonly #notifications = createPendingNotifications(this.#closed.signal);
  readonly #former: WireSession | undefined;
  /** An offset for request ids, which the SDK counts from 0. A session must not use an id twice. */
  readonly #idsFrom: number;
  #begun: JsonObject | undefined;
  #version: string | undefined;

  /**
   * `former` is a session to resume. A `ping` in it replaces `initialize`. If the server responds, the
   * session continues with the result of its original `initialize`.
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
    if (findAnsweredRequestId(message) !== undefined && !this.#access.mayAnswer(message)) return;
    const hasBegun = isInitializedNotification(message);
    // In a resumed session, the server already received this notification.
    if (!hasBegun || !this.#former) await this.#notify(message);
    if (hasBegun) void this.#listen();
  }

  askedDuring(id: RequestId): JSONRPCRequest | undefined {
    return this.#asked.get(id);
  }

  allNotified(): Promise<void> {
    return this.#notifications.notified();
  }

  async end(signal: AbortSignal): Promise<void> {
    if (this.sessionId === undefined) return;
    const response = await sendHttp(this.#access, { method: 'DELETE', headers: this.#headers(), signal });
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
      const own = { ...headers, ...createStandardHeaders(sent) };
      const response = await this.#post(sent, this.#until(exchange), own);
      if (begins && !former) this.#noteSession(response);
      await this.#read(response, exchange);
    } catch (error) {
      // The response may have arrived on another stream, which ends this one.
      if (!exchange.answered) throw error;
    } finally {
      this.#exchanges.delete(request.id);
    }
  }

  async #read(response: Response, exchange: Exchange): Promise<void> {
    switch (getMediaType(response)) {
      case 'application/json':
        for (const message of await readMessages(this.#access, response)) this.#take(message, exchange);
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

  /** Opens a stream for the server's own messages. A server without such a stream responds with 405. */
  async #listen(): Promise<void> {
    const { signal } = this.#closed;
    try {
      await followEvents(await this.#get({}, signal), this.#followed(signal));
    } catch {
      // No request depends on this stream.
    }
  }

  /** Returns how to follow the stream of an exchange, or the listening stream. */
  #followed(signal: AbortSignal, exchange?: Exchange): FollowedStream {
    return {
      signal,
      // The listening stream is resumed even without the id of its last event.
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
    const answered = this.#exchanges.get(findAnsweredRequestId(message) ?? '');
    if (answered) answered.answered = true;
    if (isJSONRPCRequest(message) && exchange) this.#asked.set(message.id, exchange.request);
    this.onmessage?.(answered ? this.#asAnswer(message, answered) : message);
    if (answered && answered !== exchange) answered.over.abort();
  }

  async #notify(message: JSONRPCMessage): Promise<void> {
    const cancelled = this.#exchanges.get(findCancelledRequestId(message) ?? '');
    const answer = findAnsweredRequestId(message);
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
    return sendHttp(this.#access, { method: 'POST', headers, body: JSON.stringify(message), signal });
  }

  /**
   * Sends a GET request. Until its headers arrive, it uses one of the six connections that the platform
   * allows an invocation.
   */
  async #get(more: Readonly<Record<string, string>>, until: AbortSignal): Promise<Response> {
    const headers = { ...this.#headers(), accept: 'text/event-stream', ...more };
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), STREAM_TIMEOUT_MS);
    const signal = AbortSignal.any([until, late.signal]);
    return sendHttp(this.#access, { method: 'GET', headers, signal }).finally(() => clearTimeout(timer));
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
    const cancelled = findCancelledRequestId(message);
    if (cancelled === undefined || !('params' in message)) return message;
    return { ...message, params: { ...message.params, requestId: this.#idsFrom + Number(cancelled) } };
  }

  /**
   * Returns a response with the id that the SDK knows. Stores the result of `initialize`. In a resumed
   * session, returns the original result in its place.
   */
  #asAnswer(message: JSONRPCMessage, { request }: Exchange): JSONRPCMessage {
    const answer = this.#idsFrom === 0 ? message : { ...message, id: Number(request.id) - this.#idsFrom };
    if (!isInitializeRequest(request) || !isJSONRPCResultResponse(answer)) return answer;
    this.#begun = this.#former?.begun ?? withoutDescriptions(answer.result);
    return this.#former ? { ...answer, result: this.#begun } : answer;
  }

  #noteSession(response: Response): void {
    const id = response.headers.get('mcp-session-id') ?? '';
    if (SESSION_ID_PATTERN.test(id)) this.sessionId = id;
  }

  #until({ over, cancelled }: Exchange): AbortSignal {
    return AbortSignal.any([this.#closed.signal, over.signal, ...(cancelled ? [cancelled] : [])]);
  }
}

const getMediaType = (response: Response): string | undefined =>
  response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();

/**
 * Returns the machine-readable part of the result of `initialize`. A server's description of itself can be
 * long.
 */
function withoutDescriptions(result: Readonly<Record<string, unknown>>): JsonObject {
  const { protocolVersion, capabilities, serverInfo } = isJsonObject(result) ? result : {};
  const { name = '', version = '' } = isJsonObject(serverInfo) ? serverInfo : {};
  return {
    ...(protocolVersion !== undefined && { protocolVersion }),
    ...(capabilities !== undefined && { capabilities }),
    serverInfo: { name, version },
  };
}
