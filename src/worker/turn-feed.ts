/**
 * The items of a turn in order, in whichever invocation it runs. All streams of all protocols use this
 * source.
 */

import type { StoredEvent } from '../journal/events.ts';
import type { FeedItem } from '../session/live-feed.ts';
import { readTurn } from '../session/read-session.ts';
import type { TurnEnd } from '../session/run-turn.ts';
import {
  type FollowEnd,
  type FollowedItem,
  followItems,
  followJournal,
} from '../session/watching/follow-session.ts';
import {
  foldStoppedTurn,
  type TurnAnswer,
  toKeptOrThrow,
  toTurnAnswer,
} from '../session/watching/turn-outcome.ts';
import { ChangeNotifier, StopController } from '../tool/async.ts';
import { INTEGER, type Infer, OPTIONAL_TEXT, type Shape, TEXT } from '../tool/shape.ts';
import type { AcceptedRequest, TurnRun } from './begun-turn.ts';
import type { ShownEvent } from './session-view.ts';
import { getTurnPath, type SessionAccess } from './target.ts';
import {
  createAcceptedView,
  createContinuationView,
  createSuspendedView,
  type LaterView,
  type SuspendedView,
} from './turn-view.ts';

/** The last item of a turn's stream. It occurs exactly once. */
export type TurnStreamEnd =
  /** The turn has ended. */
  | { readonly type: 'answer'; readonly answer: TurnAnswer }
  /** The turn waits for a person. */
  | { readonly type: 'suspended'; readonly view: SuspendedView }
  /** The turn continues in the background, or has not started. */
  | { readonly type: 'later'; readonly view: LaterView }
  /**
   * This invocation must end. Resume after the event `after`, in the turn's own stream or that of all
   * `events`.
   */
  | ({ readonly type: 'continues' } & Infer<typeof STREAM_CONTINUATION>)
  /** The session was erased. */
  | { readonly type: 'erased'; readonly turn: string };

/** The position at which to resume a stream that ended with its invocation. */
export const STREAM_CONTINUATION = {
  object: {
    /** Absent in a stream of all events. */
    turn: OPTIONAL_TEXT,
    answer: OPTIONAL_TEXT,
    after: INTEGER,
    events: TEXT,
  },
} as const satisfies Shape;

/** An item of a turn's stream: an event, an item between events, or finally the outcome. */
export type TurnItem = ShownEvent | TurnStreamEnd;

/** Options of a turn's stream. */
export interface FeedOptions {
  /** Selects only events after this sequence number. Defaults to all. */
  readonly after?: number | undefined;
  /**
   * The session of that event. If it no longer exists, or another session has its name, the turn is `erased`.
   */
  readonly incarnation?: string | undefined;
  /** Receives the incarnation of the session before the first event, if the object reports it. */
  readonly onIncarnation?: ((incarnation: string) => void) | undefined;
  /** Aborts when the reader disconnects. A turn that runs here is then handed over at its next step. */
  readonly signal: AbortSignal;
}

/** A turn to show. */
interface FeedRequest extends FeedOptions {
  readonly after: number;
  readonly at: SessionAccess;
  readonly turn: string;
}

type TurnItems = AsyncGenerator<TurnItem, void, undefined>;

/**
 * Yields the items of a turn: events when they are durable, and partial text as it arrives. A turn to run
 * here starts at once, and continues even if its items are not read. A slow reader receives the rest from the
 * journal, at its own speed and without partial text. Errors of running the turn are thrown during the
 * iteration.
 */
export function createTurnFeed(
  at: SessionAccess,
  begun: AcceptedRequest,
  { after = 0, ...options }: FeedOptions,
): TurnItems {
  if (begun.later) return yieldOne({ type: 'later', view: begun.later });
  const { turn, run, incarnation: here } = begun;
  const shown: FeedRequest = { at, turn, after, ...options };
  if (!run) return withKeptItem(shown, followTurn(shown));
  if (here !== undefined) options.onIncarnation?.(here);
  const { incarnation = here } = options;
  // The turn may run in a newer session, whose events the client has not seen.
  const isNew = here !== undefined && incarnation !== here;
  const running: FeedRequest = { ...shown, after: isNew ? 0 : after, incarnation: here ?? incarnation };
  return withKeptItem(running, runLive(running, run));
}

async function* yieldOne(item: TurnItem): TurnItems {
  yield item;
}

/**
 * Yields the items. If another invocation will continue the turn, the last item replaces the failure, since a
 * response that has started to stream cannot become a 202.
 */
async function* withKeptItem({ at, turn }: FeedRequest, items: TurnItems): TurnItems {
  try {
    yield* items;
  } catch (failure) {
    toKeptOrThrow(failure);
    yield { type: 'later', view: createAcceptedView(at.target, turn) };
  }
}

