/** Keeps a page's data of a session up to date while it has listeners. It does not need React. */
import type { StoredEvent } from '../../journal/events.ts';
import type { SessionView } from '../../worker/session-view.ts';
import type {
  ClientCallAnswer,
  ClientPart,
  ClientSendOptions,
  ClientSession,
  WaitingCall,
} from '../client-session.ts';
import type { WatchItem } from '../follow.ts';
import { HoldfastError } from '../holdfast-error.ts';
import { computeBackoff, pause } from '../transport.ts';
import { type Conversation, foldItem, foldView, listMessages } from './messages.ts';
import {
  EMPTY_SNAPSHOT,
  keepIfSame,
  keepOpenCalls,
  REFRESH_EVENTS,
  type SessionSnapshot,
  ShownMessages,
  toError,
} from './shown-messages.ts';

/** A session that is followed until its signal aborts. */
export class FollowedSession {
  readonly listeners = new Set<() => void>();
  snapshot = EMPTY_SNAPSHOT;
  readonly #session: ClientSession<unknown>;
  #view: SessionView | undefined;
  #conversation: Conversation = { messages: [] };
  /** The last folded event. */
  #seq = 0;
  readonly #shown = new ShownMessages();
  /** Questions that this page has answered. */
  readonly #answered = new Set<string>();
  /**
   * The sequences of events that report an answer, by call. A new map for each session with the same name.
   */
  #answeredAt = new Map<string, number>();
  /** The number of requests for the state. */
  #looks = 0;
  #isRunning = false;
  #isWatched = false;
  /** The stream of the first message. It shows the session until the session can be followed. */
  #beginning: Promise<void> | undefined;
  #comeAgain = new AbortController();
  #following: AbortSignal | undefined;

  constructor(session: ClientSession<unknown>) {
    this.#session = session;
  }

