import type { EventPage, Notice } from '../../journal/event-page.ts';
import { parseEvent } from '../../journal/event-rows.ts';
import type { StoredEvent } from '../../journal/events.ts';
import type { Line, LiveItem, LiveMessage } from '../../journal/live-items.ts';
import type { SessionPort } from '../../journal/session-port.ts';
import { Changes } from '../../tool/async.ts';
import type { FeedItem, LiveText, Queue } from '../live-feed.ts';
import type { Meter } from '../meter.ts';
import type { Clock } from '../read-platform.ts';

/** Whoever watches a session. */
export interface Watch {
  /** Shows what is not journaled, unless events alone are asked for; absent: there are no others. */
  readonly liveText?: Pick<LiveText, 'queue'> | undefined;
  readonly port: Pick<SessionPort, 'read' | 'watch'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Of the invocation that watches; without one it may go on for ever. */
  readonly meter?: Meter | undefined;
  /** Answers as `Math.random` does, which it is unless given. */
  readonly random?: (() => number) | undefined;
}

interface Follow extends Watch {
  /** The first sequence wanted. */
  readonly from: number;
  /** Only the events of this turn, until it has ended or waits for a decision. */
  readonly turn?: string | undefined;
  /** The session that is meant, and no other one of its name; the one that is there unless given. */
  readonly incarnation?: string | undefined;
  /** Is told before the first event which session it is, and again with every page. */
  readonly onIncarnation?: ((incarnation: string) => void) | undefined;
}

/**
 * `stopped`: the turn has ended or waits. `erased`: the session is no more, though there may be another one
 * of its name. `left`: the signal has aborted. `over`: the invocation is near a limit.
 */
export type FollowEnd = 'stopped' | 'erased' | 'left' | 'over';

