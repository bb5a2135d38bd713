/**
 * Kills the process of a turn twice: while its nested loop waits for the model, and while its tool runs. An
 * OTLP receiver must receive one trace without orphaned spans, and the tree of spans must match the journal.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listen, readJson } from '../../../src/examples/demo/loopback.ts';
import type { StoredEvent } from '../../../src/journal/entry.ts';
import { createTimeline, type LoopNode } from '../../doors/timeline.ts';
import { parseHistograms, parseSpans, type ReceivedSpan } from '../../fixtures/otlp.ts';
import { type KillableWorker, startKillable } from './killable-worker.ts';

interface SpanTree {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly inside: readonly SpanTree[];
}

/**
 * Starts a server for the model, the effects of tools, and the OTLP receiver. It can hold requests to the model
 * and effects.
 */
async function openWorld() {
  const received = { traces: [] as unknown[], metrics: [] as unknown[] };
  const parents: string[] = [];
  const held: { readonly what: string; readonly response: ServerResponse }[] = [];
  let holds: string | undefined;
  let isHeld = Promise.withResolvers<void>();
  let refusals = 1;
  const createReply = (messages: readonly { readonly role: string }[], names: readonly string[]) => {
    const [name] = names;
    if (messages.at(-1)?.role === 'tool') return { content: 'Done.' };
    return {
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name, arguments: '{}' } }],
    };
  };
  const { server, url } = await listen((request, response) => {
    void (async () => {
      const path = request.url ?? '';
      const parent = request.headers.traceparent;
      if (typeof parent === 'string') parents.push(parent);
      if (path === '/pay') {
        if (holds === 'pay') return void holdResponse('pay', response);
        return void response.end('Paid.');
      }
      // The Worker sends bodies in the formats of OpenAI and OTLP. The test checks the latter.
      const body = (await readJson(request)) as {
        readonly messages: readonly { readonly role: string }[];
        readonly tools?: readonly { readonly function: { readonly name: string } }[];
      };
      response.setHeader('content-type', 'application/json');
      if (path.endsWith('/chat/completions')) {
        const names = (body.tools ?? []).map((tool) => tool.function.name);
        if (holds === 'model' && names.includes('pay')) return void holdResponse('model', response);
        const message = { role: 'assistant', ...createReply(body.messages, names) };
        const usage = { prompt_tokens: 10, completion_tokens: 5 };
        const finish_reason = message.content === null ? 'tool_calls' : 'stop';
        return void response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason }], usage }));
      }
      if (path === '/v1/traces') {
        received.traces.push(body);
        // The receiver refuses the first request as busy, and accepts its repeat.
        response.statusCode = refusals-- > 0 ? 503 : 200;
      }
      if (path === '/v1/metrics') received.metrics.push(body);
      response.end('{}');
    })();
  });
  const holdResponse = (what: string, response: ServerResponse): void => {
    held.push({ what, response });
    isHeld.resolve();
  };
  return {
    ...{ url, received, parents },
    /** Resolves when a request of this kind has arrived. The server never answers it. */
    async holding(what: string): Promise<void> {
      holds = what;
      isHeld = Promise.withResolvers<void>();
      await isHeld.promise;
    },
    answer(): void {
      holds = undefined;
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

let storage: string;
let world: Awaited<ReturnType<typeof openWorld>>;
let worker: KillableWorker;

async function start(): Promise<void> {
  worker = await startKillable('test/fixtures/traced-worker.ts', {
    storage,
    vars: { LEASE_MS: '500', MODEL: 'scripted', OPENAI_BASE_URL: world.url, WORLD_URL: world.url },
    // Shortens the pause before a request to a busy receiver is repeated.
    build: { edits: [{ file: 'tracing/export.ts', from: '= [5, 30,', to: '= [1, 30,' }] },
  });
}

beforeAll(async () => {
  storage = await mkdtemp(join(tmpdir(), 'holdfast-traces-'));
  world = await openWorld();
  await start();
}, 60_000);
afterAll(async () => {
  await worker.kill();
  await world.stop();
  await rm(storage, { recursive: true, force: true, maxRetries: 3 });
});

const SESSION_PATH = '/agents/clerk/sessions/s1';

async function readEvents(): Promise<readonly StoredEvent[]> {
  const response = await fetch(`${worker.url}${SESSION_PATH}/events`);
  return ((await response.json()) as { readonly events: readonly StoredEvent[] }).events; // documented in docs/http.md
}

/** Returns the tree of a loop in the journal, with the names that its spans have. */
function toLoopTree(loop: LoopNode, name: string, end: number): SpanTree {
  const inside = loop.iterations.flatMap(({ model, calls }) => [
    { name: `chat ${model.model}`, start: model.start, end: model.end ?? end, inside: [] },
    ...calls.map((call) => ({
      name: `execute_tool ${call.tool}`,
      start: call.attempts[0]?.start ?? call.start,
      end: call.end ?? end,
      inside: call.loop ? [toLoopTree(call.loop, `invoke_agent ${call.loop.name}`, call.end ?? end)] : [],
    })),
  ]);
  return { name, start: loop.start, end: loop.end ?? end, inside };
}

/** Returns the tree of the received spans. */
const toSpanTree = (root: ReceivedSpan, spans: readonly ReceivedSpan[]): SpanTree => ({
  name: root.name,
  start: root.start,
  end: root.end,
  inside: spans
    .filter(({ parent, name }) => parent === root.id && name !== 'holdfast.invocation')
    .map((span) => toSpanTree(span, spans)),
});

it('a turn whose process is killed twice is one trace, whose spans match the journal', async () => {
  const inModel = world.holding('model');
  const sent = await fetch(`${worker.url}${SESSION_PATH}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify({ message: 'Settle it.' }),
  });
  expect(sent.status).toBe(202);
  await inModel;
  // Waits until the start of the nested loop is stored. Events that are not stored are lost with their
  // invocation.
  await expect.poll(async () => (await readEvents()).map(({ type }) => type)).toContain('frame-started');
  await worker.kill();

  const inTool = world.holding('pay');
  await start();
  await inTool;
  await worker.kill();

  world.answer();
  await start();
  await expect.poll(() => world.received.traces.length, { timeout: 30_000 }).toBe(2);

  const [first, again] = world.received.traces;
  expect(again).toEqual(first);
  const spans = parseSpans(first);
  const journal = await readEvents();
  const turn = journal.find((event) => event.type === 'turn-started')?.turn ?? '';
  const timeline = createTimeline(journal, turn);
  expect(timeline?.invocations.map(({ outcome }) => outcome)).toEqual(['died', 'died', 'done']);

  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  const ids = new Set(spans.map(({ id }) => id));
  expect(ids.size).toBe(spans.length);
  const [root, ...others] = spans;
  expect(root?.parent).toBe(undefined);
  expect(others.filter(({ parent = '' }) => !ids.has(parent))).toEqual([]);
  expect(root && toSpanTree(root, spans)).toEqual(
    timeline && toLoopTree(timeline.loop, 'invoke_agent clerk', timeline.end ?? 0),
  );

  // The span of an invocation that died ends when its successor starts.
  const invocations = spans.filter(({ name }) => name === 'holdfast.invocation');
  expect(invocations.map(({ isError, end }) => [isError, end])).toEqual([
    [true, invocations[1]?.start],
    [true, invocations[2]?.start],
    [false, root?.end],
  ]);
  expect(root?.attributes).toMatchObject({ 'holdfast.take_overs': 2, 'holdfast.turn': turn });
  expect(root?.events.filter((name) => name === 'holdfast.take_over')).toHaveLength(2);

  // Each request to the model and the tool has a parent span in the trace, including requests of invocations
  // that died.
  expect(world.parents.length).toBeGreaterThan(5);
  const asked = world.parents.map((header) => header.split('-'));
  expect(asked.filter(([, trace, span = '']) => trace !== root?.traceId || !ids.has(span))).toEqual([]);

  await expect.poll(() => world.received.metrics.length, { timeout: 10_000 }).toBe(1);
  const histograms = parseHistograms(world.received.metrics[0]);
  const sums = histograms.map(({ name, sum }) => [name, sum]);
  expect(sums).toContainEqual(['holdfast.turn.take_overs', 2]);
}, 120_000);
