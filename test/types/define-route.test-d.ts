import { expectTypeOf } from 'vitest';
import { defineRoute, type Route, type SessionRequest } from '../doors/http.ts';

const createEmptyResponse = (): Response => new Response(null, { status: 204 });

// A handler receives its path's parameters, and a request whose type depends on `access`.
const ofSession = defineRoute({
  method: 'POST',
  path: '/agents/{agent}/sessions/{session}/notes/{note}',
  access: 'session',
  handle(asked, named) {
    expectTypeOf(asked).toEqualTypeOf<SessionRequest>();
    expectTypeOf(named.note).toEqualTypeOf<string>();
    expectTypeOf(named.agent).toEqualTypeOf<string>();
    // @ts-expect-error: the path has no such name
    named.turn;
    return createEmptyResponse();
  },
});
defineRoute({
  method: 'GET',
  path: '/health',
  access: 'open',
  handle(asked) {
    // @ts-expect-error: an open route has no caller
    asked.caller;
    return createEmptyResponse();
  },
});

// A table can contain any route.
export const routeTable: readonly Route[] = [ofSession];
