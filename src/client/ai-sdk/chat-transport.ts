import {
  DefaultChatTransport,
  type HttpChatTransportInitOptions,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
  uiMessageChunkSchema,
} from 'ai';
import { pause } from '../transport.ts';
import {
  type ChunkStream,
  openReconnectingStream,
  pageUnload,
  type StreamOpener,
  sendWithRetry,
} from './lasting-stream.ts';

/** The URL of an agent's chats, and the options of requests. */
export interface HoldfastChatOptions<Message extends UIMessage = UIMessage>
  extends Pick<HttpChatTransportInitOptions<Message>, 'headers' | 'credentials' | 'body' | 'fetch'> {
  /** The URL of the agent's chats, such as `https://desk.example/agents/desk/chat`. */
  readonly api: string;
  /**
   * Whether `stop()` of the chat cancels the turn in the Worker. `useChat` also stops its chat when its
   * component unmounts: with `false` the turn then continues, and a button can call `cancel` of the
   * transport. Defaults to `true`.
   */
  readonly cancelsOnStop?: boolean | undefined;
  /** How long to retry a lost connection, in ms. Defaults to two minutes. */
  readonly patience?: number | undefined;
}

type SendOptions<Message extends UIMessage> = Parameters<DefaultChatTransport<Message>['sendMessages']>[0];
type ReconnectOptions<Message extends UIMessage> = Parameters<
  DefaultChatTransport<Message>['reconnectToStream']
>[0];

/**
 * The transport of `useChat` for agents of Holdfast. In addition to the AI SDK's own transport:
 *
 * - `stop()` cancels the turn in the Worker;
 * - a request without a response is sent again: the id of the message is its idempotency key, so that it
 * starts one turn;
 * - a stream that breaks resumes inside the same message, even after its turn has ended, but not while the
 * page is unloaded;
 * - `loadMessages` returns the previous messages;
 * - it requests the chunks of the page's version of the AI SDK.
 *
 * @example
 * ```ts
 * const transport = new HoldfastChatTransport({ api: 'https://desk.example/agents/desk/chat' });
 * const messages = await transport.loadMessages('c1');
 * // useChat({ id: 'c1', messages, transport, resume: true, sendAutomaticallyWhen: isAnswered })
 * ```
 */
export class HoldfastChatTransport<
  Message extends UIMessage = UIMessage,
