/** The limit of a caller's open event streams per isolate. */
import { describe, expect, it } from 'vitest';
import { createHoldfast } from '../../../../src/create-holdfast.ts';
import { type ChatModel, defineAgent } from '../../../../src/index.ts';
import { aiSdkUi } from '../../../../src/surfaces/ai-sdk-ui/entry.ts';
import { createTestApp } from './app.ts';
import { createSessionPath, readJson, type Send } from './client.ts';

const model: ChatModel = { name: 'brief', ask: async () => ({ text: 'Hi.', toolCalls: [], finish: 'stop' }) };
const clerk = defineAgent({ name: 'clerk', description: 'Answers.', instructions: '', model });
const EVENTS = { headers: { accept: 'text/event-stream' } };

/** An app in which a header selects the caller, and a session of the first caller. */
async function createStreamsApp(maxStreams?: number) {
  const auth = (request: Request) => ({ id: request.headers.get('x-id') ?? 'ann', tenant: 'acme' });
  const via = createTestApp({ agents: [clerk], auth, use: [aiSdkUi()], http: { maxStreams } });
  const path = createSessionPath('clerk');
  const sent = await post(via, path);
  expect(sent.status).toBe(200);
  await sent.text();
  return { via, path, follow: () => via(`${path}/events`, EVENTS) };
}

const post = (via: Send, path: string, headers: Record<string, string> = {}) =>
  via(`${path}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"message":"Hello."}',
  });

const repeatConcurrently = <T>(count: number, make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, make));

describe('the event streams of a caller', () => {
  it('are limited to 16, and the refusal of another one explains the fix', async () => {
    const { via, path, follow } = await createStreamsApp();
    const open = await repeatConcurrently(16, follow);
    expect(open.map(({ status }) => status)).toEqual(Array(16).fill(200));
    const refused = await follow();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
    expect(await readJson(refused)).toMatchObject({
      type: 'urn:holdfast:problem:rate-limited',
      detail: 'You have 16 event streams open. Close one, or ask for JSON.',
    });
    // The refused message that requested a stream was not stored.
    expect((await post(via, path, { accept: 'text/event-stream' })).status).toBe(429);
    const { events } = await readJson(await via(`${path}/events`));
    expect(JSON.stringify(events).match(/"type":"turn-started"/g)).toHaveLength(1);
    // Requests without a stream still succeed, and so do those of another caller.
    expect((await post(via, path)).status).toBe(200);
    const other = await via(`${createSessionPath('clerk')}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-id': 'bea', ...EVENTS.headers },
      body: '{"message":"Hello."}',
    });
    expect(other.status).toBe(200);
    await Promise.all([other, ...open].map((one) => one.body?.cancel()));
  });

  it('no longer count if their clients disconnect, if they end, or if they fail', async () => {
    const { via, path, follow } = await createStreamsApp(2);
    for (let round = 0; round < 3; round += 1) {
      const open = await repeatConcurrently(2, follow);
      expect(open.map(({ status }) => status)).toEqual([200, 200]);
      expect((await follow()).status).toBe(429);
      await Promise.all(open.map(({ body }) => body?.cancel()));
    }
    for (let round = 0; round < 3; round += 1) {
      const ended = await post(via, path, EVENTS.headers);
      expect(await ended.text()).toContain('event: answer');
      expect((await via('/agents/clerk/sessions/none/events', EVENTS)).status).toBe(404);
    }
    const open = await repeatConcurrently(2, follow);
    expect(open.map(({ status }) => status)).toEqual([200, 200]);
    await Promise.all(open.map(({ body }) => body?.cancel()));
  });

  it('are counted for other protocols too, before they start', async () => {
    const { via, path, follow } = await createStreamsApp(1);
    const open = await follow();
    const postChat = () =>
      via('/agents/clerk/chat', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          id: path.split('/').at(-1),
          messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'And?' }] }],
        }),
      });
    expect((await postChat()).status).toBe(429);
    await open.body?.cancel();
    const streamed = await postChat();
    expect(streamed.status).toBe(200);
    expect((await follow()).status).toBe(429);
    await streamed.text();
    await (await follow()).body?.cancel();
  });

  it.each([0, -1, 1.5, Number.NaN])('cannot be limited to %d', (maxStreams) => {
    expect(() => createHoldfast({ agents: [clerk], http: { maxStreams } })).toThrow(
      `createHoldfast has ${maxStreams} as its 'http.maxStreams'. Use a whole number above 0.`,
    );
  });
});

it('a response forbids content sniffing, and cross-origin embedding', async () => {
  const { via, path } = await createStreamsApp();
  for (const where of ['/agents', path, `${path}/events`, '/nothing', '/health']) {
    const { headers } = await via(where);
    expect([headers.get('x-content-type-options'), headers.get('cross-origin-resource-policy')]).toEqual([
      'nosniff',
      'same-origin',
    ]);
  }
});
