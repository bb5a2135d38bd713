/** A cancel after a rollback: this version cannot fold the session, because a newer one stored an event. */
import { describe, expect, it, vi } from 'vitest';
import { openWaits } from '../../../doors/session.ts';
import { createTurnStart } from '../../../fixtures/session-contract/harness.ts';
import { advanceUntilSettled, LEASE_MS } from './former-holder.ts';
import { type ClockedApp, createClockedApp } from './memory-app.ts';

const NEWER_BODY = { v: 99, call: 'c0' };

/** Starts a turn in which a newer version stores an event and releases the turn as `release` specifies. */
async function startTurnOfNewerVersion(app: ClockedApp, release?: 'yielded' | 'suspended'): Promise<string> {
  const { epoch, page } = await app.lease('Go.');
  const turn = page.openTurn?.id ?? '';
  const body = JSON.stringify({ ...NEWER_BODY, type: 'something-new', turn });
  await app.port.append(epoch, page.head + 1, {
    events: [{ type: 'something-new', turn, body }],
    ...(release && { release }),
  });
  return turn;
}

const cancel = (app: ClockedApp, turn: string) => app.port.post({ kind: 'cancel', turn, body: '{}' });

/** Runs the turns that the alarm hands over until no turn is open or the alarm hands over no more. */
async function runDue(app: ClockedApp): Promise<void> {
  for (let seen = 0; ; seen += 1) {
    for (let waited = 0; app.dispatched.length <= seen && waited < 60; waited += 1)
      await app.clock.advance(1_000);
    const turn = app.dispatched[seen];
    if (turn === undefined) return;
    await app.resume(turn).then(
      (leased) => advanceUntilSettled(app.clock, app.run(leased)).catch((failure) => failure),
      () => 'not to be resumed',
    );
    if (!(await app.port.read({ from: 1 }))?.openTurn) return;
  }
}

const listTurnEnds = async (app: ClockedApp, turn: string) =>
  ((await app.port.read({ from: 1, turn }))?.rows ?? []).flatMap(({ type, body }) =>
    type === 'turn-ended' ? [JSON.parse(body)] : [],
  );

describe('a turn with an event of a newer version', () => {
  it('is not changed until it is cancelled', async () => {
    const app = createClockedApp({ replies: [], leaseMs: LEASE_MS });
    const turn = await startTurnOfNewerVersion(app, 'yielded');
    await expect(app.run(await app.resume(turn))).rejects.toThrow('was written by a newer version');
    expect(await listTurnEnds(app, turn)).toEqual([]);
  });

  it.each(['yielded', 'suspended', undefined] as const)(
    'ends as cancelled without a model call if a caller cancels it (released as %s)',
    async (release) => {
      const app = createClockedApp({ replies: [], leaseMs: LEASE_MS });
      const turn = await startTurnOfNewerVersion(app, release);
      expect(await cancel(app, turn)).toBe('posted');
      await runDue(app);
      expect(await listTurnEnds(app, turn)).toEqual([
        { v: 1, type: 'turn-ended', turn, outcome: 'cancelled' },
      ]);
      expect(app.model.requests).toEqual([]);
    },
  );

  it('ends as cancelled even if a holder of this version has tried to read it', async () => {
    const app = createClockedApp({ replies: [], leaseMs: LEASE_MS });
    const turn = await startTurnOfNewerVersion(app, 'yielded');
    await app.run(await app.resume(turn)).catch(() => 'left');
    await cancel(app, turn);
    await runDue(app);
    expect(await listTurnEnds(app, turn)).toMatchObject([{ outcome: 'cancelled' }]);
  });

  it('ends as cancelled, and so does the turn that was queued behind it', async () => {
    const warn = vi.spyOn(console, 'error').mockImplementation(() => {});
    const app = createClockedApp({ replies: [], leaseMs: LEASE_MS });
    const turn = await startTurnOfNewerVersion(app);
    await app.port.accept({ ...createTurnStart('q1'), whenBusy: 'queue' });
    await cancel(app, 'q1');
    await cancel(app, turn);
    await runDue(app);
    await runDue(app);
    expect([await listTurnEnds(app, turn), await listTurnEnds(app, 'q1')]).toMatchObject([
      [{ outcome: 'cancelled' }],
      [{ outcome: 'cancelled' }],
    ]);
    warn.mockRestore();
  });

  it('lists its open question with the role that decides, so that a cancel can check the role', async () => {
    const app = createClockedApp({ replies: [], leaseMs: LEASE_MS });
    const { epoch, page } = await app.lease('Go.');
    const turn = page.openTurn?.id ?? '';
    const wait = { for: 'decision', message: 'Pay?', by: 'manager', allows: ['approve'], schema: {} };
    const rows = [
      { type: 'model-replied', toolCalls: [{ id: 'c0', providerId: 'p', name: 'pay', input: '{}' }] },
      { type: 'tool-call-suspended', call: 'c0', wait: { ...wait, onExpiry: 'reject', binding: 'b' } },
      { type: 'something-new' },
    ].map((event) => ({ type: event.type, turn, body: JSON.stringify({ v: 99, turn, ...event }) }));
    await app.port.append(epoch, page.head + 1, { events: rows, release: 'suspended' });
    expect(await openWaits(app.port, turn)).toMatchObject([{ id: 'c0#0', wait: { by: 'manager' } }]);
  });
});
