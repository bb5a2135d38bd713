/** What is outside of the Worker: effects, which are counted here, and gates at which tools wait. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { listen, readJson } from '../../../../src/examples/demo/loopback.ts';

/** Something that a tool did. */
export interface Effect {
  readonly what: string;
  readonly about: unknown;
  readonly tenant: string | null;
  readonly key: string;
}

export interface World {
  readonly url: string;
  /** All that was done so far. */
  readonly effects: readonly Effect[];
  /** Resolves when a tool waits at the gate. */
  reached(gate: string): Promise<void>;
  /** Lets those on who wait there, now and later. */
  open(gate: string): void;
  stop(): void;
}

interface Gate {
  readonly isReached: PromiseWithResolvers<void>;
  readonly isOpen: PromiseWithResolvers<void>;
}

export async function startWorld(): Promise<World> {
  const effects: Effect[] = [];
  const gates = new Map<string, Gate>();
  const gateOf = (name: string): Gate => {
    const known = gates.get(name) ?? { isReached: Promise.withResolvers(), isOpen: Promise.withResolvers() };
    gates.set(name, known);
    return known;
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, kind, name = ''] = (request.url ?? '').split('/');
    if (kind === 'effects')
      effects.push((await readJson(request)) as Effect); // our own tools' body
    else {
      const gate = gateOf(decodeURIComponent(name));
      gate.isReached.resolve();
      await gate.isOpen.promise;
    }
    response.end('done');
  };
  const { server, url } = await listen((request, response) => {
    handle(request, response).catch(() => response.writeHead(500).end());
  });
  return {
    url,
    effects,
    reached: (gate) => gateOf(gate).isReached.promise,
    open: (gate) => gateOf(gate).isOpen.resolve(),
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
