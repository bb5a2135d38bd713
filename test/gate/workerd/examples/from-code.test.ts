/** The Worker of the page on sessions from code. */
import { createExecutionContext } from 'cloudflare:test';
import { env as bindings } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { createHoldfast, sessionOf } from '../../../../src/create-holdfast.ts';
import worker from '../../../../src/examples/from-code/worker.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { checkResponses } from '../http/as-described.ts';
import { ORIGIN } from '../http/client.ts';

const LETTERS = { agent: 'sorter', session: 'letters' };
const holdfast = createHoldfast({ agents: [{ ...scripted, name: LETTERS.agent }] });

const env = { ...bindings, SHOP_TOKEN: 'shop' };

const send = checkResponses(async (path: string, init: RequestInit = {}): Promise<Response> => {
  const request = new Request(`${ORIGIN}${path}`, init) as Request<unknown, IncomingRequestCfProperties>; // the Worker does not read `cf`
  return worker.fetch(request, env, createExecutionContext());
});

const createLetter = (text = 'The roof leaks!') => ({
  id: crypto.randomUUID(),
  customer: crypto.randomUUID(),
  text,
});

const post = (body: unknown, token = 'shop'): Promise<Response> =>
  send('/letters', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });

it('a custom route returns the agent’s answer, and the same answer for the same letter', async () => {
  const one = createLetter();
  const sorted = await post(one);
  expect(sorted.status).toBe(200);
  const answer = await sorted.json();
  expect(answer).toEqual({ subject: expect.any(String), urgent: expect.any(Boolean) });
  expect(await (await post(one)).json()).toEqual(answer);
});

it('a custom route refuses callers without a token, and leaves all other routes to the app', async () => {
  expect((await post(createLetter(), 'guessed')).status).toBe(401);
  expect((await send('/agents')).status).toBe(200);
  expect((await send('/agents/sorter/sessions/letters')).status).toBe(404);
});

it('a custom queue stores each letter once, and notifies its sender', async () => {
  const letters = [createLetter(), createLetter()];
  const acknowledged: string[] = [];
  const messages = letters.map((body) => ({
    id: body.id,
    timestamp: new Date(),
    attempts: 1,
    body,
    ack: () => void acknowledged.push(body.id),
    retry: () => {},
  }));
  const batch = {
    queue: 'letters',
    messages,
    metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } },
    ackAll: () => {},
    retryAll: () => {},
  };
  await worker.queue(batch, env);
  // A queue delivers each message at least once.
  await worker.queue(batch, env);
  expect(acknowledged).toEqual([...letters, ...letters].map(({ id }) => id));
  for (const { customer, text } of letters) {
    const events = sessionOf(holdfast, env, {
      ...LETTERS,
      principal: { id: `customer:${customer}` },
    }).events();
    const said: string[] = [];
    for await (const event of events) if (event.type === 'turn-started') said.push(event.message);
    expect(said).toEqual([text]);
  }
});
