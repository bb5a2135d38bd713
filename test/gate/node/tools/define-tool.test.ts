import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  artifact,
  type CallContext,
  defineDomainType,
  defineTool,
  error,
  type InputDeclaration,
  ToolCallContext,
  ToolDefinitionError,
} from '../../../../src/index.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { DEFAULT_TIMEOUT_MS, getModelText, MAX_TIMEOUT_MS } from '../../../doors/tools.ts';
import { createFakeInvocation } from './fake-invocation.ts';

const Order = v.object({ id: v.string(), quantity: v.optional(v.number(), 1) });
const order = defineTool({
  name: 'order',
  description: 'Order an item.',
  input: Order,
  run: ({ id, quantity }) => `${quantity} x ${id}`,
});

describe('a defined tool', () => {
  it("has the model's view of the tool, and safe defaults (TOOL-01, TOOL-11)", () => {
    expect({ ...order, call: undefined, check: undefined }).toEqual({
      name: 'order',
      description: 'Order an item.',
      inputSchema: {
        type: 'object',
        properties: { id: { type: 'string' }, quantity: { type: 'number', default: 1 } },
        required: ['id'],
      },
      effect: 'once',
      serial: undefined,
      returnDirect: false,
      metadata: {},
      output: undefined,
      check: undefined,
      call: undefined,
    });
  });

  it('keeps its other options (TOOL-03, TOOL-11)', () => {
    const direct = defineTool({
      name: 'direct',
      description: 'Answers.',
      returnDirect: true,
      serial: 'desk',
      metadata: { team: { id: 7 } },
      run: () => 'ok',
    });
    expect(direct).toMatchObject({ returnDirect: true, serial: 'desk', metadata: { team: { id: 7 } } });
  });

  it('copies its metadata (TOOL-12)', () => {
    const metadata = { tags: ['a'] };
    const tool = defineTool({ name: 'tagged', description: 'Is tagged.', metadata, run: () => 'ok' });
    metadata.tags.push('b');
    expect(tool.metadata).toEqual({ tags: ['a'] });
  });

  it.each<[string, (this: void) => unknown]>([
    ['none', () => 'hi ada'],
    ['the input', ({ name }: { name?: string } = {}) => `hi ${name}`],
    [
      'the input and the call',
      ({ name }: { name?: string } = {}, call?: CallContext) => `hi ${name ?? call?.id}`,
    ],
  ])('runs a function whose parameters are %s (TOOL-02, TOOL-04)', async (_, run) => {
    const input = v.object({ name: v.string() });
    const greet = defineTool({ name: 'greet', description: 'Greets.', input, run });
    expect(getModelText(await greet.call({ name: 'ada' }, createFakeInvocation('greet').call))).toBe(
      'hi ada',
    );
  });

  it('passes the context of the call to its function, or `EMPTY` if there is no context (TOOL-02, CTX-08)', async () => {
    const seen: ToolCallContext[] = [];
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      run: (_, { context }) => void seen.push(context),
    });
    const acme = ToolCallContext.of({ tenantId: 'acme' });
    await look.call({}, createFakeInvocation('look', acme).call);
    await look.call({}, createFakeInvocation('look').call);
    expect(seen[0]).toBe(acme);
    expect(seen[1]).toBe(ToolCallContext.EMPTY);
  });

  it('accepts the JSON Schema of a domain type as its input (TOOL-09)', () => {
    const Customer = defineDomainType({ name: 'Customer', schema: v.object({ id: v.string() }) });
    const save = defineTool({
      name: 'save',
      description: 'Saves.',
      input: jsonSchema(Customer.json),
      run: ({ id }) => id,
    });
    expect(save.inputSchema).toEqual({
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
    });
  });

  it('converts its schema only once', () => {
    expect(order.inputSchema).toBe(order.inputSchema);
  });

  it('has an empty input if it declares none (TOOL-03, TOOL-07)', async () => {
    const ping = defineTool({ name: 'ping', description: 'Ping.', run: (input) => input });
    expect(ping.inputSchema).toEqual({ type: 'object', properties: {} });
    expect(getModelText(await ping.call({ junk: 1 }, createFakeInvocation('ping').call))).toBe('{}');
  });

  it('executes the call with its effect, its timeout and the parsed input', async () => {
    const { call, leaves } = createFakeInvocation('order');
    expect(getModelText(await order.call({ id: 'kelp' }, call))).toBe('1 x kelp');
    expect(leaves).toEqual([
      { effect: 'once', timeout: DEFAULT_TIMEOUT_MS, run: expect.any(Function), reconcile: undefined },
    ]);
  });

  it('passes the same input and call to `run` and `reconcile`', async () => {
    const seen: unknown[] = [];
    const charge = defineTool({
      name: 'charge',
      description: 'Charge a card.',
      input: Order,
      timeout: 5,
      run: (input, call) => seen.push(input, call.context.get('tenantId')),
      reconcile: (input, call) => {
        seen.push(input, call.id, call.startedAt);
        return 'not-done';
      },
    });
    const { call, leaves } = createFakeInvocation('charge', ToolCallContext.of({ tenantId: 'acme' }));
    await charge.call({ id: 'kelp' }, call);
    const again: CallContext = { ...call, startedAt: 7 };
    expect(await leaves[0]?.reconcile?.(again)).toBe('not-done');
    expect(seen).toEqual([{ id: 'kelp', quantity: 1 }, 'acme', { id: 'kelp', quantity: 1 }, '1.2.0', 7]);
    expect(leaves[0]?.timeout).toBe(5);
  });

  it('returns every problem of an invalid input at once, and does not run (TYP-10)', async () => {
    const { call, leaves } = createFakeInvocation('order');
    const result = await order.call({ quantity: 'two' }, call);
    expect({ ...result }).toEqual({
      type: 'error',
      reason: 'invalid-input',
      message:
        "The input of tool 'order' is not valid:\n" +
        '- id: Invalid key: Expected "id" but received undefined\n' +
        '- quantity: Invalid type: Expected number but received "two"\n' +
        'Call it again with a corrected input.',
    });
    expect(leaves).toEqual([]);
  });

  it('has the name that the model used in the error (TOOL-14)', async () => {
    const result = await order.call({}, createFakeInvocation('shop_order').call);
    expect(getModelText(result)).toContain("The input of tool 'shop_order' is not valid:");
  });

  it('returns an error if its schema throws, and does not run', async () => {
    const fragile = defineTool({
      name: 'fragile',
      description: 'Has a schema with a mistake.',
      input: v.pipe(
        Order,
        v.check((): boolean => {
          throw new Error('no catalog');
        }),
      ),
      run: () => 'ran',
    });
    const { call, leaves } = createFakeInvocation('fragile');
    expect({ ...(await fragile.call({ id: 'kelp' }, call)) }).toEqual({
      type: 'error',
      message: "Tool 'fragile' did not run: its input could not be checked: no catalog",
    });
    expect(leaves).toEqual([]);
  });

  it('passes on an error that `run` throws, for the loop to handle', async () => {
    const broken = defineTool({
      name: 'broken',
      description: 'Fails.',
      run: () => {
        throw new Error('down');
      },
    });
    await expect(broken.call({}, createFakeInvocation('broken').call)).rejects.toThrow('down');
  });
});

