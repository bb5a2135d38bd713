/** What whoever watches a turn is shown of it, in order, wherever it runs: the one source of every stream, whatever protocol that speaks. */

import type { StoredEvent } from '../journal/events.ts';
import type { FeedItem } from '../session/live-feed.ts';
import { readTurn } from '../session/read-session.ts';
import type { TurnEnd } from '../session/run-turn.ts';
import {
  type FollowEnd,
  type FollowedItem,
  followedEvents,
  followedItems,
} from '../session/watching/follow-session.ts';
import { keptFor, stoppedTurn, type TurnAnswer, toAnswer } from '../session/watching/turn-outcome.ts';
import { Changes, Stop } from '../tool/async.ts';
import { type Infer, OPTIONAL_TEXT, type Shape, TEXT, WHOLE } from '../tool/shape.ts';
import type { BegunTurn, Run } from './begun-turn.ts';
import type { ShownEvent } from './session-view.ts';
import { type SessionAccess, turnPath } from './target.ts';
import {
  acceptedView,
  continuesView,
  type LaterView,
  type SuspendedView,
  suspendedView,
} from './turn-view.ts';

/** How a turn stands when there is no more to show of it. It is told last, and once. */
export type TurnStreamEnd =
  /** It has ended. */
  | { readonly type: 'answer'; readonly answer: TurnAnswer }
  /** It waits for somebody. */
  | { readonly type: 'suspended'; readonly view: SuspendedView }
  /** It goes on in the background, or has not begun. */
  | { readonly type: 'later'; readonly view: LaterView }
  /** This invocation has to end. What comes after the event `after` is told by the turn's own stream, and by that of all `events`. */
  | ({ readonly type: 'continues' } & Infer<typeof CONTINUES>)
  /** Its session is no more. */
  | { readonly type: 'erased'; readonly turn: string };

/** Where a stream goes on that its invocation had to end. */
export const CONTINUES = {
  object: {
    /** Absent in a stream of all events. */
    turn: OPTIONAL_TEXT,
    answer: OPTIONAL_TEXT,
    after: WHOLE,
    events: TEXT,
  },
} as const satisfies Shape;

/** What a stream of a turn shows: its events and what comes between them, and last how it stands. */
export type TurnItem = ShownEvent | TurnStreamEnd;

/** Which part of a turn is shown, and to whom. */
export interface FeedOptions {
  /** Only the events behind this one; all unless given. */
  readonly after?: number | undefined;
  /** The session that this event is of: where there is another one of its name, or none, the turn is `erased`. */
  readonly incarnation?: string | undefined;
  /** Is told before the first event which session it is of, where the session's object says it. */
  readonly onIncarnation?: ((incarnation: string) => void) | undefined;
  /** Aborts when whoever is shown it has gone: a turn that runs here is handed over at its next step then. */
  readonly signal: AbortSignal;
}

/** A turn that is shown. */
interface Shown extends FeedOptions {
  readonly after: number;
  readonly at: SessionAccess;
  readonly turn: string;
}

type Items = AsyncGenerator<TurnItem, void, undefined>;

/**
 * What a turn shows, as it becomes durable, and pieces of text as they come. What is to be run here is begun at once, and goes on whether
 * it is read or not: whoever falls behind is shown the rest from the journal, as fast as they read, and no more pieces of text.
 * Reading on throws what running the turn throws.
 */
export function turnFeed(at: SessionAccess, begun: BegunTurn, { after = 0, ...options }: FeedOptions): Items {
  if (begun.later) return one({ type: 'later', view: begun.later });
  const { turn, run, incarnation: here } = begun;
  const shown: Shown = { at, turn, after, ...options };
  if (!run) return keptToo(shown, followed(shown));
  if (here !== undefined) options.onIncarnation?.(here);
  const { incarnation = here } = options;
  // It may run in a session that was begun meanwhile, of which nothing was seen.
  const isNew = here !== undefined && incarnation !== here;
  const running: Shown = { ...shown, after: isNew ? 0 : after, incarnation: here ?? incarnation };
  return keptToo(running, live(running, run));
}

async function* one(item: TurnItem): Items {
  yield item;
}

