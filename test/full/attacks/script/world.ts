/** The services outside the Worker: they count effects, and hold tools at gates. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { listen, readJson } from '../../../../src/examples/demo/loopback.ts';

/** An effect of a tool. */
export interface Effect {
  readonly what: string;
  readonly about: unknown;
  readonly tenant: string | null;
  readonly key: string;
}

export interface World {
  readonly url: string;
  /** All effects so far. */
  readonly effects: readonly Effect[];
  /** Resolves when a tool waits at the gate. */
  reached(gate: string): Promise<void>;
  /** Releases the tools that wait at the gate, now and later. */
  open(gate: string): void;
  /** A local port that must not receive connections. */
  readonly trap: Trap;
  stop(): void;
}

/** Records connections and sends no response. */
export interface Trap {
  readonly port: number;
  readonly caught: number;
}

interface Gate {
  readonly isReached: PromiseWithResolvers<void>;
  readonly isOpen: PromiseWithResolvers<void>;
}

export async function startWorld(): Promise<World> {
  const effects: Effect[] = [];
  const gates = new Map<string, Gate>();
  const getGate = (name: string): Gate => {
    const known = gates.get(name) ?? { isReached: Promise.withResolvers(), isOpen: Promise.withResolvers() };
    gates.set(name, known);
    return known;
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, kind, name = ''] = (request.url ?? '').split('/');
    if (kind === 'effects')
      effects.push((await readJson(request)) as Effect); // sent by the tools of the attacked Worker
    else {
      const gate = getGate(decodeURIComponent(name));
      gate.isReached.resolve();
      await gate.isOpen.promise;
    }
    response.end('done');
  };
  const { server, url } = await listen((request, response) => {
    handle(request, response).catch(() => response.writeHead(500).end());
  });
  const { trap, close } = await setTrap();
  return {
    url,
    trap,
    effects,
    reached: (gate) => getGate(gate).isReached.promise,
    open: (gate) => getGate(gate).isOpen.resolve(),
    stop() {
      close();
      server.close();
      server.closeAllConnections();
    },
  };
}

async function setTrap(): Promise<{ readonly trap: Trap; close(): void }> {
  let caught = 0;
  const server = createServer((socket) => {
    caught += 1;
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('The trap server is not listening on a port.');
  const { port } = address;
  const trap: Trap = {
    port,
    get caught() {
      return caught;
    },
  };
  return { trap, close: () => void server.close() };
}
