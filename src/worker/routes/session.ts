import { eraseSession } from '../end-turn.ts';
import { defineRoute, SESSION } from '../route.ts';
import { viewOfSession } from '../session-view.ts';

/** The folded state, as its owner may see it. */
export const getSession = defineRoute({
  operation: 'getState',
  method: 'GET',
  path: SESSION,
  access: 'session',
  summary: 'The state of a session',
  answers: {
    200: {
      description: 'The state; `waiting` lists the turns that have not begun, and how each waits',
      json: 'SessionState',
    },
  },
  problems: ['unknown-session'],
  handle: async (asked) => Response.json(await viewOfSession(asked)),
});

/**
 * Removes all of a session, also what waits and what is planned. A turn that runs stops at its next step; what its tools have
 * done stays done. There is no session afterwards, which is the answer also when there was none before: a client that heard
 * no answer may ask again. A session is erased too when its agent is not deployed any more, which is why the access is not that
 * of a session: its target would not be found.
 */
export const deleteSession = defineRoute({
  operation: 'eraseSession',
  method: 'DELETE',
  path: SESSION,
  access: 'caller',
  summary: 'Erases a session: what it holds, what waits in it and what it planned',
  answers: { 204: { description: 'There is no such session, or none any more' } },
  problems: [
    'unknown-agent',
    'invalid-session-id',
    'role-required',
    'session-unavailable',
    'newer-deployment',
  ],
  async handle(asked, named) {
    await eraseSession(asked, named);
    return new Response(null, { status: 204 });
  },
});
