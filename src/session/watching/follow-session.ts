import type { EventPage, Notice } from '../../journal/event-page.ts';
import { parseEvent } from '../../journal/event-rows.ts';
import type { StoredEvent } from '../../journal/events.ts';
import type { Line, LiveItem, LiveMessage } from '../../journal/live-items.ts';
import type { SessionPort } from '../../journal/session-port.ts';
import { ChangeNotifier } from '../../tool/async.ts';
import type { FeedItem, LiveItemQueue, LiveText } from '../live-feed.ts';
import type { Meter } from '../meter.ts';
import type { Clock } from '../read-platform.ts';

/** The options of a reader that watches a session. */
export interface WatchOptions {
  /** Shows live items. If absent, only events are shown. */
  readonly liveText?: Pick<LiveText, 'queue'> | undefined;
  readonly port: Pick<SessionPort, 'read' | 'watch'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The meter of the watching invocation. Without one, there is no limit. */
  readonly meter?: Meter | undefined;
  /** Defaults to `Math.random`. */
  readonly random?: (() => number) | undefined;
}

interface FollowSessionOptions extends WatchOptions {
  /** The first sequence number to show. */
  readonly from: number;
  /** Shows only the events of this turn, until it has ended or waits for a decision. */
  readonly turn?: string | undefined;
  /** The incarnation of the session to follow. Defaults to the current one of that name. */
  readonly incarnation?: string | undefined;
  /** Called with the session's incarnation before its first event, and again with every page. */
  readonly onIncarnation?: ((incarnation: string) => void) | undefined;
}

/**
 * `stopped`: the turn has ended or waits. `erased`: the session is gone, although its name can be in use
 * again. `left`: the signal has aborted. `over`: the invocation is near a limit.
 */
export type FollowEnd = 'stopped' | 'erased' | 'left' | 'over';

/** Passes the items of `followItems` to `show`. */
export async function followSession(
  follow: FollowSessionOptions,
  show: (item: FeedItem) => void,
): Promise<FollowEnd> {
  const items = followItems(follow);
  try {
    for (;;) {
      const next = await items.next();
      if (next.done) return next.value;
      show('seq' in next.value ? { type: 'event', stored: next.value } : next.value);
    }
  } finally {
    await items.return('left');
  }
}

/** Yields the journal from a sequence number on, and then its new events. Live items are not requested. */
export const followJournal = (
  follow: FollowSessionOptions,
): AsyncGenerator<StoredEvent, FollowEnd, undefined> =>
  readAndFollow(follow) as AsyncGenerator<StoredEvent, FollowEnd, undefined>; // Without a queue there are only events.

/** An item for a reader that follows a session. */
export type FollowedItem = StoredEvent | LiveItem;

/**
 * Yields the journal from a sequence number on, and then its new events. With `liveText`, it also yields live
 * items in their place between the events, once the line is open. For a slow reader, only the journal is
 * complete.
 */
export const followItems = (
  follow: FollowSessionOptions,
): AsyncGenerator<FollowedItem, FollowEnd, undefined> =>
  readAndFollow(follow, follow.liveText?.queue(follow.turn));

/**
 * Yields the journal, and then new events. The object's line reports the end of the journal as soon as it is
 * open, and pages are read up to there, so that no event is missed. A broken line is reopened.
 */
