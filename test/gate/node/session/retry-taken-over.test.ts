/** A retry whose first holder crashes. Its start event contains everything that the next holder needs. */
import { expect, it } from 'vitest';
import { defineTool, ModelError } from '../../../../src/index.ts';
import { createManualClock } from '../../../../src/testing/entry.ts';
import { toRow } from '../../../doors/journal.ts';
import { toReader } from '../../../doors/session.ts';
import { LEASE_MS, takeOver } from './former-holder.ts';
import { createMemoryApp } from './memory-app.ts';

it('a retried turn sends the model the same request after a take-over, with its message only once', async () => {
  const clock = createManualClock(1_000_000);
  const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });
  const down = new ModelError('bad-request', 'The model is down.');
  const app = createMemoryApp({
    tools: [look],
    replies: [{ calls: ['look'] }, down, { calls: ['look'] }, 'Here.'],
    clock,
    leaseMs: LEASE_MS,
  });
  const first = await app.say('Where is it?');
  const failed = first.status === 'ended' ? first.turn.id : '';
  const turn = 'again';
  const message = { turn, loopId: turn, message: 'Where is it?', context: {}, principal: { id: 'ada' } };
  const start = {
    turn,
    opening: toRow({ type: 'session-opened', incarnation: 'i', agent: 'tester' }),
    started: toRow({ type: 'turn-started', ...message, retries: failed, line: 'Answer now.' }),
  };
  const leased = await app.port.begin({ nonce: 'lost', start, reader: toReader() });
  if (leased.status !== 'leased') throw new Error(`The lease was refused: ${leased.status}.`);
  expect(await takeOver(app, clock, { turn, leased })).toMatchObject({ turn: { text: 'Here.' } });
  const getRequestMessages = (at: number) =>
    app.model.requests[at]?.messages.map(({ role, text }) => [role, text]);
  const before = [
    ['user', 'Where is it?'],
    ['assistant', ''],
    ['tool', 'seen'],
    ['user', 'Answer now.'],
  ];
  expect(getRequestMessages(2)).toEqual(before);
  expect(getRequestMessages(3)).toEqual([...before, ['assistant', ''], ['tool', 'seen']]);
  const { messages, starts } = await app.state();
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'assistant']);
  expect(starts).toHaveLength(1);
});
