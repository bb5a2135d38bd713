import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { createObjectSession } from '../../../doors/durable-objects.ts';
import { systemClock } from '../../../doors/session.ts';
import type { CrashableSession } from '../../../doors/testing.ts';
import { withLease } from '../../../fixtures/lease-terms.ts';
import { countTimers } from './counted-clock.ts';

/** The time in ms after which an invocation counts as hanging. */
const HANG_MS = 30_000;

/** A session in a real Durable Object, in real time. Its alarms hand the turn to a runner that ignores it. */
export function createCrashableObjectSession(leaseMs: number): CrashableSession {
  const name = JSON.stringify(['owner', 'agent', `${withLease(leaseMs)}-${crypto.randomUUID()}`]);
  const { clock, timersLeft } = countTimers(systemClock);
  const getStub = () => env.SESSIONS.getByName(name);
  return {
    port: createObjectSession(env.SESSIONS, name),
    clock,
    leaseMs,
    timersLeft,
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    async restart(abruptly) {
      if (abruptly) return abort(getStub());
      // Only a running object can be evicted.
      await getStub().read({ from: 1, limit: 1 });
      await evictDurableObject(getStub());
    },
    until: rejectIfHanging,
  };
}

/** Aborts the object like a crash. Requests in progress are lost. */
async function abort(stub: ReturnType<typeof env.SESSIONS.getByName>): Promise<void> {
  const aborted = runInDurableObject(stub, (_, state) => {
    state.abort('reset by the crash matrix');
  });
  await aborted.catch(() => {}); // a call to an object that aborts itself always rejects
}

async function rejectIfHanging<T>(promise: Promise<T>): Promise<T> {
  const hang = Promise.withResolvers<never>();
  const timer = setTimeout(() => hang.reject(new Error('The invocation hangs.')), HANG_MS);
  return Promise.race([promise, hang.promise]).finally(() => clearTimeout(timer));
}
