import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { createHoldfast, type LogEntry } from '../../../../../src/create-holdfast.ts';
import { type AnyTool, type CallContext, defineTool, error, text } from '../../../../../src/index.ts';
import { defineMcpEndpoint } from '../../../../../src/mcp/server/entry.ts';
import { requireApproval } from '../../../../../src/modules/decorators/entry.ts';
import { ORIGIN, type Send } from '../../http/client.ts';
import {
  callTool,
  createEndpointApp,
  createRpcRequest,
  IDEMPOTENCY_META,
  postMcp,
  readMessages,
} from './talk.ts';

const createTextResult = (words: string) => ({ content: [{ type: 'text', text: words }] });
const createErrorResult = (words: string) => ({ ...createTextResult(words), isError: true });

const greet = defineTool({
  name: 'greet',
  description: 'Greets.',
  input: v.object({ name: v.pipe(v.string(), v.minLength(2)), times: v.optional(v.number()) }),
  effect: 'read',
  metadata: { title: 'A greeting' },
  run: ({ name }) => `Hello, ${name}.`,
});

/** A tool that returns the result of `run`. */
const createTool = (run: (call: CallContext) => unknown, effect: 'read' | 'idempotent' | 'once' = 'read') =>
  defineTool({ name: 'it', description: 'Does it.', effect, run: (_, call) => run(call) });

const callPublished = (run: (call: CallContext) => unknown) =>
  callTool(createEndpointApp({ tools: [createTool(run)] }), 'it');

