import type { EventStore, JSONRPCMessage, RequestId, ServerNotification } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import type { FeedItem } from '../../session/live-feed.ts';
import { attempt } from '../../tool/async.ts';
import { isJsonObject } from '../../tool/json.ts';
import { toOneLine } from '../content/words.ts';

/** Sends a client the notifications of a running call. Drops them after the client has disconnected. */
export interface Notifier {
  /** Sends a line as progress, if the client has asked for it (MCP specification, Progress). */
  progress(message: string): void;
  /** Sends a log message with the level `info`, from this tool or agent (MCP specification, Logging). */
  say(message: string): void;
}

/** Identifies a request whose progress a client wants. */
export type ProgressToken = string | number;

interface NotifierSource {
  /** The name of the tool or agent that sends messages. */
  readonly name: string;
  readonly progressToken: ProgressToken | undefined;
  /** The number of earlier progress notifications. Defaults to 0. */
  readonly progress?: number | undefined;
}

/** The maximum length of a tool's status. */
const MAX_STATUS = 500;
/** The maximum length of a tool's name, which a model may have invented. */
const MAX_NAME = 64;

/**
 * Creates a notifier. `send` sends a notification on the response of the request. The total amount of work is
 * unknown, so progress is a plain counter.
 */
export function createNotifier(
  { name, progressToken, progress: before = 0 }: NotifierSource,
  send: (notification: ServerNotification) => Promise<void>,
): Notifier {
  let progress = before;
  const drop = (): void => {};
  return {
    progress(message) {
      if (progressToken === undefined) return;
      progress += 1;
      const params = { progressToken, progress, message: toOneLine(message, MAX_STATUS) };
      send({ method: 'notifications/progress', params }).catch(drop);
    },
    say(message) {
      send({ method: 'notifications/message', params: { level: 'info', logger: name, data: message } }).catch(
        drop,
      );
    },
  };
}

/**
 * Returns a function that forwards the visible parts of a turn: its tool calls, their messages and their
 * progress.
 */
export function createTurnNotifier(notifier: Notifier): (item: FeedItem) => void {
  const tools = new Map<string, string>();
  const getToolName = (call: string): string => toOneLine(tools.get(call) ?? 'a tool', MAX_NAME);
  return (item) => {
    if (item.type === 'progress') return notifier.progress(`${getToolName(item.call)}: ${item.status}`);
    if (item.type !== 'event') return;
    const event = item.stored;
    switch (event.type) {
      case 'model-replied':
        for (const { id, name } of event.toolCalls) tools.set(id, name);
        break;
      case 'tool-call-started':
        notifier.progress(`${getToolName(event.call)}: started`);
        break;
      case 'tool-call-ended':
        notifier.progress(`${getToolName(event.call)}: ${event.result.type === 'error' ? 'failed' : 'done'}`);
        break;
      case 'message-sent':
        notifier.say(event.text);
        break;
    }
  };
}

/**
 * A call of an agent with an accepted turn. With this data the client can find the answer even if the stream
 * breaks.
 */
export interface AcceptedCall {
  /** The agent's name for clients. */
  readonly name: string;
  readonly session: string;
  readonly turn: string;
  /** `true` if the session is new, so the client needs its name. */
  readonly isNew: boolean;
}

/**
 * The part of a stream that its client has seen, encoded in the id of the last event. It contains no secret
 * and grants no access.
 */
export interface SeenStream {
  /** The request that the stream answers. */
  readonly id: RequestId;
  /** Absent for a call without stored data. */
  readonly call?: SeenCall | undefined;
}

/** The part of an agent's call that was sent. */
export interface SeenCall extends AcceptedCall {
  readonly progressToken: ProgressToken | undefined;
  /** The last event of the session's journal that was sent. */
  readonly seq: number;
  /** The number of progress notifications sent. */
  readonly progress: number;
}

/** The maximum length of an id, which is sent in a header. A longer id is omitted. */
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

/** Reads the id of an event. Returns `undefined` for an invalid id. */
export function readEventId(text: string): SeenStream | undefined {
  const decoded = attempt((): unknown => JSON.parse(decodeURIComponent(text)));
  if (!decoded.ok || !v.is(SeenData, decoded.value)) return undefined;
  const [id, called] = decoded.value;
  if (!called) return { id };
  const [name, session, turn, isNew, token, seq, progress] = called;
  return { id, call: { name, session, turn, isNew, progressToken: token ?? undefined, seq, progress } };
}

/**
 * Encodes an id in characters that are valid in a header. Returns an empty string if it would be too long.
 */
function toEventId({ id, call }: SeenStream): string {
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
 * The progress of one call's stream. Each of its events has an id, from which a client of the revision
 * 2025-11-25 resumes a broken stream (MCP specification, Resumability). No data is stored for that: the ids
 * contain everything.
 */
export class StreamPosition {
  readonly #firstEventId = Promise.withResolvers<string>();
  #seen: SeenStream | undefined;

  /** Resolves with the id of the stream's first event, which has no data. It is empty if no id is needed. */
  get firstEventId(): Promise<string> {
    return this.#firstEventId.promise;
  }

  /** Records that a call has begun, with the data for finding its answer if there is any. */
  recordCall(seen: SeenStream): void {
    this.#seen = seen;
    this.#firstEventId.resolve(toEventId(seen));
  }

  /** Records that this event of the session is sent next. */
  recordEvent(seq: number): void {
    if (this.#seen?.call) this.#seen = { ...this.#seen, call: { ...this.#seen.call, seq } };
  }

  /**
   * Returns the id of a message, or an empty string. An error has none: some clients accept only a result as
   * the end of a stream, and would otherwise resume the stream forever.
   */
  idOf(message: JSONRPCMessage): string {
    const progress = readProgress(message);
    const seen = this.#seen;
    if (progress !== undefined && seen?.call) this.#seen = { ...seen, call: { ...seen.call, progress } };
    const id = this.#seen === undefined || 'error' in message ? '' : toEventId(this.#seen);
    this.#firstEventId.resolve(id);
    return id;
  }
}

function readProgress(message: JSONRPCMessage): number | undefined {
  if (!('method' in message) || message.method !== 'notifications/progress') return undefined;
  const { params } = message;
  return isJsonObject(params) && typeof params.progress === 'number' ? params.progress : undefined;
}

/**
 * Adapts the position to the SDK's event store. The transport asks it for the id of each message, and first
 * for that of an event without data.
 */
export const toEventStore = (position: StreamPosition): EventStore => ({
  // The event without data is sent later, when its id is known.
  storeEvent: async (_, message) => ('jsonrpc' in message ? position.idOf(message) : ''),
  replayEventsAfter: () => Promise.reject(new Error('Only the endpoint resumes streams.')),
});

/** Milliseconds before a client resumes a broken stream. */
export const RETRY_MS = 1_000;

/**
 * Returns an event without data. Its id lets a client resume a stream that breaks before its first message.
 */
export const formatPrimingFrame = (id: string): string => `id: ${id}\nretry: ${RETRY_MS}\ndata: \n\n`;
