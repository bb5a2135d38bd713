import { env } from 'cloudflare:workers';
import { ToolCallContext } from '../../../../src/index.ts';
import { createObjectSession } from '../../../doors/durable-objects.ts';
import { toReader, toTurnStart } from '../../../doors/session.ts';
import { getSessionName } from './client.ts';
import { LONG_LEASE_MS } from './time.ts';

const createId = (): string => crypto.randomUUID().replaceAll('-', '').slice(0, 16);

/** Stores and releases a turn with an event whose fold throws, as after a code bug. Returns the turn's id. */
export async function storeUnreadableTurn(session: string): Promise<string> {
  const port = createObjectSession(env.SESSIONS, getSessionName(session));
  const message = { message: 'Go.', context: ToolCallContext.EMPTY, from: { id: 'local' } };
  const start = toTurnStart({ agent: 'scripted', ...message }, createId);
  const leased = await port.begin({ nonce: createId(), start, reader: toReader() });
  if (leased.status !== 'leased') throw new Error(`The session granted no lease: it is ${leased.status}.`);
  const { turn } = start;
  const body = JSON.stringify({
    v: 1,
    type: 'frame-started',
    turn,
    frame: 'f',
    name: 'n',
    message: '',
    facts: 7,
  });
  const events = [{ type: 'frame-started', turn, body }];
  const later = { release: 'yielded', resumeAfter: LONG_LEASE_MS } as const;
  await port.append(leased.epoch, leased.page.head + 1, { events, ...later });
  return turn;
}
