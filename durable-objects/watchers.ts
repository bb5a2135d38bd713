import type * as wire from '../src/journal/live-items.ts';
import type { SessionLedger } from './ledger.ts';
import type { LedgerWatchers } from './session-storage.ts';

/** Those who watch a session, each over a WebSocket that outlives the object's memory. */
export interface Watchers extends LedgerWatchers {
  /** Opens a watcher, and tells it where the session is. */
  open(request: Request): Response;
  /**
   * Takes what a watcher has sent. What the holder shows goes to all readers who are shown it, or to those that it names; who has read
   * much says so, and who waits for long pings. All else closes the line, also the ping of who holds the session no more: that of the holder
   * is answered by the platform. Never throws.
   */
  heard(socket: WebSocket, message: string | ArrayBuffer): void;
  /** The line of a watcher has closed or broken. */
  closed(socket: WebSocket): void;
}

/** In the query of a request for a watcher: the epoch of the lease that it holds. */
const HOLDER = 'holder';

/** By which of these a watcher is found again, which is kept with its WebSocket. A holder's epoch is kept beside. */
const READER = 'reader';

/** How the name begins of a line whose pings are answered, before its number. One of a former holder has closed before the number is given again. */
const LINE = 'line-';

// As the other end of each line has them, which the compiler sees to.
const LIVE: typeof wire.LIVE = 'live';
const READ: typeof wire.READ = 'read';
const PING: typeof wire.PING = 'ping';
const HOLD: typeof wire.HOLD = 'hold';
const HELD: typeof wire.HELD = 'held';
const READ_EVERY: typeof wire.READ_EVERY = 65_536;
const MOST_UNREAD: typeof wire.MOST_UNREAD = 262_144;
const LONGEST_LIVE: typeof wire.LONGEST_LIVE = 524_288;
const LIVE_BEGINS: typeof wire.LIVE_BEGINS = '{"turn":';
const TO_BEGINS: typeof wire.TO_BEGINS = '{"to":"';

