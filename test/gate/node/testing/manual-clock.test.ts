import { expect, it } from 'vitest';
import { createManualClock } from '../../../../src/testing/entry.ts';

it('the manual clock advances only on request', async () => {
  const clock = createManualClock(100);
  expect(clock.now()).toBe(100);
  await clock.advance(50);
  expect(clock.now()).toBe(150);
});

it('the manual clock runs due timers in order, each at its own time, and no later timers', async () => {
  const clock = createManualClock();
  const ran: [string, number][] = [];
  clock.after(20, () => ran.push(['b', clock.now()]));
  clock.after(10, () => ran.push(['a', clock.now()]));
  clock.after(31, () => ran.push(['d', clock.now()]));
  clock.after(20, () => ran.push(['c', clock.now()]));
  await clock.advance(30);
  expect(ran).toEqual([
    ['a', 10],
    ['b', 20],
    ['c', 20],
  ]);
});

it('the manual clock also runs timers that are set while it advances', async () => {
  const clock = createManualClock();
  const ran: number[] = [];
  clock.after(10, () => {
    void Promise.resolve()
      .then(() => {})
      .then(() => clock.after(5, () => ran.push(clock.now())));
  });
  await clock.advance(20);
  expect(ran).toEqual([15]);
});

it('the manual clock waits for all immediate work, over any number of turns of the event loop', async () => {
  const clock = createManualClock(100);
  const ran: number[] = [];
  const runAgain = (left: number): void => {
    ran.push(left);
    if (left > 0) void Promise.resolve().then(() => clock.soon(() => runAgain(left - 1)));
  };
  runAgain(20);
  await clock.advance(0);
  expect([ran.length, clock.now()]).toEqual([21, 100]);
});

it('the manual clock runs immediate tasks without being advanced, except cancelled ones', async () => {
  const clock = createManualClock();
  const ran: string[] = [];
  const cancel = clock.soon(() => ran.push('cancelled'));
  cancel();
  await new Promise<void>((resolve) => clock.soon(resolve));
  await clock.advance(0);
  expect(ran).toEqual([]);
});

it('the manual clock does not run a cancelled timer', async () => {
  const clock = createManualClock();
  const ran: number[] = [];
  const cancel = clock.after(10, () => ran.push(1));
  cancel();
  await clock.advance(20);
  expect(ran).toEqual([]);
});
