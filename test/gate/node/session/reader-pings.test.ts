import { describe, expect, it } from 'vitest';
import { createManualClock, type SessionPort } from '../../../../src/testing/entry.ts';
import type { Notice } from '../../../doors/journal.ts';
import { NoticeQueue } from '../../../doors/session.ts';

const RUNNING_NOTICE: Notice = { head: 2, openTurn: { id: 't1', state: 'running' }, waiting: [] };
const WAITING_NOTICE: Notice = { head: 3, openTurn: { id: 't1', state: 'waiting' }, waiting: [] };
const IDLE_NOTICE: Notice = { head: 3, openTurn: null, waiting: [] };
const SCHEDULED_NOTICE: Notice = { ...IDLE_NOTICE, waiting: [{ turn: 't2', status: 'scheduled' }] };

type PortWatcher = Parameters<SessionPort['watch']>[0];

/**
 * A waiting reader whose connection reports only what the test sends. Records the times of its pings, in
 * seconds.
 */
function createWaitingReader(told: Notice, more: { readonly holder?: number } = {}) {
  const clock = createManualClock();
  const pings: number[] = [];
  const lines: PortWatcher[] = [];
  const watch: SessionPort['watch'] = async (watcher) => {
    lines.push(watcher);
    watcher.onNotice(told);
    return { close: () => {}, show: () => true, ping: () => void pings.push(clock.now() / 1000) };
  };
  const leaving = new AbortController();
  const notices = new NoticeQueue({
    port: { watch },
    clock,
    signal: leaving.signal,
    random: () => 0.5,
    ...more,
  });
  void notices.until(() => false);
  return { clock, pings, notices, line: () => lines.at(-1), seconds: (n: number) => clock.advance(n * 1000) };
}

describe('a reader that waits', () => {
  it.each([
    ['a running turn', RUNNING_NOTICE],
    ['a scheduled turn', SCHEDULED_NOTICE],
  ])('pings every half minute without a report if it waits for %s', async (_, told) => {
    const { pings, seconds } = createWaitingReader(told);
    await seconds(59);
    expect(pings).toEqual([]);
    await seconds(32);
    expect(pings).toEqual([60, 90]);
  });

  it('does not ping after a half minute in which a report arrived', async () => {
    const { pings, seconds, line } = createWaitingReader(RUNNING_NOTICE);
    await seconds(20);
    line()?.onNotice(RUNNING_NOTICE);
    await seconds(20);
    line()?.onNotice(RUNNING_NOTICE);
    await seconds(49);
    expect(pings).toEqual([]);
    await seconds(2);
    expect(pings).toEqual([90]);
  });

  it.each([
    ['no turn is open', IDLE_NOTICE],
    ['the turn waits for an answer', WAITING_NOTICE],
  ])('sends no pings while %s', async (_, told) => {
    const { pings, seconds, line } = createWaitingReader(told);
    await seconds(300);
    expect(pings).toEqual([]);
    line()?.onNotice(RUNNING_NOTICE);
    await seconds(61);
    expect(pings).toEqual([360]);
  });

  it('pings over the open connection, not over a broken one', async () => {
    const { pings, seconds, line } = createWaitingReader(RUNNING_NOTICE);
    await seconds(59.9);
    line()?.onClosed();
    await seconds(60);
    expect(pings).toEqual([]);
    await seconds(1);
    expect(pings).toEqual([120]);
  });

  it('stops pinging once it has closed its connection', async () => {
    const { pings, seconds, notices } = createWaitingReader(RUNNING_NOTICE);
    await seconds(10);
    notices.close();
    await seconds(100);
    expect(pings).toEqual([]);
  });
});

it('a reader that holds the lease sends no pings', async () => {
  const { pings, seconds } = createWaitingReader(RUNNING_NOTICE, { holder: 1 });
  await seconds(100);
  expect(pings).toEqual([]);
});
