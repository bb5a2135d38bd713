import { describe, expect, it } from 'vitest';
import { Slots } from '../../../doors/loop.ts';
import { waitForPromises } from '../../../doors/testing.ts';

describe('slots', () => {
  it('are granted in the order of requests, and never exceed their number', async () => {
    const slots = new Slots(2);
    const log: string[] = [];
    const releases: (() => void)[] = [];
    const holdSlot = (name: string) =>
      slots.hold(async () => {
        log.push(name);
        await new Promise<void>((resolve) => releases.push(resolve));
      });
    const all = Promise.all(['a', 'b', 'c', 'd'].map(holdSlot));
    expect(log).toEqual(['a', 'b']);
    for (let i = 0; i < 4; i += 1) {
      releases[i]?.();
      await waitForPromises();
    }
    await all;
    expect(log).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are released after a failure', async () => {
    const slots = new Slots(1);
    await expect(slots.hold(() => Promise.reject(new Error('No.')))).rejects.toThrow('No.');
    expect(await slots.hold(async () => 'fine')).toBe('fine');
  });
});
