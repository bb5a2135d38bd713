import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { SessionPort } from '../../../../src/testing/entry.ts';
import { createObjectSession, type SessionObject } from '../../../doors/durable-objects.ts';
import { deletions, dispatchedSessions, handOvers, offers } from '../../../fixtures/hand-overs.ts';
import { HeldTime } from '../../../fixtures/held-time.ts';
import { withLease } from '../../../fixtures/lease-terms.ts';
import { waitUntil } from '../../../fixtures/scripts.ts';
import {
  formatRow,
  formatStaleCopies,
  type SessionHarness,
} from '../../../fixtures/session-contract/harness.ts';
import { withRelativeEpochs } from '../../../fixtures/session-contract/relative-epochs.ts';

declare global {
  namespace Cloudflare {
    interface Env {
      readonly SESSIONS: DurableObjectNamespace<SessionObject>;
    }
  }
}

/** For objects in real time. It is short, because tests wait until it expires. */
const SHORT_LEASE_MS = 300;
/** For objects with a held clock. Fractions of it are whole numbers, like an alarm's time. */
const LEASE_MS = 30_000;

/** More alarms than fire during any wait of a test. */
const MAX_ALARMS = 100;

/** Far enough in the future that no alarm fires by itself. */
const START = Date.UTC(2100, 0, 1);

export interface ObjectHarness extends SessionHarness {
  /** Without normalized epochs. */
  readonly raw: SessionPort;
  /** Returns the time of its object, in ms since the epoch. */
  now(): number;
  /** Returns a new stub, because a stub is unusable after a reset. */
  stub(): DurableObjectStub<SessionObject>;
}

/** A session with a new name in a real Durable Object with real alarms. Its time only passes with `wait`. */
export function makeObjectHarness(): ObjectHarness {
  const { name, stub, raw, ...harness } = createRealObject(LEASE_MS);
  const time = new HeldTime(name, START);
  /** The time of the alarm of an evicted object. Reading it would start the object before its alarm does. */
  let asleep: number | null | undefined;
  const readAlarm = () => runInDurableObject(stub(), (_, { storage }) => storage.getAlarm());
  const awake = new Proxy(raw, {
    get:
      (port, method) =>
      (...args: unknown[]) => {
        asleep = undefined;
        return Reflect.apply(Reflect.get(port, method), port, args);
      },
  });
  /** Runs the alarm that is due by `until`, at its time. Returns `false` if no alarm is due. */
  async function runNext(until: number): Promise<boolean> {
    const due = asleep === undefined ? await readAlarm() : asleep;
    if (due === null || due > until) return false;
    asleep = undefined;
    time.now = Math.max(time.now, due);
    await runDurableObjectAlarm(stub());
    await waitForHandOver(name);
    return true;
  }
  return {
    ...harness,
    ...{ name, stub, raw: awake, session: withRelativeEpochs(awake), leaseMs: LEASE_MS, now: () => time.now },
    wait: async (ms) => {
      const end = time.now + ms;
      for (let alarms = 0; await runNext(end); alarms += 1) {
        if (alarms === MAX_ALARMS) throw new Error('The alarm of the object fires endlessly.');
      }
      time.now = end;
      // The platform's next event gets a later time.
      await new Promise((resolve) => setTimeout(resolve, 2));
    },
    setBack: (ms) => {
      time.now -= ms;
    },
    restart: async () => {
      asleep = await readAlarm(); // runs the object, since an inactive object cannot be evicted
      await evictDurableObject(stub());
    },
  };
}

/** A session in real time, whose alarms fire by themselves. */
export function makeRealObjectHarness(): ObjectHarness {
  const { raw, stub, ...harness } = createRealObject(SHORT_LEASE_MS);
  return {
    ...harness,
    ...{ raw, stub, session: withRelativeEpochs(raw), leaseMs: SHORT_LEASE_MS, now: () => Date.now() },
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    setBack: () => {
      throw new Error('This object runs in real time, which cannot be set back.');
    },
    restart: async () => {
      await stub().read({ from: 1, limit: 1 }); // an inactive object cannot be evicted
      await evictDurableObject(stub());
    },
  };
}

function createRealObject(leaseMs: number) {
  const name = JSON.stringify(['owner', 'agent', `${withLease(leaseMs)}-${crypto.randomUUID()}`]);
  return {
    name,
    raw: createObjectSession(env.SESSIONS, name),
    stub: () => env.SESSIONS.getByName(name),
    loseAlarm: () =>
      runInDurableObject(env.SESSIONS.getByName(name), (_, { storage }) => storage.deleteAlarm()),
    // Messages on a line arrive with a delay.
    settled: () => new Promise<void>((resolve) => setTimeout(resolve, 100)),
    handOvers: () => handOvers.filter((handOver) => handOver.name === name).map(({ turn }) => turn),
    store: {
      asked: () => deletions.asked.filter((one) => one.name === name).map(formatStaleCopies),
      breaks: (isBroken: boolean) => void deletions.broken[isBroken ? 'add' : 'delete'](name),
    },
    agenda: {
      offered: () => offers.asked.filter((one) => one.name === name).map(formatRow),
      answer: (...outcomes) => {
        offers.outcomes.set(name, [...(offers.outcomes.get(name) ?? []), ...outcomes]);
      },
    } satisfies SessionHarness['agenda'],
  };
}

/** Waits until the hand-overs of this session's alarms have arrived. */
function waitForHandOver(name: string): Promise<void> {
  const countNames = (names: readonly string[]): number => names.filter((one) => one === name).length;
  return waitUntil(
    () =>
      countNames(handOvers.map((handOver) => handOver.name)) === countNames(dispatchedSessions) &&
      countNames(deletions.over.map((one) => one.name)) ===
        countNames(deletions.asked.map((one) => one.name)) &&
      countNames(offers.over.map((one) => one.name)) === countNames(offers.asked.map((one) => one.name)),
  );
}
