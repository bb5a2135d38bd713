import { beforeEach, describe, expect, it, vi } from 'vitest';
import { defineTool } from '../../../../src/index.ts';
import { createManualClock, type ManualClock } from '../../../../src/testing/entry.ts';
import { toRow } from '../../../doors/journal.ts';
import type { FeedItem } from '../../../doors/session.ts';
import { advanceUntilSettled, LEASE_MS } from './former-holder.ts';
import { createMemoryApp } from './memory-app.ts';

let clock: ManualClock;
beforeEach(() => {
  clock = createManualClock(1_000_000);
});

const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });

describe('an invocation whose client disconnects', () => {
  it('finishes the running calls, hands over the turn at the next boundary, and journals the reason', async () => {
    const client = new AbortController();
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      run: async () => {
        client.abort();
        await new Promise<void>((resolve) => clock.after(1_000, resolve));
        return 'paid';
      },
    });
    const app = createMemoryApp({
      tools: [pay],
      replies: [{ calls: [{ name: 'pay' }] }, 'Done.'],
      clock,
      leaseMs: LEASE_MS,
    });
    const leased = await app.lease('Go.');
    const turn = leased.page.openTurn?.id ?? '';
    expect(await advanceUntilSettled(clock, app.run(leased, { leave: client.signal }))).toEqual({
      status: 'handed-over',
      seq: 6,
    });
    const { events } = { events: await app.events(turn) };
    expect(events.slice(-2)).toMatchObject([
      { type: 'tool-call-ended', result: { content: 'paid' } },
      { type: 'turn-yielded', reason: 'its client has gone' },
    ]);
    const next = await app.resume(turn);
    expect(next).toMatchObject({ cause: 'handed-over', expirations: 0 });
    expect(await advanceUntilSettled(clock, app.run(next))).toMatchObject({
      status: 'ended',
      turn: { text: 'Done.' },
    });
  });

  it('gives a model twenty seconds to finish its reply, and then leaves the reply to the next invocation', async () => {
    const client = new AbortController();
    const app = createMemoryApp({
      replies: [
        () => {
          client.abort();
          return new Promise(() => {});
        },
        'Done.',
      ],
      clock,
      leaseMs: LEASE_MS,
    });
    const leased = await app.lease('Go.');
    const before = clock.now();
    expect(await advanceUntilSettled(clock, app.run(leased, { leave: client.signal }))).toMatchObject({
      status: 'handed-over',
    });
    expect(clock.now() - before).toBe(20_000);
    const next = await app.resume(leased.page.openTurn?.id ?? '');
    expect(await advanceUntilSettled(clock, app.run(next))).toMatchObject({
      status: 'ended',
      turn: { text: 'Done.' },
    });
  });

  it('does not call the model if its client disconnected before the start', async () => {
    const app = createMemoryApp({ replies: ['Done.'], clock });
    expect(await advanceUntilSettled(clock, app.say('Go.', { leave: AbortSignal.abort() }))).toMatchObject({
      status: 'handed-over',
    });
    expect(app.model.requests).toEqual([]);
  });
});

