import type { Notice } from '../src/journal/event-page.ts';

/** Those who watch a session, each over a WebSocket that outlives the object's memory. Only notices travel. */
export interface Watchers {
  /** Opens a watcher, and tells it where the session is. */
  open(request: Request): Response;
  /** To be called in the event-loop turn that stored what it tells of, so that no notice comes early. Never throws. */
  tell(): void;
  /** Whether anybody watches who does not hold the session. */
  hasReaders(): boolean;
}

/** In the query of a request for a watcher: the epoch of the lease that it holds. An older object passes it over. */
const HOLDER = 'holder';

/** By which of these a watcher is found again, which is kept with its WebSocket. */
const READER = 'reader';

/** Makes the list of those who watch a session. `notice`: what watchers are told now. */
export const createWatchers = (ctx: DurableObjectState, notice: () => Notice): Watchers => ({
  open(request) {
    if (request.headers.get('upgrade') !== 'websocket') {
      return new Response('A session is watched over a WebSocket.\n', { status: 426 });
    }
    const pair = new WebSocketPair();
    const isHolder = new URL(request.url).searchParams.has(HOLDER);
    ctx.acceptWebSocket(pair[1], [isHolder ? HOLDER : READER]);
    send(pair[1], notice());
    return new Response(null, { status: 101, webSocket: pair[0] });
  },
  tell() {
    const sockets = ctx.getWebSockets();
    if (sockets.length === 0) return;
    const told = notice();
    for (const socket of sockets) send(socket, told);
  },
  hasReaders: () => ctx.getWebSockets(READER).some(({ readyState }) => readyState === WebSocket.OPEN),
});

function send(socket: WebSocket, notice: Notice): void {
  try {
    socket.send(JSON.stringify(notice));
  } catch {
    // It has closed since it was listed; its watcher is told by the close.
  }
}
