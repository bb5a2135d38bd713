import { type Infer, OPTIONAL_TEXT, type Shape, TEXT } from '../tool/shape.ts';
import type { Notice } from './event-page.ts';

/** A live item: an update of a running turn that is not journaled, as its watchers see it. */
export type LiveItem =
  | ({ readonly type: 'text-delta' | 'reasoning-delta' } & Infer<typeof PIECE>)
  /** Voids the shown pieces of earlier attempts at this reply. */
  | ({ readonly type: 'reply-restarted' } & Infer<typeof REPLY_PLACE>)
  | ({ readonly type: 'progress' } & Infer<typeof PROGRESS>);

/** The reply that an item belongs to. */
export const REPLY_PLACE = {
  object: {
    /** `{iteration}.{attempt}`, within its loop. */
    reply: TEXT,
    frame: OPTIONAL_TEXT,
  },
} as const satisfies Shape;

/** A piece of a reply. */
export const PIECE = { object: { text: TEXT }, and: REPLY_PLACE } as const satisfies Shape;

/** The progress that a running call reports. */
export const PROGRESS = { object: { call: TEXT, status: TEXT } } as const satisfies Shape;

/** A live item as sent to the readers of the session. */
export interface LiveItemMessage {
  readonly item: LiveItem;
  /** The last event that precedes it. It is already stored. */
  readonly after: number;
  /** For a piece of a reply: the number of characters of the reply before it, text and reasoning together. */
  readonly at?: number | undefined;
}

/** Live items of one turn, in order. */
export interface LiveMessage {
  /**
   * The readers that it is for, by their names in `Notice.joined`, separated by spaces. Absent for all
   * readers, and in received messages.
   */
  readonly to?: string | undefined;
  readonly turn: string;
  readonly items: readonly LiveItemMessage[];
}

/** A watcher of a session. */
export interface Watcher {
  /** Called with the state of the session. */
  readonly onNotice: (notice: Notice) => void;
  /** Called once if the line breaks. There are no calls after that. */
  readonly onClosed: () => void;
  /** The epoch of the lease holder. Absent for readers. */
  readonly holder?: number | undefined;
  /** For a holder: called for each of its pings, in order, that arrived while its lease was the latest. */
  readonly onHeld?: (() => void) | undefined;
  /**
   * For a reader: called with the live items shown so far, and then with new ones, in order. A piece can
   * arrive twice. A reader that is too slow misses messages. If absent, none are sent.
   */
  readonly onLive?: ((message: LiveMessage) => void) | undefined;
}

/** A watcher's connection to a session. */
export interface Line {
  /** Closes the line. No callbacks follow, not even `onClosed`. */
  close(): void;
  /**
   * Sends a live message to the readers. It is not stored, and it reaches them only if the watcher's epoch is
   * that of the current lease. Returns `false` if too much is already in flight. Never throws.
   */
  show(message: LiveMessage): boolean;
  /**
   * Reports that a reader still waits, so that a lost alarm is set again. For a holder, reports that it is
   * alive, at no cost to the object, and closes the line if it has lost the session. Never throws.
   */
  ping(): void;
}

/** Returns the size of a live item while it waits to be sent or shown, in characters. */
export const computeItemWeight = ({ item }: LiveItemMessage): number =>
  'text' in item
    ? item.text.length + ITEM_OVERHEAD
    : 'status' in item
      ? item.status.length + ITEM_OVERHEAD
      : ITEM_OVERHEAD;

const ITEM_OVERHEAD = 64;

/** The maximum size of one live message, by `computeItemWeight`. */
export const MAX_MESSAGE_WEIGHT = 64 * 1024;

/**
 * The maximum size, by `computeItemWeight`, of the running replies that a holder keeps for new readers, and of the
 * queue of a slow reader. One event can be about as large. The rest of a longer reply is shown once it is
 * stored.
 */
export const MAX_BUFFER_WEIGHT = 1024 * 1024;

/** The query parameter of a watch request for live items. In `Notice.joined`: all readers. */
export const LIVE = 'live';

/**
 * The flow control of live messages: `READ` is sent back after every `READ_INTERVAL` characters read. The sender
 * stops at `MAX_UNREAD`.
 */
export const READ = 'read';
export const READ_INTERVAL = 65_536;
export const MAX_UNREAD = 262_144;

/** The ping of a reader after a long silence. */
export const PING = 'ping';

/** The ping of a holder and its reply, each followed by the epoch of its lease. */
export const HOLDER_PING = 'hold';
export const HOLDER_PONG = 'held';

/**
 * The number of terms after its last acknowledged message during which pings alone can extend a holder's
 * lease.
 */
export const LINE_TERMS = 3;

/** The start of each live message on the wire. */
export const LIVE_PREFIX = '{"turn":';

/**
 * The start of a live message for specific readers, as its holder sends it. Readers receive it without `to`.
 */
export const TO_PREFIX = '{"to":"';

/**
 * The maximum length of a live message on the wire, in characters. JSON escapes one character as at most six.
 */
export const MAX_LIVE_LENGTH = 524_288;

export const toWire = ({ to, turn, items }: LiveMessage): string => JSON.stringify({ to, turn, items });

/** Recognizes a live message without parsing it. Its readers parse it. */
export const isLiveMessage = (sent: unknown): sent is string =>
  typeof sent === 'string' && sent.length <= MAX_LIVE_LENGTH && sent.startsWith(LIVE_PREFIX);

/**
 * Returns the live message received over a line, or `undefined` if it is invalid. The relay has not parsed
 * it.
 */
export function parseLiveMessage(sent: string): LiveMessage | undefined {
  try {
    const { turn, items } = Object(JSON.parse(sent)) as { readonly [Key in keyof LiveMessage]?: unknown }; // Checked below.
    return typeof turn === 'string' && Array.isArray(items)
      ? { turn, items: items.filter(isSentItem) }
      : undefined;
  } catch {
    return undefined;
  }
}

function isSentItem(sent: unknown): sent is LiveItemMessage {
  const { item, after } = Object(sent) as { readonly [Key in keyof LiveItemMessage]?: unknown }; // Checked below.
  return typeof after === 'number' && typeof item === 'object' && item !== null;
}
