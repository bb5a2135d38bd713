import { eraseSession } from '../end-turn.ts';
import { hasTag } from '../request-tags.ts';
import { defineRoute, SESSION, type SessionRequest } from '../route.ts';
import { tagOfSession, viewOfSession } from '../session-view.ts';

/** The folded state, as its owner may see it. */
export const getSession = defineRoute({
  method: 'GET',
  path: SESSION,
  access: 'session',
  handle: showSession,
});

/** A client that asks again and again has the state mostly: its tag is found out without reading what it is folded from. */
async function showSession(asked: SessionRequest): Promise<Response> {
  const { headers } = asked.request;
  if (headers.has('if-none-match')) {
    const etag = await tagOfSession(asked);
    if (hasTag(headers, etag)) return new Response(null, { status: 304, headers: { etag } });
  }
  const { view, tag } = await viewOfSession(asked);
  return Response.json(view, { headers: { etag: tag } });
}

/**
 * Removes all of a session, also what waits and what is planned. A turn that runs stops at its next step; what its tools have
 * done stays done. There is no session afterwards, which is the answer also when there was none before: a client that heard
 * no answer may ask again. A session is erased too when its agent is not deployed any more, which is why the access is not that
 * of a session: its target would not be found.
 */
export const deleteSession = defineRoute({
  method: 'DELETE',
  path: SESSION,
  access: 'caller',
  async handle(asked, named) {
    await eraseSession(asked, named);
    return new Response(null, { status: 204 });
  },
});
