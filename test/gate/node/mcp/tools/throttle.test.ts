import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createThrottle } from '../../../../doors/mcp.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a rare report is sent at once', () => {
  const told: string[] = [];
  const throttle = createThrottle(100, (status) => told.push(status));
  throttle.tell('one');
  vi.advanceTimersByTime(100);
  throttle.tell('two');
  expect(told).toEqual(['one', 'two']);
});

it('the newest of several frequent reports is sent when the pause ends', () => {
  const told: string[] = [];
  const throttle = createThrottle(100, (status) => told.push(status));
  for (let count = 1; count <= 1_000; count += 1) {
    throttle.tell(`${count}`);
    vi.advanceTimersByTime(1);
  }
  expect(told).toEqual(['1', '100', '200', '300', '400', '500', '600', '700', '800', '900', '1000']);
});

it('a report after the end is dropped, and no timer remains', () => {
  const told: string[] = [];
  const throttle = createThrottle(100, (status) => told.push(status));
  throttle.tell('one');
  throttle.tell('two');
  throttle.end();
  throttle.tell('three');
  vi.advanceTimersByTime(1_000);
  expect([told, vi.getTimerCount()]).toEqual([['one'], 0]);
});
