import { expect, it, vi } from 'vitest';
import { Secrets } from '../../../../src/index.ts';
import { createManualClock } from '../../../../src/testing/entry.ts';
import type { TurnEnd } from '../../../doors/session.ts';
import { countTimers } from '../../../full/crash-matrix/lab/counted-clock.ts';
import { advanceUntilSettled, LEASE_MS } from './former-holder.ts';
import { createClockedApp, createMemoryApp } from './memory-app.ts';

it('a secrets hook that never settles does not delay the cancel of its turn', async () => {
  const app = createClockedApp({ replies: ['Never.'], leaseMs: LEASE_MS });
  const secrets = vi.fn(() => new Promise<never>(() => {}));
  const end = app.say('Hi', { secrets });
  await app.clock.advance(0);
  expect(secrets).toHaveBeenCalledWith({ id: 'tester' }, expect.any(String));
  const page = await app.port.read({ from: 1 });
  await app.port.post({ kind: 'cancel', turn: page?.openTurn?.id ?? '', body: '{}' });
  expect(await advanceUntilSettled(app.clock, end)).toMatchObject({
    status: 'ended',
    turn: { outcome: 'cancelled' },
  });
  expect(app.model.requests).toEqual([]);
});

it('a secrets hook that takes longer than half a minute fails the turn with the reason', async () => {
  const app = createClockedApp({ replies: ['Never.'], leaseMs: LEASE_MS });
  let end: TurnEnd | undefined;
  const createSecrets = (): Promise<never> => new Promise(() => {});
  void app.say('Hi', { secrets: createSecrets }).then((ended) => {
    end = ended;
  });
  await app.clock.advance(29_999);
  expect(end).toBeUndefined();
  await app.clock.advance(1);
  const error = { type: 'misconfigured', message: '`secrets` did not return within 30000 ms.' };
  expect(end).toMatchObject({ status: 'ended', turn: { outcome: 'failed', error } });
  expect(app.model.requests).toEqual([]);
});

it('a secrets hook leaves no timer behind', async () => {
  const manual = createManualClock(1_000_000);
  const { clock, timersLeft } = countTimers(manual);
  const app = createMemoryApp({ replies: ['Hello.'], clock });
  const end = app.say('Hi', { secrets: async () => Secrets.of({ KEY: 'a key' }) });
  await manual.advance(0);
  expect(await end).toMatchObject({ turn: { text: 'Hello.' } });
  expect(timersLeft()).toBe(0);
});
