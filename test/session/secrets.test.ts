import { expect, it, vi } from 'vitest';
import { memoryApp } from './memory-app.ts';

it('a hook for secrets that takes forever does not keep a turn from being cancelled', async () => {
  const app = memoryApp({ replies: ['Never.'], leaseMs: 60 });
  const secrets = vi.fn(() => new Promise<never>(() => {}));
  const turn = app.say('Hi', { secrets });
  await vi.waitFor(() => expect(secrets).toHaveBeenCalledWith({ id: 'tester' }));
  const page = await app.port.read({ from: 1 });
  await app.port.post('cancel', page?.openTurn?.id ?? '', '{}');
  expect(await turn).toMatchObject({ status: 'ended', turn: { outcome: 'cancelled' } });
  expect(app.model.requests).toEqual([]);
});
