/** Typed tools in turns: inputs are parsed, and return values become text and an artifact. */

import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type AnyTool,
  artifact,
  defineTool,
  error,
  type JsonSchema,
  replan,
  terminateAgent,
  text,
} from '../../../../src/index.ts';
import { mapContent } from '../../../../src/modules/decorators/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { createMemoryApp } from '../session/memory-app.ts';
import { callTools, getShownResults, startSession } from './decorators/turns.ts';

const base = { name: 'add', description: 'Adds two numbers together.', effect: 'read' } as const;
const sum = ({ a, b }: { a: number; b: number }) => ({ sum: a + b });

const adders: Record<string, AnyTool> = {
  Valibot: defineTool({ ...base, input: v.object({ a: v.number(), b: v.number() }), run: sum }),
  Zod: defineTool({ ...base, input: z.object({ a: z.number(), b: z.number() }), run: sum }),
  ArkType: defineTool({ ...base, input: type({ a: 'number', b: 'number' }), run: sum }),
  'JSON Schema': defineTool({
    ...base,
    input: jsonSchema({
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    }),
    run: (input) => sum({ a: Number(input.a), b: Number(input.b) }),
  }),
};

async function runTurn(tool: AnyTool, ...inputs: readonly unknown[]) {
  const replies = inputs.map((input) => ({ calls: [{ name: tool.name, input }] }));
  const session = startSession([tool], [...replies, 'Done.']);
  const answer = await session.send('Go.');
  return { answer, session, results: getShownResults(session) };
}

describe.each(Object.entries(adders))('a tool whose input is declared with %s', (_, add) => {
  it('has the JSON Schema that follows from the type (TYP-01)', async () => {
    const { session } = await runTurn(add);
    expect(session.requests[0]?.tools).toEqual([
      {
        name: 'add',
        description: 'Adds two numbers together.',
        inputSchema: {
          type: 'object',
          properties: { a: { type: 'number' }, b: { type: 'number' } },
          required: ['a', 'b'],
        },
      },
    ]);
  });

  it('receives a value of the type, and returns an object as JSON to the model and as an artifact (TYP-02, TYP-07)', async () => {
    const { results, answer } = await runTurn(add, '{"a": 5, "b": 3}');
    expect(results).toEqual(['{"sum":8}']);
    expect(answer.artifacts).toMatchObject([{ value: { sum: 8 } }]);
  });

  it('returns every problem in one result (TYP-10)', async () => {
    const { results } = await runTurn(add, { a: 'five', b: 'three' });
    expect(results[0]).toMatch(
      /^Error: The input of tool 'add' is not valid:\n- a\b.*\n- b\b.*\nCall it again with a corrected input\.$/,
    );
  });
});