describe('an invocation', () => {
  it('continues if its watcher throws', async () => {
    const complaint = vi.spyOn(console, 'error').mockImplementation(() => {});
    const app = createMemoryApp({ tools: [look], replies: [{ calls: [{ name: 'look' }] }, 'Done.'], clock });
    const show = vi.fn(() => {
      throw new TypeError('the stream is closed');
    });
    expect(await advanceUntilSettled(clock, app.say('Go.', { show }))).toMatchObject({
      status: 'ended',
      turn: { text: 'Done.' },
    });
    expect(show).toHaveBeenCalledTimes(1);
    expect(complaint).toHaveBeenCalledTimes(1);
    complaint.mockRestore();
  });

  it('cancels all its timers before it ends', async () => {
    let timers = 0;
    const counting = {
      now: () => clock.now(),
      soon: clock.soon,
      after(ms: number, run: () => void) {
        timers += 1;
        let isOver = false;
        const endTimer = (): void => {
          timers -= isOver ? 0 : 1;
          isOver = true;
        };
        const cancel = clock.after(ms, () => {
          endTimer();
          run();
        });
        return () => {
          endTimer();
          cancel();
        };
      },
    };
    const app = createMemoryApp({ tools: [look], replies: [{ calls: [{ name: 'look' }] }, 'Done.'], clock });
    await advanceUntilSettled(
      clock,
      app.say('Go.', { clock: counting, leave: new AbortController().signal }),
    );
    expect(timers).toBe(0);
    await advanceUntilSettled(clock, app.say('Go.', { clock: counting, leave: AbortSignal.abort() }));
    expect(timers).toBe(0);
  });

  it('stops if its lease is lost, and reports its last event', async () => {
    const shown: FeedItem[] = [];
    const app = createMemoryApp({
      tools: [look],
      replies: [{ calls: [{ name: 'look' }] }, 'Done.'],
      clock,
      leaseMs: LEASE_MS,
      wrap: (port) => ({ ...port, append: () => new Promise(() => {}), renew: () => new Promise(() => {}) }),
    });
    const end = app.say('Go.', { show: (item) => shown.push(item) });
    expect(await advanceUntilSettled(clock, end, LEASE_MS)).toEqual({ status: 'lost', seq: 2 });
    expect(shown.map((item) => (item.type === 'event' ? item.stored.seq : item.type))).toEqual([2]);
  });

  it('shows no text before the preceding events are durable', async () => {
    const shown: string[] = [];
    let release = (): void => {};
    const app = createMemoryApp({
      tools: [look],
      replies: [{ calls: [{ name: 'look' }] }, { text: 'Done.', pieces: ['Do', 'ne.'] }],
      clock,
      wrap: (port) => ({
        ...port,
        append: async (epoch, from, change) => {
          await new Promise<void>((resolve) => {
            release = resolve;
          });
          return port.append(epoch, from, change);
        },
      }),
    });
    const show = (item: FeedItem): void => {
      shown.push(
        item.type === 'event' ? item.stored.type : item.type === 'text-delta' ? item.text : item.type,
      );
    };
    const end = app.say('Go.', { show });
    await clock.advance(0);
    expect(app.model.requests).toHaveLength(2);
    expect(shown).toEqual(['turn-started']);
    for (let i = 0; i < 3; i += 1) {
      release();
      await clock.advance(0);
    }
    await advanceUntilSettled(clock, end);
    expect(shown).toEqual([
      ...['turn-started', 'model-replied', 'tool-call-started', 'tool-call-ended'],
      ...['Do', 'ne.', 'model-replied', 'turn-ended'],
    ]);
  });

  it('releases a session unchanged if a newer version has written to it', async () => {
    const app = createMemoryApp({ replies: ['Done.'], clock, leaseMs: LEASE_MS });
    const leased = await app.lease('Go.');
    const turn = leased.page.openTurn?.id ?? '';
    const newer = {
      ...toRow({ type: 'turn-yielded', turn, reason: '' }),
      body: '{"v":99,"type":"turn-paused"}',
    };
    await app.port.append(leased.epoch, 3, { events: [newer], release: 'yielded' });
    const taken = await app.resume(turn);
    await expect(app.run(taken)).rejects.toThrow('Event 3 was written by a newer version of this Worker.');
    expect(await app.port.read({ from: 1 })).toMatchObject({ head: 3, openTurn: { id: turn } });
    expect(await app.port.renew(taken.epoch)).toEqual({ status: 'stale' });
    await clock.advance(4_999);
    expect(app.dispatched).toEqual([]);
    await clock.advance(1);
    expect(app.dispatched).toEqual([turn]);
    expect(await app.resume(turn)).toMatchObject({ cause: 'handed-over' });
  });
});