/** What has begun as a stream cannot become a 202 any more: it ends with an item that says the same. */
async function* keptToo({ at, turn }: Shown, items: Items): Items {
  try {
    yield* items;
  } catch (failure) {
    keptFor(failure);
    yield { type: 'later', view: acceptedView(at.target, turn) };
  }
}

/** Runs the turn here. */
function live(shown: Shown, run: Run): Items {
  const { at, after, signal } = shown;
  const gone = new Stop(signal);
  const backlog = new Backlog(after);
  const running = run({ show: backlog.add, leave: gone.signal });
  // A client that reads no more does not end the invocation in the middle of a step.
  at.host.waitUntil(running.finally(backlog.close).catch(() => {}));
  return shownLive(shown, { backlog, running, leave: () => gone.abort() });
}

/** A turn that runs here. */
interface Running {
  readonly backlog: Backlog;
  readonly running: Promise<TurnEnd>;
  /** Nobody reads on. */
  leave(): void;
}

async function* shownLive(shown: Shown, { backlog, running, leave }: Running): Items {
  const { at } = shown;
  try {
    yield* backlog.items();
    if (backlog.isBehind) yield* followed({ ...shown, after: backlog.shown }, followedEvents);
    const end = await running;
    if (backlog.isBehind) return;
    if (end.status !== 'ended') return yield* followed({ ...shown, after: Math.max(shown.after, end.seq) });
    const { session, agent } = at.target;
    yield { type: 'answer', answer: toAnswer(session, agent.name, end.turn) as TurnAnswer }; // it has ended
  } finally {
    leave();
  }
}

/** Goes on from the journal until the turn has ended or waits, or this invocation must end; then says so. */
async function* followed({ at, turn, after, ...watch }: Shown, follow?: Follow): Items {
  const { host, target } = at;
  const { clock, meter, liveText } = host;
  const watched = { port: target.port, clock, meter, liveText, turn, ...watch };
  for (let from = after; ; ) {
    const { end, last } = yield* followedFrom(watched, from, follow);
    if (end === 'left') return;
    if (end === 'erased') return yield { type: 'erased', turn };
    // What is left may be too little to read a long turn again for its answer.
    if (end === 'over' || meter.over)
      return yield {
        type: 'continues',
        turn,
        answer: turnPath(target, turn),
        ...continuesView(target, last),
      };
    const events = await readTurn(target.port, turn);
    // A turn that waited may have resumed by now. What it did is shown before its end.
    if ((events.at(-1)?.seq ?? 0) <= last) return yield stopOf(at, turn, events);
    from = last;
  }
}

/** What is followed, but for where it begins. */
type Followed = Omit<Parameters<typeof followedItems>[0], 'from'>;

/** With what comes between the events, or without. */
type Follow = typeof followedItems | typeof followedEvents;

/** What is behind an event, and then live; answers how that ended, and the last event that there was. */
export async function* followedFrom(
  watch: Followed,
  after: number,
  follow: Follow = followedItems,
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

function stopOf(at: SessionAccess, turn: string, events: readonly StoredEvent[]): TurnStreamEnd {
  const { target } = at;
  if (events.length === 0) return { type: 'erased', turn };
  const answer = stoppedTurn(target.session, target.agent.name, events);
  return answer.outcome === 'suspended'
    ? { type: 'suspended', view: suspendedView(at, events) }
    : { type: 'answer', answer };
}

/** Whoever has so much to read has fallen behind, in characters. */
const BEHIND = 1024 * 1024;

/** What was shown and not read yet. */
class Backlog {
  readonly #items: ShownEvent[] = [];
  #size = 0;
  #isClosed = false;
  readonly #changes = new Changes();
  /** The last event that was read. */
  shown: number;
  /** So much was not read that the rest is to be read from the journal; nothing is taken any more. */
  isBehind = false;

  constructor(after: number) {
    this.shown = after;
  }

  readonly add = (item: FeedItem): void => {
    if (this.isBehind || (item.type === 'event' && item.stored.seq <= this.shown)) return;
    const event = item.type === 'event' ? item.stored : item;
    // Whoever reads as fast as it comes has nothing before it.
    if (this.#items.length > 0) this.#size += JSON.stringify(event).length;
    this.isBehind = this.#size > BEHIND;
    if (!this.isBehind) this.#items.push(event);
    this.#changes.tell();
  };

  readonly close = (): void => {
    this.#isClosed = true;
    this.#changes.tell();
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
