import type { EventStore, JSONRPCMessage, RequestId, ServerNotification } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import type { FeedItem } from '../../session/live-feed.ts';
import { attempt } from '../../tool/async.ts';
import { isJsonObject } from '../../tool/json.ts';
import { oneLine } from '../content/words.ts';

/** How a client hears of a call while it runs. What is told after it has gone is dropped. */
export interface Notifier {
  /** Sends a line as progress, when the client has asked for it (MCP specification, Progress). */
  progress(message: string): void;
  /** Sends a log message of the level `info`, from this tool or agent (MCP specification, Logging). */
  say(message: string): void;
}

/** Names a client's wish to hear of the progress of a request. */
export type ProgressToken = string | number;

interface Speaker {
  /** The name of the tool or agent that speaks. */
  readonly name: string;
  readonly progressToken: ProgressToken | undefined;
  /** How often the client was told of progress before; never unless given. */
  readonly progress?: number | undefined;
}

/** The most characters of what a tool says while it works. */
const MAX_STATUS = 500;
/** The most characters of a tool's name: a model may have made it up. */
const MAX_NAME = 64;

/** `send` puts a notification on the response of the request. How much there is to do nobody knows: progress only counts. */
export function createNotifier(
  { name, progressToken, progress: before = 0 }: Speaker,
  send: (notification: ServerNotification) => Promise<void>,
): Notifier {
  let progress = before;
  const drop = (): void => {};
  return {
    progress(message) {
      if (progressToken === undefined) return;
      progress += 1;
      const params = { progressToken, progress, message: oneLine(message, MAX_STATUS) };
      send({ method: 'notifications/progress', params }).catch(drop);
    },
    say(message) {
      send({ method: 'notifications/message', params: { level: 'info', logger: name, data: message } }).catch(
        drop,
      );
    },
  };
}

/** Passes on what of a turn has words: its tool calls, what they say, and their progress. */
export function notifyOf(notifier: Notifier): (item: FeedItem) => void {
  const tools = new Map<string, string>();
  const toolOf = (call: string): string => oneLine(tools.get(call) ?? 'a tool', MAX_NAME);
  return (item) => {
    if (item.type === 'progress') return notifier.progress(`${toolOf(item.call)}: ${item.status}`);
    if (item.type !== 'event') return;
    const event = item.stored;
    switch (event.type) {
      case 'model-replied':
        for (const { id, name } of event.toolCalls) tools.set(id, name);
        break;
      case 'tool-call-started':
        notifier.progress(`${toolOf(event.call)}: started`);
        break;
      case 'tool-call-ended':
        notifier.progress(`${toolOf(event.call)}: ${event.result.type === 'error' ? 'failed' : 'done'}`);
        break;
      case 'message-sent':
        notifier.say(event.text);
        break;
    }
  };
}

/** A call of an agent whose turn was taken: whatever becomes of this stream, its answer is found by this. */
export interface TakenCall {
  /** The agent's name, as clients know it. */
  readonly name: string;
  readonly session: string;
  readonly turn: string;
  /** True when the client named no session, and has to learn this one. */
  readonly isNew: boolean;
}

/** What the client of a stream has seen of it, as the id of its last event says. It holds no secret, and opens nothing. */
export interface Seen {
  /** The request that the stream answers. */
  readonly id: RequestId;
  /** Absent of what nothing is kept of. */
  readonly call?: SeenCall | undefined;
}

/** How far the call of an agent was told. */
export interface SeenCall extends TakenCall {
  readonly progressToken: ProgressToken | undefined;
  /** The last event of the session's journal that was told. */
  readonly seq: number;
  /** How often progress was told. */
  readonly progress: number;
}

/** An id goes into a header: one that is longer than this is not given. */
const MAX_ID = 2_000;

const Key = v.union([v.string(), v.number()]);
const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const SeenCallData = v.strictTuple([
  v.string(),
  v.string(),
  v.string(),
  v.boolean(),
  v.nullable(Key),
  Count,
  Count,
]);
const SeenData = v.union([v.strictTuple([Key]), v.strictTuple([Key, SeenCallData])]);

/** Reads the id of an event; `undefined` when it is none of ours. */
export function readEventId(text: string): Seen | undefined {
  const decoded = attempt((): unknown => JSON.parse(decodeURIComponent(text)));
  if (!decoded.ok || !v.is(SeenData, decoded.value)) return undefined;
  const [id, called] = decoded.value;
  if (!called) return { id };
  const [name, session, turn, isNew, token, seq, progress] = called;
  return { id, call: { name, session, turn, isNew, progressToken: token ?? undefined, seq, progress } };
}

/** Writes it, in characters that a header may have; nothing when it would be too long. */
function toEventId({ id, call }: Seen): string {
  const called = call && [
    call.name,
    call.session,
    call.turn,
    call.isNew,
    call.progressToken ?? null,
    call.seq,
    call.progress,
  ];
  const text = encodeURIComponent(JSON.stringify(called ? [id, called] : [id]));
  return text.length > MAX_ID ? '' : text;
}

/**
 * How far the stream of one call is told. Each of its events has an id, by which a client of the revision 2025-11-25 takes up the
 * stream when it breaks (MCP specification, Resumability). Nothing is remembered here for that: the ids say it all.
 */
export class StreamPosition {
  readonly #primed = Promise.withResolvers<string>();
  #seen: Seen | undefined;

  /** Resolves with the id of the stream's first event, which has no data: '' when it needs none. */
  get primed(): Promise<string> {
    return this.#primed.promise;
  }

  /** A call runs now; what its answer will be found by, if anything is kept of it. */
  begun(seen: Seen): void {
    this.#seen = seen;
    this.#primed.resolve(toEventId(seen));
  }

  /** The client is told next what is in this event of the session. */
  shows(seq: number): void {
    if (this.#seen?.call) this.#seen = { ...this.#seen, call: { ...this.#seen.call, seq } };
  }

  /**
   * Answers the id of a message, '' for none. An error has none: some clients take only a result for the end of a stream, and would
   * ask for the rest of this one for ever.
   */
  idOf(message: JSONRPCMessage): string {
    const progress = progressIn(message);
    const seen = this.#seen;
    if (progress !== undefined && seen?.call) this.#seen = { ...seen, call: { ...seen.call, progress } };
    const id = this.#seen === undefined || 'error' in message ? '' : toEventId(this.#seen);
    this.#primed.resolve(id);
    return id;
  }
}

function progressIn(message: JSONRPCMessage): number | undefined {
  if (!('method' in message) || message.method !== 'notifications/progress') return undefined;
  const { params } = message;
  return isJsonObject(params) && typeof params.progress === 'number' ? params.progress : undefined;
}

/** The SDK's transport asks a store for the id of each message, and, before any, for that of an event without data. */
export const eventStoreOf = (position: StreamPosition): EventStore => ({
  // The event without data is made when more is known.
  storeEvent: async (_, message) => ('jsonrpc' in message ? position.idOf(message) : ''),
  replayEventsAfter: () => Promise.reject(new Error('Streams are taken up by the endpoint itself.')),
});

/** When a client comes again whose stream has broken, in ms. */
export const RETRY = 1_000;

/** An event without data, by whose id a stream is taken up that breaks before it has told anything. */
export const primingFrame = (id: string): string => `id: ${id}\nretry: ${RETRY}\ndata: \n\n`;
