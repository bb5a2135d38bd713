import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../../src/journal/entry.ts';
import type { ManualClock, SessionPort } from '../../../../src/testing/entry.ts';
import { createEvent, createHeldSession, getPromiseState, LEASE_MS } from './held.ts';

/** Holds appends until the gate opens. */
function createGate() {
  const waiting: (() => void)[] = [];
  return {
    wrap: (port: SessionPort): SessionPort => ({
      ...port,
      append: async (epoch, from, change) => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        return port.append(epoch, from, change);
      },
    }),
    waiting,
    async open({ clock }: { readonly clock: ManualClock }) {
      waiting.splice(0).forEach((go) => {
        go();
      });
      await clock.advance(0);
    },
  };
}

describe('the outbox', () => {
  it('sends the events of one tick of the event loop together', async () => {
    const { outbox, log, clock } = await createHeldSession();
    outbox.emit(createEvent('a'));
    outbox.emit(createEvent('b'), createEvent('c'));
    expect(log).toEqual([]);
    await clock.advance(0);
    expect(log).toEqual(['append 3 turn-yielded turn-yielded turn-yielded']);
  });

  it('has one append in flight, and sends later events together in the next', async () => {
    const { wrap, waiting, open } = createGate();
    const { outbox, log, clock } = await createHeldSession({ wrap });
    outbox.emit(createEvent('a'));
    await clock.advance(0);
    outbox.emit(createEvent('b'));
    await clock.advance(0);
    outbox.emit(createEvent('c'));
    await clock.advance(0);
    expect(waiting).toHaveLength(1);
    await open({ clock });
    await open({ clock });
    expect(log).toEqual(['append 3 turn-yielded', 'append 4 turn-yielded turn-yielded']);
  });

  it.each<{ readonly anew: boolean; readonly event: SessionEvent }>([
    {
      anew: true,
      event: { type: 'model-replied', turn: 't1', model: 'm', text: '', toolCalls: [], finish: 'stop' },
    },
    {
      anew: true,
      event: { type: 'tool-call-ended', turn: 't1', call: 'a', result: { type: 'text', content: 'ok' } },
    },
    { anew: false, event: { type: 'tools-listed', turn: 't1', facts: [] } },
    {
      anew: false,
      event: { type: 'frame-started', turn: 't1', frame: 'a', name: 'dig', message: 'Dig.' },
    },
    { anew: false, event: { type: 'turn-resumed', turn: 't1', cause: 'expired' } },
  ])(
    'restarts the count of take-overs after an event of the type $event.type: $anew',
    async ({ anew, event }) => {
      const sent: unknown[] = [];
      const wrap = (port: SessionPort): SessionPort => ({
        ...port,
        append: (epoch, from, change) => {
          sent.push(change.progress);
          return port.append(epoch, from, change);
        },
      });
      const { outbox } = await createHeldSession({ wrap });
      outbox.emit(event);
      await outbox.settled();
      expect([sent, outbox.hasProgressed]).toEqual([[anew || undefined], anew]);
    },
  );

  it('leaves no timer behind if it stops before an append is retried', async () => {
    const wrap = (port: SessionPort): SessionPort => ({
      ...port,
      append: () => Promise.reject(new Error('gone')),
    });
    const { outbox, session, clock, timersLeft } = await createHeldSession({ wrap });
    outbox.emit(createEvent('a'));
    await clock.advance(0);
    await clock.advance((LEASE_MS * 3) / 4);
    await session.close();
    expect(outbox.fencedBy?.message).toBe('The lease of this invocation has run out.');
    expect(timersLeft()).toBe(0);
  });

  it('folds an event when it is emitted, in the form in which the journal returns it', async () => {
    const { outbox } = await createHeldSession();
    outbox.emit({ type: 'cancel-requested', turn: 't1' });
    expect(outbox.state).toMatchObject({ seq: 3, turn: { cancelRequested: true } });
    await outbox.settled();
  });

  it('is durable when all earlier events are stored, and does not wait for later events', async () => {
    const { wrap, open } = createGate();
    const { outbox, clock } = await createHeldSession({ wrap });
    outbox.emit(createEvent('a'));
    const first = outbox.durable();
    await clock.advance(0);
    outbox.emit(createEvent('b'));
    const second = outbox.durable();
    expect(await getPromiseState(clock, first)).toBe('open');
    await open({ clock });
    expect(await getPromiseState(clock, first)).toBe('resolved');
    expect(await getPromiseState(clock, second)).toBe('open');
    await open({ clock });
    expect(await getPromiseState(clock, second)).toBe('resolved');
    expect(await getPromiseState(clock, outbox.durable())).toBe('resolved');
  });

  it('shows events only after they are stored, with the time of the object’s clock', async () => {
    const { wrap, open } = createGate();
    const { outbox, stored, clock } = await createHeldSession({ wrap });
    outbox.emit(createEvent('a'));
    await clock.advance(0);
    expect(stored).toEqual([]);
    await open({ clock });
    expect(stored).toEqual([{ seq: 3, at: 1_000_000, ...createEvent('a') }]);
  });

  it('stops if its lease is stale: it rejects waiting events and sends no more', async () => {
    const { outbox, session, log, clock, port } = await createHeldSession();
    await clock.advance(LEASE_MS / 2);
    await port.append(1, 3, { events: [], release: 'yielded' });
    outbox.emit(createEvent('a'));
    const durable = outbox.durable();
    expect(await getPromiseState(clock, durable)).toBe(
      'rejected: The session can no longer be written: the append was refused as stale.',
    );
    expect(session.signal.reason).toMatchObject({ why: 'lost' });
    outbox.emit(createEvent('b'));
    await clock.advance(0);
    expect(log.filter((line) => line.startsWith('append'))).toHaveLength(1);
    expect(await getPromiseState(clock, outbox.release('ended'))).toMatch(/^rejected/);
    expect(await getPromiseState(clock, session.close())).toBe('resolved');
  });

  it('retries a failed append unchanged while the lease lasts', async () => {
    const sent: unknown[] = [];
    const wrap = (port: SessionPort): SessionPort => ({
      ...port,
      append: async (epoch, from, change) => {
        sent.push([epoch, from, change]);
        if (sent.length < 3) throw new Error('overloaded');
        return port.append(epoch, from, change);
      },
    });
    const { outbox, clock } = await createHeldSession({ wrap });
    outbox.emit(createEvent('a'));
    const durable = outbox.durable();
    await clock.advance(50 + 100);
    expect(await getPromiseState(clock, durable)).toBe('resolved');
    expect(sent).toEqual([sent[0], sent[0], sent[0]]);
  });

  it('limits an append to the maximum message size of the object', async () => {
    const sizes: number[] = [];
    const releases: unknown[] = [];
    const wrap = (port: SessionPort): SessionPort => ({
      ...port,
      append: (epoch, from, change) => {
        sizes.push(change.events.reduce((size, { body }) => size + body.length, 0));
        releases.push(change.release);
        return port.append(epoch, from, change);
      },
    });
    const { outbox, port } = await createHeldSession({ wrap });
    for (let i = 0; i < 5; i += 1) outbox.emit(createEvent('x'.repeat(5 * 1024 * 1024)));
    await outbox.release('ended');
    expect(sizes.length).toBe(5);
    expect(Math.max(...sizes)).toBeLessThan(8 * 1024 * 1024);
    expect(releases).toEqual([undefined, undefined, undefined, undefined, 'ended']);
    expect(await port.read({ from: 1, limit: 1 })).toMatchObject({ head: 7, openTurn: null });
  });

  it('deletes an inbox message with the append of its events, or with the last of several appends', async () => {
    const sent: (readonly [events: number, read: readonly number[] | undefined])[] = [];
    const wrap = (port: SessionPort): SessionPort => ({
      ...port,
      append: (epoch, from, change) => {
        sent.push([change.events.length, change.inboxRead]);
        return port.append(epoch, from, change);
      },
    });
    const { session, outbox, port } = await createHeldSession({ wrap });
    const result = { type: 'text', content: 'x'.repeat(3 * 1024 * 1024) };
    const rows = [1, 2, 3, 4, 5].map((id) => {
      const body = JSON.stringify({ call: `c${id}`, tool: 'pay', input: '{}', result });
      return { id, kind: 'late', turn: 't1', body } as const;
    });
    for (const { id, body } of rows) {
      await port.post({ kind: 'late', turn: 't1', body });
      const doubt = { type: 'error', message: '', reason: 'unknown-outcome' } as const;
      outbox.emit({ type: 'tool-call-ended', turn: 't1', call: `c${id}`, result: doubt });
    }
    await outbox.durable();
    sent.length = 0;
    session.inbox.takeIn(rows);
    await outbox.settled();
    expect(sent).toEqual([
      [2, [1, 2]],
      [2, [3, 4]],
      [1, [5]],
    ]);
    await session.close();
  });

  it('stops if the port fails until the lease has expired', async () => {
    const wrap = (port: SessionPort): SessionPort => ({
      ...port,
      append: () => Promise.reject(new Error('overloaded')),
    });
    const { outbox, session, clock } = await createHeldSession({ wrap });
    outbox.emit(createEvent('a'));
    const durable = outbox.durable();
    expect(await getPromiseState(clock, durable)).toBe('open');
    await clock.advance((LEASE_MS * 3) / 4);
    expect(await getPromiseState(clock, durable)).toBe('rejected: The lease of this invocation has run out.');
    expect(() => session.checkpoint()).toThrow('run out');
  });

  it('waits for a pending append only until its lease expires', async () => {
    const { wrap } = createGate();
    const { outbox, session, clock } = await createHeldSession({ wrap });
    outbox.emit(createEvent('a'));
    const closing = session.close();
    const durable = outbox.durable();
    await clock.advance((LEASE_MS * 3) / 4 - 1);
    expect(await getPromiseState(clock, closing)).toBe('open');
    expect(await getPromiseState(clock, durable)).toBe('open');
    await clock.advance(1);
    expect(await getPromiseState(clock, closing)).toBe('resolved');
    expect(await getPromiseState(clock, outbox.durable())).toBe(
      'rejected: The lease of this invocation has run out.',
    );
  });

  it('releases the lease together with the remaining events', async () => {
    const { outbox, log, port } = await createHeldSession();
    outbox.emit(createEvent('a'));
    await outbox.release('ended');
    expect(log).toEqual(['append 3 turn-yielded']);
    expect((await port.read({ from: 1 }))?.openTurn).toBeNull();
  });

  it('releases the lease in a separate append if the last one is in flight', async () => {
    const { wrap, open } = createGate();
    const { outbox, log, clock } = await createHeldSession({ wrap });
    outbox.emit(createEvent('a'));
    await clock.advance(0);
    const released = outbox.release('yielded');
    await open({ clock });
    await open({ clock });
    expect(await getPromiseState(clock, released)).toBe('resolved');
    expect(log).toEqual(['append 3 turn-yielded', 'append 4 ']);
  });

  it('accepts an inbox message once, in the append that deletes it', async () => {
    const { outbox, session, port } = await createHeldSession();
    await port.post({ kind: 'cancel', turn: 't1', body: '{}' });
    outbox.emit(createEvent('a'));
    await outbox.durable();
    await outbox.settled();
    const page = await port.read({ from: 3 });
    expect(page?.rows.map(({ type }) => type)).toEqual(['turn-yielded', 'cancel-requested']);
    expect(session.signal.reason).toMatchObject({ why: 'cancelled' });
    expect(await port.renew(1)).toEqual({ status: 'renewed', inbox: [] });
  });

  it.each(['yielded', 'suspended'] as const)(
    'leaves an inbox message that arrives during the release to the next holder: %s',
    async (release) => {
      const { wrap, open } = createGate();
      const { outbox, port, session, clock } = await createHeldSession({ wrap });
      outbox.emit(createEvent('a'));
      await clock.advance(0);
      await port.post({ kind: 'cancel', turn: 't1', body: '{}' });
      const released = outbox.release(release);
      await open({ clock });
      await open({ clock });
      expect(await getPromiseState(clock, released)).toBe('resolved');
      await session.close();
      expect((await port.read({ from: 1 }))?.head).toBe(3);
      const next = await port.resume({
        nonce: 'next',
        turn: 't1',
        reader: { reducer: 1, messageTypes: [], maxBytes: 1 },
      });
      expect(next).toMatchObject({ status: 'leased', inbox: [{ kind: 'cancel' }] });
    },
  );
});