/** Shows what `followedItems` answers. */
export async function followSession(follow: Follow, show: (item: FeedItem) => void): Promise<FollowEnd> {
  const items = followedItems(follow);
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

/** The journal from a sequence on, and then live. Nothing else is sent for it. */
export const followedEvents = (follow: Follow): AsyncGenerator<StoredEvent, FollowEnd, undefined> =>
  following(follow) as AsyncGenerator<StoredEvent, FollowEnd, undefined>; // without a queue there is nothing else

/** What is shown to whoever follows a session. */
export type FollowedItem = StoredEvent | LiveItem;

/**
 * The journal from a sequence on, and then live; and, with `liveText`, from when the line is open, what happens in turns and is not
 * journaled, in its place between the events. Of what is taken too slowly the journal alone is complete.
 */
export const followedItems = (follow: Follow): AsyncGenerator<FollowedItem, FollowEnd, undefined> =>
  following(follow, follow.liveText?.queue(follow.turn));

/**
 * The line to the object tells how far the journal is as soon as it is open, and pages are read up to what it told, so that nothing
 * falls between; a broken line is taken up again.
 */
async function* following(
  { from, turn, incarnation: meant, onIncarnation, ...watch }: Follow,
  live?: Queue,
): AsyncGenerator<FollowedItem, FollowEnd, undefined> {
  const { port, signal, meter } = watch;
  const notices = new Notices({ ...watch, onLive: live && ((message) => live.push(message)) });
  let next = from;
  let head = 0;
  let known = meant;
  try {
    for (;;) {
      if (signal.aborted) return 'left';
      if (meter?.over) return 'over';
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
      // What was told before the page was read is in the page.
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

/** Where a session stands, as its page or a notice tells it; `null` when there is no such session. */
export type Standing = Pick<EventPage, 'openTurn' | 'waiting'> | null;

/** The turn runs, or waits for those before it or for its time. */
export const isOpen = (at: Standing, turn: string): boolean =>
  at !== null &&
  ((at.openTurn?.id === turn && at.openTurn.state === 'running') ||
    at.waiting.some((one) => one.turn === turn));

/** How long to wait before a broken line to the object is taken up again, in ms; doubled each time until something was told. */
const RECONNECT = 250;
const LONGEST_RECONNECT = 30_000;

/** By which part a pause is longer or shorter, so that all who watched an object that was reset do not come back together. */
const JITTER = 0.25;

/** How often a reader looks whether it was told something, in ms: less often than the default term of a lease passes. */
const PING_EVERY = 30_000;

interface Options extends Omit<Watch, 'port'> {
  readonly port: Pick<SessionPort, 'watch'>;
  /** The epoch of whoever holds the session; absent of its readers. */
  readonly holder?: number | undefined;
  /** Called when the line has broken, or could not be opened. */
  readonly onBroken?: (() => void) | undefined;
  /** Called, for a holder, when a ping was answered. */
  readonly onHeld?: (() => void) | undefined;
  /** Called, for a holder, with the name of a reader who has come. */
  readonly onJoined?: ((reader: string) => void) | undefined;
  /** Called with what is shown and not journaled, of which nothing is sent unless this is given. */
  readonly onLive?: ((message: LiveMessage) => void) | undefined;
}

/**
 * A line to the object of a session, opened when it is first waited for, and what was told over it. A line
 * that breaks is opened again, and tells at once how far the session is by then. One waits at a time; whoever
 * made it closes it.
 */
export class Notices {
  readonly #options: Options;
  /** As nobody was told anything, until `count` says otherwise. */
  #last: Notice = { head: 0, openTurn: null, waiting: [] };
  /** How often something was told: a page that was read after it knew as much. */
  count = 0;
  /** The session was erased. Another one may have its name now. */
  wasErased = false;
  /** The line is open and reports what happens. */
  isTelling = false;
  /** Tries in a row that told nothing. */
  #failed = 0;
  readonly #changes = new Changes();
  #line: Line | undefined;
  #cancelPing: () => void = () => {};
  #cancelReopen: () => void = () => {};
  #cancelTime: () => void = () => {};
  /** Open, being opened, or waiting to be opened again. */
  #isOpen = false;
  #closed = false;

  constructor(options: Options) {
    this.#options = options;
    options.signal.addEventListener('abort', this.#onDone);
    this.#watchTime();
    if (options.holder === undefined) this.#watchSilence(-1);
  }

  /** Whether anybody reads who is shown what is not journaled; `undefined` while nobody tells. */
  get live(): boolean | undefined {
    return this.isTelling ? this.#last.live : undefined;
  }

  /**
   * Resolves when what was told last makes it so, the session is erased, the signal aborts, or the
   * invocation is near a limit.
   */
  async until(isSo: (told: Notice) => boolean): Promise<void> {
    const { signal, meter } = this.#options;
    const isTold = (): boolean => this.wasErased || (this.count > 0 && isSo(this.#last));
    while (!isTold() && !signal.aborted && !meter?.over) {
      if (!this.#isOpen) void this.#open();
      await this.#changes.next;
    }
  }

  /** Closes the line; nothing is told any more. Wakes nobody: whoever waits has its own signal. */
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

  /** Shows to the readers of a session what its holder does. Answers `false` when nothing can be sent now. */
  show(message: LiveMessage): boolean {
    return this.isTelling && this.#line?.show(message) === true;
  }

  /** Pings for a holder. Returns `false` when nothing can be sent now. */
  ping(): boolean {
    const line = this.isTelling ? this.#line : undefined;
    line?.ping();
    return line !== undefined;
  }

  /** Aborted, or near a limit: whoever waits looks again. */
  readonly #onDone = (): void => this.#changes.tell();

  /** By the clock: a timer may be early by a part of a millisecond. */
  #watchTime(): void {
    const { clock, meter } = this.#options;
    const ms = meter?.msToWatch ?? Infinity;
    if (ms <= 0) this.#changes.tell();
    else if (Number.isFinite(ms)) this.#cancelTime = clock.after(Math.ceil(ms), () => this.#watchTime());
  }

  /** Never rejects: a line that cannot be opened is a broken one. */
  async #open(): Promise<void> {
    this.#isOpen = true;
    const { port, holder, onLive, onJoined, onHeld } = this.#options;
    try {
      const line = await port.watch({
        onNotice: (notice) => {
          // Notices come in order, and a journal never becomes shorter.
          this.wasErased ||= notice.head < this.#last.head;
          this.#last = notice;
          this.count += 1;
          this.#failed = 0;
          this.isTelling = true;
          if (notice.joined !== undefined) onJoined?.(notice.joined);
          this.#changes.tell();
        },
        onClosed: () => this.#reopen(),
        holder,
        onHeld,
        onLive:
          onLive &&
          ((message) => {
            onLive(message);
            this.#changes.tell();
          }),
      });
      if (this.#closed) line.close();
      this.#line = line;
    } catch {
      this.#reopen();
    }
  }

  /** Pings if nothing was told for a whole interval, and something is to happen by itself: its alarm may be lost. */
  #watchSilence(count: number): void {
    const { openTurn, waiting } = this.#last;
    const isAwaited = openTurn?.state === 'running' || waiting.length > 0;
    if (count === this.count && isAwaited && this.isTelling) this.#line?.ping();
    const now = this.count;
    this.#cancelPing = this.#options.clock.after(PING_EVERY, () => this.#watchSilence(now));
  }

  /** When the pause is over, whoever waits opens the line again. */
  #reopen(): void {
    this.isTelling = false;
    this.#line = undefined;
    if (this.#closed) return;
    this.#cancelReopen();
    const { clock, random = Math.random } = this.#options;
    const pause = Math.min(RECONNECT * 2 ** this.#failed, LONGEST_RECONNECT);
    this.#failed += 1;
    this.#options.onBroken?.();
    this.#cancelReopen = clock.after(pause * (1 - JITTER + 2 * JITTER * random()), () => {
      this.#isOpen = false;
      this.#changes.tell();
    });
  }
}
