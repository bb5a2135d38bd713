/** Reads streams of a session: each goes on by itself after a lost connection, without an event too few or too many. */
import type { StoredEvent } from '../journal/events.ts';
import type { FeedItem } from '../session/live-feed.ts';
import type { TurnAnswer } from '../session/watching/turn-outcome.ts';
import type { Json } from '../tool/json.ts';
import type { LaterView, SuspendedView } from '../worker/turn-view.ts';
import { EventParser, NewPieces, type ServerEvent } from './event-parser.ts';
import { HoldfastError } from './holdfast-error.ts';
import {
  type Asked,
  backoff,
  inTime,
  isPassing,
  lost,
  parsed,
  pause,
  readJson,
  type Transport,
} from './transport.ts';

type Typed<View, Output> = Omit<View, 'object'> & { readonly object?: Output };

/** The answer of a turn that has ended; its `object` has the type of the agent's output. */
export type EndedTurn<Output = Json> = Typed<TurnAnswer, Output> & { readonly status?: undefined };

/** A turn that waits for somebody, with its `pending` calls. */
export type WaitingTurn<Output = Json> = Typed<SuspendedView, Output>;

/** A message that was taken, and whose turn has no answer yet: `status` says why. */
export type LaterTurn = LaterView & {
  readonly outcome?: undefined;
  readonly text?: undefined;
  readonly object?: undefined;
};

/** How a turn stands: `outcome` says how it ended, or that it is `suspended`; without one there is no answer yet. */
export type ClientAnswer<Output = Json> = EndedTurn<Output> | WaitingTurn<Output> | LaterTurn;

/** The connection was lost, and is there again behind the last event. No event is missed, and neither an event nor a piece of text comes twice. */
export interface Resumed {
  readonly type: 'resumed';
}

/** The session, and with it the turn, is no more. */
export interface Erased {
  readonly type: 'erased';
}

/** What happens in a session: its events, in order and each once, and what comes between them and is kept nowhere. */
export type WatchItem = StoredEvent | Exclude<FeedItem, { readonly type: 'event' }> | Resumed | Erased;

/** What a stream of a turn shows; last comes how it stands, and nothing else tells of its end. */
export type StreamItem<Output = Json> =
  | WatchItem
  | { readonly type: 'answer'; readonly answer: EndedTurn<Output> }
  | { readonly type: 'suspended'; readonly answer: WaitingTurn<Output> }
  | { readonly type: 'later'; readonly answer: LaterTurn };

/** How a stream is asked for. */
export interface Ways {
  readonly transport: Transport;
  readonly first: Asked;
  /** How it is asked for again; `turn` is that of the events so far. */
  again(turn: string | undefined): Asked;
  /** What came before is not shown again: the sequence of an event. */
  readonly after: number;
  readonly signal: AbortSignal | undefined;
}

type Items = AsyncGenerator<StreamItem, void, undefined>;

/**
 * What a stream shows, up to how its turn stands; one of a whole session ends only with that. Unlike a single request, a stream whose
 * connection is lost is tried again as often as it has shown something since.
 *
 * @throws HoldfastError for what was refused, and when the server cannot be reached; the reason of the signal.
 */
