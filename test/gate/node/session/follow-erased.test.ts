import { expect, it } from 'vitest';
import { createManualClock, createMemorySessions, type SessionPort } from '../../../../src/testing/entry.ts';
import type { NewRow } from '../../../doors/journal.ts';
import { type FeedItem, followSession, SessionErasedError, waitForStop } from '../../../doors/session.ts';
import { acquireLease, createBeginRequest } from '../../../fixtures/session-contract/harness.ts';

const EVENT_BODY = JSON.stringify({ v: 1, type: 'turn-yielded', turn: 't1', reason: 'x' });
const turnYielded = { type: 'turn-yielded', turn: 't1', body: EVENT_BODY };

/** A session whose open turn has five events. */
async function createScene() {
  const clock = createManualClock(1_000);
  const sessions = createMemorySessions({ clock, leaseMs: 20_000, dispatch: () => {} });
  const port = sessions.session('s');
  const { epoch } = await acquireLease(port, createBeginRequest('t1', 'a'));
  await port.append(epoch, 3, { events: [turnYielded, turnYielded, turnYielded] });
  return { clock, port };
}

const { signal } = new AbortController();

const recordSeqs =
  (seen: number[]) =>
  (item: FeedItem): void => {
    if (item.type === 'event') seen.push(item.stored.seq);
  };

it.each([
  ['erased', false],
  ['erased, and created again before the follower receives a notice', true],
])('a follower ends if its session is %s', async (_, isAnew) => {
  const { clock, port } = await createScene();
  const seen: number[] = [];
  const following = followSession({ port, clock, signal, from: 3 }, recordSeqs(seen));
  await clock.advance(0);
  const erased = port.erase();
  if (isAnew) await port.begin(createBeginRequest('t2', 'b'));
  await erased;
  expect(await following).toBe('erased');
  expect(seen).toEqual([3, 4, 5]);
});

it.each([
  ['erased', false],
  ['erased, and created again before the client receives a notice', true],
])('a client that waits for a turn receives an error if its session is %s', async (_, isAnew) => {
  const { clock, port } = await createScene();
  const waiting = waitForStop({ port, clock, signal, turn: 't1' });
  const outcome = expect(waiting).rejects.toThrow(new SessionErasedError());
  await clock.advance(0);
  const erased = port.erase();
  if (isAnew) await port.begin(createBeginRequest('t2', 'b'));
  await erased;
  await outcome;
});

it.each([
  ['receives the incarnation of its session, and ends when another session has the name', undefined],
  ['ends if another session has the name than the one that it names', 'other'],
])('a follower %s', async (_, meant) => {
  const clock = createManualClock(1_000);
  const sessions = createMemorySessions({ clock, leaseMs: 20_000, dispatch: () => {} });
  const port = sessions.session('s');
  const begin = async (turn: string, incarnation: string, events: readonly NewRow[]): Promise<void> => {
    const begun = createBeginRequest(turn, turn);
    const body = JSON.stringify({ v: 1, type: 'session-opened', incarnation, agent: 'a' });
    const start = { ...begun.start, opening: { type: 'session-opened', turn: '', body } };
    const { epoch } = await acquireLease(port, { ...begun, start });
    await port.append(epoch, 3, { events });
  };
  await begin('t1', 'first', [turnYielded]);
  const told: string[] = [];
  const seen: number[] = [];
  let reads = 0;
  // The connection reports no changes, so only reads detect them.
  const silent: Pick<SessionPort, 'read' | 'watch'> = {
    async read(query) {
      reads += 1;
      if (reads === 2) {
        await port.erase();
        await begin('t2', 'second', [turnYielded, turnYielded]);
      }
      return port.read(query);
    },
    watch: async ({ onNotice }) => {
      queueMicrotask(() => onNotice({ head: 9, openTurn: null, waiting: [] }));
      return { close: () => {}, show: () => true, ping: () => {} };
    },
  };
  const following = followSession(
    { port: silent, clock, signal, from: 3, incarnation: meant, onIncarnation: (one) => void told.push(one) },
    recordSeqs(seen),
  );
  expect(await following).toBe('erased');
  expect([seen, told]).toEqual(meant === undefined ? [[3], ['first']] : [[], []]);
});

it('a follower that starts at a later event receives that event and the events after it', async () => {
  const { clock, port } = await createScene();
  const seen: number[] = [];
  const leave = new AbortController();
  const following = followSession({ port, clock, signal: leave.signal, from: 9 }, recordSeqs(seen));
  await clock.advance(0);
  const resumed = await port.resume({
    nonce: 'a',
    turn: 't1',
    reader: { reducer: 1, messageTypes: [], maxBytes: 1 },
  });
  expect(resumed.status).toBe('leased');
  for (let from = 6; from < 10; from += 1) await port.append(1, from, { events: [turnYielded] });
  await clock.advance(0);
  expect(seen).toEqual([9]);
  leave.abort();
  expect(await following).toBe('left');
});