/**
 * Production builds have shorter messages, and do not check whether a model can send the input of a schema.
 */
const isDevelopment = process.env.NODE_ENV !== 'production';

describe('an invalid definition', () => {
  const base = { name: 'order', description: 'Order an item.', run: () => 'ok' };
  const EFFECT_READ: { effect: 'read'; reconcile?: undefined } = Object({
    effect: 'read',
    reconcile: () => 'unknown',
  });

  it.each<[string, () => unknown, string, string]>([
    [
      'a blank name',
      () => defineTool({ ...base, name: ' ' }),
      'name',
      "Tool ' ': its name must be 1 to 64 of the characters A-Z a-z 0-9 _ -.",
    ],
    [
      'a long name',
      () => defineTool({ ...base, name: 'x'.repeat(65) }),
      'name',
      `Tool '${'x'.repeat(65)}': its name must be 1 to 64 of the characters A-Z a-z 0-9 _ -.`,
    ],
    [
      'a name with a dot',
      () => defineTool({ ...base, name: 'shop.order' }),
      'name',
      "Tool 'shop.order': its name must be 1 to 64 of the characters A-Z a-z 0-9 _ -.",
    ],
    [
      'a name with a line break',
      () => defineTool({ ...base, name: 'order\n' }),
      'name',
      "Tool 'order\n': its name must be 1 to 64 of the characters A-Z a-z 0-9 _ -.",
    ],
    [
      'a blank description',
      () => defineTool({ ...base, description: '\n' }),
      'description',
      "Tool 'order': its description is blank. The model chooses tools by their descriptions.",
    ],
    [
      'a schema that is not an object',
      () => defineTool({ ...base, input: v.array(v.string()) }),
      'input',
      isDevelopment
        ? "Tool 'order': its input must be an object schema, since a model sends a JSON object: v.object({ ... }), " +
          "z.object({ ... }), or jsonSchema({ type: 'object', ... }). Put anything else into a property."
        : "Tool 'order': its input must be an object schema.",
    ],
    [
      'metadata that is not JSON',
      () => defineTool({ ...base, metadata: { since: Object(new WeakMap()) } }),
      'metadata',
      "Tool 'order': its metadata is not JSON: the value at `$.since` is a WeakMap.",
    ],
  ])('is refused at once with the problem and its field: %s (AEV-02)', (_, define, field, message) => {
    expect(define).toThrow(ToolDefinitionError);
    expect(define).toThrow(expect.objectContaining({ field, message }));
  });

  it.runIf(isDevelopment)('is refused with `reconcile` but without the effect `once`', () => {
    expect(() => defineTool({ ...base, ...EFFECT_READ })).toThrow(
      "Tool 'order': only a tool with the effect 'once' reconciles. Calls with the effect 'read' are run again.",
    );
  });

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'is refused with %d subrequests',
    (subrequests) => {
      expect(() => defineTool({ ...base, subrequests })).toThrow(
        `Tool 'order': its subrequests are ${subrequests}. Use a whole number of at least 0.`,
      );
    },
  );

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, MAX_TIMEOUT_MS + 1])(
    'is refused with a timeout of %d ms',
    (timeout) => {
      expect(() => defineTool({ ...base, timeout })).toThrow(
        `Tool 'order': its timeout is ${timeout}. It must be more than 0 and at most 900000 milliseconds.`,
      );
    },
  );

  it.runIf(isDevelopment).each<[string, InputDeclaration, string]>([
    [
      'a Valibot function',
      v.object({ done: v.function() }),
      "cannot be written as JSON Schema: a model cannot send a value of the type 'function'.",
    ],
    [
      'a nested Valibot stream',
      v.object({ file: v.optional(v.object({ body: v.pipe(v.instance(ReadableStream), v.readonly()) })) }),
      "cannot be written as JSON Schema: a model cannot send a value of the type 'instance'.",
    ],
    [
      'a Valibot promise',
      v.object({ later: v.promise() }),
      "cannot be written as JSON Schema: a model cannot send a value of the type 'promise'.",
    ],
    [
      'a Zod stream',
      z.object({ body: z.instanceof(ReadableStream) }),
      'cannot be written as JSON Schema: Custom types cannot be represented in JSON Schema.',
    ],
    [
      'an ArkType stream',
      type({ body: type.instanceOf(ReadableStream) }),
      "cannot be written as JSON Schema: a model cannot send a value of the type 'ReadableStream'.",
    ],
    [
      'an ArkType function',
      type({ done: 'Function' }),
      "cannot be written as JSON Schema: a model cannot send a value of the type 'Function'.",
    ],
    [
      'a function in JSON Schema',
      jsonSchema({ type: 'object', properties: { done: { default: () => 1 } } }),
      'is not JSON: the value at `$.properties.done.default` is a function.',
    ],
  ])('is refused with a parameter that is %s (TOOL-22)', (_, input, problem) => {
    const define = () => defineTool({ ...base, input });
    expect(define).toThrow(ToolDefinitionError);
    expect(define).toThrow(`Tool 'order': its input ${problem}`);
  });

  it("accepts a parameter whose schema turns the model's input into a stream or a date (TOOL-22)", () => {
    const input = v.object({ at: v.pipe(v.string(), v.toDate()) });
    expect(defineTool({ ...base, input }).inputSchema.properties).toEqual({ at: { type: 'string' } });
  });

  it('accepts an asynchronous function (TOOL-22)', async () => {
    const later = defineTool({ ...base, run: async () => ({ ok: true }) });
    expect({ ...(await later.call({}, createFakeInvocation('order').call)) }).toEqual({
      type: 'artifact',
      value: { ok: true },
    });
  });

  it('accepts the longest name and the longest timeout', () => {
    expect(defineTool({ ...base, name: 'a-Z_9'.repeat(12), timeout: MAX_TIMEOUT_MS }).name).toHaveLength(60);
    expect(defineTool({ ...base, name: 'x'.repeat(64) }).name).toHaveLength(64);
  });
});

