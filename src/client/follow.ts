/** Reads streams of a session. Each resumes after a lost connection without missed or repeated events. */
import type { StoredEvent } from '../journal/events.ts';
import type { FeedItem } from '../session/live-feed.ts';
import type { TurnAnswer } from '../session/watching/turn-outcome.ts';
import type { Json } from '../tool/json.ts';
import type { LaterView, SuspendedView } from '../worker/turn-view.ts';
import { EventParser, NewPieces, type ServerEvent } from './event-parser.ts';
import { HoldfastError } from './holdfast-error.ts';
import {
  asConnectionLost,
  computeBackoff,
  isTransient,
  parseObject,
  pause,
  type RepeatableRequest,
  readJson,
  rejectOnSilence,
  type Transport,
} from './transport.ts';

type ViewWithObject<View, Output> = Omit<View, 'object'> & { readonly object?: Output };

/** The answer of an ended turn. Its `object` has the type of the agent's output. */
export type EndedTurn<Output = Json> = ViewWithObject<TurnAnswer, Output> & { readonly status?: undefined };

/** A turn that waits for a person, with its `pending` calls. */
export type WaitingTurn<Output = Json> = ViewWithObject<SuspendedView, Output>;

/** An accepted message whose turn has no answer yet. `status` says why. */
export type LaterTurn = LaterView & {
  readonly outcome?: undefined;
  readonly text?: undefined;
  readonly object?: undefined;
};

/**
 * The view of a turn. `outcome` says how it ended, or that it is `suspended`. Without it there is no answer
 * yet.
 */
export type ClientAnswer<Output = Json> = EndedTurn<Output> | WaitingTurn<Output> | LaterTurn;

/**
 * Reports that a lost connection was restored after the last event. No event is missed, and no event or text
 * is repeated.
 */
export interface ResumeNotice {
  readonly type: 'resumed';
}

/** Reports that the session, and with it the turn, was erased. */
export interface ErasureNotice {
  readonly type: 'erased';
}

/**
 * An item of a session's stream: one of its events, each in order and once, or an item that is not journaled.
 */
export type WatchItem =
  | StoredEvent
  | Exclude<FeedItem, { readonly type: 'event' }>
  | ResumeNotice
  | ErasureNotice;

/** An item of a turn's stream. The last item is the view of the turn, and only it reports the turn's end. */
export type StreamItem<Output = Json> =
  | WatchItem
  | { readonly type: 'answer'; readonly answer: EndedTurn<Output> }
  | { readonly type: 'suspended'; readonly answer: WaitingTurn<Output> }
  | { readonly type: 'later'; readonly answer: LaterTurn };

export interface StreamRequests {
  readonly transport: Transport;
  readonly first: RepeatableRequest;
  /** Returns the request that resumes it. `turn` is the turn of the events so far. */
  resume(turn: string | undefined): RepeatableRequest;
  /** The sequence of the last event that was shown before. */
  readonly after: number;
  readonly signal: AbortSignal | undefined;
}

type ItemStream = AsyncGenerator<StreamItem, void, undefined>;

/**
 * Yields the items of a stream, and ends after the view of the turn or an erasure. A stream of a whole session
 * has no view, so it ends only with an erasure, a failure or an abort. Unlike for a single request, the count
 * of retries restarts whenever an event arrives.
 *
 * @throws HoldfastError if a request is refused or the server is unreachable, and the signal's reason if it
 * aborts.
 */
