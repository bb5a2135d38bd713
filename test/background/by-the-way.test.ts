import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { handOvers, queued } from '../fixtures/hand-overs.ts';
import { script } from '../fixtures/scripts.ts';
import { ended, newSession, post, sessionName } from '../http/client.ts';

/** This file runs twice: in a project of the tests that binds a queue, and in one that does not. */
const hasQueue = 'TURNS' in env;

it(`a turn of the background comes ${hasQueue ? 'by the queue that is bound' : 'by the loopback'}`, async () => {
  const session = newSession();
  await post(session, { message: script('Done.').message() }, { headers: { prefer: 'respond-async' } });
  await ended(session);
  const name = sessionName(session);
  const came = (by: typeof handOvers): number => by.filter((one) => one.name === name).length;
  expect([came(handOvers), came(queued)]).toEqual([1, hasQueue ? 1 : 0]);
});
