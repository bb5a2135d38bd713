import type { Notice } from '../src/journal/session-port.ts';

/** Those who watch a session, each over a WebSocket that outlives the object's memory. Only notices travel. */
export class Watchers {
  readonly #ctx: DurableObjectState;
  readonly #notice: () => Notice;

  /** `notice`: what they are told now. */
  constructor(ctx: DurableObjectState, notice: () => Notice) {
    this.#ctx = ctx;
    this.#notice = notice;
  }

  /** Opens a watcher, and tells it where the session is. */
  open(request: Request): Response {
    if (request.headers.get('upgrade') !== 'websocket') {
      return new Response('A session is watched over a WebSocket.\n', { status: 426 });
    }
    const pair = new WebSocketPair();
    this.#ctx.acceptWebSocket(pair[1]);
    send(pair[1], this.#notice());
    return new Response(null, { status: 101, webSocket: pair[0] });
  }

  /** To be called in the event-loop turn that stored what it tells of, so that no notice comes early. Never throws. */
  tell(): void {
    const sockets = this.#ctx.getWebSockets();
    if (sockets.length === 0) return;
    const notice = this.#notice();
    for (const socket of sockets) send(socket, notice);
  }
}

function send(socket: WebSocket, notice: Notice): void {
  try {
    socket.send(JSON.stringify(notice));
  } catch {
    // It has closed since it was listed; its watcher is told by the close.
  }
}