async function* readAndFollow(
  { from, turn, incarnation: meant, onIncarnation, ...watch }: FollowSessionOptions,
  live?: LiveItemQueue,
): AsyncGenerator<FollowedItem, FollowEnd, undefined> {
  const { port, signal, meter } = watch;
  const notices = new NoticeQueue({ ...watch, onLive: live && ((message) => live.push(message)) });
  let next = from;
  let head = 0;
  let known = meant;
  try {
    for (;;) {
      if (signal.aborted) return 'left';
      if (meter?.nearEnd) return 'over';
      const { count } = notices;
      const page = await port.read({ from: next, turn });
      if (notices.wasErased || page === null || page.head < head) return 'erased';
      head = page.head;
      const { incarnation } = page;
      if (incarnation !== undefined) {
        if (incarnation !== (known ?? incarnation)) return 'erased';
        known = incarnation;
        onIncarnation?.(incarnation);
      }
      for (const row of page.rows) {
        const stored = parseEvent(row);
        live?.shown(stored);
        yield stored;
      }
      next = page.next ?? Math.max(next, head + 1);
      if (page.next !== null) continue;
      if (turn !== undefined && !isOpen(page, turn)) return 'stopped';
      // The page includes everything that was reported before it was read.
      const isOver = (told: Notice): boolean =>
        turn !== undefined && notices.count > count && !isOpen(told, turn);
      const hasMore = (told: Notice): boolean => told.head >= next || told.head === 0 || isOver(told);
      const shown = next - 1;
      do {
        for (let item = live?.take(shown); item; item = live?.take(shown)) yield item;
        await notices.until((told) => hasMore(told) || live?.isReady(shown) === true);
      } while (live?.isReady(shown) && !signal.aborted);
    }
  } finally {
    notices.close();
  }
}

/** The state of a session in its page or in a notice, or `null` if there is no such session. */
export type SessionActivity = Pick<EventPage, 'openTurn' | 'waiting'> | null;

/** Returns whether the turn runs, is queued, or is scheduled for later. */
export const isOpen = (at: SessionActivity, turn: string): boolean =>
  at !== null &&
  ((at.openTurn?.id === turn && at.openTurn.state === 'running') ||
    at.waiting.some((one) => one.turn === turn));

/** Ms before a broken line to the object is reopened. Doubles each time until a notice arrives. */
const FIRST_RECONNECT_MS = 250;
const MAX_RECONNECT_MS = 30_000;

/** The fraction by which a pause varies, so that the watchers of a reset object do not reconnect together. */
const RECONNECT_JITTER = 0.25;

/** The interval at which a reader checks for silence, in ms. It exceeds the default term of a lease. */
const PING_INTERVAL_MS = 30_000;

interface Options extends Omit<WatchOptions, 'port'> {
  readonly port: Pick<SessionPort, 'watch'>;
  /** The epoch of the lease holder. Absent for readers. */
  readonly holder?: number | undefined;
  /** Called if the line breaks or cannot be opened. */
  readonly onBroken?: (() => void) | undefined;
  /** For a holder: called when a ping is answered. */
  readonly onHeld?: (() => void) | undefined;
  /** For a holder: called with the name of a new reader. */
  readonly onJoined?: ((reader: string) => void) | undefined;
  /** Called with live messages. If absent, the object sends none. */
  readonly onLive?: ((message: LiveMessage) => void) | undefined;
}

/**
 * A line to the object of a session, and the notices received over it. It opens on the first wait. A broken
 * line is reopened, and then reports the end of the journal at once. Only one wait can be pending at a time.
 * The creator must close it.
 */
export class NoticeQueue {
  readonly #options: Options;
  /** The state before the first notice. Valid only if `count` is above 0. */
  #last: Notice = { head: 0, openTurn: null, waiting: [] };
  /** The number of notices. A page that is read after a notice is at least as new. */
  count = 0;
  /** `true` if the session was erased. Its name can be in use again. */
  wasErased = false;
  /** `true` if the line is open and has reported. */
  isTelling = false;
  /** Attempts in a row without a notice. */
  #failed = 0;
  readonly #changes = new ChangeNotifier();
  #line: Line | undefined;
  #cancelPing: () => void = () => {};
  #cancelReopen: () => void = () => {};
  #cancelTime: () => void = () => {};
  /** `true` while the line is open, opening, or waiting to reopen. */
  #isOpen = false;
  #closed = false;

