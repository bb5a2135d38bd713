/** A slow turn's cost for its object: requests and alarms, which wake it, and the rows that they write. */
import { describe, expect, it, vi } from 'vitest';
import { type AnyTool, defineTool, type Effect } from '../../../../src/index.ts';
import { createManualClock, type SessionPort } from '../../../../src/testing/entry.ts';
import { SessionLedger } from '../../../doors/ledger.ts';
import { MemoryStorage, withOrderedHashes } from '../../../doors/testing.ts';
import { callTools } from '../tool-loop/scenes.ts';
import { advanceUntilSettled, withoutPings } from './former-holder.ts';
import { createMemoryApp } from './memory-app.ts';

const ITERATION_COUNT = 10;
const REPLY_MS = 30_000;

const createLookTool = (effect: Effect): AnyTool =>
  defineTool({ name: 'look', description: 'Looks.', effect, run: () => 'seen' });

/** A turn with eleven replies that take 30 s each. Ten of them call a tool. */
async function playTurn(effect: Effect, more: (port: SessionPort) => Partial<SessionPort> = () => ({})) {
  const clock = createManualClock(1_000_000);
  const rows = { events: 0, lease: 0 };
  const requests: Record<string, number> = {};
  const countRequest = (what: string): void => {
    requests[what] = (requests[what] ?? 0) + 1;
  };
  const replyLater =
    <T>(value: T) =>
    () =>
      new Promise<T>((resolve) => clock.after(REPLY_MS, () => resolve(value)));
  const app = createMemoryApp({
    tools: [createLookTool(effect)],
    replies: [
      ...Array.from({ length: ITERATION_COUNT }, () => replyLater(callTools('look'))),
      replyLater('Done.'),
    ],
    clock,
    leaseMs: 20_000,
    wrap: (inner) => {
      const port = { ...inner, ...more(inner) };
      return new Proxy(port, {
        get:
          (_, method: keyof SessionPort) =>
          (...args: unknown[]) => {
            countRequest(method);
            return Reflect.apply(port[method], port, args);
          },
      });
    },
  });
  const { addEvents, setLease } = MemoryStorage.prototype;
  const spies = [
    vi.spyOn(MemoryStorage.prototype, 'addEvents').mockImplementation(function (
      this: MemoryStorage,
      ...args
    ) {
      rows.events += 1;
      addEvents.apply(this, args);
    }),
    vi.spyOn(MemoryStorage.prototype, 'setLease').mockImplementation(function (this: MemoryStorage, lease) {
      rows.lease += 1;
      setLease.call(this, lease);
    }),
    vi.spyOn(SessionLedger.prototype, 'alarm'),
  ];
  try {
    const end = await withOrderedHashes(() => advanceUntilSettled(clock, app.say('Go.'), 20 * REPLY_MS));
    requests.alarm = spies[2]?.mock.calls.length ?? 0;
    return { outcome: end.status === 'ended' && end.turn.outcome, requests, rows };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

describe('a turn of eleven replies that take 30 s each', () => {
  it('makes 20 requests to its object if its holder pings, and never renews the lease', async () => {
    const { outcome, requests, rows } = await playTurn('read');
    expect(outcome).toBe('completed');
    expect(requests).toEqual({ begin: 1, watch: 1, append: 11, alarm: 6 });
    // Events: the opening, the start and the appends. Lease: at its start, when the connection opens, and at
    // its end. Each alarm sets the next.
    expect(rows).toEqual({ events: 2 + 11, lease: 3 });
  });

  it('makes one more request for each `once` call', async () => {
    const { requests, rows } = await playTurn('once');
    expect(requests).toEqual({ begin: 1, watch: 1, append: 21, alarm: 6 });
    expect(rows).toEqual({ events: 2 + 21, lease: 3 });
  });

  it("renews the lease four times per reply if the holder's pings are unanswered", async () => {
    const { outcome, requests } = await playTurn('read', withoutPings);
    expect(outcome).toBe('completed');
    expect(requests.renew).toBeGreaterThan(3 * 11);
  });
});
