import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import {
  type AnyTool,
  type CallContext,
  defineAgent,
  defineDomainType,
  type Json,
} from '../../../../src/index.ts';
import { blackboardTools } from '../../../../src/kinds/entry.ts';
import { fullLength } from '../../../../src/modules/transformers/entry.ts';
import { createTestSession, type TestSession } from '../../../../src/testing/entry.ts';
import { toToolResult } from '../../../doors/tools.ts';
import { callTools, createDiggingTool, createReadingTool, getShownResults } from '../tool-loop/scenes.ts';
import { createFakeInvocation } from '../tools/fake-invocation.ts';

/** Adds entries to the blackboard, in this order. */
const fill = (call: CallContext): string => {
  call.blackboard.add({ id: 'c1', name: 'Ada' }, { name: 'vip', type: 'Customer' });
  call.blackboard.add('Plain words.', { name: 'note' });
  call.blackboard.add([1, 2]);
  call.blackboard.add({ id: 'c2' }, { type: 'Customer' });
  return 'Filled.';
};

/** Returns the result of one of these tools, with a filled or an empty blackboard. */
async function getResult(
  name: string,
  input: object = {},
  { board = fill, tools = blackboardTools() }: BoardOptions = {},
) {
  const agent = defineAgent({
    name: 'clerk',
    description: 'Works.',
    instructions: 'Work.',
    tools: [tools, createReadingTool('fill', board)],
  });
  const replies = [callTools('fill', 'blackboard'), { calls: [{ name, input }] }, 'Done.'];
  const session = createTestSession(agent, { replies });
  await session.send('Go.');
  return { session, text: getShownResults(session.requests[2]).at(-1) };
}

interface BoardOptions {
  readonly board?: (call: CallContext) => string;
  readonly tools?: AnyTool;
}

const joinLines = (...all: string[]): string => all.join('\n');

describe('blackboard', () => {
  it('unfolds into five tools, with notes on when to use them (BLK-01)', async () => {
    const { session } = await getResult('blackboard_list');
    expect(session.requests[0]?.tools.map(({ name }) => name)).toEqual(['blackboard', 'fill']);
    expect(session.requests[0]?.tools[0]?.description).toBe(
      'Access objects in the current process context. Invoke to see available operations for listing, getting, and describing objects.',
    );
    expect(session.requests[1]?.tools.map(({ name }) => name)).toEqual([
      'blackboard',
      'fill',
      'blackboard_count',
      'blackboard_describe',
      'blackboard_get',
      'blackboard_last',
      'blackboard_list',
    ]);
    expect(getShownResults(session.requests[1])[1]).toContain(
      "Use blackboard_list to see what's available. Use blackboard_get for named bindings, blackboard_last for the most recent of a type.",
    );
  });

  it('offers tools that return a message outside a session (BLK-05)', async () => {
    const tools = blackboardTools().inner ?? [];
    expect(tools).toHaveLength(5);
    for (const tool of tools) {
      const { call } = createFakeInvocation(tool.name);
      const execute: typeof call.execute = async (leaf) =>
        toToolResult(tool.name, await leaf.run({ ...call, process: undefined }));
      expect(await tool.call({}, { ...call, execute })).toEqual({
        type: 'text',
        content: 'No agent process available. Blackboard tools require an active agent context.',
      });
      expect(tool.effect).toBe('read');
    }
  });

  it.each<[string, object, string]>([
    [
      'blackboard_list',
      {},
      joinLines(
        'Blackboard contains 4 object(s):',
        "[0] Customer bound to 'vip'",
        "[1] string bound to 'note'",
        '[2] list',
        '[3] Customer',
      ),
    ],
    ['blackboard_get', { name: 'vip' }, 'Customer bound to \'vip\':\n{"id":"c1","name":"Ada"}'],
    ['blackboard_get', { name: 'note' }, "string bound to 'note':\nPlain words."],
    ['blackboard_get', { name: 'nobody' }, "No object found with binding name 'nobody'"],
    ['blackboard_get', { name: 'x'.repeat(500) }, `No object found with binding name '${'x'.repeat(80)}'`],
    ['blackboard_get', { name: '__proto__' }, "No object found with binding name '__proto__'"],
    ['blackboard_last', { typeName: 'Customer' }, 'Last Customer:\n{"id":"c2"}'],
    ['blackboard_last', { typeName: 'list' }, 'Last list:\n[1,2]'],
    ['blackboard_last', { typeName: 'Order' }, "No object of type 'Order' found in blackboard"],
    ['blackboard_describe', { name: 'vip' }, 'Description of Customer \'vip\':\n{"id":"c1","name":"Ada"}'],
    ['blackboard_describe', { name: 'nobody' }, "No object found with binding name 'nobody'"],
    ['blackboard_count', { typeName: 'Customer' }, "Found 2 object(s) of type 'Customer' in blackboard"],
    ['blackboard_count', { typeName: 'Order' }, "Found 0 object(s) of type 'Order' in blackboard"],
    ['blackboard_get', {}, 'Error: Missing required parameter: name'],
    ['blackboard_describe', { name: ' ' }, 'Error: Missing required parameter: name'],
    ['blackboard_last', {}, 'Error: Missing required parameter: typeName'],
    ['blackboard_count', {}, 'Error: Missing required parameter: typeName'],
  ])('%s returns the expected text for %j (BLK-02, BLK-06)', async (name, input, text) => {
    expect((await getResult(name, input)).text).toBe(text);
  });

  it('blackboard_list states that the blackboard is empty (BLK-02)', async () => {
    const { text } = await getResult('blackboard_list', {}, { board: () => 'Nothing.' });
    expect(text).toBe('Blackboard is empty - no objects available.');
  });

  it.each([
    ['Customer', 2],
    ['customer', 0],
    ['app.Customer', 0],
    ['object', 0],
  ])(
    'blackboard_count finds a type only by its exact registered name: %s (BLK-03)',
    async (typeName, found) => {
      const { text } = await getResult('blackboard_count', { typeName });
      expect(text).toBe(`Found ${found} object(s) of type '${typeName}' in blackboard`);
    },
  );

  it('blackboard_list returns the newest of many entries (BLK-02)', async () => {
    const fillBoard = (call: CallContext): string => {
      for (let at = 0; at < 203; at += 1) call.blackboard.add(at);
      return 'Filled.';
    };
    const text = (await getResult('blackboard_list', {}, { board: fillBoard })).text?.split('\n');
    expect(text?.slice(0, 3)).toEqual([
      'Blackboard contains 203 object(s):',
      '(the first 3 are not shown)',
      '[3] number',
    ]);
    expect(text).toHaveLength(202);
  });
});

