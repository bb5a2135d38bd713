import { describe, expect, it, vi } from 'vitest';
import { defineMcpPrompt, defineMcpResource } from '../../../../../src/mcp/server/entry.ts';
import { connectNewest, REVISIONS } from './both-revisions.ts';
import { connectClient, createEndpointApp, requestAnswer } from './talk.ts';

const CITIES = ['amsterdam', 'antwerp', 'berlin'];
const manyRows = Array.from({ length: 250 }, (_, index) => `row-${index}`);

const tour = defineMcpPrompt({
  name: 'tour',
  description: 'Plans a tour.',
  arguments: [
    {
      name: 'city',
      required: true,
      complete: (typed, { values }) =>
        CITIES.filter((city) => city.startsWith(typed)).map((city) => `${city}${values.country ?? ''}`),
    },
    { name: 'country' },
    { name: 'broken', complete: async () => [1] as never },
    { name: 'own', complete: (_, { principal, secrets }) => [principal.id, secrets.require('TOKEN')] },
  ],
  messages: ({ city }) => city,
});

const row = defineMcpResource({
  name: 'row',
  uri: 'rows://{table}/{row}',
  read: () => 'x',
  complete: { row: (typed) => manyRows.filter((one) => one.startsWith(typed)) },
});
const plain = defineMcpResource({ name: 'plain', uri: 'rows://all', read: () => 'x' });

const log = vi.fn();
const via = createEndpointApp(
  { prompts: [tour], resources: [row, plain] },
  { log, secrets: () => ({ TOKEN: 'token-of-the-caller' }) },
);

const tourReference = { type: 'ref/prompt', name: 'tour' } as const;
const rowReference = { type: 'ref/resource', uri: 'rows://{table}/{row}' } as const;
const createCompletion = (...values: string[]) => ({
  completion: { values, total: values.length, hasMore: false },
});

describe('completion', () => {
  it.each([
    ['first', connectClient],
    ['second', connectNewest],
  ])('is used by the official client of the %s SDK', async (_, connect) => {
    const client = await connect(via);
    expect(client.getServerCapabilities()).toEqual({
      logging: {},
      prompts: {},
      resources: {},
      completions: {},
    });
    const { completion } = await client.complete({
      ref: tourReference,
      argument: { name: 'city', value: 'a' },
    });
    expect(completion).toEqual(createCompletion('amsterdam', 'antwerp').completion);
    const rows = await client.complete({ ref: rowReference, argument: { name: 'row', value: 'row-24' } });
    expect(rows.completion.values).toHaveLength(11);
    await client.close();
  });

  it('is not shown in the list of prompts', async () => {
    expect(await requestAnswer(via, 'prompts/list')).toMatchObject({
      prompts: [
        { arguments: [{ name: 'city', required: true }, { name: 'country', required: false }, {}, {}] },
      ],
    });
    expect(JSON.stringify(await requestAnswer(via, 'prompts/list'))).not.toContain('complete');
  });

  it('is an unknown method if the endpoint has no completions', async () => {
    const client = await connectClient(
      createEndpointApp({ prompts: [{ ...tour, arguments: [] }], resources: [plain] }),
    );
    expect(client.getServerCapabilities()).toEqual({ logging: {}, prompts: {}, resources: {} });
    const params = { ref: tourReference, argument: { name: 'city', value: '' } };
    expect(
      await requestAnswer(createEndpointApp({ resources: [plain] }), 'completion/complete', params),
    ).toEqual({
      error: { code: -32601, message: 'Method not found' },
    });
  });

  it('suggests the names of published agents in the templates of their sessions', async () => {
    const agents = createEndpointApp({ agents: ['scripted', { agent: 'clerk', as: 'ask_clerk' }] });
    const uri = 'holdfast://{agent}/{session}/files/{id}';
    const completeArgument = (name: string, value: string) =>
      requestAnswer(agents, 'completion/complete', {
        ref: { type: 'ref/resource', uri },
        argument: { name, value },
      });
    expect(await completeArgument('agent', '')).toEqual(createCompletion('scripted', 'ask_clerk'));
    expect(await completeArgument('agent', 'ask')).toEqual(createCompletion('ask_clerk'));
    expect(await completeArgument('session', '')).toEqual(createCompletion());
  });
});

