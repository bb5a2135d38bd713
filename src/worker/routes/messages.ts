import type { WhenBusy } from '../../tool/call.ts';
import { filesOfAgent } from '../agent-model.ts';
import type { BegunTurn } from '../begun-turn.ts';
import { readMessage } from '../message-body.ts';
import { Problem } from '../problem.ts';
import { contextOfHeaders, idempotencyKeyOf, prefersAsync } from '../request-headers.ts';
import { defineRoute, SESSION, type SessionRequest } from '../route.ts';
import { type SentMessage, sendMessage } from '../send-message.ts';
import { settled } from '../turn-response.ts';

/** Runs a turn here, or stores it for the background, or joins the one that a retry names. */
export const postMessage = defineRoute({
  method: 'POST',
  path: `${SESSION}/messages`,
  access: 'session',
  isCounted: true,
  streams: true,
  handle: (asked) => settled(asked, receive),
});

/** @throws Problem or SessionError when the body is no message, or holds files that the agent does not take. */
async function receive(asked: SessionRequest): Promise<BegunTurn> {
  const { host, target, request } = asked;
  const query = request.url.includes('?') ? messageQuery(request) : { declines: false };
  const { maxBodyBytes, bodyContext } = host;
  const files = host.files && filesOfAgent(asked, target.agent);
  const received = await readMessage(request, { maxBodyBytes, bodyContext, files });
  return sendMessage(asked, {
    ...received,
    ...query,
    // What whoever stands before the Worker writes into a header goes before what the client writes into the body.
    contextOfHeaders:
      host.contextHeaders.size > 0 ? contextOfHeaders(request.headers, host.contextHeaders) : undefined,
    idempotencyKey: idempotencyKeyOf(request),
    inBackground: prefersAsync(request),
  });
}

/** Reads `?whenBusy=` and `?pending=`. @throws Problem when one says anything else. */
function messageQuery({ url }: Request): Pick<SentMessage, 'whenBusy' | 'declines'> {
  const { searchParams } = new URL(url);
  const pending = searchParams.get('pending');
  if (pending !== null && pending !== 'decline') {
    throw new Problem('invalid-query', 'pending can be decline, and nothing else.');
  }
  return { whenBusy: whenBusyOf(searchParams.get('whenBusy')), declines: pending !== null };
}

function whenBusyOf(value: string | null): WhenBusy | undefined {
  switch (value) {
    case null:
    case 'reject':
      return undefined;
    case 'queue':
    case 'steer':
      return value;
    default:
      throw new Problem('invalid-query', 'whenBusy can be reject, queue or steer, and nothing else.');
  }
}
