import {
  DefaultChatTransport,
  type HttpChatTransportInitOptions,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
  uiMessageChunkSchema,
} from 'ai';
import { pause } from '../transport.ts';
import { type Chunks, lasting, type Open, patiently, unloading } from './lasting-stream.ts';

/** Where the chats of an agent are, and how they are asked. */
export interface HoldfastChatOptions<Message extends UIMessage = UIMessage>
  extends Pick<HttpChatTransportInitOptions<Message>, 'headers' | 'credentials' | 'body' | 'fetch'> {
  /** The address of the agent's chats, such as `https://desk.example/agents/desk/chat`. */
  readonly api: string;
  /**
   * Whether `stop()` of the chat cancels the turn in the Worker. Note that `useChat` stops its chat too when its component is removed:
   * with `false` the turn runs on then, and a button calls `cancel` of the transport. Defaults to `true`.
   */
  readonly cancelsOnStop?: boolean | undefined;
  /** How long a connection that is lost is tried again, in ms. Defaults to two minutes. */
  readonly patience?: number | undefined;
}

type Sending<Message extends UIMessage> = Parameters<DefaultChatTransport<Message>['sendMessages']>[0];
type Reconnecting<Message extends UIMessage> = Parameters<
  DefaultChatTransport<Message>['reconnectToStream']
>[0];