describe('a value on the blackboard', () => {
  const createFill = (value: Json) => (call: CallContext) => {
    call.blackboard.add(value, { name: 'it' });
    return 'Filled.';
  };

  it.each<[string, Json, string]>([
    ['text unchanged', 'Say "so".', 'string bound to \'it\':\nSay "so".'],
    ['null as JSON', null, "null bound to 'it':\nnull"],
    ['a number as JSON', 3, "number bound to 'it':\n3"],
    ['an object as JSON', { a: [1] }, 'object bound to \'it\':\n{"a":[1]}'],
    [
      'a long value up to a limit',
      'y'.repeat(9_000),
      `string bound to 'it':\n${'y'.repeat(8_000)}... [truncated, full length: 9000 chars]`,
    ],
  ])('is shown in the default form: %s (BLK-04, S0-119)', async (_, value, text) => {
    expect((await getResult('blackboard_get', { name: 'it' }, { board: createFill(value) })).text).toBe(text);
  });

  const schema = v.object({ id: v.string(), name: v.optional(v.string(), 'nobody') });
  const Customer = defineDomainType({
    name: 'Customer',
    schema,
    content: ({ name }) => `Customer ${name}`,
  });
  const Verbose = defineDomainType({
    name: 'Customer',
    schema,
    content: () => 'Not shown.',
    infoString: ({ id, name }, { verbose }) => (verbose ? `${name}, of the number ${id}` : name),
  });
  const Broken = defineDomainType({
    name: 'Customer',
    schema,
    content: () => {
      throw new Error('The text is missing.');
    },
  });
  const Strict = defineDomainType({
    name: 'Customer',
    schema: v.object({ id: v.number() }),
    content: () => 'Not shown.',
  });

  it.each([
    ['the content of the type', Customer, 'Customer Ada'],
    ['the infoString of the type, which is preferred to its content', Verbose, 'Ada, of the number c1'],
    ['JSON, because the content of the type throws', Broken, '{"id":"c1","name":"Ada"}'],
    ['JSON, because the value is not of the type', Strict, '{"id":"c1","name":"Ada"}'],
  ])('is shown as %s (BLK-04, S0-119)', async (_, type, words) => {
    const tools = blackboardTools({ types: [type] });
    const { text } = await getResult('blackboard_get', { name: 'vip' }, { tools });
    expect(text).toBe(`Customer bound to 'vip':\n${words}`);
  });

  it('is parsed by the schema of its type, and cut like other values (BLK-04)', async () => {
    const tools = blackboardTools({ types: [Customer] });
    expect((await getResult('blackboard_last', { typeName: 'Customer' }, { tools })).text).toBe(
      'Last Customer:\nCustomer nobody',
    );
    const Long = defineDomainType({ name: 'Customer', schema, content: () => 'a'.repeat(9_000) });
    const long = await getResult(
      'blackboard_get',
      { name: 'vip' },
      { tools: blackboardTools({ types: [Long] }) },
    );
    expect(long.text).toBe(`Customer bound to 'vip':\n${'a'.repeat(8_000)}${fullLength(8_000, 9_000)}`);
  });

  it('is shown in the default form if its type is not configured (BLK-04)', async () => {
    const tools = blackboardTools({ types: [Customer] });
    expect((await getResult('blackboard_get', { name: 'note' }, { tools })).text).toBe(
      "string bound to 'note':\nPlain words.",
    );
  });

  it('is shown by a custom formatter (BLK-04, S0-119)', async () => {
    const tools = blackboardTools({
      format: (value, { type }) => `<${type ?? 'no type'}> ${JSON.stringify(value).length} chars`,
    });
    expect((await getResult('blackboard_get', { name: 'vip' }, { tools })).text).toBe(
      "Customer bound to 'vip':\n<Customer> 24 chars",
    );
  });
});

