import { expect, it } from 'vitest';
import { createManualClock, type SessionPort } from '../../../../src/testing/entry.ts';
import { followSession } from '../../../doors/session.ts';
import { createMemoryApp } from './memory-app.ts';

/** The times at which a reader connects to an unreachable object, in ms since the first time. */
async function recordOpenings(random: number, isOpened: (count: number) => boolean = () => false) {
  const clock = createManualClock(0);
  const app = createMemoryApp({ replies: ['Hello.'], clock });
  await app.say('Hello?');
  const leave = new AbortController();
  const at: number[] = [];
  const watch: SessionPort['watch'] = async ({ onNotice, onClosed }) => {
    at.push(clock.now());
    if (!isOpened(at.length)) throw new Error('unreachable');
    onNotice({ head: 4, openTurn: null, waiting: [] });
    clock.after(10, onClosed);
    return { close: () => {}, show: () => true, ping: () => {} };
  };
  const port = { ...app.port, watch };
  const { signal } = leave;
  const following = followSession({ port, clock, signal, from: 5, random: () => random }, () => {});
  for (let i = 0; i < 3_000; i += 1) await clock.advance(100);
  leave.abort();
  await following;
  return at.map((time) => time - (at[0] ?? 0));
}

/** The pauses between these times, in ms. The clock advances in steps of 100 ms. */
const computePauses = (times: readonly number[]): number[] =>
  times.slice(1).map((time, i) => time - (times[i] ?? 0));

it('a connection that fails to open is retried after growing pauses of at most half a minute', async () => {
  const pauses = computePauses(await recordOpenings(0.5));
  expect(pauses.slice(0, 9)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

it.each([
  [0, [187.5, 375, 750]],
  [1, [312.5, 625, 1_250]],
])(
  'watchers that lose their connections together reconnect at different times (random number %d)',
  async (random, pauses) => {
    expect(computePauses(await recordOpenings(random)).slice(0, 3)).toEqual(pauses);
  },
);

it('a connection that has carried events is reopened soon, even if earlier attempts failed', async () => {
  const pauses = computePauses(await recordOpenings(0.5, (count) => count === 4));
  expect(pauses.slice(0, 5)).toEqual([250, 500, 1_000, 260, 500]);
});
