import { describe, expect, it, vi } from 'vitest';
import { defineTool, exitEarly } from '../../../../src/index.ts';
import { createManualClock, type SessionPort } from '../../../../src/testing/entry.ts';
import type { TurnStart } from '../../../doors/journal.ts';
import { createTurnStart } from '../../../fixtures/session-contract/harness.ts';
import { advanceUntilSettled, LEASE_MS, LONGEST_PAUSE, leaveHolderSilent } from './former-holder.ts';
import { createMemoryApp } from './memory-app.ts';

/** A message that steers the running turn. */
function createSteeringStart(turn: string): TurnStart {
  const event = { message: 'Make it blue.', principal: { id: 'tester' }, loopId: turn, context: {} };
  const body = JSON.stringify({ v: 1, type: 'turn-started', turn, ...event });
  return { ...createTurnStart(turn), started: { type: 'turn-started', turn, body }, whenBusy: 'steer' };
}

/** Expects that the message steered no turn, and that its own turn is open now. */
async function expectOwnTurn(port: SessionPort, turn: string): Promise<void> {
  const page = await port.read({ from: 1 });
  expect(page?.rows.map(({ type }) => type)).not.toContain('turn-steered');
  expect(page?.openTurn?.id).toBe(turn);
}

describe('a steering message whose turn ends before the next model call', () => {
  it('starts its own turn if a call ends the turn by a signal, even if the holder had received the message', async () => {
    const clock = createManualClock(1_000_000);
    const work = Promise.withResolvers<never>();
    const run = () => work.promise;
    const exits = defineTool({ name: 'work', description: 'Works.', effect: 'read', run });
    const app = createMemoryApp({ tools: [exits], replies: [{ calls: [{ name: 'work' }] }], clock });
    const end = app.run(await app.lease('Go.'));
    await clock.advance(100);
    await app.port.accept(createSteeringStart('s1'));
    await clock.advance(8_000); // A renewal delivers the message to the holder.
    work.reject(exitEarly('done'));
    await advanceUntilSettled(clock, end);
    await expectOwnTurn(app.port, 's1');
  });

  it('starts its own turn if the turn is abandoned as stuck', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const clock = createManualClock(1_000_000);
    const app = createMemoryApp({ replies: [], clock, leaseMs: LEASE_MS });
    const { turn } = await leaveHolderSilent(app, []);
    await app.port.accept(createSteeringStart('s1'));
    for (let death = 1; death < 8; death += 1) {
      await clock.advance(LEASE_MS + LONGEST_PAUSE);
      await app.resume(turn);
    }
    await clock.advance(LEASE_MS + LONGEST_PAUSE);
    await advanceUntilSettled(clock, app.run(await app.resume(turn)));
    await expectOwnTurn(app.port, 's1');
  });
});
