import type { AppParts } from '../../worker/app-seam.ts';
import { invalidBody, readBytes } from '../../worker/body.ts';
import { contextOfHeaders, idempotencyKeyOf, prefersAsync } from '../../worker/request-headers.ts';
import { defineRoute, SESSION, type SessionRequest } from '../../worker/route.ts';
import { settled } from '../../worker/turn-response.ts';
import { retryTurn } from './retry.ts';

/** Starts a turn for the last message, as if it was sent again. The request has no body. */
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

/** The route, added once for each app, even if several of its modules bring it. */
export const RETRY = {
  routes: ({ table }) => (table.some(({ path }) => path === postRetry.path) ? [] : [postRetry]),
} satisfies AppParts;
