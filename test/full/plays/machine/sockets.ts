import { getRunningSimulation } from './globals.ts';
import type { Owner } from './simulation.ts';

type Handler = (event: { readonly data?: unknown; readonly code?: number }) => void;

const OPEN = 1;
const CLOSED = 3;
/** The close code of a connection that broke without a close message. */
const ABNORMAL_CLOSURE = 1006;

/** One end of a WebSocket between two machines. Messages arrive later, in order. */
export class SocketEnd {
  readyState = OPEN;
  /** The host of the object, if the socket is hibernatable. It receives the messages of the socket. */
  host:
    | {
        receive(end: SocketEnd, message: string): void;
        closed(end: SocketEnd): void;
        output(send: () => void): void;
      }
    | undefined;
  #peer: SocketEnd | undefined;
  #owner: Owner | undefined;
  #arrival = 0;
  /** Messages that arrived before a listener was added. */
  #early: (() => void)[] | undefined = [];
  readonly #handlers = new Map<string, Handler[]>();

  join(peer: SocketEnd): void {
    this.#peer = peer;
  }

  /** Accepts the socket in a Worker. Its invocation receives all further messages. */
  accept(): void {
    this.#owner = getRunningSimulation().owner;
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const dispatch of early) this.#later(dispatch);
  }

  addEventListener(type: string, handler: Handler): void {
    this.#handlers.set(type, [...(this.#handlers.get(type) ?? []), handler]);
  }

  send(message: string): void {
    if (this.readyState !== OPEN) throw new TypeError("Can't call WebSocket send() after close().");
    this.#output(() => this.#travel((peer) => peer.#arrived(message)));
  }

  /** Sends the platform's automatic response. The output gate does not delay it. */
  answer(message: string): void {
    this.#travel((peer) => peer.#arrived(message));
  }

  close(code = 1000): void {
    if (this.readyState !== OPEN) return;
    this.readyState = CLOSED;
    this.#output(() => this.#travel((peer) => peer.#closed(code)));
  }

  /** Breaks the connection because the machine of this end has died. */
  drop(): void {
    if (this.readyState !== OPEN) return;
    this.readyState = CLOSED;
    this.#travel((peer) => peer.#closed(ABNORMAL_CLOSURE));
  }

  #output(send: () => void): void {
    if (this.host) this.host.output(send);
    else send();
  }

  #travel(arrive: (peer: SocketEnd) => void): void {
    const simulation = getRunningSimulation();
    const peer = this.#peer;
    if (!peer) return;
    this.#arrival = Math.max(this.#arrival, simulation.now + simulation.draw.between(1, 20));
    simulation.after(this.#arrival - simulation.now, () => arrive(peer), null);
  }

  #arrived(data: string): void {
    if (this.readyState !== OPEN) return;
    if (this.host) this.host.receive(this, data);
    else this.#dispatch('message', { data });
  }

  #closed(code: number): void {
    if (this.readyState !== OPEN) return;
    this.readyState = CLOSED;
    if (this.host) this.host.closed(this);
    else this.#dispatch('close', { code });
  }

  #dispatch(type: string, event: Parameters<Handler>[0]): void {
    const dispatch = (): void => {
      for (const handler of this.#handlers.get(type) ?? []) handler(event);
    };
    if (this.#owner?.isDead) this.drop();
    else if (this.#early) this.#early.push(dispatch);
    else this.#later(dispatch);
  }

  /** Dispatches an event in the invocation that listens. */
  #later(dispatch: () => void): void {
    getRunningSimulation().after(0, dispatch, this.#owner ?? null);
  }
}

/** A request that the platform answers for an object, with its response. */
export class RequestResponsePair {
  readonly request: string;
  readonly response: string;

  constructor(request: string, response: string) {
    this.request = request;
    this.response = response;
  }
}

/** The result of `new WebSocketPair()`. */
export class SocketPair {
  readonly 0 = new SocketEnd();
  readonly 1 = new SocketEnd();

  constructor() {
    this[0].join(this[1]);
    this[1].join(this[0]);
  }
}
