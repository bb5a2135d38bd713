import { expect, it, vi } from 'vitest';
import { createHeldReply, registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp, wrapObjects } from './app.ts';
import {
  createSessionPath,
  post,
  readAllEvents,
  readJournal,
  readJson,
  readSentEvents,
  readUntil,
  type Send,
  SSE_HEADERS,
  send,
} from './client.ts';

const KIB = 1024;
const TEXT_PIECES = Array.from({ length: 40 }, () => 'x'.repeat(100 * KIB));

it('a client that does not read does not block its turn, and receives the remaining events from the journal', async () => {
  const session = createSessionPath();
  const last = createHeldReply('Done.');
  const { message } = registerScript(
    { text: TEXT_PIECES.join(''), pieces: TEXT_PIECES, calls: [{ name: 'look_up', input: { id: '7' } }] },
    last.reply,
  );
  const response = await post(session, { message: message() }, { headers: SSE_HEADERS });
  // The turn continues, although its stream was not read.
  await last.asked();
  last.release();
  await vi.waitFor(async () =>
    expect((await readJson(await send(session))).turn).toMatchObject({ outcome: 'completed' }),
  );
  const sent = await readAllEvents(response);
  const pieces = sent.filter(({ event }) => event === 'text-delta');
  expect(pieces.length).toBeGreaterThan(5);
  expect(pieces.length).toBeLessThan(15);
  const journaled = (await readJournal(session)).filter(({ turn }) => turn !== undefined);
  expect(sent.flatMap(({ id }) => id ?? [])).toEqual(journaled.map(({ seq }) => seq));
  expect(sent.at(-1)).toMatchObject({ event: 'answer', data: { outcome: 'completed', text: 'Done.' } });
});

it('a stream of a journal reads no further than its client', async () => {
  const session = createSessionPath();
  const long = { text: 'x'.repeat(3 * 1024 * KIB), calls: [{ name: 'look_up', input: { id: '7' } }] };
  const { message } = registerScript(long, long, long, 'Done.');
  const [body, key] = [{ message: message() }, { 'idempotency-key': 'k' }];
  expect((await post(session, body, { headers: key })).status).toBe(200);
  const openTurnStream = (via: Send) => post(session, body, { headers: { ...key, ...SSE_HEADERS }, via });
  const openSessionStream = (via: Send) => via(`${session}/events`, { headers: SSE_HEADERS });
  for (const [ask, most] of [
    [openTurnStream, 1],
    [openSessionStream, 2],
  ] as const) {
    let reads = 0;
    const SESSIONS = wrapObjects((stub) => ({
      read: (...query: Parameters<typeof stub.read>) => {
        reads += 1;
        return stub.read(...query);
      },
    }));
    const response = await ask(createTestApp({}, { SESSIONS }));
    // Meanwhile another reader receives everything.
    const events = readSentEvents(await send(`${session}/events`, { headers: SSE_HEADERS }));
    await readUntil(events, 'turn-ended');
    await events.return(undefined);
    expect(reads).toBe(most);
    const rest = readSentEvents(response);
    expect((await readUntil(rest, 'turn-ended')).at(-1)).toMatchObject({ event: 'turn-ended' });
    expect(reads).toBeGreaterThan(most + 1);
    await rest.return(undefined);
  }
});
