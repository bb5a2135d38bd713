/** Responses for a session whose database is full. */
import { expect, it } from 'vitest';
import { clerk } from '../../../fixtures/clerk-agent.ts';
import { script } from '../../../fixtures/scripts.ts';
import { appWith, objectsWith } from './app.ts';
import { json, newSession, post } from './client.ts';
import { answer, linkOf, startWaitingTurn } from './waiting.ts';

const FULL = { status: 'session-full', most: 9_983_222_784, used: 9_983_222_785 };
const TEXT =
  'The session is full: it uses 9983222785 bytes, and the limit is 9983222784. Start a new session, or ' +
  'erase this one.';

it('a message for a full session is refused with a suggested fix', async () => {
  const via = appWith({}, { SESSIONS: objectsWith(() => ({ begin: async () => FULL })) });
  const response = await post(newSession(), { message: 'Hello?' }, { via });
  expect(response.status).toBe(507);
  expect(await json(response)).toEqual({
    type: 'urn:holdfast:problem:session-full',
    title: 'session full',
    status: 507,
    detail: TEXT,
    most: FULL.most,
    used: FULL.used,
  });
});

it('the turn of a full session ends, and its response says so', async () => {
  const SESSIONS = objectsWith((stub) => ({
    append: async (...[epoch, from, change]: Parameters<typeof stub.append>) =>
      change.events.some(({ type }) => type === 'model-replied') ? FULL : stub.append(epoch, from, change),
  }));
  const session = newSession();
  const response = await post(
    session,
    { message: script('One.').message() },
    { via: appWith({}, { SESSIONS }) },
  );
  expect(response.status).toBe(507);
  expect(await json(response)).toMatchObject({
    type: 'urn:holdfast:problem:session-full',
    detail: TEXT,
    outcome: 'failed',
    error: { type: 'session-full', message: TEXT },
  });
});

it('an answer for a turn of a full session is refused with a suggested fix', async () => {
  const wait = await startWaitingTurn(['pay']);
  const SESSIONS = objectsWith(() => ({ post: async () => 'session-full' }));
  const via = appWith({ agents: [clerk] }, { SESSIONS });
  const response = await answer(linkOf(wait), { decision: 'approve' }, { via });
  expect(response.status).toBe(507);
  expect(await json(response)).toEqual({
    type: 'urn:holdfast:problem:session-full',
    title: 'session full',
    status: 507,
    detail:
      'The session is full, and accepts no more answers. Cancel the turn and start a new session, or erase this one.',
  });
});