export async function* follow(ways: Ways): Items {
  const { transport, signal, after } = ways;
  const { retries = transport.retries } = ways.first;
  const place: Place = { id: undefined, seq: after, turn: undefined };
  const pieces = new NewPieces();
  let asked: Asked = { ...ways.first, signal };
  for (let failed = 0; ; ) {
    const response = await open(transport, asked, place);
    if (!response) return yield { type: 'erased' };
    if (!isStream(response)) return yield toStop((await readJson(response)) as ClientAnswer); // of a server of ours
    const reader = response.body?.getReader();
    const reading: Reading = { asked, parser: new EventParser(), isSteady: false };
    const { parser } = reading;
    let end = 'lost';
    let hasShown = false;
    try {
      if (place.id !== undefined) yield { type: 'resumed' };
      pieces.connected();
      for await (const event of eventsIn(reader, reading)) {
        signal?.throwIfAborted();
        place.id = parser.id ?? place.id;
        if (event.type === 'continues' || event.type === 'accepted') {
          end = event.type;
          break;
        }
        failed = 0;
        hasShown = true;
        const shown = toItem(event);
        const item = isNew(shown, place) && pieces.take(shown);
        if (!item) continue;
        yield item;
        if (ENDS.has(item.type)) return;
      }
    } catch (failure) {
      if (!isPassing(failure)) throw failure;
    } finally {
      reader?.cancel().catch(() => {}); // it may be broken already
    }
    asked = { ...ways.again(place.turn), signal };
    if (end === 'continues' && hasShown) continue;
    // A turn may be silent for long: no server has failed whose invocation has to end then, or whose proxy ends each stream after a while.
    if (reading.isSteady) failed = 0;
    if (end !== 'continues') failed += 1;
    if (failed > retries)
      throw new HoldfastError('connection-lost', `The stream of ${asked.path} breaks off again and again.`);
    await pause(Math.max(backoff(failed), Math.min(parser.retry ?? 0, LONGEST_PAUSE)), signal);
  }
}

/** However long a server wants its client to stay away, in ms. */
const LONGEST_PAUSE = 30_000;

/** How far a stream has come. */
interface Place {
  id: string | undefined;
  seq: number;
  turn: string | undefined;
}

const ENDS: ReadonlySet<string> = new Set(['answer', 'suspended', 'erased']);

/** Asks for a stream behind its place. A session that was followed and is not there any more has been erased. */
async function open(
  transport: Transport,
  asked: Asked,
  { id }: Readonly<Place>,
): Promise<Response | undefined> {
  const headers = {
    ...asked.headers,
    accept: 'text/event-stream',
    ...(id !== undefined && { 'last-event-id': id }),
  };
  try {
    return await transport.ask({ ...asked, headers }, async (response) => response);
  } catch (failure) {
    if (id !== undefined && failure instanceof HoldfastError && GONE.has(failure.type)) return undefined;
    throw failure;
  }
}

/** What a server of ours says of it. Another 404 tells of a wrong deployment, and nothing is lost there. */
const GONE: ReadonlySet<string> = new Set(['unknown-session', 'unknown-turn', 'session-erased']);

const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;

/** Whoever is heard so much later has sent heartbeats meanwhile, in ms. */
const STEADY = 10_000;

interface Reading {
  readonly asked: Asked;
  readonly parser: EventParser;
  /** Something has come for a while, if only heartbeats. */
  isSteady: boolean;
}

async function* eventsIn(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  reading: Reading,
): AsyncGenerator<ServerEvent, void, undefined> {
  const decoder = new TextDecoder();
  const opened = performance.now();
  while (reader) {
    const { done, value } = await lost(reading.asked, () => inTime(reader.read()));
    if (done) return;
    reading.isSteady = performance.now() - opened > STEADY;
    yield* reading.parser.feed(decoder.decode(value, { stream: true }));
  }
}

function toItem({ type, data }: ServerEvent): StreamItem {
  const value = parsed(data);
  // A server that is newer may send what this version does not know: it is passed on as it is.
  return (
    type === 'answer' || type === 'suspended' ? { type, answer: value } : { type, ...value }
  ) as StreamItem;
}

/** Notes how far the stream has come; false of an event that came before. */
function isNew(item: StreamItem, place: Place): boolean {
  if (!('seq' in item)) return true;
  if (item.seq <= place.seq) return false;
  place.seq = item.seq;
  if ('turn' in item) place.turn = item.turn;
  return true;
}

/** How a turn stands, as the last item of a stream. */
function toStop(answer: ClientAnswer): StreamItem {
  if (answer.outcome === undefined) return { type: 'later', answer };
  return answer.outcome === 'suspended' ? { type: 'suspended', answer } : { type: 'answer', answer };
}