describe('the type of an artifact', () => {
  const Customer = defineDomainType({ name: 'Customer', schema: v.looseObject({}) });
  const createFindTool = (run: () => unknown) =>
    defineTool({ name: 'find', description: 'Finds.', output: Customer, run });

  it.each<[string, () => unknown, object]>([
    [
      'a returned object has it',
      () => ({ id: '7' }),
      { type: 'artifact', value: { id: '7' }, artifactType: 'Customer' },
    ],
    [
      'an artifact without a type has it',
      () => artifact('Ada', { id: '7' }),
      { type: 'artifact', content: 'Ada', value: { id: '7' }, artifactType: 'Customer' },
    ],
    [
      'an artifact with a type keeps its type',
      () => artifact('An order', { name: 'Order' }, { id: '7' }),
      { type: 'artifact', content: 'An order', value: { id: '7' }, artifactType: 'Order' },
    ],
    ['text has no type', () => 'nobody', { type: 'text', content: 'nobody' }],
    ['an error has no type', () => error('no such customer'), { type: 'error', message: 'no such customer' }],
  ])('is the type that its tool declares: %s', async (_, run, expected) => {
    const result = await createFindTool(run).call({}, createFakeInvocation('find').call);
    expect({ ...result }).toEqual(expected);
  });
});