/** Makes the list of those who watch a session. `watched` returns it, and is first called when there is a watcher. */
export function createWatchers(
  ctx: DurableObjectState,
  watched: () => Pick<SessionLedger, 'notice' | 'wake' | 'clock'>,
): Watchers {
  /** Characters that were sent to each who is shown what is not journaled, or came from each who shows, since it was last said that they were read. */
  let unread = new Map<WebSocket, number>();
  const open = (tag: string): WebSocket[] => ctx.getWebSockets(tag).filter(isOpen);
  const hasLiveReaders = (): boolean => ctx.getWebSockets(LIVE).some(isOpen);
  const pingedOver = (line: WebSocket): number | null =>
    ctx.getWebSocketAutoResponseTimestamp(line)?.getTime() ?? null;
  /** The platform answers pings of no holder any more, or of this one alone. A holder has one line: the others are gone. */
  const fence = (pair?: WebSocketRequestResponsePair): void => {
    ctx.setWebSocketAutoResponse(pair);
    for (const socket of open(HOLDER)) close(socket);
  };
  /** `joined`: the name of a reader who has come. */
  const tellHolders = (joined?: string): void => {
    const holders = open(HOLDER);
    if (holders.length === 0) return;
    const told = JSON.stringify({ ...watched().notice(), live: hasLiveReaders(), joined });
    for (const socket of holders) send(socket, told);
  };
  const relay = (from: WebSocket, sent: string): void => {
    const { to, message } = addressed(sent);
    const readers = (to ?? [LIVE]).flatMap(open);
    if (readers.length === 0) tellHolders();
    const before = unread;
    unread = new Map(to && before);
    for (const socket of readers) {
      const waiting = before.get(socket) ?? 0;
      const hasRoom = waiting < MOST_UNREAD;
      unread.set(socket, hasRoom ? waiting + message.length : waiting);
      if (hasRoom) send(socket, message);
    }
    const came = (before.get(from) ?? 0) + sent.length;
    unread.set(from, came % READ_EVERY);
    if (came >= READ_EVERY) send(from, READ);
  };
  return {
    open(request) {
      if (request.headers.get('upgrade') !== 'websocket') {
        return new Response('A session is watched over a WebSocket.\n', { status: 426 });
      }
      const pair = new WebSocketPair();
      const tags = tagsOf(request);
      const isHolder = tags[0] === HOLDER;
      const epoch = Number(tags[1]);
      const line = isHolder ? watched().clock.lineOpened(epoch) : 0;
      if (line > 0) {
        fence(new WebSocketRequestResponsePair(`${HOLD} ${epoch}`, `${HELD} ${epoch}`));
        tags.push(`${LINE}${line}`);
      }
      ctx.acceptWebSocket(pair[1], tags);
      const told = watched().notice();
      if (!isHolder) watched().wake();
      const live = hasLiveReaders();
      send(pair[1], JSON.stringify(isHolder ? { ...told, live, ...(live && { joined: LIVE }) } : told));
      if (tags[1] === LIVE) tellHolders(tags[2]);
      return new Response(null, { status: 101, webSocket: pair[0] });
    },
    tell() {
      if (ctx.getWebSockets().length === 0) return;
      const readers = open(READER);
      if (readers.length > 0) {
        const told = JSON.stringify(watched().notice());
        for (const socket of readers) send(socket, told);
      }
      tellHolders();
    },
    hasReaders: () => open(READER).length > 0,
    hasLiveReaders,
    pinged(line) {
      const [socket] = open(`${LINE}${line}`);
      return socket && pingedOver(socket);
    },
    fence,
    closed(socket) {
      const [, epoch, name] = ctx.getTags(socket);
      if (!name?.startsWith(LINE)) return;
      const line = Number(name.slice(LINE.length));
      watched().clock.lineClosed({ epoch: Number(epoch), line, pinged: pingedOver(socket) });
    },
    heard(socket, message) {
      const [kind, more] = ctx.getTags(socket);
      if (kind === READER && message === PING) watched().wake();
      else if (kind === READER && more === LIVE && message === READ) unread.delete(socket);
      else if (kind !== HOLDER || !isShown(message)) close(socket);
      // Nobody is shown what somebody does who has lost the session.
      else if (watched().clock.isHeldBy(Number(more))) relay(socket, message);
    },
  };
}

/** An epoch has no more digits. */
const EPOCH_LENGTH = 20;

/** The tags that a watcher is kept with. The last one of who is shown what is not journaled is its name. */
function tagsOf({ url }: Request): string[] {
  const { searchParams } = new URL(url);
  const holder = searchParams.get(HOLDER);
  if (holder !== null) return [HOLDER, holder.slice(0, EPOCH_LENGTH)];
  // Two readers of one name would be sent the same beginning twice, and show it once.
  return searchParams.has(LIVE) ? [READER, LIVE, `${LIVE}-${crypto.randomUUID().slice(0, 8)}`] : [READER];
}

/** It is not parsed: those who are shown it do that. */
const isShown = (message: string | ArrayBuffer): message is string =>
  typeof message === 'string' &&
  message.length <= LONGEST_LIVE &&
  (message.startsWith(LIVE_BEGINS) || message.startsWith(TO_BEGINS));

/** The names of those readers that a message is for, unless it is for all, and what they are sent. */
function addressed(sent: string): { readonly to?: readonly string[]; readonly message: string } {
  if (sent.startsWith(LIVE_BEGINS)) return { message: sent };
  const end = sent.indexOf('"', TO_BEGINS.length);
  const names = sent.slice(TO_BEGINS.length, end).split(' ');
  return { to: names.filter((name) => name.startsWith(LIVE)), message: `{${sent.slice(end + '",'.length)}` };
}

const isOpen = ({ readyState }: WebSocket): boolean => readyState === WebSocket.OPEN;

function send(socket: WebSocket, text: string): void {
  try {
    socket.send(text);
  } catch {
    // It has closed since it was listed; its watcher is told by the close.
  }
}

/** Of what is no message of ours. */
const POLICY_VIOLATION = 1008;

function close(socket: WebSocket): void {
  try {
    socket.close(POLICY_VIOLATION, 'Only the holder may say this.');
  } catch {
    // It has closed since it was heard.
  }
}