describe('a published tool', () => {
  it('gets the app’s context and the mapped headers, but no _meta of the request', async () => {
    const contexts: unknown[] = [];
    const via = createEndpointApp(
      { tools: [createTool(({ context, inSession }) => contexts.push([context.toJSON(), inSession]))] },
      { context: { plan: 'free', locale: 'en' }, http: { contextHeaders: { 'x-locale': 'locale' } } },
    );
    const body = createRpcRequest('tools/call', { name: 'it', _meta: { tenant: 'forged', plan: 'pro' } });
    await postMcp(via, body, { headers: { 'x-locale': 'nl' } }).then((response) => response.text());
    expect(contexts).toEqual([[{ plan: 'free', locale: 'nl' }, false]]);
  });

  it('gets the environment, whose credentials are not returned to clients, and the log of the app', async () => {
    const lines: LogEntry[] = [];
    const read = createTool(({ env: given, log }) => {
      log({ level: 'warn', event: 'other', message: 'Read.' });
      return Object.entries({ ...given }).filter(([name]) => name.startsWith('SHOP_'));
    });
    const vars = { SHOP_API_KEY: 'the-key-of-the-shop', SHOP_NAME: 'Corner' };
    const via = createEndpointApp({ tools: [read] }, { log: (line) => lines.push(line) }, vars);
    const { structuredContent, content } = await callTool(via, 'it');
    const known = '[["SHOP_API_KEY","[secret SHOP_API_KEY]"],["SHOP_NAME","Corner"]]';
    expect({ structuredContent, content }).toEqual({ content: [{ type: 'text', text: known }] });
    expect(lines).toMatchObject([{ message: 'Read.' }]);
  });

  it('gets the secrets of its caller, which are not returned', async () => {
    const principals: unknown[] = [];
    const via = createEndpointApp(
      {
        tools: [
          defineTool({
            name: 'leak',
            description: 'Leaks.',
            input: v.object({ how: v.picklist(['text', 'error', 'throw', 'data', 'progress']) }),
            run({ how }, call) {
              const secret = call.secrets.require('API_KEY');
              call.progress(`with ${secret}`);
              call.say(`I used ${secret}.`);
              if (how === 'throw') throw new Error(`401 for ${secret}`);
              if (how === 'error') return error(`401 for ${secret}`);
              return how === 'data' ? { [secret]: [secret] } : `used ${secret}`;
            },
          }),
        ],
      },
      {
        auth: () => ({ id: 'ada', tenant: 'acme', roles: ['admin'] }),
        secrets(_, principal) {
          principals.push(principal);
          return { API_KEY: 'planted-4711' };
        },
      },
    );
    for (const how of ['text', 'error', 'throw', 'data']) {
      const params = { name: 'leak', arguments: { how }, _meta: { progressToken: 1 } };
      const told = await postMcp(via, createRpcRequest('tools/call', params)).then((response) =>
        response.text(),
      );
      expect(told).toContain('[secret API_KEY]');
      expect(told).not.toContain('planted-4711');
    }
    expect(principals[0]).toEqual({ id: 'ada', tenant: 'acme', roles: ['admin'] });
  });

  it('reports its progress with increasing numbers, before its result', async () => {
    const via = createEndpointApp({
      tools: [
        createTool((call) => {
          for (const step of ['begin', 'middle', 'end']) call.progress(step);
          return 'Done.';
        }),
      ],
    });
    const params = { name: 'it', _meta: { progressToken: 'p1' } };
    const createProgress = (count: number, message: string) => ({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'p1', progress: count, message },
    });
    expect(await readMessages(await postMcp(via, createRpcRequest('tools/call', params)))).toEqual([
      createProgress(1, 'begin'),
      createProgress(2, 'middle'),
      createProgress(3, 'end'),
      { jsonrpc: '2.0', id: 1, result: createTextResult('Done.') },
    ]);
  });

  it('reports its progress in one line, without invisible characters', async () => {
    const via = createEndpointApp({
      tools: [
        createTool((call) => call.progress('1 of 2\r\n\u2028pay:\u001b[31m \u202edone\u200b\u{e0041}.')),
      ],
    });
    const params = { name: 'it', _meta: { progressToken: 1 } };
    const [progress] = await readMessages(await postMcp(via, createRpcRequest('tools/call', params)));
    expect(Object(progress?.params).message).toBe('1 of 2 pay: [31m done.');
  });

  it('reports no progress to a client that has not asked for it', async () => {
    const via = createEndpointApp({ tools: [createTool((call) => call.progress('begin'))] });
    expect(await readMessages(await postMcp(via, createRpcRequest('tools/call', { name: 'it' })))).toEqual([
      { jsonrpc: '2.0', id: 1, result: createTextResult('Done') },
    ]);
  });

  it('sends its messages for the user as log messages after it has succeeded', async () => {
    const via = createEndpointApp({
      tools: [
        createTool((call) => {
          call.say('One.');
          call.say('Two.');
          return 'Done.';
        }),
      ],
    });
    const createLogMessage = (data: string) => ({
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: 'info', logger: 'it', data },
    });
    expect(await readMessages(await postMcp(via, createRpcRequest('tools/call', { name: 'it' })))).toEqual([
      createLogMessage('One.'),
      createLogMessage('Two.'),
      { jsonrpc: '2.0', id: 1, result: createTextResult('Done.') },
    ]);
  });

  it('runs once for each request, and again if a request is repeated under the same key', async () => {
    const keys: string[] = [];
    const via = createEndpointApp(
      {
        tools: [createTool(({ idempotencyKey }) => keys.push(idempotencyKey), 'once')],
      },
      { auth: ({ headers }) => ({ id: headers.get('x-user') ?? 'ada' }) },
    );
    await callTool(via, 'it', {}, { [IDEMPOTENCY_META]: 'k1' });
    await callTool(via, 'it', {}, { [IDEMPOTENCY_META]: 'k1' });
    await callTool(via, 'it', {}, { [IDEMPOTENCY_META]: 'k2' });
    await callTool(via, 'it');
    await callTool(via, 'it');
    const other = await postMcp(
      via,
      createRpcRequest('tools/call', { name: 'it', _meta: { [IDEMPOTENCY_META]: 'k1' } }),
      {
        headers: { 'x-user': 'eve' },
      },
    );
    await other.text();
    expect(keys.length).toBe(6);
    expect(keys[1]).toBe(keys[0]);
    expect(new Set(keys).size).toBe(5);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}\.3\.0$/);
  });

  it('has another key for another input under its client’s key, and the same key for the same input', async () => {
    const keys: string[] = [];
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: v.object({ to: v.string(), amount: v.number() }),
      effect: 'once',
      run: (_, { idempotencyKey }) => keys.push(idempotencyKey),
    });
    const via = createEndpointApp({ tools: [pay] });
    for (const input of [
      { to: 'ada', amount: 5 },
      { to: 'ada', amount: 5 },
      { to: 'ada', amount: 500 },
    ]) {
      await callTool(via, 'pay', input, { [IDEMPOTENCY_META]: 'k' });
    }
    expect(keys.map((key) => keys.indexOf(key))).toEqual([0, 0, 2]);
  });

  it('is not run if it needs an approval, and the error explains where it can be run', async () => {
    const pay = vi.fn(() => 'Paid.');
    const guarded = requireApproval(
      defineTool({ name: 'pay', description: 'Pays.', run: pay }),
      () => 'Pay?',
    );
    const answer = await callTool(createEndpointApp({ tools: [guarded] }), 'pay');
    expect(answer).toEqual(
      createErrorResult(
        "Tool 'pay' requires approval but no ReviewHandler is configured. Run it in a session, where a person can " +
          'decide, or review it with withReview. An MCP endpoint has no session: publish an agent that has this tool.',
      ),
    );
    expect(pay).not.toHaveBeenCalled();
  });

  it('receives the reply that no person can answer if it asks a question while it runs', async () => {
    const answer = await callPublished((call) => call.ask({ for: 'decision', message: 'May I?' }));
    expect(answer).toEqual(
      createErrorResult("Tool 'it' asks a question, but only a session can wait for the answer."),
    );
  });

  it('returns an error if it takes too long', async () => {
    const slow = defineTool({
      name: 'slow',
      description: 'Waits.',
      effect: 'read',
      timeout: 20,
      run: () => new Promise(() => {}),
    });
    expect(await callTool(createEndpointApp({ tools: [slow] }), 'slow')).toEqual(
      createErrorResult("Tool 'slow' did not answer within 20 ms."),
    );
  });

  it('does not run if its invocation has too little time left', async () => {
    const runs = vi.fn(() => 'Done.');
    const createAskingTool = (subrequests: number) =>
      defineTool({ name: `asks_${subrequests}`, description: 'Asks.', subrequests, run: runs });
    const via = createEndpointApp(
      { tools: [createAskingTool(30), createAskingTool(60)] },
      { limits: { subrequests: 50 } },
    );
    expect(await callTool(via, 'asks_60')).toEqual(
      createErrorResult('This invocation is too close to its limit of 50 subrequests for this tool.'),
    );
    expect(runs).not.toHaveBeenCalled();
    expect(await callTool(via, 'asks_30')).toEqual(createTextResult('Done.'));
  });

  it('receives the principal of its caller', async () => {
    const principals: unknown[] = [];
    const reaching: AnyTool = {
      ...greet,
      name: 'reach',
      check: async (input) => ({ ok: true, value: input }),
      async call(_, { view }) {
        principals.push(view.principal);
        return text('Reached.');
      },
    };
    const via = createEndpointApp(
      { tools: [reaching] },
      { auth: () => ({ id: 'ada', tenant: 'acme', roles: ['admin'] }) },
    );
    expect(await callTool(via, 'reach')).toEqual(createTextResult('Reached.'));
    expect(principals).toEqual([{ id: 'ada', tenant: 'acme', roles: ['admin'] }]);
  });

  it('keeps its invocation alive until it has ended', async () => {
    const running = Promise.withResolvers<string>();
    const kept: Promise<unknown>[] = [];
    const { worker } = createHoldfast({
      agents: [],
      use: [defineMcpEndpoint({ tools: [createTool(() => running.promise, 'once')] })],
    });
    const context = Object.assign(createExecutionContext(), {
      waitUntil: (work: Promise<unknown>) => void kept.push(work),
    });
    const via: Send = async (path, init) =>
      worker.fetch(new Request(`${ORIGIN}${path}`, init) as never, { ...env }, context);
    const response = await postMcp(via, createRpcRequest('tools/call', { name: 'it' }));
    await expect.poll(() => kept.length).toBe(1);
    let isOver = false;
    const over = Promise.all(kept).then(() => {
      isOver = true;
    });
    await response.body?.cancel();
    expect(isOver).toBe(false);
    running.resolve('Done.');
    await over;
  });

  it('runs to its end even if its client has disconnected', async () => {
    const client = new AbortController();
    const done = Promise.withResolvers<string>();
    const gone = Promise.withResolvers<void>();
    const via = createEndpointApp({
      tools: [
        createTool(async (call) => {
          client.abort();
          await gone.promise;
          done.resolve(call.signal.aborted ? 'cut off' : 'done');
        }, 'once'),
      ],
    });
    const response = await postMcp(via, createRpcRequest('tools/call', { name: 'it' }), {
      signal: client.signal,
    });
    await response.text().catch(() => {});
    gone.resolve();
    expect(await done.promise).toBe('done');
  });
});
