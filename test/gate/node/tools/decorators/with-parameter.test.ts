import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, defineTool, text } from '../../../../../src/index.ts';
import {
  decorate,
  unwrapAs,
  withMetadata,
  withParameter,
} from '../../../../../src/modules/decorators/entry.ts';
import { jsonSchema, stringParameter } from '../../../../../src/modules/json-schema/entry.ts';
import { createFakeInvocation } from '../fake-invocation.ts';
import { getShownResults, startSession } from './turns.ts';

const Order = v.object({
  items: v.array(v.object({ sku: v.string(), quantity: v.optional(v.number(), 1) })),
});
const order = defineTool({
  name: 'order',
  description: 'Orders.',
  input: Order,
  effect: 'read',
  metadata: { team: 'shop' },
  run: (input) => text(JSON.stringify(input)),
});
const items = [{ sku: 'kelp' }];
const reason = stringParameter('Why');

const callForText = async (tool: AnyTool, input: object) =>
  (await tool.call(JSON.parse(JSON.stringify(input)), createFakeInvocation(tool.name).call)).text();

describe('a tool with one more parameter', () => {
  it('keeps its schema, including nested details, and adds the property last (TOOL-09, TOOL-10)', () => {
    const { inputSchema } = withParameter(order, 'reason', reason);
    expect(Object.keys(Object(inputSchema.properties))).toEqual(['items', 'reason']);
    expect(inputSchema).toEqual({
      type: 'object',
      properties: {
        items: {
          type: 'array',
          items: {
            type: 'object',
            properties: { sku: { type: 'string' }, quantity: { type: 'number', default: 1 } },
            required: ['sku'],
          },
        },
        reason: { type: 'string', description: 'Why' },
      },
      required: ['items', 'reason'],
    });
    expect(Object.keys(Object(order.inputSchema.properties))).toEqual(['items']);
  });

  it('accepts a parameter, a schema, or JSON Schema (TOOL-09)', () => {
    const one = withParameter(order, 'note', stringParameter('A note', { required: false }));
    const two = withParameter(one, 'at', v.optional(v.pipe(v.string(), v.isoDate(), v.toDate())));
    const three = withParameter(two, 'tags', jsonSchema({ type: 'array', items: { type: 'string' } }));
    expect(three.inputSchema).toMatchObject({
      properties: {
        note: { type: 'string', description: 'A note' },
        at: { type: 'string', format: 'date' },
        tags: { type: 'array', items: { type: 'string' }, description: 'tags' },
      },
      required: ['items', 'tags'],
    });
  });

  it('keeps the definitions that a schema refers to (TOOL-10)', () => {
    const tree = defineTool({
      name: 'tree',
      description: 'Plants.',
      input: v.object({ tree: Tree }),
      run: () => 'ok',
    });
    expect(tree.inputSchema).toHaveProperty('$defs');
    expect(withParameter(tree, 'reason', reason).inputSchema).toMatchObject({
      $defs: tree.inputSchema.$defs,
      properties: { ...Object(tree.inputSchema.properties), reason: { type: 'string' } },
    });
  });

  it('can be added to a tool without an input (TOOL-09)', () => {
    const ping = defineTool({ name: 'ping', description: 'Pings.', run: () => 'pong' });
    expect(withParameter(ping, 'host', v.string()).inputSchema).toEqual({
      type: 'object',
      properties: { host: { type: 'string', description: 'host' } },
      required: ['host'],
    });
  });

  it('returns every problem at once, including those of the parameter (TYP-10)', async () => {
    const more = withParameter(withParameter(order, 'reason', reason), 'days', v.array(v.number()));
    expect(await callForText(more, { items: [{ sku: 7 }], days: [1, 'two'] })).toBe(
      "The input of tool 'order' is not valid:\n" +
        '- items[0].sku: Invalid type: Expected string but received 7\n' +
        '- Instance does not have required property "reason".\n' +
        '- days[1]: Invalid type: Expected number but received "two"\n' +
        'Call it again with a corrected input.',
    );
  });

  it('does not run if only the new parameter is invalid', async () => {
    const more = withParameter(order, 'reason', reason);
    const { call, leaves } = createFakeInvocation('order');
    expect((await more.call({ items, reason: 7 }, call)).text()).toBe(
      "The input of tool 'order' is not valid:\n" +
        '- reason: Instance type "number" is invalid. Expected "string".\n' +
        'Call it again with a corrected input.',
    );
    expect(leaves).toEqual([]);
  });

  it('passes the value of the parameter to decorators together with the typed input', async () => {
    const more = withParameter(order, 'at', v.pipe(v.string(), v.toDate()));
    const checked = await more.check({ items, at: '1970-01-01T00:00:00Z', junk: 1 });
    expect(checked).toEqual({
      ok: true,
      value: { items: [{ sku: 'kelp', quantity: 1 }], at: new Date(0) },
    });
    const seen: unknown[] = [];
    const watched = decorate(more, {
      call: (input, call) => {
        seen.push(input.at);
        return more.call(input, call);
      },
    });
    await callForText(watched, { items, at: '1970-01-01T00:00:00Z' });
    expect(seen).toEqual(['1970-01-01T00:00:00Z']);
  });

  it('passes the value to `run` only if the schema of the tool keeps unknown properties', async () => {
    const input = { type: 'object', properties: {} };
    const createJsonTool = (more: object) =>
      defineTool({
        name: 'json',
        description: 'x',
        input: jsonSchema({ ...input, ...more }),
        run: (given) => given,
      });
    const given = { items, reason: 'gift' };
    const runWithReason = (tool: AnyTool) => callForText(withParameter(tool, 'reason', reason), given);
    expect(await runWithReason(createJsonTool({}))).toBe(JSON.stringify(given));
    expect(
      await runWithReason(createJsonTool({ properties: { items: {} }, additionalProperties: false })),
    ).toBe(JSON.stringify({ items }));
    expect(await runWithReason(order)).toBe(JSON.stringify({ items: [{ sku: 'kelp', quantity: 1 }] }));
  });

  it('keeps its metadata, and can be unwrapped (TOOL-13, TOOL-17)', () => {
    const more = withParameter(withMetadata(order, 'cost', 3), 'reason', reason);
    expect(more.metadata).toEqual({ team: 'shop', cost: 3 });
    expect(unwrapAs(more, (one): one is AnyTool => one === order)).toBe(order);
  });

  it('reports errors under the name that the model knows', async () => {
    const session = startSession(
      [withParameter(order, 'reason', reason)],
      [
        { calls: [{ name: 'order', input: { items, reason: 'gift' } }] },
        { calls: [{ name: 'order', input: { items } }] },
        'Done.',
      ],
    );
    await session.send('Go.');
    expect(getShownResults(session)).toEqual([
      '{"items":[{"sku":"kelp","quantity":1}]}',
      "Error: The input of tool 'order' is not valid:\n- Instance does not have required property " +
        '"reason".\nCall it again with a corrected input.',
    ]);
  });

  it('returns an error if its schema throws', async () => {
    const fragile = v.pipe(
      v.string(),
      v.check((): boolean => {
        throw new Error('no catalog');
      }),
    );
    expect(await callForText(withParameter(order, 'code', fragile), { items, code: 'a' })).toBe(
      "Tool 'order' did not run: its input could not be checked: no catalog",
    );
  });

  it('treats the names of inherited properties like any other name', async () => {
    const more = withParameter(order, 'constructor', v.optional(v.string(), 'none'));
    expect(await more.check({ items })).toMatchObject({ ok: true, value: { constructor: 'none' } });
    const optional = withParameter(order, 'valueOf', stringParameter('x', { required: false }));
    expect(await optional.check({ items })).toMatchObject({ ok: true, value: { valueOf: undefined } });
    const json = withParameter(order, 'toString', jsonSchema({ type: 'string' }));
    expect(await callForText(json, { items })).toContain('toString: It is missing.');
  });

  /** Production builds do not check whether a model can send the input of a schema. */
  const FUNCTION: [string, () => unknown, string] = [
    'a function',
    () => withParameter(order, 'done', v.function()),
    "Tool 'order': its parameter 'done' cannot be written as JSON Schema: a model cannot send a value of the type 'function'.",
  ];

  it.each<[string, () => unknown, string]>([
    [
      'a name that it has',
      () => withParameter(order, 'items', reason),
      "Tool 'order': it already has a parameter 'items'.",
    ],
    ...(process.env.NODE_ENV === 'production' ? [] : [FUNCTION]),
    [
      'a recursive schema',
      () => withParameter(order, 'tree', Tree),
      "Tool 'order': its parameter 'tree' is recursive. Declare it in the tool's own input.",
    ],
  ])('is refused with %s', (_, define, message) => {
    expect(define).toThrow(expect.objectContaining({ name: 'ToolDefinitionError', field: 'input', message }));
  });
});

interface Node {
  readonly next?: Node | undefined;
}
const Tree: v.GenericSchema<Node> = v.object({ next: v.optional(v.lazy(() => Tree)) });
