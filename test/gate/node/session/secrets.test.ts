import { expect, it, vi } from 'vitest';
import { LEASE_MS, passing } from './former-holder.ts';
import { clockedApp } from './memory-app.ts';

it('a hook for secrets that takes forever does not keep a turn from being cancelled', async () => {
  const app = clockedApp({ replies: ['Never.'], leaseMs: LEASE_MS });
  const secrets = vi.fn(() => new Promise<never>(() => {}));
  const end = app.say('Hi', { secrets });
  await app.clock.advance(0);
  expect(secrets).toHaveBeenCalledWith({ id: 'tester' });
  const page = await app.port.read({ from: 1 });
  await app.port.post({ kind: 'cancel', turn: page?.openTurn?.id ?? '', body: '{}' });
  expect(await passing(app.clock, end)).toMatchObject({ status: 'ended', turn: { outcome: 'cancelled' } });
  expect(app.model.requests).toEqual([]);
});