describe.each(REVISIONS)('completion/complete of %s', (_, ask) => {
  const completeArgument = (argument: unknown, ref: unknown = tourReference, context?: unknown) =>
    ask(via, 'completion/complete', { ref, argument, ...(context !== undefined && { context }) });

  it('returns at most 100 values, and the total', async () => {
    expect(await completeArgument({ name: 'row', value: '' }, rowReference)).toEqual({
      completion: { values: manyRows.slice(0, 100), total: 250, hasMore: true },
    });
  });

  it('passes the other values to the completion function', async () => {
    const context = { arguments: { country: ', DE' } };
    expect(await completeArgument({ name: 'city', value: 'b' }, tourReference, context)).toEqual(
      createCompletion('berlin, DE'),
    );
  });

  it('returns no suggestions if no value can be completed', async () => {
    expect(await completeArgument({ name: 'country', value: 'n' })).toEqual(createCompletion());
    expect(await completeArgument({ name: 'table', value: 'n' }, rowReference)).toEqual(createCompletion());
  });

  it('runs for the caller, and does not reveal their secrets', async () => {
    expect(await completeArgument({ name: 'own', value: '' })).toEqual(
      createCompletion('local', '[secret TOKEN]'),
    );
  });

  it.each<[unknown, unknown, unknown, string]>([
    [
      { type: 'ref/prompt', name: 'trip' },
      {},
      undefined,
      "There is no prompt 'trip'. Available prompts: [tour].",
    ],
    [{ type: 'ref/prompt' }, {}, undefined, '`name` must be text. Available prompts: [tour].'],
    [
      { type: 'ref/resource', uri: 'rows://1/2' },
      {},
      undefined,
      "There is no template 'rows://1/2'. resources/templates/list lists them.",
    ],
    [
      { type: 'ref/resource', uri: 7 },
      {},
      undefined,
      '`uri` must be the uri of a template. resources/templates/list lists them.',
    ],
    [{ type: 'ref/tool' }, {}, undefined, "`ref.type` must be 'ref/prompt' or 'ref/resource'."],
    [undefined, {}, undefined, "`ref.type` must be 'ref/prompt' or 'ref/resource'."],
    [tourReference, undefined, undefined, 'The `name` and the `value` of `argument` must be strings.'],
    [tourReference, { name: 'city' }, undefined, 'The `name` and the `value` of `argument` must be strings.'],
    [
      tourReference,
      { name: 'city', value: 7 },
      undefined,
      'The `name` and the `value` of `argument` must be strings.',
    ],
    [
      tourReference,
      { name: 'constructor', value: '' },
      undefined,
      "The prompt 'tour' has no 'constructor'. It has: [city, country, broken, own].",
    ],
    [
      rowReference,
      { name: 'toString', value: '' },
      undefined,
      "The template 'rows://{table}/{row}' has no 'toString'. It has: [table, row].",
    ],
    [
      { type: 'ref/resource', uri: 'rows://all' },
      { name: 'a', value: '' },
      undefined,
      "The template 'rows://all' has no 'a'. It has: [].",
    ],
    [tourReference, { name: 'city', value: '' }, 'x', '`context.arguments` must be an object of strings.'],
    [
      tourReference,
      { name: 'city', value: '' },
      { arguments: { country: 7 } },
      '`context.arguments` must be an object of strings.',
    ],
  ])('is refused for an invalid request: %j %j', async (ref, argument, context, message) => {
    const params = { ...(ref !== undefined && { ref }), argument, context };
    expect(await ask(via, 'completion/complete', params)).toEqual({ error: { code: -32602, message } });
  });

  it('does not return a result that is not a list of strings', async () => {
    log.mockClear();
    expect(await completeArgument({ name: 'broken', value: '' })).toEqual({
      error: {
        code: -32603,
        message: 'The request failed. The log of the Worker shows why. Accepted messages are kept.',
      },
    });
    expect(log.mock.calls[0]?.[0].stack).toContain(
      "the completion of 'broken' of prompt 'tour' did not return a list of strings.",
    );
  });
});