describe('the blackboard that the tools show', () => {
  it('is the blackboard of the loop that calls the tool (BLK-01)', async () => {
    const inner = [
      blackboardTools(),
      createReadingTool('add', (call) => {
        call.blackboard.add(1, { type: 'Mine' });
        return 'Added.';
      }),
    ];
    const agent = defineAgent({
      name: 'clerk',
      description: 'Works.',
      instructions: 'Work.',
      tools: [
        createReadingTool('fill', fill),
        createDiggingTool(inner, { ownBlackboard: true }),
        blackboardTools(),
      ],
    });
    const count = { calls: [{ name: 'blackboard_count', input: { typeName: 'Mine' } }] };
    const replies = [
      callTools('fill'),
      callTools('dig'),
      callTools('add', 'blackboard'),
      count,
      'Dug.',
      callTools('blackboard'),
      count,
      'Done.',
    ];
    const session = createTestSession(agent, { replies });
    await session.send('Go.');
    expect(getShownResults(session.requests[4]).at(-1)).toBe(
      "Found 1 object(s) of type 'Mine' in blackboard",
    );
    expect(getShownResults(session.requests[7]).at(-1)).toBe(
      "Found 0 object(s) of type 'Mine' in blackboard",
    );
  });

  it('is the same after a restart of the object and a kill of the Worker', async () => {
    const agent = defineAgent({
      name: 'clerk',
      description: 'Works.',
      instructions: 'Work.',
      tools: [createReadingTool('fill', fill), blackboardTools()],
    });
    const dieOnceStored = async () => {
      // Reads do not wait for an append, and a result that is not stored would be requested again.
      const listEndedCalls = async () =>
        (await session.events()).filter((event) => event.type === 'tool-call-ended');
      await vi.waitFor(async () => expect(await listEndedCalls()).toHaveLength(2), 20_000);
      session.kill();
      return 'Lost.';
    };
    const session: TestSession = createTestSession(agent, {
      replies: [
        callTools('fill'),
        'Done.',
        callTools('blackboard'),
        dieOnceStored,
        callTools('blackboard_list'),
        'Done.',
      ],
    });
    await session.send('Go.');
    session.restart();
    await session.send('Again.');
    expect(getShownResults(session.requests.at(-1)).at(-1)).toBe(
      joinLines(
        'Blackboard contains 4 object(s):',
        "[0] Customer bound to 'vip'",
        "[1] string bound to 'note'",
        '[2] list',
        '[3] Customer',
      ),
    );
  });
});