export async function* follow(ways: StreamRequests): ItemStream {
  const { transport, signal, after } = ways;
  const { retries = transport.retries } = ways.first;
  const place: StreamPosition = { id: undefined, seq: after, turn: undefined };
  const pieces = new NewPieces();
  let asked: RepeatableRequest = { ...ways.first, signal };
  for (let failed = 0; ; ) {
    const response = await open(transport, asked, place);
    if (!response) return yield { type: 'erased' };
    if (!isStream(response)) return yield toLastItem((await readJson(response)) as ClientAnswer); // the server's own type
    const reader = response.body?.getReader();
    const reading: StreamReading = { asked, parser: new EventParser(), isSteady: false };
    const { parser } = reading;
    let end = 'lost';
    let hasShown = false;
    try {
      if (place.id !== undefined) yield { type: 'resumed' };
      pieces.begin();
      for await (const event of readEvents(reader, reading)) {
        signal?.throwIfAborted();
        place.id = parser.id ?? place.id;
        if (event.type === 'continues' || event.type === 'accepted') {
          end = event.type;
          break;
        }
        failed = 0;
        hasShown = true;
        const shown = toItem(event);
        const item = isNew(shown, place) && pieces.takeNew(shown);
        if (!item) continue;
        yield item;
        if (LAST_ITEM_TYPES.has(item.type)) return;
      }
    } catch (failure) {
      if (!isTransient(failure)) throw failure;
    } finally {
      reader?.cancel().catch(() => {}); // it may already be broken
    }
    asked = { ...ways.resume(place.turn), signal };
    if (end === 'continues' && hasShown) continue;
    // A turn may be silent for a long time. If the server's invocation or a proxy ends the stream meanwhile,
    // that is not a failure.
    if (reading.isSteady) failed = 0;
    if (end !== 'continues') failed += 1;
    if (failed > retries)
      throw new HoldfastError('connection-lost', `The stream of ${asked.path} was lost ${failed} times.`);
    await pause(Math.max(computeBackoff(failed), Math.min(parser.retry ?? 0, MAX_PAUSE_MS)), signal);
  }
}

/** The maximum number of milliseconds of a pause, even if the server requests more. */
const MAX_PAUSE_MS = 30_000;

interface StreamPosition {
  id: string | undefined;
  seq: number;
  turn: string | undefined;
}

const LAST_ITEM_TYPES: ReadonlySet<string> = new Set(['answer', 'suspended', 'erased']);

/** Requests a stream after its position. If a followed session no longer exists, it has been erased. */
async function open(
  transport: Transport,
  asked: RepeatableRequest,
  { id }: Readonly<StreamPosition>,
): Promise<Response | undefined> {
  const headers = {
    ...asked.headers,
    accept: 'text/event-stream',
    ...(id !== undefined && { 'last-event-id': id }),
  };
  try {
    return await transport.ask({ ...asked, headers }, async (response) => response);
  } catch (failure) {
    if (id !== undefined && failure instanceof HoldfastError && ERASED_PROBLEMS.has(failure.type))
      return undefined;
    throw failure;
  }
}

/**
 * The problems of an erased session. For any other 404, the deployment is wrong and the session still exists.
 */
const ERASED_PROBLEMS: ReadonlySet<string> = new Set(['unknown-session', 'unknown-turn', 'session-erased']);

const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;

/** The age in milliseconds after which a connection must have received heartbeats. */
const STEADY_MS = 10_000;

interface StreamReading {
  readonly asked: RepeatableRequest;
  readonly parser: EventParser;
  /** `true` if the connection has received data for a while, even only heartbeats. */
  isSteady: boolean;
}

async function* readEvents(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  reading: StreamReading,
): AsyncGenerator<ServerEvent, void, undefined> {
  const decoder = new TextDecoder();
  const opened = performance.now();
  while (reader) {
    const { done, value } = await asConnectionLost(reading.asked, () => rejectOnSilence(reader.read()));
    if (done) return;
    reading.isSteady = performance.now() - opened > STEADY_MS;
    yield* reading.parser.feed(decoder.decode(value, { stream: true }));
  }
}

function toItem({ type, data }: ServerEvent): StreamItem {
  const value = parseObject(data);
  // A newer server may send unknown items. They are passed on unchanged.
  return (
    type === 'answer' || type === 'suspended' ? { type, answer: value } : { type, ...value }
  ) as StreamItem;
}

/** Updates the position of the stream. Returns `false` for an event that was already shown. */
function isNew(item: StreamItem, place: StreamPosition): boolean {
  if (!('seq' in item)) return true;
  if (item.seq <= place.seq) return false;
  place.seq = item.seq;
  if ('turn' in item) place.turn = item.turn;
  return true;
}

/** Converts the view of a turn to the last item of a stream. */
function toLastItem(answer: ClientAnswer): StreamItem {
  if (answer.outcome === undefined) return { type: 'later', answer };
  return answer.outcome === 'suspended' ? { type: 'suspended', answer } : { type: 'answer', answer };
}