  /** Follows the session until the signal aborts, across lost connections. */
  async follow(signal: AbortSignal): Promise<void> {
    this.#following = signal;
    for (let failed = 0; !signal.aborted; ) {
      try {
        await this.#beginning;
        await this.#refresh(signal);
        failed = 0;
        this.#tell({ isConnected: true, error: undefined });
        this.#isWatched = true;
        const { draft } = this.#conversation;
        if (draft) this.#conversation = { ...this.#conversation, draft: { ...draft, isOld: true } };
        // This request has no retries, so that listeners see a lost connection at once. The loop retries
        // instead.
        const items = this.#session.watch({ after: this.#seq, signal, retries: 0 });
        for await (const item of items) this.#apply(item, signal);
        this.#forget();
      } catch (failure) {
        if (signal.aborted) break;
        this.#missed(failure);
      }
      this.#isWatched = false;
      failed += 1;
      this.#comeAgain = new AbortController();
      await pause(computeBackoff(failed), AbortSignal.any([signal, this.#comeAgain.signal])).catch(() => {});
    }
    this.#tell({ isConnected: false });
  }

  #missed(failure: unknown): void {
    const isUnknown = hasType(failure, 'unknown-session', 'session-erased');
    // A session starts with its first message, from another page or from this one, whose stream then shows it
    // already.
    if (isUnknown && !this.#beginning) this.#forget();
    // A lost connection becomes an error only after a retry.
    else if (isUnknown || (this.#isWatched && hasType(failure, 'connection-lost')))
      this.#tell({ isConnected: isUnknown });
    else this.#tell({ isConnected: false, error: toError(failure) });
  }

  async send(
    message: string | readonly ClientPart[],
    options: Omit<ClientSendOptions, 'background'> = {},
  ): Promise<boolean> {
    const parts = typeof message === 'string' ? [{ type: 'text', text: message } as const] : message;
    const outgoing = this.#shown.add(parts, options.files);
    this.#tell({ error: undefined });
    const isBegun = this.#isWatched || this.#seq > 0;
    const looks = this.#looks;
    const isTaken = await this.tried(async () => {
      const turn = isBegun
        ? (await this.#session.send(message, { ...options, background: true })).turn
        : await this.#begin(message, options);
      this.#shown.take(outgoing, turn);
    });
    if (!isTaken) this.#shown.remove(outgoing);
    // Its turn may have started and ended while the page was not connected.
    else if (looks !== this.#looks) this.#look();
    this.#tell({});
    return isTaken;
  }

  /** Sends the first message of a session. Returns the id of its turn if the answer comes later. */
  async #begin(
    message: string | readonly ClientPart[],
    options: ClientSendOptions,
  ): Promise<string | undefined> {
    const leave = new AbortController();
    const { signal = leave.signal } = options;
    const items = this.#session.stream(message, {
      ...options,
      signal: AbortSignal.any([signal, leave.signal]),
    });
    const first = await items.next();
    // The message is accepted, so the stream is not needed if all listeners have left.
    if (this.#following?.aborted) leave.abort();
    this.#following?.addEventListener('abort', () => leave.abort(), { once: true });
    const applyItems = async (): Promise<void> => {
      for (let next = first; !next.done; next = await items.next()) {
        const { value: item } = next;
        if (!this.#isWatched && !('answer' in item)) this.#apply(item);
      }
    };
    const beginning = applyItems()
      .catch(() => {}) // the session is followed now, whatever the outcome
      .finally(() => {
        this.#beginning = undefined;
        this.#comeAgain.abort();
      });
    this.#beginning = beginning;
    return !first.done && first.value.type === 'later' ? first.value.answer.turn : undefined;
  }

  async answer(answers: readonly ClientCallAnswer[]): Promise<boolean> {
    const { pending } = this.snapshot;
    const keys = answers
      .map(({ call }) => getCallKey(pending.find((one) => one.call === call) ?? call))
      .filter((key) => !this.#answered.has(key)); // an answer is already on its way
    for (const key of keys) this.#answered.add(key);
    this.#tell({ error: undefined });
    const isTaken = await this.tried(() => this.#session.answer(answers, { background: true }));
    if (!isTaken) for (const key of keys) this.#answered.delete(key);
    this.#tell({});
    return isTaken;
  }

  /** Returns `false` if the request was refused. The snapshot then has the error. */
  async tried(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (failure) {
      this.#tell({ error: toError(failure) });
      return false;
    }
  }

  async #refresh(signal?: AbortSignal): Promise<void> {
    this.#looks += 1;
    const answeredAt = this.#answeredAt;
    const taken = this.#shown.taken();
    const view = await this.#session.state({ signal });
    // A response about a forgotten session must not change the next one.
    if (answeredAt !== this.#answeredAt || view.seq < (this.#view?.seq ?? 0)) return;
    this.#view = keepOpenCalls(view, ({ call }) => (answeredAt.get(call) ?? 0) <= view.seq);
    // The stream may be ahead of the state. Then only the pending calls, which no event contains, are used.
    if (view.seq >= this.#seq) {
      this.#seq = view.seq;
      this.#conversation = foldView(this.#conversation, view);
      this.#isRunning = view.openTurn !== null;
    }
    for (const turn of taken) if (!view.waiting.some((one) => one.turn === turn)) this.#shown.arrived(turn);
    this.#tell({});
  }

  #look(signal?: AbortSignal): void {
    this.#refresh(signal).catch(() => {}); // retried with the next event
  }

  #apply(item: WatchItem, signal?: AbortSignal): void {
    // The state may be ahead of the stream.
    if ('seq' in item && item.seq <= this.#seq) this.#forgetDraft(item);
    else this.#take(item);
    this.#tell({});
    if (REFRESH_EVENTS.has(item.type)) this.#look(signal);
  }

  #take(item: WatchItem): void {
    if ('seq' in item) {
      this.#seq = item.seq;
      const at = listMessages(this.#conversation).length;
      if (item.type === 'turn-steered') this.#shown.arrived(item.as, { text: item.message, at });
      if (item.type === 'tool-call-answered' || item.type === 'tool-call-ended') this.#drop(item);
      if ('turn' in item) this.#isRunning = item.type !== 'turn-ended';
    }
    this.#conversation = foldItem(this.#conversation, item);
    // Its message is now the last one.
    if ('seq' in item && item.type === 'turn-started' && !item.retries)
      this.#shown.arrived(item.turn, { text: item.message, at: this.#conversation.messages.length - 1 });
  }

  /** Removes partial text of a reply that the state already contains. */
  #forgetDraft(item: StoredEvent): void {
    if (item.type === 'model-replied' && item.frame === undefined)
      this.#conversation = { messages: this.#conversation.messages };
  }

  #drop({ call, seq }: { readonly call: string; readonly seq: number }): void {
    this.#answeredAt.set(call, seq);
    if (this.#view) this.#view = keepOpenCalls(this.#view, (one) => one.call !== call);
  }

  /** Clears the data of a session that no longer exists, or does not exist yet. */
  #forget(): void {
    this.#view = undefined;
    this.#conversation = { messages: [] };
    this.#shown.forget();
    this.#answeredAt = new Map();
    this.#seq = 0;
    this.#isRunning = false;
    this.#tell({ isConnected: true, error: undefined, status: 'idle' });
  }

  #tell(change: Partial<SessionSnapshot>): void {
    const open = (this.#view?.pending ?? []).filter((call) => !this.#answered.has(getCallKey(call)));
    const pending = keepIfSame(this.snapshot.pending, open);
    const known = pending.length > 0 ? 'waiting' : this.#isRunning ? 'running' : 'idle';
    this.snapshot = {
      ...this.snapshot,
      status: this.#view || this.#seq > 0 ? known : this.snapshot.status,
      messages: this.#shown.show(this.#conversation),
      pending,
      state: this.#view,
      ...change,
    };
    for (const listener of this.listeners) listener();
  }
}

const getCallKey = (call: WaitingCall): string =>
  typeof call === 'string' ? call : `${call.call} ${call.question}`;

const hasType = (failure: unknown, ...types: readonly HoldfastError['type'][]): boolean =>
  failure instanceof HoldfastError && types.includes(failure.type);
