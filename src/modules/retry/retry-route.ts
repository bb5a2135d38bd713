import type { AppParts } from '../../worker/app-seam.ts';
import { invalidBody, readBytes } from '../../worker/body.ts';
import { contextOfHeaders, idempotencyKeyOf, prefersAsync } from '../../worker/request-headers.ts';
import { defineRoute, SESSION, type SessionRequest } from '../../worker/route.ts';
import { settled } from '../../worker/turn-response.ts';
import { retryTurn } from './retry.ts';

/** Begins a turn for the last message, as a message does that is sent. It has no body. */
const postRetry = defineRoute({
  method: 'POST',
  path: `${SESSION}/retry`,
  access: 'session',
  isCounted: true,
  streams: true,
  handle: (asked) => settled(asked, begin),
});

async function begin(asked: SessionRequest) {
  const { request, host } = asked;
  const body = new TextDecoder().decode(await readBytes(request, host.maxBodyBytes));
  if (!/^\s*(\{\s*\})?\s*$/.test(body))
    throw invalidBody(['a retry says nothing: its message is that of the last turn']);
  return retryTurn(asked, {
    contextOfHeaders: contextOfHeaders(request.headers, host.contextHeaders),
    idempotencyKey: idempotencyKeyOf(request),
    inBackground: prefersAsync(request),
  });
}

/** The route, once for each app, whichever of its modules bring it. */
export const RETRY = {
  routes: ({ table }) => (table.some(({ path }) => path === postRetry.path) ? [] : [postRetry]),
} satisfies AppParts;
