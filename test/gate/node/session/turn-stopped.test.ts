import { expect, it } from 'vitest';
import { createManualClock, type SessionPort } from '../../../../src/testing/entry.ts';
import type { EventPage, Notice, OpenTurn } from '../../../doors/journal.ts';
import { waitForStop } from '../../../doors/session.ts';

const openTurn = (state: OpenTurn['state'] | null): OpenTurn | null => state && { id: 't1', state };

const createPage = (state: OpenTurn['state'] | null): EventPage => {
  const body = '{"v":1,"type":"turn-yielded","turn":"t1","reason":"x"}';
  const rows = [{ seq: 2, at: 1, type: 'turn-yielded', turn: 't1', body }];
  return { rows, next: null, head: 2, waiting: [], openTurn: openTurn(state) };
};

const createNotice = (head: number, state: OpenTurn['state'] | null): Notice => ({
  head,
  waiting: [],
  openTurn: openTurn(state),
});

it('a reader notices the end of a turn even if the turn was answered and ended while a page was in transit', async () => {
  let tell: (notice: Notice) => void = () => {};
  let reads = 0;
  const port: Pick<SessionPort, 'read' | 'watch'> = {
    async read() {
      reads += 1;
      if (reads === 1) return createPage('running');
      if (reads > 2) return createPage(null);
      // The turn was waiting, was answered before this read, and ends while the page is in transit.
      tell(createNotice(3, null));
      return createPage('running');
    },
    async watch({ onNotice }) {
      tell = onNotice;
      onNotice(createNotice(2, 'running'));
      return { close: () => {}, show: () => true, ping: () => {} };
    },
  };
  const { signal } = new AbortController();
  const clock = createManualClock(0);
  const stopped = waitForStop({ port, clock, signal, turn: 't1' });
  await clock.advance(0); // the reader now waits for a notice
  tell(createNotice(2, 'waiting'));
  const events = await stopped;
  expect(events.map(({ type }) => type)).toEqual(['turn-yielded']);
});
