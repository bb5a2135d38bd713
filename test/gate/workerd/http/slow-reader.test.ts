import { expect, it, vi } from 'vitest';
import { holdReply, script } from '../../../fixtures/scripts.ts';
import { appWith, objectsWith } from './app.ts';
import {
  allEvents,
  eventsOf,
  journal,
  json,
  newSession,
  post,
  readUntil,
  type Send,
  SSE,
  send,
} from './client.ts';

const KIB = 1024;
const PIECES = Array.from({ length: 40 }, () => 'x'.repeat(100 * KIB));

it('a client that does not read does not block its turn, and receives the remaining events from the journal', async () => {
  const session = newSession();
  const last = holdReply('Done.');
  const { message } = script(
    { text: PIECES.join(''), pieces: PIECES, calls: [{ name: 'look_up', input: { id: '7' } }] },
    last.reply,
  );
  const response = await post(session, { message: message() }, { headers: SSE });
  // Its turn continues, though its stream was not read.
  await last.asked();
  last.release();
  await vi.waitFor(async () =>
    expect((await json(await send(session))).turn).toMatchObject({ outcome: 'completed' }),
  );
  const sent = await allEvents(response);
  const pieces = sent.filter(({ event }) => event === 'text-delta');
  expect(pieces.length).toBeGreaterThan(5);
  expect(pieces.length).toBeLessThan(15);
  const journaled = (await journal(session)).filter(({ turn }) => turn !== undefined);
  expect(sent.flatMap(({ id }) => id ?? [])).toEqual(journaled.map(({ seq }) => seq));
  expect(sent.at(-1)).toMatchObject({ event: 'answer', data: { outcome: 'completed', text: 'Done.' } });
});

it('a stream of a journal reads no further than its client', async () => {
  const session = newSession();
  const long = { text: 'x'.repeat(3 * 1024 * KIB), calls: [{ name: 'look_up', input: { id: '7' } }] };
  const { message } = script(long, long, long, 'Done.');
  const [body, key] = [{ message: message() }, { 'idempotency-key': 'k' }];
  expect((await post(session, body, { headers: key })).status).toBe(200);
  const ofTurn = (via: Send) => post(session, body, { headers: { ...key, ...SSE }, via });
  const ofSession = (via: Send) => via(`${session}/events`, { headers: SSE });
  for (const [ask, most] of [
    [ofTurn, 1],
    [ofSession, 2],
  ] as const) {
    let reads = 0;
    const SESSIONS = objectsWith((stub) => ({
      read: (...query: Parameters<typeof stub.read>) => {
        reads += 1;
        return stub.read(...query);
      },
    }));
    const response = await ask(appWith({}, { SESSIONS }));
    // Meanwhile another reader receives everything.
    const events = eventsOf(await send(`${session}/events`, { headers: SSE }));
    await readUntil(events, 'turn-ended');
    await events.return(undefined);
    expect(reads).toBe(most);
    const rest = eventsOf(response);
    expect((await readUntil(rest, 'turn-ended')).at(-1)).toMatchObject({ event: 'turn-ended' });
    expect(reads).toBeGreaterThan(most + 1);
    await rest.return(undefined);
  }
});
