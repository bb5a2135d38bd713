import type * as wire from '../src/journal/live-items.ts';
import type { SessionLedger } from './ledger.ts';
import type { LedgerWatchers } from './session-storage.ts';

/** The watchers of a session, each on a WebSocket that outlives the object's memory. */
export interface Watchers extends LedgerWatchers {
  /** Opens a watcher, and sends it the session's state. */
  open(request: Request): Response;
  /**
   * Handles a watcher's message. Live messages of the holder go to all readers that receive live items, or to
   * those that they name. Readers send acknowledgements and pings. Any other message closes the line,
   * including the ping of a former holder (the platform answers those of the current one). Never throws.
   */
  heard(socket: WebSocket, message: string | ArrayBuffer): void;
  /** Handles the close or failure of a watcher's line. */
  closed(socket: WebSocket): void;
}

/** The query parameter of a watch request that contains the epoch of the holder's lease. */
const HOLDER = 'holder';

/**
 * The tag of a reader, stored with its WebSocket. A holder's tag is `HOLDER`, and its epoch is stored beside
 * it.
 */
const READER = 'reader';

/**
 * The prefix of the tag of a line whose pings are answered. The line's number follows. A former holder's line
 * is closed before its number is used again.
 */
const LINE_TAG_PREFIX = 'line-';

// Equal to the values of the other end. The compiler checks it.
const LIVE: typeof wire.LIVE = 'live';
const READ: typeof wire.READ = 'read';
const PING: typeof wire.PING = 'ping';
const HOLDER_PING: typeof wire.HOLDER_PING = 'hold';
const HOLDER_PONG: typeof wire.HOLDER_PONG = 'held';
const READ_INTERVAL: typeof wire.READ_INTERVAL = 65_536;
const MAX_UNREAD: typeof wire.MAX_UNREAD = 262_144;
const MAX_LIVE_LENGTH: typeof wire.MAX_LIVE_LENGTH = 524_288;
const LIVE_PREFIX: typeof wire.LIVE_PREFIX = '{"turn":';
const TO_PREFIX: typeof wire.TO_PREFIX = '{"to":"';

/**
 * Creates the watchers of a session. `watched` returns the session's ledger, and is first called when there
 * is a watcher.
 */
