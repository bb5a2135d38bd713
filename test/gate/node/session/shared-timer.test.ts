import { describe, expect, it } from 'vitest';
import { createSharedTimer } from '../../../doors/session.ts';

/** A clock that the test advances, with the number of its timers. */
function createHandClock() {
  let now = 0;
  const timers = new Map<number, { readonly due: number; readonly run: () => void }>();
  let made = 0;
  return {
    now: () => now,
    after(ms: number, run: () => void) {
      const id = made++;
      timers.set(id, { due: now + ms, run });
      return () => void timers.delete(id);
    },
    /** Advances the clock from timer to timer. */
    pass(ms: number) {
      const until = now + ms;
      for (;;) {
        const [next] = [...timers].sort(([, a], [, b]) => a.due - b.due);
        if (!next || next[1].due > until) break;
        now = Math.max(now, next[1].due);
        timers.delete(next[0]);
        next[1].run();
      }
      now = until;
    },
    get made() {
      return made;
    },
    get open() {
      return timers.size;
    },
  };
}

describe('a shared timer', () => {
  it('calls each listener once, when its time has come', () => {
    const clock = createHandClock();
    const after = createSharedTimer(clock);
    const called: string[] = [];
    for (const ms of [300, 100, 200, 100]) after(ms, () => called.push(`${ms} at ${clock.now()}`));
    clock.pass(99);
    expect(called).toEqual([]);
    clock.pass(1_000);
    expect(called).toEqual(['100 at 100', '100 at 100', '200 at 200', '300 at 300']);
    expect(clock.open).toBe(0);
  });

  it('sets no further platform timer for later or cancelled listeners', () => {
    const clock = createHandClock();
    const after = createSharedTimer(clock);
    const called: string[] = [];
    after(100, () => called.push('first'));
    for (let count = 0; count < 50; count += 1) after(1_000, () => called.push('never'))();
    expect([clock.made, clock.open]).toEqual([1, 1]);
    clock.pass(5_000);
    expect(called).toEqual(['first']);
  });

  it('leaves no platform timer behind after the last listener is cancelled', () => {
    const clock = createHandClock();
    const after = createSharedTimer(clock);
    const cancels = [after(100, () => {}), after(50, () => {})];
    for (const cancel of cancels) cancel();
    for (const cancel of cancels) cancel();
    expect(clock.open).toBe(0);
    const called: number[] = [];
    after(10, () => called.push(clock.now()));
    clock.pass(10);
    expect(called).toEqual([10]);
  });

  it('does not call a listener that another listener cancelled at the same moment', () => {
    const clock = createHandClock();
    const after = createSharedTimer(clock);
    const called: string[] = [];
    let cancel = (): void => {};
    after(100, () => {
      called.push('first');
      cancel();
    });
    cancel = after(100, () => called.push('second'));
    clock.pass(1_000);
    expect(called).toEqual(['first']);
  });

  it('calls listeners that a listener has added', () => {
    const clock = createHandClock();
    const after = createSharedTimer(clock);
    const called: number[] = [];
    const callAgain = (): void => {
      called.push(clock.now());
      if (called.length < 3) after(100, callAgain);
    };
    after(100, callAgain);
    after(1_000, () => called.push(clock.now()));
    clock.pass(2_000);
    expect(called).toEqual([100, 200, 300, 1_000]);
  });

  it('calls the other listeners after one throws', () => {
    const clock = createHandClock();
    const after = createSharedTimer(clock);
    const called: string[] = [];
    after(100, () => {
      throw new Error('thrown');
    });
    after(200, () => called.push('other'));
    expect(() => clock.pass(100)).toThrow('thrown');
    clock.pass(100);
    expect(called).toEqual(['other']);
  });

  it('treats an invalid number as zero, like the platform’s timers', () => {
    const clock = createHandClock();
    const after = createSharedTimer(clock);
    const called: string[] = [];
    after(Number.NaN, () => called.push('at once'));
    clock.pass(1);
    expect(called).toEqual(['at once']);
  });
});
