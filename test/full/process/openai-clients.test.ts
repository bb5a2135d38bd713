/** Uses OpenAI's clients with a Worker that is killed during its answer. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, hostedMcpTool, OpenAIProvider, Runner } from '@openai/agents';
import OpenAI from 'openai';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type KillableWorker, startKillable } from './killable-worker.ts';

/** Answers each step immediately, except for the held steps. */
const heldResponses = new Map<string, ServerResponse[]>();
const steps = createServer(({ url = '' }, response) => {
  const waiting = heldResponses.get(url);
  if (waiting) waiting.push(response);
  else response.end(`done ${url}`);
  steps.emit('step', url);
});
let directory: string;
let worker: KillableWorker;
let client: OpenAI;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdfast-openai-'));
  steps.listen(0, '127.0.0.1');
  await once(steps, 'listening');
  await start();
});
afterAll(async () => {
  await worker.kill();
  steps.closeAllConnections();
  steps.close();
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
});

async function start(): Promise<void> {
  const { port } = steps.address() as AddressInfo; // the server is listening
  worker = await startKillable('test/fixtures/openai-worker.ts', {
    storage: join(directory, 'storage'),
    vars: { LEASE_MS: '300', STEPS_URL: `http://127.0.0.1:${port}` },
  });
  client = new OpenAI({ baseURL: `${worker.url}/v1`, apiKey: 'none', maxRetries: 0 });
}

/** Kills the Worker during its second step, and restarts it. */
async function killInSecondStep(): Promise<void> {
  heldResponses.set('/2', []);
  while (heldResponses.get('/2')?.length === 0) await once(steps, 'step');
  await worker.kill();
  heldResponses.delete('/2');
  await start();
}

const joinText = (events: readonly ResponseStreamEvent[]): string =>
  events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('');

it('a stream continues after the last received event if its Worker is killed', async () => {
  const killed = killInSecondStep();
  const seen: ResponseStreamEvent[] = [];
  let id = '';
  const take = async (stream: AsyncIterable<ResponseStreamEvent>): Promise<void> => {
    for await (const event of stream) {
      seen.push(event);
      if (event.type === 'response.created') ({ id } = event.response);
    }
  };
  const first = client.responses.create({ model: 'walker', input: 'Go.', stream: true }).then(take);
  await expect(first).rejects.toThrow();
  await killed;
  const after = seen.at(-1)?.sequence_number ?? 0;
  await take(await client.responses.retrieve(id, { stream: true, starting_after: after }));
  expect(joinText(seen)).toBe('Step 1.Step 2.Step 3.All three are done.');
  const last = seen.at(-1);
  if (last?.type !== 'response.completed')
    throw new Error(`The last event is ${last?.type}, not response.completed.`);
  const whole = await client.responses.retrieve(id);
  expect({ ...last.response, output_text: whole.output_text }).toEqual(whole);
  expect(whole.output.map(({ type }) => type)).toEqual([
    'message',
    'mcp_call',
    'message',
    'mcp_call',
    'message',
    'mcp_call',
    'message',
  ]);
  const journal = await fetch(`${worker.url}/agents/walker/sessions/${whole.conversation?.id}/events`);
  const { events } = (await journal.json()) as {
    events: { type: string; outcome?: string; cause?: string }[];
  };
  expect(events.filter(({ type }) => type === 'turn-resumed')).toMatchObject([{ cause: 'expired' }]);
  expect(events.at(-1)).toMatchObject({ type: 'turn-ended', outcome: 'completed' });
});

it('a background response can be polled until it is complete, even if its Worker was killed', async () => {
  const killed = killInSecondStep();
  const { id } = await client.responses.create({ model: 'walker', input: 'Go.', background: true });
  await killed;
  let response = await client.responses.retrieve(id);
  await expect
    .poll(async () => {
      response = await client.responses.retrieve(id);
      return response.status;
    })
    .toBe('completed');
  expect(response.output_text).toBe('Step 1.Step 2.Step 3.All three are done.');
});

it('@openai/agents continues a conversation whose Worker was killed', async () => {
  const tools = [hostedMcpTool({ serverLabel: 'holdfast', serverUrl: 'http://localhost' })];
  const agent = new Agent({ name: 'walker', model: 'walker', tools });
  const run = (input: string, conversationId: string) =>
    new Runner({
      modelProvider: new OpenAIProvider({ openAIClient: client, useResponses: true }),
      tracingDisabled: true,
    }).run(agent, input, { conversationId });
  const conversation = crypto.randomUUID();
  const killed = killInSecondStep();
  await expect(run('Go.', conversation)).rejects.toThrow();
  await killed;
  const session = `${worker.url}/agents/walker/sessions/${conversation}`;
  await expect
    .poll(async () => ((await (await fetch(session)).json()) as { turn: { outcome: string } }).turn.outcome)
    .toBe('completed');
  expect((await run('And?', conversation)).finalOutput).toBe('All three are done.');
});
