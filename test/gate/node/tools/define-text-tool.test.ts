import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  artifact,
  defineAgent,
  defineTextTool,
  defineTool,
  error,
  text,
} from '../../../../src/index.ts';
import { decorate } from '../../../../src/modules/decorators/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { createFakeInvocation } from './fake-invocation.ts';

const echo = defineTextTool({
  name: 'echo',
  description: 'Says it again.',
  effect: 'read',
  run: (input) => `<${input}>`,
});

/** The model's view of one call with this input. A string is sent unchanged. */
async function readInput(tool: AnyTool, input: unknown): Promise<unknown> {
  const agent = defineAgent({ name: 'clerk', description: 'Works.', instructions: 'Work.', tools: [tool] });
  const session = createTestSession(agent, {
    replies: [{ calls: [{ name: tool.name, input }] }, 'Done.'],
  });
  await session.send('Go.');
  const last = session.requests[1]?.messages.at(-1);
  return last?.role === 'tool' ? last.text : last;
}

describe('a text tool', () => {
  it('consists of a name, a description and a function of text (AET-01)', async () => {
    const tool = defineTextTool({
      name: 'shout',
      description: 'Shouts.',
      run: (input) => input.toUpperCase(),
    });
    const { call, leaves } = createFakeInvocation('shout');
    expect(await tool.call({ input: 'kelp' }, call)).toEqual({ type: 'text', content: 'KELP' });
    expect(tool).toMatchObject({ name: 'shout', description: 'Shouts.', effect: 'once' });
    expect(leaves).toMatchObject([{ effect: 'once' }]);
  });

  it('shows the model one required string (AET-03)', () => {
    expect(echo.inputSchema).toEqual({
      type: 'object',
      properties: { input: { type: 'string', description: 'The input to pass to the tool' } },
      required: ['input'],
    });
  });

  it.each<[string, unknown, string]>([
    ['the input', { input: 'kelp' }, '<kelp>'],
    ['the input beside other properties', { input: 'kelp', top: 3 }, '<kelp>'],
    ['the JSON of an input that is not a string', { input: { query: ['kelp'] } }, '<{"query":["kelp"]}>'],
    ['a number as text', { input: 42 }, '<42>'],
    ['the empty text for null', { input: null }, '<>'],
    ['the raw text if it is not JSON', 'plain kelp', '<plain kelp>'],
    ['the raw text of JSON that is cut off', '{"input":"ke', '<{"input":"ke>'],
    ['the raw text of JSON that is not an object', '["kelp"]', '<["kelp"]>'],
    ['the raw text of an object without an input', '{ "query": "kelp" }', '<{ "query": "kelp" }>'],
    [
      'the raw text if the input is in a prototype',
      '{ "__proto__": { "input": "x" } }',
      '<{ "__proto__": { "input": "x" } }>',
    ],
    ['the empty text for an empty input', '', '<>'],
  ])('receives %s (AET-05)', async (_, sent, expected) => {
    expect(await readInput(echo, sent)).toBe(expected);
  });

  it('receives an object without the property `input` as JSON if code calls the tool', async () => {
    expect(await echo.check({ query: 'kelp' })).toEqual({ ok: true, value: '{"query":"kelp"}' });
    expect(await echo.check({ input: 'kelp' })).toEqual({ ok: true, value: 'kelp' });
  });

  it('receives the raw text, even through a decorator', async () => {
    expect(await readInput(decorate(echo, { description: 'Other.' }), 'plain kelp')).toBe('<plain kelp>');
  });

  it.each<[string, () => unknown, string]>([
    ['the output of a success', () => 'kelp', 'kelp'],
    ['the text of an artifact, never its value', () => artifact('one row', [{ id: 7 }]), 'one row'],
    ['the empty text for null', () => null, ''],
    ['the empty text of a success without text', () => text(null), ''],
    ['`Done` for undefined', () => undefined, 'Done'],
    ['the message of a failure', () => error('no such order'), 'Error: no such order'],
    ['a failure without a message', () => error(null), 'Error: Tool execution failed with no message'],
    ['a failure with a blank message', () => error(' '), 'Error: Tool execution failed with no message'],
    ['text that only looks like a failure, unchanged', () => 'Error: not really', 'Error: not really'],
  ])('returns %s to the model (AET-02, AET-04, S1-06)', async (_, run, expected) => {
    const tool = defineTextTool({ name: 'answer', description: 'Answers.', effect: 'read', run });
    expect(await readInput(tool, { input: 'x' })).toBe(expected);
  });

  it('returns the message of a thrown error to the model (AET-04, S1-06)', async () => {
    const run = (): never => {
      throw new Error('the sea is closed');
    };
    const tool = defineTextTool({ name: 'dive', description: 'Dives.', effect: 'read', run });
    expect(await readInput(tool, { input: 'x' })).toBe('Error: the sea is closed');
  });
});

describe('a typed tool', () => {
  const book = defineTool({
    name: 'book',
    description: 'Books.',
    effect: 'read',
    input: v.object({ from: v.string(), to: v.string(), seat: v.optional(v.string(), 'any') }),
    run: ({ from, to, seat }) => `${from}-${to} ${seat}`,
  });

  it('shows its required fields, and ignores unknown fields (AET-08)', async () => {
    expect(book.inputSchema.required).toEqual(['from', 'to']);
    expect(await readInput(book, { from: 'Oslo', to: 'Bergen', smoke: true })).toBe('Oslo-Bergen any');
  });

  it('can show its own JSON Schema (AET-08)', async () => {
    const inputSchema = {
      type: 'object',
      properties: { id: { type: 'integer' } },
      required: ['id'],
    } as const;
    const find = defineTool({
      name: 'find',
      description: 'Finds.',
      effect: 'read',
      input: jsonSchema(inputSchema),
      run: ({ id }) => `order ${id}`,
    });
    expect(find.inputSchema).toEqual(inputSchema);
    expect(await readInput(find, { id: 7 })).toBe('order 7');
  });

  it.each<[string, unknown, string]>([
    [
      'malformed JSON',
      '{"from":',
      "The input of tool 'book' is not valid JSON: it does not end with '}', so it may be cut off. " +
        'Send one JSON object that matches its schema.',
    ],
    [
      'a value that is not an object',
      '["Oslo"]',
      "The input of tool 'book' is an array, not a JSON object. Send one JSON object that matches its schema.",
    ],
    [
      'all missing fields at once',
      {},
      'The input of tool \'book\' is not valid:\n- from: Invalid key: Expected "from" but received undefined\n' +
        '- to: Invalid key: Expected "to" but received undefined\nCall it again with a corrected input.',
    ],
  ])('returns an error that names %s (AET-09)', async (_, sent, message) => {
    expect(await readInput(book, sent)).toBe(`Error: ${message}`);
  });
});
