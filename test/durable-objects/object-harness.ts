import { evictDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { SessionObject } from '../../durable-objects/session-object.ts';
import type { SessionPort } from '../../src/journal/session-port.ts';
import { objectSession } from '../../src/session/object-session.ts';
import { handOvers } from '../fixtures/hand-overs.ts';
import { withLease } from '../fixtures/lease-terms.ts';
import type { SessionHarness } from '../session-contract/harness.ts';
import { relativeEpochs } from '../session-contract/relative-epochs.ts';

declare global {
  namespace Cloudflare {
    interface Env {
      readonly SESSIONS: DurableObjectNamespace<SessionObject>;
    }
  }
}

/** Short: many facts wait until it runs out. */
const LEASE_MS = 300;

export interface ObjectHarness extends SessionHarness {
  /** With the epochs as they are. */
  readonly raw: SessionPort;
  /** A new stub: one is dead for ever after a reset. */
  stub(): DurableObjectStub<SessionObject>;
}

/** A session of a fresh name in a real Durable Object, in real time. */
export function makeObjectHarness(): ObjectHarness {
  const name = JSON.stringify(['owner', 'agent', `${withLease(LEASE_MS)}-${crypto.randomUUID()}`]);
  const raw = objectSession(env.SESSIONS, name);
  const stub = () => env.SESSIONS.getByName(name);
  return {
    name,
    session: relativeEpochs(raw),
    raw,
    leaseMs: LEASE_MS,
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    restart: async () => {
      // An object that is not running cannot be evicted.
      await stub().read({ from: 1, limit: 1 });
      await evictDurableObject(stub());
    },
    handOvers: () => handOvers.filter((handOver) => handOver.name === name).map((handOver) => handOver.turn),
    stub,
  };
}
