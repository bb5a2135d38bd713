/** Tests whole rows of the feature list. Other tests cover their parts. */

import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { runAgent } from '../../../src/in-memory/entry.ts';
import { artifact, defineAgent, defineTool } from '../../../src/index.ts';
import { defineAgenticTool, withContext } from '../../../src/kinds/entry.ts';
import { createMcpToolFactory, mcpToolProvider, passThrough } from '../../../src/mcp/tools/entry.ts';
import { inspect } from '../../../src/modules/inspect/entry.ts';
import { toolFactory, toolMethod, toolsOf, toolTable } from '../../../src/modules/tool-objects/entry.ts';
import { createTestSession, scriptedModel } from '../../../src/testing/entry.ts';
import { createSayingTool, createScene, createSession, requestTool } from './mcp/tools/scenes.ts';
import { getLastResults, getOfferedTools } from './unfolding/scenes.ts';

describe('an object with tools', () => {
  it('keeps state that the model does not see, and that a factory creates for each turn (S0-001)', async () => {
    class Account {
      #balance = 73_113;
      readonly withdraw = toolMethod(
        { description: 'Withdraws.', input: v.object({ amount: v.number() }), effect: 'idempotent' },
        ({ amount }) => {
          this.#balance -= amount;
          return this.#balance < 0 ? 'refused' : 'paid';
        },
      );
    }
    const agent = defineAgent({
      name: 'bank',
      description: 'Pays.',
      instructions: '',
      tools: [toolFactory(() => new Account())],
    });
    const withdraw = { calls: [{ name: 'withdraw', input: { amount: 40_000 } }] };
    const replies = [withdraw, withdraw, 'Done.', withdraw, 'Done.'];
    const bank = createTestSession(agent, { replies, warm: true });
    await bank.send('Twice.');
    await bank.send('And once.');
    expect(getLastResults(bank)).toEqual(['paid', 'refused', 'paid']);
    expect(JSON.stringify([bank.requests, await bank.events()])).not.toMatch(/73113|33113/);
  });

  it('can have methods of any visibility, of inner classes, with any input, and without a return value (S0-002)', async () => {
    const Line = v.object({ sku: v.string(), color: v.picklist(['red', 'blue']) });
    const Everything = v.object({
      count: v.number(),
      isGift: v.boolean(),
      lines: v.array(Line),
      notes: v.record(v.string(), v.string()),
      until: v.optional(v.string(), 'never'),
    });
    class Shop {
      static readonly Desk = class Desk {
        static readonly tools = toolTable<Desk>({
          order: { description: 'Orders.', input: Everything, effect: 'read' },
          ring: { description: 'Rings.', effect: 'read' },
        });
        order(input: v.InferOutput<typeof Everything>) {
          return { ...input, notes: new Map(Object.entries(input.notes)) };
        }
        ring(): void {}
      };
      static readonly opens = toolMethod({ description: 'Opens.', effect: 'read' }, () => ['nine', 'ten']);
      readonly #till = 7;
      private readonly count = toolMethod({ description: 'Counts.', effect: 'read' }, () => this.#till);
      readonly counted = () => this.count;
    }
    const order = {
      count: 2,
      isGift: true,
      lines: [{ sku: 'a', color: 'blue' }],
      notes: { for: 'Ann' },
    };
    const desk = createSession(
      [new Shop(), new Shop.Desk()],
      [
        requestTool('order', order),
        requestTool('order', { ...order, lines: [{ sku: 'a', color: 'green' }] }),
        { calls: [{ name: 'ring' }, { name: 'opens' }, { name: 'count' }] },
        'Done.',
      ],
    );
    await desk.send('Go.');
    expect(getLastResults(desk)).toEqual([
      JSON.stringify({ ...order, until: 'never', notes: { for: 'Ann' } }),
      'Error: The input of tool \'order\' is not valid:\n- lines[0].color: Invalid type: Expected ("red" | "blue") but received "green"\nCall it again with a corrected input.',
      'Done',
      '["nine","ten"]',
      '7',
    ]);
    expect(toolsOf(Shop).map(({ name }) => name)).toEqual(['opens']);
  });
});

it('an agent receives options and returns an object that matches its output schema (S0-007)', async () => {
  const report = defineTool({
    name: 'report',
    description: 'Reports.',
    effect: 'read',
    run: (_, { context }) => `for ${context.get('tenantId')}`,
  });
  const agent = defineAgent({
    name: 'reports',
    description: 'Reports.',
    instructions: '',
    tools: [report],
    output: v.object({ customer: v.string() }),
  });
  const model = scriptedModel([requestTool('report'), '{"customer":"Ann"}']);
  const { outcome, object } = await runAgent(agent, 'Who?', { model, context: { tenantId: 'acme' } });
  expect([outcome, object?.customer]).toEqual(['completed', 'Ann']);
  expect(model.requests[1]?.messages.at(-1)?.text).toBe('for acme');
});

it('the context of a message reaches all its tools, including MCP tools, but no other message (S0-015)', async () => {
  const { server, client } = createScene([createSayingTool('news')], { meta: passThrough });
  const stars = defineAgenticTool({
    name: 'stars',
    description: 'Finds news.',
    input: v.object({}),
    tools: [mcpToolProvider({ clients: [client] })],
  });
  const told = withContext(stars, { personName: 'Ann', region: 'own' });
  const desk = createSession(
    [told, mcpToolProvider({ clients: [client] })],
    [requestTool('stars'), requestTool('news'), 'Found.', requestTool('news'), 'Done.'],
  );
  await desk.send('Go.', { context: { region: 'eu' } });
  const metas = server.requests.flatMap(({ rpc, body }) =>
    rpc === 'tools/call' ? [JSON.parse(body).params._meta] : [],
  );
  expect(metas.map(({ personName, region }) => ({ personName, region }))).toEqual([
    { personName: 'Ann', region: 'own' },
    { personName: undefined, region: 'eu' },
  ]);
});

it('a tool can return bytes as an artifact, with a separate text for the model (S0-047)', async () => {
  const pdf = new TextEncoder().encode('%PDF-1.7 pages');
  const report = defineTool({
    name: 'report',
    description: 'Reports.',
    effect: 'read',
    run: () => artifact('Generated report', pdf),
  });
  const desk = createSession([report], [requestTool('report'), 'Done.']);
  const answer = await desk.send('Go.');
  const from = { call: `${answer.turn}.3.0`, tool: 'report' };
  const id = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(answer).toMatchObject({
    artifacts: [{ ...from, value: '[file]' }],
    files: [{ ...from, id, mediaType: 'application/pdf', size: pdf.byteLength }],
  });
  expect(getLastResults(desk)[0]).toMatch(
    /^Generated report\n\n\[file [0-9a-f]{64}: application\/pdf, 14 bytes\]\n/,
  );
});

it('an agent connects to a server only when a turn needs it, with the token of the requester, and reports this in the answer (S0-123)', async () => {
  const { server, client } = createScene([createSayingTool('look')], { bearer: 'TOKEN' });
  const desk = createSession([mcpToolProvider({ clients: [client] })], ['One.', 'Two.'], {
    secrets: ({ id }) => ({ TOKEN: `token-of-${id}` }),
  });
  expect(server.requests).toEqual([]);
  expect((await desk.send('One')).tools).toEqual({ late: [], gone: [], sourcesAsked: 1 });
  expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(
    new Set(['Bearer token-of-tester']),
  );
  expect(await desk.send('Two')).not.toHaveProperty('tools');
  expect(getOfferedTools(desk)).toEqual([['look'], ['look']]);
});

it('inspectors receive the server of each discovered tool (S2-22)', async () => {
  const { client } = createScene([createSayingTool('search'), createSayingTool('fetch')]);
  const told: unknown[] = [];
  const agent = defineAgent({
    name: 'clerk',
    description: 'Helps.',
    instructions: '',
    tools: [createMcpToolFactory({ clients: [client] }).unfolding('web', 'The web.', () => true)],
    use: [
      inspect({
        toolsChanged: ({ came, metadata }) => told.push(came.map((name) => [name, metadata(name)])),
      }),
    ],
  });
  await createTestSession(agent, { replies: [requestTool('web'), 'Done.'] }).send('Go.');
  const createMcpMetadata = (tool: string) => ({ mcp: { server: 'shop', tool } });
  expect(told).toEqual([
    [
      ['fetch', createMcpMetadata('fetch')],
      ['search', createMcpMetadata('search')],
      ['web', {}], // Its description changes when it is opened.
    ],
  ]);
});
