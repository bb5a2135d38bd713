import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  artifact,
  defineAgent,
  defineTool,
  error,
  type ResultData,
  replan,
  text,
} from '../../../../src/index.ts';
import { decorate, mapContent } from '../../../../src/modules/decorators/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { createFailureResult, createToolResult, getModelText, isToolResult } from '../../../doors/tools.ts';
import { getShownResults } from './decorators/turns.ts';

const toUpperCase = (content: string): string => content.toUpperCase();
const { signal } = replan('new facts');

describe('mapContent', () => {
  it.each<[string, ResultData, ResultData, string]>([
    ['text', text('found'), { type: 'text', content: 'FOUND' }, 'FOUND'],
    [
      'an artifact with text',
      artifact('a report', { name: 'Report' }, [1]),
      { type: 'artifact', content: 'A REPORT', value: [1], artifactType: 'Report' },
      'A REPORT',
    ],
    [
      'an artifact whose text is its JSON',
      createToolResult({ type: 'artifact', value: { id: 'a' } }),
      { type: 'artifact', content: '{"ID":"A"}', value: { id: 'a' } },
      '{"ID":"A"}',
    ],
    ['an error', error('no order'), { type: 'error', message: 'NO ORDER' }, 'Error: NO ORDER'],
    [
      'an error with a reason',
      createFailureResult('timeout', 'too slow'),
      { type: 'error', message: 'TOO SLOW', reason: 'timeout' },
      'Error: TOO SLOW',
    ],
    [
      'a result with a signal',
      createToolResult({ type: 'text', content: 'new facts', signal }),
      { type: 'text', content: 'NEW FACTS', signal },
      'NEW FACTS',
    ],
  ])(
    'keeps the variant, the artifact, the reason and the signal of %s (RES-04)',
    (_, data, expected, read) => {
      const mapped = mapContent(createToolResult({ ...data }), toUpperCase);
      expect({ ...mapped }).toEqual(expected);
      expect(isToolResult(mapped)).toBe(true);
      expect([getModelText(mapped), mapped.text()]).toEqual([read, read.replace('Error: ', '')]);
    },
  );

  it('returns the same result if the content is unchanged', () => {
    const found = createToolResult({ type: 'artifact', value: { id: 'a' } });
    expect(mapContent(found, (content) => content)).toBe(found);
  });

  it('keeps the artifact and the error in the answer and the journal (RES-04)', async () => {
    const createLoudTool = (tool: AnyTool): AnyTool =>
      decorate(tool, {
        call: async (input, call) => mapContent(await tool.call(input, call), toUpperCase),
      });
    const find = defineTool({
      name: 'find',
      description: 'Finds.',
      effect: 'read',
      run: () => artifact('a page', { url: 'x' }),
    });
    const lose = defineTool({ name: 'lose', description: 'x', effect: 'read', run: () => error('no page') });
    const agent = defineAgent({
      name: 'clerk',
      description: 'x',
      instructions: 'x',
      tools: [createLoudTool(find), createLoudTool(lose)],
    });
    const session = createTestSession(agent, {
      replies: [{ calls: [{ name: 'find' }, { name: 'lose' }] }, 'Done.'],
    });
    const { artifacts } = await session.send('Go.');
    expect(getShownResults(session)).toEqual(['A PAGE', 'Error: NO PAGE']);
    expect(artifacts).toMatchObject([{ value: { url: 'x' } }]);
    const ended = (await session.events()).flatMap((event) =>
      event.type === 'tool-call-ended' ? [event.result.type] : [],
    );
    expect(ended).toEqual(['artifact', 'error']);
  });
});