> extends DefaultChatTransport<Message> {
  readonly #address: string;
  readonly #cancelsOnStop: boolean;
  readonly #patience: number;
  readonly #asked: HttpChatTransportInitOptions<Message>['fetch'];
  /** How often each chat was resumed. A resume stops the previous stream, which is not the user's stop. */
  readonly #resumed = new Map<string, number>();
  /** The session of each chat that uses a fork. The chat's last message names the fork. */
  readonly #branches = new Map<string, string>();
  /** The fork of each chat whose edit was refused: the AI SDK has removed the messages that name it. */
  readonly #left = new Map<string, string>();
  /** The last user message on the page of each chat. */
  readonly #said = new Map<string, string>();
  /** The turn of each chat that was still running when its messages were loaded. */
  readonly #unstopped = new Map<string, string>();
  /** Settles when the turn of the last stopped chat is cancelled. */
  #stopping: Promise<void> | undefined;
  #version: Promise<6 | 7> | undefined;
  /** The time of the last cancel from here, in milliseconds since the epoch. */
  #cancelledAt = Number.NEGATIVE_INFINITY;

  constructor({ api, cancelsOnStop = true, patience = 120_000, ...options }: HoldfastChatOptions<Message>) {
    super({ ...options, api });
    this.#address = api;
    this.#cancelsOnStop = cancelsOnStop;
    this.#patience = patience;
    this.#asked = options.fetch;
    // A cancelled turn ends soon, but its session is busy until then.
    const isPassing = ({ status, ok }: Response): boolean => {
      if (ok) this.#cancelledAt = Number.NEGATIVE_INFINITY;
      return (
        TRANSIENT_STATUSES.includes(status) ||
        (status === 409 && Date.now() - this.#cancelledAt < MAX_CANCEL_MS)
      );
    };
    this.fetch = (input, init) =>
      sendWithRetry(() => (this.#asked ?? globalThis.fetch)(input, init), {
        patience,
        isPassing,
        signal: init?.signal,
      });
    pageUnload.watch();
  }

  /**
   * Returns the messages of a chat so far, or `[]` for a new one. @throws Error with the Worker's message if
   * it refuses.
   */
  async loadMessages(chatId: string): Promise<Message[]> {
    await this.#ready();
    const response = await this.#ask(`/${encodeURIComponent(chatId)}/messages`);
    const messages = (await response.json()) as Message[]; // the Worker uses this version's format
    this.#left.delete(chatId);
    this.#noteBranch(chatId, messages);
    this.#noteSaid(chatId, messages);
    const last = messages.at(-1);
    const isStopped = last?.role !== 'assistant' || Object(last.metadata).outcome !== undefined;
    if (isStopped) this.#unstopped.delete(chatId);
    else this.#unstopped.set(chatId, last.id);
    return messages;
  }

  /** Cancels a turn in the Worker. Defaults to the running one. Does nothing if none runs. */
  async cancel(chatId: string, turn?: string): Promise<void> {
    const branch = encodeURIComponent(this.#branches.get(chatId) ?? chatId);
    const session = this.#address.replace(/chat\/?(?=\?|$)/, `sessions/${branch}/cancel`);
    const url = turn === undefined ? session : withQuery(session, 'turn', turn);
    this.#cancelledAt = Date.now();
    // `keepalive` lets the request complete if the page is reloaded.
    const init = { method: 'POST', keepalive: true };
    const response = await (this.#asked ?? fetch)(url, await this.#init(init));
    await response.body?.cancel();
  }

  override async sendMessages(options: SendOptions<Message>): Promise<ChunkStream> {
    const version = await this.#ready();
    const { chatId, messages, abortSignal: stop } = options;
    await this.#stopping;
    this.#noteBranch(chatId, messages);
    const messageId = options.messageId ?? this.#replaced(options);
    this.#noteSaid(chatId, messages);
    // The stream of answers contains only new chunks. The stream of a message begins with its turn.
    const isAnswer =
      messages.find(({ id }) => id === messageId)?.role === 'assistant' &&
      options.trigger === 'submit-message';
    // A random id, so that a retried request for another answer counts as the same request.
    const again = options.trigger === 'regenerate-message' && { again: crypto.randomUUID() };
    const body = { ...options.body, ...again };
    const session = this.#left.get(chatId);
    // The Worker reads only its session.
    const naming = { id: 'left', role: 'assistant', parts: [], metadata: { session } } as object as Message;
    const all = session === undefined ? messages : [naming, ...messages];
    const isCut = !isAnswer && (messageId !== undefined || options.trigger === 'regenerate-message');
    try {
      const stream = await this.#lasting(chatId, { stop, version }, async (signal, turn) => {
        if (turn !== undefined && !isAnswer) return this.#rest(chatId, turn, signal);
        return super.sendMessages({ ...options, messages: all, messageId, body, abortSignal: signal });
      });
      this.#left.delete(chatId);
      return stream;
    } catch (thrown) {
      const branch = this.#branches.get(chatId);
      if (isCut && branch !== undefined) this.#left.set(chatId, branch);
      throw thrown;
    }
  }

  override async reconnectToStream(options: ReconnectOptions<Message>): Promise<ChunkStream | null> {
    const version = await this.#ready();
    const { chatId } = options;
    this.#resumed.set(chatId, this.#resumes(chatId) + 1);
    // Version 6 does not pass a signal.
    const { abortSignal: stop } = options as { readonly abortSignal?: AbortSignal };
    const ended = Symbol();
    try {
      return await this.#lasting(chatId, { stop, version }, async (signal, turn) => {
        if (turn !== undefined) return this.#rest(chatId, turn, signal);
        const stream = await super.reconnectToStream({
          ...options,
          abortSignal: signal,
        } as ReconnectOptions<Message>);
        if (stream !== null) return stream;
        // The loaded messages lack the end of a turn that has since stopped.
        const missed = this.#unstopped.get(chatId);
        if (missed === undefined) throw ended;
        this.#unstopped.delete(chatId);
        return this.#rest(chatId, missed, signal);
      });
    } catch (thrown) {
      if (thrown === ended) return null;
      throw thrown;
    }
  }

  /** Stores the fork that the last of the messages names. */
  #noteBranch(chatId: string, messages: readonly Pick<UIMessage, 'metadata'>[]): void {
    const named = messages.map(({ metadata }) => Object(metadata).session);
    const branch: unknown = named.findLast((one) => one !== undefined);
    if (typeof branch === 'string') this.#branches.set(chatId, branch);
  }

  #noteSaid(chatId: string, messages: readonly Pick<UIMessage, 'id' | 'role'>[]): void {
    const last = messages.findLast(({ role }) => role === 'user');
    if (last) this.#said.set(chatId, last.id);
  }

  /**
   * Returns the id of a new message if its page has removed the previous last message: some pages edit a
   * message like this, without naming it.
   */
  #replaced({ chatId, trigger, messages }: SendOptions<Message>): string | undefined {
    const said = this.#said.get(chatId);
    const isCut = said !== undefined && messages.every(({ id }) => id !== said);
    const last = messages.at(-1);
    return trigger === 'submit-message' && isCut && last?.role === 'user' ? last.id : undefined;
  }

  /** Returns the stream of a turn that runs or has ended. */
  async #rest(chatId: string, turn: string, signal: AbortSignal): Promise<ChunkStream> {
    const path = withQuery(`/${encodeURIComponent(chatId)}/stream`, 'turn', turn);
    const { body } = await this.#ask(path, signal);
    if (body === null) throw new Error('The response for the chat stream has no body.');
    return this.processResponseStream(body);
  }

  async #ask(path: string, signal?: AbortSignal): Promise<Response> {
    const [address = '', query] = this.api.split('?');
    const [own = '', more] = path.split('?');
    const url = `${address}${own}?${[query, more].filter((one) => one !== undefined).join('&')}`;
    const response = await (this.fetch ?? fetch)(url, await this.#init(signal ? { signal } : {}));
    if (response.ok) return response;
    throw new Error(await response.text());
  }

  async #init(more: RequestInit): Promise<RequestInit> {
    const headers = await resolveValue(this.headers);
    const credentials = await resolveValue(this.credentials);
    const given = { ...(headers && { headers }), ...(credentials && { credentials }), ...more };
    return given as RequestInit; // `credentials` has the browser's type
  }

  #resumes(chatId: string): number {
    return this.#resumed.get(chatId) ?? 0;
  }

  /** Finds out once which chunks the page's AI SDK supports, and requests these. */
  async #ready(): Promise<6 | 7> {
    this.#version ??= detectKitVersion();
    const version = await this.#version;
    this.api = withQuery(this.#address, 'ui', `${version}`);
    return version;
  }

  /** Opens a stream that survives lost connections, and whose stop cancels the turn. */
  async #lasting(
    chatId: string,
    { stop, version }: { readonly stop: AbortSignal | undefined; readonly version: 6 | 7 },
    open: StreamOpener,
  ): Promise<ChunkStream> {
    const resumes = this.#resumes(chatId);
    const cancel = async (turn: () => Promise<string | undefined>): Promise<void> => {
      // If a page resumes a chat again, the AI SDK stops the previous stream.
      await pause(0);
      const isStop = this.#cancelsOnStop && this.#resumes(chatId) === resumes && !pageUnload.isOn;
      if (!isStop) return;
      try {
        await this.cancel(chatId, await turn());
      } catch {
        // The Worker is unreachable, or refused the message. The page has stopped anyway.
      }
    };
    return openReconnectingStream({
      open,
      stop,
      canStepBack: version === 7,
      patience: this.#patience,
      onStart: ({ messageMetadata: metadata }) => this.#noteBranch(chatId, [{ metadata }]),
      onStop: (turn) => {
        const stopping = cancel(turn);
        this.#stopping = stopping;
        return stopping;
      },
    });
  }
}

