import { type Infer, OPTIONAL_TEXT, type Shape, TEXT } from '../tool/shape.ts';
import type { Notice } from './event-page.ts';

/** What happens in a turn and is not journaled, as those who watch the turn are shown it. */
export type LiveItem =
  | ({ readonly type: 'text-delta' | 'reasoning-delta' } & Infer<typeof PIECE>)
  /** What was shown of earlier attempts at this reply is void. */
  | ({ readonly type: 'reply-restarted' } & Infer<typeof OF_REPLY>)
  | ({ readonly type: 'progress' } & Infer<typeof PROGRESS>);

/** Where an item belongs that is of a reply. */
export const OF_REPLY = {
  object: {
    /** `{iteration}.{attempt}`, within its loop. */
    reply: TEXT,
    frame: OPTIONAL_TEXT,
  },
} as const satisfies Shape;

/** A piece of a reply. */
export const PIECE = { object: { text: TEXT }, and: OF_REPLY } as const satisfies Shape;

/** What a call says of itself while it runs. */
export const PROGRESS = { object: { call: TEXT, status: TEXT } } as const satisfies Shape;

/** A live item on its way to those who read the session. */
export interface SentItem {
  readonly item: LiveItem;
  /** The last event that precedes it, which is stored. */
  readonly after: number;
  /** Of a piece of a reply: how many characters of the reply are before it, text and reasoning together. */
  readonly at?: number | undefined;
}

/** Live items of one turn, in order. */
export interface LiveMessage {
  /** The readers that it is for, by the names in `Notice.joined`, with spaces between them. Absent: all of them, and as it is read. */
  readonly to?: string | undefined;
  readonly turn: string;
  readonly items: readonly SentItem[];
}

/** Whoever watches a session. */
export interface Watcher {
  /** Called with where the session stands. */
  readonly onNotice: (notice: Notice) => void;
  /** Called once when the line breaks, after which nothing is told. */
  readonly onClosed: () => void;
  /** The epoch of whoever watches the session that it holds; all others are its readers. */
  readonly holder?: number | undefined;
  /** Called, of a holder, for each of its pings, in order, that came while its lease was the last one that was given. */
  readonly onHeld?: (() => void) | undefined;
  /**
   * Called, of a reader, with what the holder has shown of what runs, and then with what it shows, in order; a piece may come twice. A
   * reader that is too slow misses messages. Absent: nothing of that is sent.
   */
  readonly onLive?: ((message: LiveMessage) => void) | undefined;
}

/** What a watcher has of a session. */
export interface Line {
  /** Ends it; nothing more is told, also not that it has closed. */
  close(): void;
  /**
   * Shows to readers what is not journaled. Nothing of it is stored, and nobody is shown it unless the session is held by the lease of
   * the watcher's epoch. Answers `false` when so much is on its way that no more is taken now. Never throws.
   */
  show(message: LiveMessage): boolean;
  /**
   * Reports that a reader still waits, so that a lost alarm is set again; or that a holder lives, which costs the object nothing, and closes
   * the line if the session is no longer its own. Never throws.
   */
  ping(): void;
}

/** Answers what an item weighs while it waits to be sent or shown, in characters. */
export const weightOfItem = ({ item }: SentItem): number =>
  'text' in item ? item.text.length + ITEM : 'status' in item ? item.status.length + ITEM : ITEM;

const ITEM = 64;

/** The most that one live message holds, by `weightOfItem`. */
export const MOST_IN_MESSAGE = 64 * 1024;

/**
 * The most that a holder keeps of the replies that run, for readers who come, and that may wait for one reader who is slow, by
 * `weightOfItem`. It is about what one event may hold. The rest of a longer reply is shown when it is stored.
 */
export const MOST_OPEN = 1024 * 1024;

/** In the query of a request for a watcher: it is shown what is not journaled. In `Notice.joined`: all of them. */
export const LIVE = 'live';

/** What is sent back over a line when so many more characters of live messages were read from it, and until when no more are sent. */
export const READ = 'read';
export const READ_EVERY = 65_536;
export const MOST_UNREAD = 262_144;

/** What a reader sends that has heard nothing for long. */
export const PING = 'ping';

/** With what a holder pings, and what it is answered, each before the epoch of its lease. */
export const HOLD = 'hold';
export const HELD = 'held';

/** A holder with a line may live by its pings alone for as many terms, counted from its last message that was answered. */
export const LINE_TERMS = 3;

/** How each live message begins, as it is sent. */
export const LIVE_BEGINS = '{"turn":';

/** How one begins that is for some readers alone, as its holder sends it. They are sent it without `to`. */
export const TO_BEGINS = '{"to":"';

/** The longest live message, as it is sent, in characters: JSON writes a character in six at most. */
export const LONGEST_LIVE = 524_288;

export const toWire = ({ to, turn, items }: LiveMessage): string => JSON.stringify({ to, turn, items });

/** Tells a live message from anything else without parsing it: those who are shown it do that. */
export const isShown = (sent: unknown): sent is string =>
  typeof sent === 'string' && sent.length <= LONGEST_LIVE && sent.startsWith(LIVE_BEGINS);

/** Answers the live message that came over a line, whose relay has not parsed it; `undefined` when it is none. */
export function fromWire(sent: string): LiveMessage | undefined {
  try {
    const { turn, items } = Object(JSON.parse(sent)) as { readonly [Key in keyof LiveMessage]?: unknown }; // looked at here
    return typeof turn === 'string' && Array.isArray(items)
      ? { turn, items: items.filter(isSentItem) }
      : undefined;
  } catch {
    return undefined;
  }
}

function isSentItem(sent: unknown): sent is SentItem {
  const { item, after } = Object(sent) as { readonly [Key in keyof SentItem]?: unknown }; // looked at here
  return typeof after === 'number' && typeof item === 'object' && item !== null;
}
