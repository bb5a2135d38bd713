/** Responses for a session whose database is full. */
import { expect, it } from 'vitest';
import { clerk } from '../../../fixtures/clerk-agent.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp, wrapObjects } from './app.ts';
import { createSessionPath, post, readJson } from './client.ts';
import { answer, getOnlyLink, startWaitingTurn } from './waiting.ts';

const FULL_REFUSAL = { status: 'session-full', most: 9_983_222_784, used: 9_983_222_785 };
const FULL_TEXT =
  'The session is full: it uses 9983222785 bytes, and the limit is 9983222784. Start a new session, or ' +
  'erase this one.';

it('a message for a full session is refused with a suggested fix', async () => {
  const via = createTestApp({}, { SESSIONS: wrapObjects(() => ({ begin: async () => FULL_REFUSAL })) });
  const response = await post(createSessionPath(), { message: 'Hello?' }, { via });
  expect(response.status).toBe(507);
  expect(await readJson(response)).toEqual({
    type: 'urn:holdfast:problem:session-full',
    title: 'session full',
    status: 507,
    detail: FULL_TEXT,
    most: FULL_REFUSAL.most,
    used: FULL_REFUSAL.used,
  });
});

it('the turn of a full session ends, and its response reports this', async () => {
  const SESSIONS = wrapObjects((stub) => ({
    append: async (...[epoch, from, change]: Parameters<typeof stub.append>) =>
      change.events.some(({ type }) => type === 'model-replied')
        ? FULL_REFUSAL
        : stub.append(epoch, from, change),
  }));
  const session = createSessionPath();
  const response = await post(
    session,
    { message: registerScript('One.').message() },
    { via: createTestApp({}, { SESSIONS }) },
  );
  expect(response.status).toBe(507);
  expect(await readJson(response)).toMatchObject({
    type: 'urn:holdfast:problem:session-full',
    detail: FULL_TEXT,
    outcome: 'failed',
    error: { type: 'session-full', message: FULL_TEXT },
  });
});

it('an answer for a turn of a full session is refused with a suggested fix', async () => {
  const wait = await startWaitingTurn(['pay']);
  const SESSIONS = wrapObjects(() => ({ post: async () => 'session-full' }));
  const via = createTestApp({ agents: [clerk] }, { SESSIONS });
  const response = await answer(getOnlyLink(wait), { decision: 'approve' }, { via });
  expect(response.status).toBe(507);
  expect(await readJson(response)).toEqual({
    type: 'urn:holdfast:problem:session-full',
    title: 'session full',
    status: 507,
    detail:
      'The session is full, and accepts no more answers. Cancel the turn and start a new session, or erase this one.',
  });
});
