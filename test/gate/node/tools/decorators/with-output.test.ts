/** Output types for tools that do not declare one. */
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  artifact,
  content,
  defineDomainType,
  defineTool,
  eachTool,
  error,
  image,
  providerTool,
  type ToolSource,
} from '../../../../../src/index.ts';
import { chainFrom, chaining } from '../../../../../src/kinds/entry.ts';
import { mcpToolProvider } from '../../../../../src/mcp/tools/entry.ts';
import { fromAiTool } from '../../../../../src/modules/ai-sdk-tools/entry.ts';
import { defineManualTool } from '../../../../../src/modules/answers/entry.ts';
import { manual, publishToBlackboard, withOutput } from '../../../../../src/modules/decorators/entry.ts';
import { createTestSession } from '../../../../../src/testing/entry.ts';
import { callTools, createAgent, createAnsweringTool, getResults } from '../../agentic/scenes.ts';
import { createSayingTool, createScene } from '../../mcp/tools/scenes.ts';

const Customer = defineDomainType({
  name: 'Customer',
  schema: v.object({ id: v.string(), spent: v.number() }),
  tools: ({ id }) => [
    defineTool({ name: 'greet', description: 'Greets.', effect: 'read', run: () => `Hello ${id}.` }),
  ],
});
const ann = { id: 'ann', spent: 7 };

/** A turn with one call of this tool. */
async function runTurnWith(tool: AnyTool) {
  const session = createTestSession(createAgent('desk', [tool]), {
    replies: [callTools(tool.name), 'Done.'],
    log: false,
  });
  const answer = await session.send('Go.');
  return { answer, read: getResults(session)[0] };
}

const INVALID_CUSTOMER_ERROR =
  'Error: Tool \'get\' ran and finished, but its result does not fit Customer: spent: Invalid key: Expected "spent" but received ' +
  'undefined. This is a mistake in the code of the tool; do not call it again for this.';

describe('a tool with an added output type', () => {
  it.each<[string, unknown, unknown, string]>([
    ['an object', ann, ann, JSON.stringify(ann)],
    ['an artifact with text', artifact('Ann.', ann), ann, 'Ann.'],
    ['an artifact of another type', artifact('Ann.', { name: 'Row' }, ann), ann, 'Ann.'],
    ['JSON text', ` ${JSON.stringify(ann)}`, ann, ` ${JSON.stringify(ann)}`],
    [
      'structured content beside content',
      { content: [], structuredContent: ann },
      ann,
      '{"content":[],"structuredContent":{"id":"ann","spent":7}}',
    ],
    ['a list', [ann, null], [ann, null], JSON.stringify([ann, null])],
  ])(
    'returns %s as a value of the type, and the text for the model is unchanged (S0-062)',
    async (_, value, kept, words) => {
      const { answer, read } = await runTurnWith(withOutput(createAnsweringTool('get', value), Customer));
      expect(answer.artifacts).toMatchObject([{ type: 'Customer', value: kept }]);
      expect([answer.artifactsOf(Customer), read]).toEqual([[ann], words]);
    },
  );

  it('keeps the files of its result (S0-062)', async () => {
    const png = image(Uint8Array.from([137, 80, 78, 71]), 'image/png');
    const { answer } = await runTurnWith(
      withOutput(createAnsweringTool('get', content([JSON.stringify(ann), png])), Customer),
    );
    expect(answer.artifactsOf(Customer)).toEqual([ann]);
  });

  it('returns an error to the model if the value does not fit the type (S0-062)', async () => {
    for (const value of [{ id: 'ann' }, '{"id":"ann"}', artifact('Ann.', { id: 'ann' })]) {
      const { answer, read } = await runTurnWith(withOutput(createAnsweringTool('get', value), Customer));
      expect([read, answer.artifacts]).toEqual([INVALID_CUSTOMER_ERROR, []]);
    }
    const { read } = await runTurnWith(
      withOutput(createAnsweringTool('get', { id: 7 }), v.object({ id: v.string() })),
    );
    expect(read).toMatch(/^Error: Tool 'get' ran and finished, but its result does not fit its output: id: /);
  });

  it('returns text without JSON, and errors, unchanged (S0-062)', async () => {
    for (const value of ['No such customer.', '7', error('Closed.')]) {
      const { answer, read } = await runTurnWith(withOutput(createAnsweringTool('get', value), Customer));
      expect(answer.artifacts).toEqual([]);
      expect(read).toBe(typeof value === 'string' ? value : 'Error: Closed.');
    }
  });

  const adaptTool = (tool: AnyTool) => publishToBlackboard(withOutput(tool, Customer));
  const ofSdk = fromAiTool(
    { description: 'Gets.', inputSchema: v.object({}), execute: async () => ann },
    { name: 'get', effect: 'read' },
  );
  const { client } = createScene([createSayingTool('get', JSON.stringify(ann))]);

  it.each<[string, ToolSource]>([
    ['the AI SDK', adaptTool(ofSdk)],
    ['an MCP server', eachTool(mcpToolProvider({ clients: [client] }), adaptTool)],
  ])(
    'can come from %s, and its result is put on the blackboard and chained as that type (S0-062)',
    async (_, source) => {
      const desk = createAgent('desk', [source], { use: [chaining([chainFrom(Customer)])] });
      const session = createTestSession(desk, { replies: [callTools('get'), callTools('greet'), 'Done.'] });
      const answer = await session.send('Go.');
      expect([getResults(session)[1], answer.artifactsOf(Customer)]).toEqual(['Hello ann.', [ann]]);
      expect((await session.state()).blackboard).toEqual([{ type: 'Customer', value: ann }]);
    },
  );

  it('is refused without a schema, or if the provider runs the tool', () => {
    expect(() => withOutput(createAnsweringTool('get', 1), 'Customer' as never)).toThrow(
      "Tool 'get': its output is 'Customer'. Use a schema or a domain type.",
    );
    const search = providerTool({ type: 'provider', id: 'openai.web_search', args: {} });
    expect(() => withOutput(search, Customer)).toThrow(
      "Tool 'web_search': its output cannot have a type: the model's provider runs it.",
    );
  });
});

describe('a declared output', () => {
  const base = { description: 'Gets.', output: Customer } as const;

  it('is checked for a result that a caller sends, whichever function made the tool (S0-062)', async () => {
    const own = defineManualTool({ ...base, name: 'get' });
    const made = manual(defineTool({ ...base, name: 'get', run: () => ann }));
    for (const tool of [own, made]) {
      const session = createTestSession(createAgent('desk', [tool]), {
        replies: [callTools('get'), 'Done.', callTools('get'), 'Done.'],
        log: false,
      });
      await session.send('Go.');
      const fits = await session.result('get', { result: ann });
      expect(fits.artifactsOf(Customer)).toEqual([ann]);
      await session.send('Again.');
      await session.result('get', { result: { id: 'ann' } });
      expect(getResults(session).at(-1)).toBe(INVALID_CUSTOMER_ERROR);
    }
  });

  it('is checked for a result that names another type (S0-062)', async () => {
    const createGetTool = (value: unknown) =>
      defineTool({
        ...base,
        name: 'get',
        effect: 'read',
        run: () => artifact('Ann.', { name: 'Vip' }, value),
      });
    expect((await runTurnWith(createGetTool({ id: 'ann' }))).read).toBe(INVALID_CUSTOMER_ERROR);
    expect((await runTurnWith(createGetTool(ann))).answer.artifacts).toMatchObject([
      { type: 'Vip', value: ann },
    ]);
  });
});