/**
 * The transport of `useChat` for agents of Holdfast. Beyond the kit's own one:
 *
 * - `stop()` cancels the turn in the Worker;
 * - a request without an answer is sent again: the id of the message is its idempotency key, so that it starts one turn;
 * - a stream that breaks resumes inside the same message, also after its turn has ended, but not while the page is unloaded;
 * - `loadMessages` returns what was said before;
 * - it asks for the chunks of the version of the AI SDK that the page has.
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
  /** How often each chat was resumed: what stops a stream for that is no person. */
  readonly #resumed = new Map<string, number>();
  /** The session of each chat that is not its own one: the fork that its last message names. */
  readonly #branches = new Map<string, string>();
  /** The fork of each chat whose edit was refused: the kit has taken away the messages that name it. */
  readonly #left = new Map<string, string>();
  /** The last message of the user that the page of each chat had. */
  readonly #said = new Map<string, string>();
  /** Settles when the turn is cancelled whose chat was stopped last. */
  #stopping: Promise<void> | undefined;
  #version: Promise<6 | 7> | undefined;
  /** When the last turn was cancelled from here, in ms since the epoch. */
  #cancelledAt = Number.NEGATIVE_INFINITY;

  constructor({ api, cancelsOnStop = true, patience = 120_000, ...options }: HoldfastChatOptions<Message>) {
    super({ ...options, api });
    this.#address = api;
    this.#cancelsOnStop = cancelsOnStop;
    this.#patience = patience;
    this.#asked = options.fetch;
    // A turn that was cancelled ends soon, and until then its session is busy.
    const isPassing = ({ status, ok }: Response): boolean => {
      if (ok) this.#cancelledAt = Number.NEGATIVE_INFINITY;
      return PASSING.includes(status) || (status === 409 && Date.now() - this.#cancelledAt < ENDS_SOON);
    };
    this.fetch = (input, init) =>
      patiently(() => (this.#asked ?? globalThis.fetch)(input, init), {
        patience,
        isPassing,
        signal: init?.signal,
      });
    unloading.watch();
  }

  /** Returns the messages of a chat so far; `[]` for a new one. @throws Error with the Worker's words if it refuses. */
  async loadMessages(chatId: string): Promise<Message[]> {
    await this.#ready();
    const response = await this.#ask(`/${encodeURIComponent(chatId)}/messages`);
    const messages = (await response.json()) as Message[]; // the Worker writes messages of this version
    this.#left.delete(chatId);
    this.#noteBranch(chatId, messages);
    this.#noteSaid(chatId, messages);
    return messages;
  }

  /** Cancels a turn in the Worker, or the one that runs. It does nothing if none runs. */
  async cancel(chatId: string, turn?: string): Promise<void> {
    const branch = encodeURIComponent(this.#branches.get(chatId) ?? chatId);
    const session = this.#address.replace(/chat\/?(?=\?|$)/, `sessions/${branch}/cancel`);
    const url = turn === undefined ? session : withQuery(session, 'turn', turn);
    this.#cancelledAt = Date.now();
    // A page that is loaded again at once has sent it all the same.
    const init = { method: 'POST', keepalive: true };
    const response = await (this.#asked ?? fetch)(url, await this.#init(init));
    await response.body?.cancel();
  }

  override async sendMessages(options: Sending<Message>): Promise<Chunks> {
    const version = await this.#ready();
    const { chatId, messages, abortSignal: stop } = options;
    await this.#stopping;
    this.#noteBranch(chatId, messages);
    const messageId = options.messageId ?? this.#replaced(options);
    this.#noteSaid(chatId, messages);
    // The stream of answers holds only what is new. The stream of a message begins with its turn.
    const isAnswer =
      messages.find(({ id }) => id === messageId)?.role === 'assistant' &&
      options.trigger === 'submit-message';
    // Sent again, a request for another answer is the same one.
    const again = options.trigger === 'regenerate-message' && { again: crypto.randomUUID() };
    const body = { ...options.body, ...again };
    const session = this.#left.get(chatId);
    // The Worker reads no more of it than the session.
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

  override async reconnectToStream(options: Reconnecting<Message>): Promise<Chunks | null> {
    const version = await this.#ready();
    const { chatId } = options;
    this.#resumed.set(chatId, this.#resumes(chatId) + 1);
    // Version 6 gives none.
    const { abortSignal: stop } = options as { readonly abortSignal?: AbortSignal };
    const ended = Symbol();
    try {
      return await this.#lasting(chatId, { stop, version }, async (signal, turn) => {
        if (turn !== undefined) return this.#rest(chatId, turn, signal);
        const stream = await super.reconnectToStream({
          ...options,
          abortSignal: signal,
        } as Reconnecting<Message>);
        if (stream === null) throw ended;
        return stream;
      });
    } catch (thrown) {
      if (thrown === ended) return null;
      throw thrown;
    }
  }

  /** Notes the fork that the last of some messages names. */
  #noteBranch(chatId: string, messages: readonly Pick<UIMessage, 'metadata'>[]): void {
    const named = messages.map(({ metadata }) => Object(metadata).session);
    const branch: unknown = named.findLast((one) => one !== undefined);
    if (typeof branch === 'string') this.#branches.set(chatId, branch);
  }

  #noteSaid(chatId: string, messages: readonly Pick<UIMessage, 'id' | 'role'>[]): void {
    const last = messages.findLast(({ role }) => role === 'user');
    if (last) this.#said.set(chatId, last.id);
  }

  /** Returns the id of a new message if its page has cut off what was said last: some pages edit a message so, and name none. */
  #replaced({ chatId, trigger, messages }: Sending<Message>): string | undefined {
    const said = this.#said.get(chatId);
    const isCut = said !== undefined && messages.every(({ id }) => id !== said);
    const last = messages.at(-1);
    return trigger === 'submit-message' && isCut && last?.role === 'user' ? last.id : undefined;
  }

  /** The stream of a turn, whether it runs or has ended. */
  async #rest(chatId: string, turn: string, signal: AbortSignal): Promise<Chunks> {
    const path = withQuery(`/${encodeURIComponent(chatId)}/stream`, 'turn', turn);
    const { body } = await this.#ask(path, signal);
    if (body === null) throw new Error('The stream of the chat has no body.');
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
    const headers = await resolved(this.headers);
    const credentials = await resolved(this.credentials);
    const given = { ...(headers && { headers }), ...(credentials && { credentials }), ...more };
    return given as RequestInit; // with the `credentials` that browsers know
  }

  #resumes(chatId: string): number {
    return this.#resumed.get(chatId) ?? 0;
  }

  /** Finds out once which chunks the kit of the page knows, and asks for these. */
  async #ready(): Promise<6 | 7> {
    this.#version ??= versionOfKit();
    const version = await this.#version;
    this.api = withQuery(this.#address, 'ui', `${version}`);
    return version;
  }

  /** Opens a stream that lasts, and whose stop cancels the turn. */
  async #lasting(
    chatId: string,
    { stop, version }: { readonly stop: AbortSignal | undefined; readonly version: 6 | 7 },
    open: Open,
  ): Promise<Chunks> {
    const resumes = this.#resumes(chatId);
    const cancel = async (turn: () => Promise<string | undefined>): Promise<void> => {
      // A page that resumes a chat again stops the stream before it.
      await pause(0);
      const isStop = this.#cancelsOnStop && this.#resumes(chatId) === resumes && !unloading.isOn;
      if (!isStop) return;
      try {
        await this.cancel(chatId, await turn());
      } catch {
        // The Worker cannot be reached, or the message was refused: the page has stopped anyway.
      }
    };
    return lasting({
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
 * Returns whether all that the assistant's last message asks is answered, decisions and results of the page's tools alike: for
 * `sendAutomaticallyWhen`. A message of the user's that was refused may be behind it.
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

/** Version 7 is the first whose chunks can take a step back. */
async function versionOfKit(): Promise<6 | 7> {
  const known = await uiMessageChunkSchema().validate?.({ type: 'reset-step' });
  return known?.success ? 7 : 6;
}

/** Responses of what stands before a Worker, or of one that is being deployed. */
const PASSING: readonly number[] = [502, 503, 504];

/** How long a turn that was cancelled may take to end, in ms. */
const ENDS_SOON = 10_000;

const withQuery = (url: string, name: string, value: string): string =>
  `${url}${url.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`;

/** What the kit calls resolvable: a value, a promise of one, or a function that returns either. */
const resolved = async <T>(given: T | PromiseLike<T> | (() => T | PromiseLike<T>)): Promise<T> =>
  typeof given === 'function' ? (given as () => T | PromiseLike<T>)() : given; // no such value is a function