function runLive(shown: FeedRequest, run: TurnRun): TurnItems {
  const { at, after, signal } = shown;
  const gone = new StopController(signal);
  const backlog = new Backlog(after);
  const running = run({ show: backlog.add, leave: gone.signal });
  // A client that stops reading must not end the invocation in the middle of a step.
  at.host.waitUntil(running.finally(backlog.close).catch(() => {}));
  return streamLiveItems(shown, { backlog, running, leave: () => gone.abort() });
}

interface LocalRun {
  readonly backlog: Backlog;
  readonly running: Promise<TurnEnd>;
  /** Called when the reader stops. */
  leave(): void;
}

async function* streamLiveItems(shown: FeedRequest, { backlog, running, leave }: LocalRun): TurnItems {
  const { at } = shown;
  try {
    yield* backlog.items();
    if (backlog.isBehind) yield* followTurn({ ...shown, after: backlog.shown }, followJournal);
    const end = await running;
    if (backlog.isBehind) return;
    if (end.status !== 'ended') return yield* followTurn({ ...shown, after: Math.max(shown.after, end.seq) });
    const { session, agent } = at.target;
    yield { type: 'answer', answer: toTurnAnswer(session, agent.name, end.turn) as TurnAnswer }; // it has ended
  } finally {
    leave();
  }
}

/**
 * Continues from the journal until the turn has ended or waits, or this invocation must end. The last item
 * shows the reason.
 */
async function* followTurn({ at, turn, after, ...watch }: FeedRequest, follow?: FollowFunction): TurnItems {
  const { host, target } = at;
  const { clock, meter, liveText } = host;
  const watched = { port: target.port, clock, meter, liveText, turn, ...watch };
  for (let from = after; ; ) {
    const { end, last } = yield* followFrom(watched, from, follow);
    if (end === 'left') return;
    if (end === 'erased') return yield { type: 'erased', turn };
    // The remaining limits may be too low to read a long turn again for its answer.
    if (end === 'over' || meter.nearEnd)
      return yield {
        type: 'continues',
        turn,
        answer: getTurnPath(target, turn),
        ...createContinuationView(target, last),
      };
    const events = await readTurn(target.port, turn);
    // A turn that waited may have resumed since. Its events are shown before its end.
    if ((events.at(-1)?.seq ?? 0) <= last) return yield toStreamEnd(at, turn, events);
    from = last;
  }
}

/** The arguments of a follow function, except its start position. */
type FollowArguments = Omit<Parameters<typeof followItems>[0], 'from'>;

/** A follow function, with or without the items between events. */
type FollowFunction = typeof followItems | typeof followJournal;

/**
 * Yields the events after an event, then live events. Returns the reason why they ended, and the last event.
 */
export async function* followFrom(
  watch: FollowArguments,
  after: number,
  follow: FollowFunction = followItems,
): AsyncGenerator<FollowedItem, { readonly end: FollowEnd; readonly last: number }, undefined> {
  const items = follow({ ...watch, from: after + 1 });
  let last = after;
  try {
    for (;;) {
      const next = await items.next();
      if (next.done) return { end: next.value, last };
      if ('seq' in next.value) last = next.value.seq;
      yield next.value;
    }
  } finally {
    await items.return('left');
  }
}

function toStreamEnd(at: SessionAccess, turn: string, events: readonly StoredEvent[]): TurnStreamEnd {
  const { target } = at;
  if (events.length === 0) return { type: 'erased', turn };
  const answer = foldStoppedTurn(target.session, target.agent.name, events);
  return answer.outcome === 'suspended'
    ? { type: 'suspended', view: createSuspendedView(at, events) }
    : { type: 'answer', answer };
}

/** The maximum number of unread characters, beyond which a reader has fallen behind. */
const MAX_BACKLOG_CHARACTERS = 1024 * 1024;

/** The items that were shown and not read yet. */
class Backlog {
  readonly #items: ShownEvent[] = [];
  #size = 0;
  #isClosed = false;
  readonly #changes = new ChangeNotifier();
  /** The last event that was read. */
  shown: number;
  /** `true` if too much was unread. The rest must come from the journal, and new items are dropped. */
  isBehind = false;

  constructor(after: number) {
    this.shown = after;
  }

  readonly add = (item: FeedItem): void => {
    if (this.isBehind || (item.type === 'event' && item.stored.seq <= this.shown)) return;
    const event = item.type === 'event' ? item.stored : item;
    // If the reader keeps up, the backlog is empty and its size need not be computed.
    if (this.#items.length > 0) this.#size += JSON.stringify(event).length;
    this.isBehind = this.#size > MAX_BACKLOG_CHARACTERS;
    if (!this.isBehind) this.#items.push(event);
    this.#changes.notify();
  };

  readonly close = (): void => {
    this.#isClosed = true;
    this.#changes.notify();
  };

  async *items(): AsyncGenerator<ShownEvent, void, undefined> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) {
        if (this.#items.length === 0) this.#size = 0;
        if ('seq' in item) this.shown = item.seq;
        yield item;
      } else if (this.isBehind || this.#isClosed) return;
      else await this.#changes.next;
    }
  }
}
