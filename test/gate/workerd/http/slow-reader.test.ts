import { expect, it, vi } from 'vitest';
import { held, script } from '../../../fixtures/scripts.ts';
import { allEvents, journal, json, newSession, post, SSE, send } from './client.ts';

const KIB = 1024;
const PIECES = Array.from({ length: 40 }, () => 'x'.repeat(100 * KIB));

it('a client that does not read keeps no turn waiting, and is sent the rest of it from the journal', async () => {
  const session = newSession();
  const last = held('Done.');
  const { message } = script(
    { text: PIECES.join(''), pieces: PIECES, calls: [{ name: 'look_up', input: { id: '7' } }] },
    last.reply,
  );
  const response = await post(session, { message: message() }, { headers: SSE });
  // Its turn goes on, though nothing was read.
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
