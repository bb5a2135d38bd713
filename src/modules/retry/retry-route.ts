import type { AppParts } from '../../worker/app-seam.ts';
import { createInvalidBodyError, readBytes } from '../../worker/body.ts';
import { prefersAsync, readContextHeaders, readIdempotencyKey } from '../../worker/request-headers.ts';
import { defineRoute, SESSION_PATH, type SessionRequest } from '../../worker/route.ts';
import { respondWithTurn } from '../../worker/turn-response.ts';
import { retryTurn } from './retry.ts';

/** Starts a turn for the last message, as if it were sent again. The request has no body. */
const postRetry = defineRoute({
  method: 'POST',
  path: `${SESSION_PATH}/retry`,
  access: 'session',
  isCounted: true,
  streams: true,
  handle: (asked) => respondWithTurn(asked, handleRetry),
});

async function handleRetry(asked: SessionRequest) {
  const { request, host } = asked;
  const body = new TextDecoder().decode(await readBytes(request, host.maxBodyBytes));
  if (!/^\s*(\{\s*\})?\s*$/.test(body))
    throw createInvalidBodyError(['a retry has no body: it runs the message of the last turn again']);
  return retryTurn(asked, {
    contextOfHeaders: readContextHeaders(request.headers, host.contextHeaders),
    idempotencyKey: readIdempotencyKey(request),
    inBackground: prefersAsync(request),
  });
}

/** The route, which is added once for each app, even if several of its modules contain it. */
export const RETRY_PARTS = {
  routes: ({ table }) => (table.some(({ path }) => path === postRetry.path) ? [] : [postRetry]),
} satisfies AppParts;
