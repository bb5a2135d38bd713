/** What a page knows of a session, kept up to date while somebody looks. It needs no React. */
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
import { backoff, pause } from '../transport.ts';
import { afterView, type Conversation, foldItem, listed } from './messages.ts';
import {
  asError,
  NOTHING,
  REFRESHING,
  type SessionSnapshot,
  ShownMessages,
  sameOr,
  withOpen,
} from './shown-messages.ts';

/** A session that is shown for as long as its signal lets it. */
export class FollowedSession {
  readonly listeners = new Set<() => void>();
  snapshot = NOTHING;
  readonly #session: ClientSession<unknown>;
  #view: SessionView | undefined;
  #conversation: Conversation = { messages: [] };
  /** The last event that is folded. */
  #seq = 0;
  readonly #shown = new ShownMessages();
  /** Questions that this page has answered. */
  readonly #answered = new Set<string>();
  /** When events have told of an answer, by its call. It is another map for each session of the name. */
  #answeredAt = new Map<string, number>();
  /** How often the state was asked for. */
  #looks = 0;
  #isRunning = false;
  #isWatched = false;
  /** The stream of the first message, which shows the session until there is one to be followed. */
  #beginning: Promise<void> | undefined;
  #comeAgain = new AbortController();
  #following: AbortSignal | undefined;

  constructor(session: ClientSession<unknown>) {
    this.#session = session;
  }

  /** Shows the session until the signal aborts, and whatever becomes of the connection. */
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
        // Whoever looks is told at once that the connection is lost, so that it is tried again here.
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
      await pause(backoff(failed), AbortSignal.any([signal, this.#comeAgain.signal])).catch(() => {});
    }
    this.#tell({ isConnected: false });
  }

  #missed(failure: unknown): void {
    const isUnknown = hasType(failure, 'unknown-session', 'session-erased');
    // A session begins with its first message, which another page may send; or this one, whose stream shows it already.
    if (isUnknown && !this.#beginning) this.#forget();
    // A lost connection is no error before it was tried again.
    else if (isUnknown || (this.#isWatched && hasType(failure, 'connection-lost')))
      this.#tell({ isConnected: isUnknown });
    else this.#tell({ isConnected: false, error: asError(failure) });
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
    // Its turn may have come and gone while the page saw nothing.
    else if (looks !== this.#looks) this.#look();
    this.#tell({});
    return isTaken;
  }

  /** Sends what a session begins with; answers the id of its turn where that comes later. */
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
    // The message is taken now, so that who looks away need not see what comes of it.
    if (this.#following?.aborted) leave.abort();
    this.#following?.addEventListener('abort', () => leave.abort(), { once: true });
    const showing = async (): Promise<void> => {
      for (let next = first; !next.done; next = await items.next()) {
        const { value: item } = next;
        if (!this.#isWatched && !('answer' in item)) this.#apply(item);
      }
    };
    const beginning = showing()
      .catch(() => {}) // whatever became of it, the session is followed now
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
      .map(({ call }) => keyOf(pending.find((one) => one.call === call) ?? call))
      .filter((key) => !this.#answered.has(key)); // an answer that is on its way already decides
    for (const key of keys) this.#answered.add(key);
    this.#tell({ error: undefined });
    const isTaken = await this.tried(() => this.#session.answer(answers, { background: true }));
    if (!isTaken) for (const key of keys) this.#answered.delete(key);
    this.#tell({});
    return isTaken;
  }

  /** False when it was refused, which the snapshot tells. */
  async tried(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (failure) {
      this.#tell({ error: asError(failure) });
      return false;
    }
  }

  async #refresh(signal?: AbortSignal): Promise<void> {
    this.#looks += 1;
    const answeredAt = this.#answeredAt;
    const taken = this.#shown.taken();
    const view = await this.#session.state({ signal });
    // What is answered of a session that was forgotten meanwhile is not told of the next one.
    if (answeredAt !== this.#answeredAt || view.seq < (this.#view?.seq ?? 0)) return;
    this.#view = withOpen(view, ({ call }) => (answeredAt.get(call) ?? 0) <= view.seq);
    // What the stream has told already is not taken back; only what is pending is told by no event.
    if (view.seq >= this.#seq) {
      this.#seq = view.seq;
      this.#conversation = afterView(this.#conversation, view);
      this.#isRunning = view.openTurn !== null;
    }
    for (const turn of taken) if (!view.waiting.some((one) => one.turn === turn)) this.#shown.arrived(turn);
    this.#tell({});
  }

  #look(signal?: AbortSignal): void {
    this.#refresh(signal).catch(() => {}); // it comes again with the next event
  }

  #apply(item: WatchItem, signal?: AbortSignal): void {
    // The state may be ahead of the stream.
    if ('seq' in item && item.seq <= this.#seq) this.#forgetDraft(item);
    else this.#take(item);
    this.#tell({});
    if (REFRESHING.has(item.type)) this.#look(signal);
  }

  #take(item: WatchItem): void {
    if ('seq' in item) {
      this.#seq = item.seq;
      const at = listed(this.#conversation).length;
      if (item.type === 'turn-steered') this.#shown.arrived(item.as, { text: item.message, at });
      if (item.type === 'tool-call-answered' || item.type === 'tool-call-ended') this.#drop(item);
      if ('turn' in item) this.#isRunning = item.type !== 'turn-ended';
    }
    this.#conversation = foldItem(this.#conversation, item);
    // The message is the last one now.
    if ('seq' in item && item.type === 'turn-started' && !item.retries)
      this.#shown.arrived(item.turn, { text: item.message, at: this.#conversation.messages.length - 1 });
  }

  /** What the state has told already: only the pieces of its reply are still to be forgotten. */
  #forgetDraft(item: StoredEvent): void {
    if (item.type === 'model-replied' && item.frame === undefined)
      this.#conversation = { messages: this.#conversation.messages };
  }

  #drop({ call, seq }: { readonly call: string; readonly seq: number }): void {
    this.#answeredAt.set(call, seq);
    if (this.#view) this.#view = withOpen(this.#view, (one) => one.call !== call);
  }

  /** There is no such session any more, or not yet. */
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
    const open = (this.#view?.pending ?? []).filter((call) => !this.#answered.has(keyOf(call)));
    const pending = sameOr(this.snapshot.pending, open);
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

const keyOf = (call: WaitingCall): string =>
  typeof call === 'string' ? call : `${call.call} ${call.question}`;

const hasType = (failure: unknown, ...types: readonly HoldfastError['type'][]): boolean =>
  failure instanceof HoldfastError && types.includes(failure.type);