export function createWatchers(
  ctx: DurableObjectState,
  watched: () => Pick<SessionLedger, 'notice' | 'wake' | 'clock'>,
): Watchers {
  /**
   * The number of characters sent to each reader of live items, or received from each sender, since the last
   * acknowledgement.
   */
  let unread = new Map<WebSocket, number>();
  const open = (tag: string): WebSocket[] => ctx.getWebSockets(tag).filter(isOpen);
  const hasLiveReaders = (): boolean => ctx.getWebSockets(LIVE).some(isOpen);
  const findLastPing = (line: WebSocket): number | null =>
    ctx.getWebSocketAutoResponseTimestamp(line)?.getTime() ?? null;
  /**
   * Makes the platform answer only the pings of this holder, or no pings. Closes the lines of all holders so
   * far, since a session has one.
   */
  const fence = (pair?: WebSocketRequestResponsePair): void => {
    ctx.setWebSocketAutoResponse(pair);
    for (const socket of open(HOLDER)) close(socket);
  };
  /** `joined`: the name of a new reader. */
  const notifyHolders = (joined?: string): void => {
    const holders = open(HOLDER);
    if (holders.length === 0) return;
    const told = JSON.stringify({ ...watched().notice(), live: hasLiveReaders(), joined });
    for (const socket of holders) send(socket, told);
  };
  const relay = (from: WebSocket, sent: string): void => {
    const { to, message } = parseAddressedMessage(sent);
    const readers = (to ?? [LIVE]).flatMap(open);
    if (readers.length === 0) notifyHolders();
    const before = unread;
    unread = new Map(to && before);
    for (const socket of readers) {
      const waiting = before.get(socket) ?? 0;
      const hasRoom = waiting < MAX_UNREAD;
      unread.set(socket, hasRoom ? waiting + message.length : waiting);
      if (hasRoom) send(socket, message);
    }
    const came = (before.get(from) ?? 0) + sent.length;
    unread.set(from, came % READ_INTERVAL);
    if (came >= READ_INTERVAL) send(from, READ);
  };
  return {
    open(request) {
      if (request.headers.get('upgrade') !== 'websocket') {
        return new Response('Watching a session requires a WebSocket.\n', { status: 426 });
      }
      const pair = new WebSocketPair();
      const tags = parseTags(request);
      const isHolder = tags[0] === HOLDER;
      const epoch = Number(tags[1]);
      const line = isHolder ? watched().clock.lineOpened(epoch) : 0;
      if (line > 0) {
        fence(new WebSocketRequestResponsePair(`${HOLDER_PING} ${epoch}`, `${HOLDER_PONG} ${epoch}`));
        tags.push(`${LINE_TAG_PREFIX}${line}`);
      }
      ctx.acceptWebSocket(pair[1], tags);
      const told = watched().notice();
      if (!isHolder) watched().wake();
      const live = hasLiveReaders();
      send(pair[1], JSON.stringify(isHolder ? { ...told, live, ...(live && { joined: LIVE }) } : told));
      if (tags[1] === LIVE) notifyHolders(tags[2]);
      return new Response(null, { status: 101, webSocket: pair[0] });
    },
    notify() {
      if (ctx.getWebSockets().length === 0) return;
      const readers = open(READER);
      if (readers.length > 0) {
        const told = JSON.stringify(watched().notice());
        for (const socket of readers) send(socket, told);
      }
      notifyHolders();
    },
    hasReaders: () => open(READER).length > 0,
    hasLiveReaders,
    pinged(line) {
      const [socket] = open(`${LINE_TAG_PREFIX}${line}`);
      return socket && findLastPing(socket);
    },
    fence,
    closed(socket) {
      const [, epoch, name] = ctx.getTags(socket);
      if (!name?.startsWith(LINE_TAG_PREFIX)) return;
      const line = Number(name.slice(LINE_TAG_PREFIX.length));
      watched().clock.lineClosed({ epoch: Number(epoch), line, pinged: findLastPing(socket) });
    },
    heard(socket, message) {
      const [kind, more] = ctx.getTags(socket);
      if (kind === READER && message === PING) watched().wake();
      else if (kind === READER && more === LIVE && message === READ) unread.delete(socket);
      else if (kind !== HOLDER || !isLiveMessage(message)) close(socket);
      // A former holder's live messages are not passed on.
      else if (watched().clock.isHeldBy(Number(more))) relay(socket, message);
    },
  };
}

const MAX_EPOCH_DIGITS = 20;

/** Returns the tags of a watcher's WebSocket. The last tag of a reader of live items is its name. */
function parseTags({ url }: Request): string[] {
  const { searchParams } = new URL(url);
  const holder = searchParams.get(HOLDER);
  if (holder !== null) return [HOLDER, holder.slice(0, MAX_EPOCH_DIGITS)];
  // Names are random, since two readers with the same name would receive each other's catch-up.
  return searchParams.has(LIVE) ? [READER, LIVE, `${LIVE}-${crypto.randomUUID().slice(0, 8)}`] : [READER];
}

/** Recognizes a live message without parsing it. Its readers parse it. */
const isLiveMessage = (message: string | ArrayBuffer): message is string =>
  typeof message === 'string' &&
  message.length <= MAX_LIVE_LENGTH &&
  (message.startsWith(LIVE_PREFIX) || message.startsWith(TO_PREFIX));

/** Returns the message to pass on, and the names of its readers if it is not for all. */
function parseAddressedMessage(sent: string): { readonly to?: readonly string[]; readonly message: string } {
  if (sent.startsWith(LIVE_PREFIX)) return { message: sent };
  const end = sent.indexOf('"', TO_PREFIX.length);
  const names = sent.slice(TO_PREFIX.length, end).split(' ');
  return { to: names.filter((name) => name.startsWith(LIVE)), message: `{${sent.slice(end + '",'.length)}` };
}

const isOpen = ({ readyState }: WebSocket): boolean => readyState === WebSocket.OPEN;

function send(socket: WebSocket, text: string): void {
  try {
    socket.send(text);
  } catch {
    // The socket has closed since it was listed. Its watcher sees the close.
  }
}

/** The close code for an unknown message. */
const POLICY_VIOLATION = 1008;

function close(socket: WebSocket): void {
  try {
    socket.close(POLICY_VIOLATION, 'Only the lease holder may send this.');
  } catch {
    // The socket has closed since its message arrived.
  }
}