/**
 * Returns whether every question in the assistant's last message is answered, by decisions or by results of
 * the page's tools. For `sendAutomaticallyWhen`. Ignores a refused message of the user after it.
 */
export function isAnswered({ messages }: { readonly messages: UIMessage[] }): boolean {
  const last = messages.findLast(({ role }) => role === 'assistant');
  if (!last) return false;
  const said = { messages: [last] };
  return (
    lastAssistantMessageIsCompleteWithApprovalResponses(said) ||
    lastAssistantMessageIsCompleteWithToolCalls(said)
  );
}

/** Returns 7 if the page's AI SDK has chunks that reset a step, as version 7 does. Otherwise returns 6. */
async function detectKitVersion(): Promise<6 | 7> {
  const known = await uiMessageChunkSchema().validate?.({ type: 'reset-step' });
  return known?.success ? 7 : 6;
}

/** Statuses of a proxy in front of a Worker, or of a Worker during a deployment. */
const TRANSIENT_STATUSES: readonly number[] = [502, 503, 504];

/** The maximum number of milliseconds that a cancelled turn takes to end. */
const MAX_CANCEL_MS = 10_000;

const withQuery = (url: string, name: string, value: string): string =>
  `${url}${url.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`;

/** Resolves the AI SDK's resolvable values: a value, a promise of one, or a function that returns either. */
const resolveValue = async <T>(given: T | PromiseLike<T> | (() => T | PromiseLike<T>)): Promise<T> =>
  typeof given === 'function' ? (given as () => T | PromiseLike<T>)() : given; // values are never functions
