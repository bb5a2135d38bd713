import { describe, expect, it } from 'vitest';
import { StopController } from '../../../doors/tools.ts';

const neverSettled = new Promise<never>(() => {});

describe('the signal of a StopController', () => {
  it('keeps its first reason', async () => {
    const stop = new StopController();
    const waiting = stop.until(neverSettled);
    stop.abort('first');
    stop.abort('second');
    await expect(waiting).rejects.toBe('first');
    expect([stop.aborted, stop.reason, stop.signal.aborted, stop.signal.reason]).toEqual([
      true,
      'first',
      true,
      'first',
    ]);
  });

  it('has the reason of its parent signal, even if the parent was already aborted', async () => {
    const outer = new AbortController();
    const before = new StopController(outer.signal).until(neverSettled);
    outer.abort('gone');
    await expect(before).rejects.toBe('gone');
    await expect(new StopController(outer.signal).until(neverSettled)).rejects.toBe('gone');
    expect(new StopController(outer.signal).signal.reason).toBe('gone');
  });

  it('does not abort its parent', () => {
    const outer = new AbortController();
    new StopController(outer.signal).abort('own');
    expect(outer.signal.aborted).toBe(false);
  });
});

describe('StopController.until', () => {
  it('returns the awaited value, or throws its error', async () => {
    await expect(new StopController().until(Promise.resolve(7))).resolves.toBe(7);
    await expect(new StopController().until(Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('ignores a late rejection after the wait was abandoned', async () => {
    const stop = new StopController();
    const late = Promise.withResolvers<never>();
    const waiting = stop.until(late.promise);
    stop.abort('left');
    await expect(waiting).rejects.toBe('left');
    late.reject(new Error('too late'));
    await new Promise((resolve) => setTimeout(resolve));
  });
});

/** A controller whose signal counts its listeners. */
function countListeners() {
  const controller = new AbortController();
  const { signal } = controller;
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners += 1;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners -= 1;
    remove(...args);
  };
  return { controller, listeners: () => listeners };
}

describe('the end of a StopController', () => {
  it('removes its listener from the parent signal', () => {
    const { controller, listeners } = countListeners();
    const stop = new StopController(controller.signal);
    expect(listeners()).toBe(1);
    stop.end();
    expect(listeners()).toBe(0);
  });

  it('does not prevent the parent from aborting a signal that other code uses', () => {
    const { controller, listeners } = countListeners();
    const stop = new StopController(controller.signal);
    const { signal } = stop;
    stop.end();
    expect(listeners()).toBe(1);
    controller.abort('later');
    expect(signal.reason).toBe('later');
  });
});