describe('a typed tool', () => {
  const Person = v.object({ name: v.optional(v.string(), 'nobody'), nick: v.nullish(v.string()) });
  const createGreetTool = (run: (input: v.InferOutput<typeof Person>) => unknown) =>
    defineTool({ name: 'greet', description: 'Greets.', effect: 'read', input: Person, run });

  it('returns a text without quotes, and a ready-made result unchanged (TYP-02)', async () => {
    expect(
      (
        await runTurn(
          createGreetTool(({ name }) => `Hello "${name}"!`),
          { name: 'Ada' },
        )
      ).results,
    ).toEqual(['Hello "Ada"!']);
    const { results, answer } = await runTurn(
      createGreetTool(() => artifact('A card', { name: 'Card' }, { to: 'Ada' })),
      {},
    );
    expect(results).toEqual(['A card']);
    expect(answer.artifacts).toMatchObject([{ value: { to: 'Ada' } }]);
    expect(
      (
        await runTurn(
          createGreetTool(() => error('nobody there')),
          {},
        )
      ).results,
    ).toEqual(['Error: nobody there']);
  });

  it('fails with the message of the thrown error, or a default message (TYP-03)', async () => {
    const createThrowingTool = (thrown: unknown) =>
      createGreetTool(() => {
        throw thrown;
      });
    expect((await runTurn(createThrowingTool(new Error('No ink')), {})).results).toEqual(['Error: No ink']);
    expect((await runTurn(createThrowingTool(new TypeError('')), {})).results).toEqual([
      'Error: Exception occurred in tool: greet (TypeError)',
    ]);
  });

  it('returns an error for an input that is not JSON, and the loop continues (TYP-03)', async () => {
    const { results, answer } = await runTurn(
      createGreetTool(({ name }) => name),
      '{"name": "Ada"',
      { name: 'Ada' },
    );
    expect(results).toEqual([
      "Error: The input of tool 'greet' is not valid JSON: it does not end with '}', so it may be cut off. " +
        'Send one JSON object that matches its schema.',
      'Ada',
    ]);
    expect(answer.outcome).toBe('completed');
  });

  it.each([
    [replan('new facts'), 'completed'],
    [terminateAgent('stop'), 'cancelled'],
  ])('passes on signals, which are not failures: %o (TYP-04)', async (signal, outcome) => {
    const plan = createGreetTool(() => {
      throw signal;
    });
    const app = createMemoryApp({ tools: [plan], replies: [callTools('greet'), 'Not asked.'] });
    expect(await app.say('Go.')).toMatchObject({ turn: { outcome, signal: signal.signal } });
    const [, reply] = (await app.state()).messages;
    expect(reply).toMatchObject({ calls: [{ ended: { result: { type: 'text' } } }] });
  });

  it.each(['', ' \n'])('validates the blank input %j as an empty object (TYP-05)', async (blank) => {
    expect(
      (
        await runTurn(
          createGreetTool(({ name }) => name),
          blank,
        )
      ).results,
    ).toEqual(['nobody']);
    const [add] = Object.values(adders);
    if (!add) throw new Error('There is no adder.');
    expect((await runTurn(add, blank)).results).toEqual([
      "Error: The input of tool 'add' is not valid:\n" +
        '- a: Invalid key: Expected "a" but received undefined\n' +
        '- b: Invalid key: Expected "b" but received undefined\n' +
        'Call it again with a corrected input.',
    ]);
  });

  it('fills in defaults, and does not require nullable fields (TYP-06)', async () => {
    const tool = createGreetTool((input) => JSON.stringify(input));
    expect(tool.inputSchema).not.toHaveProperty('required');
    expect((await runTurn(tool, {}, { name: 'Ada', nick: null })).results).toEqual([
      '{"name":"nobody"}',
      '{"name":"Ada","nick":null}',
    ]);
  });

  it('shows the model the items of lists, and the fields of nested objects (TYP-08)', async () => {
    const input = v.object({
      words: v.array(v.string()),
      counts: v.array(v.pipe(v.number(), v.integer())),
      people: v.array(v.object({ name: v.string(), tags: v.optional(v.array(v.string())) })),
    });
    const tool = defineTool({ ...base, input, run: () => 'ok' });
    expect(tool.inputSchema).toEqual({
      type: 'object',
      properties: {
        words: { type: 'array', items: { type: 'string' } },
        counts: { type: 'array', items: { type: 'integer' } },
        people: {
          type: 'array',
          items: {
            type: 'object',
            properties: { name: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
            required: ['name'],
          },
        },
      },
      required: ['words', 'counts', 'people'],
    });
  });
});

describe('a hand-written tool (TYP-09)', () => {
  const inputSchema: JsonSchema = { type: 'object', properties: { line: { type: 'string' } } };
  /** Parses `1+2`, which a schema cannot express. */
  const byHand: AnyTool = {
    name: 'by_hand',
    description: 'Adds what stands in a line.',
    inputSchema,
    effect: 'read',
    returnDirect: false,
    metadata: {},
    async check({ line }) {
      const numbers = String(line).split('+').map(Number);
      return numbers.some(Number.isNaN)
        ? { ok: false, answer: error('Send a sum') }
        : { ok: true, value: numbers };
    },
    async call(input, call) {
      const checked = await this.check(input);
      if (!checked.ok) return checked.answer;
      const numbers = checked.value as number[]; // `check` returned it
      const result = await call.execute({
        effect: 'read',
        timeout: 1_000,
        run: () => numbers.reduce((a, b) => a + b, 0),
      });
      return mapContent(result, (content) => `= ${content}`);
    },
  };

  it('can parse its input, act and format its results by itself', async () => {
    expect((await runTurn(byHand, { line: '1+2' }, { line: 'one' })).results).toEqual([
      '= 3',
      'Error: Send a sum',
    ]);
  });

  it('can be built from the tool that `defineTool` returns, with some parts replaced', async () => {
    const words = defineTool({
      ...base,
      name: 'words',
      input: jsonSchema(inputSchema),
      run: ({ line }) => text(`${line}`),
    });
    const loud: AnyTool = {
      ...words,
      call: async (input, call) =>
        mapContent(await words.call(input, call), (content) => content.toUpperCase()),
    };
    expect((await runTurn(loud, { line: 'hi' })).results).toEqual(['HI']);
  });
});