  constructor(options: Options) {
    this.#options = options;
    options.signal.addEventListener('abort', this.#onDone);
    this.#watchTime();
    if (options.holder === undefined) this.#watchSilence(-1);
  }

  /** Whether a reader receives live items. `undefined` while the line does not report. */
  get live(): boolean | undefined {
    return this.isTelling ? this.#last.live : undefined;
  }

  /**
   * Resolves when the last notice meets the condition, the session is erased, the signal aborts, or the
   * invocation is near a limit.
   */
  async until(isSo: (told: Notice) => boolean): Promise<void> {
    const { signal, meter } = this.#options;
    const isTold = (): boolean => this.wasErased || (this.count > 0 && isSo(this.#last));
    while (!isTold() && !signal.aborted && !meter?.nearEnd) {
      if (!this.#isOpen) void this.#open();
      await this.#changes.next;
    }
  }

  /** Closes the line. It does not wake a pending `until`, which has its own signal. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.isTelling = false;
    this.#options.signal.removeEventListener('abort', this.#onDone);
    this.#cancelReopen();
    this.#cancelTime();
    this.#cancelPing();
    this.#line?.close();
  }

  /** Sends a live message to the readers of the session. Returns `false` if that is not possible now. */
  show(message: LiveMessage): boolean {
    return this.isTelling && this.#line?.show(message) === true;
  }

  /** Pings for a holder. Returns `false` if that is not possible now. */
  ping(): boolean {
    const line = this.isTelling ? this.#line : undefined;
    line?.ping();
    return line !== undefined;
  }

  /** Wakes a pending wait after an abort or near a limit. */
  readonly #onDone = (): void => this.#changes.notify();

  /** Checks the clock again, since a timer can fire a fraction of a millisecond early. */
  #watchTime(): void {
    const { clock, meter } = this.#options;
    const ms = meter?.msToWatch ?? Infinity;
    if (ms <= 0) this.#changes.notify();
    else if (Number.isFinite(ms)) this.#cancelTime = clock.after(Math.ceil(ms), () => this.#watchTime());
  }

  /** Opens the line. Never rejects: a line that cannot be opened counts as broken. */
  async #open(): Promise<void> {
    this.#isOpen = true;
    const { port, holder, onLive, onJoined, onHeld } = this.#options;
    try {
      const line = await port.watch({
        onNotice: (notice) => {
          // Notices arrive in order, and a journal never gets shorter.
          this.wasErased ||= notice.head < this.#last.head;
          this.#last = notice;
          this.count += 1;
          this.#failed = 0;
          this.isTelling = true;
          if (notice.joined !== undefined) onJoined?.(notice.joined);
          this.#changes.notify();
        },
        onClosed: () => this.#reopen(),
        holder,
        onHeld,
        onLive:
          onLive &&
          ((message) => {
            onLive(message);
            this.#changes.notify();
          }),
      });
      if (this.#closed) line.close();
      this.#line = line;
    } catch {
      this.#reopen();
    }
  }

  /**
   * Pings if a whole interval passes without a notice while the object should act by itself, since its alarm
   * may be lost.
   */
  #watchSilence(count: number): void {
    const { openTurn, waiting } = this.#last;
    const isAwaited = openTurn?.state === 'running' || waiting.length > 0;
    if (count === this.count && isAwaited && this.isTelling) this.#line?.ping();
    const now = this.count;
    this.#cancelPing = this.#options.clock.after(PING_INTERVAL_MS, () => this.#watchSilence(now));
  }

  /** Reopens the line after the pause, by waking the pending wait. */
  #reopen(): void {
    this.isTelling = false;
    this.#line = undefined;
    if (this.#closed) return;
    this.#cancelReopen();
    const { clock, random = Math.random } = this.#options;
    const pause = Math.min(FIRST_RECONNECT_MS * 2 ** this.#failed, MAX_RECONNECT_MS);
    this.#failed += 1;
    this.#options.onBroken?.();
    this.#cancelReopen = clock.after(pause * (1 - RECONNECT_JITTER + 2 * RECONNECT_JITTER * random()), () => {
      this.#isOpen = false;
      this.#changes.notify();
    });
  }
}
