/** Tests that reasoning and other non-text content is not part of an answer. */
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import { defineAgenticTool, defineSubagent } from '../../../../src/kinds/entry.ts';
import type { ReplyPart } from '../../../../src/model/entry.ts';
import { publishToBlackboard } from '../../../../src/modules/decorators/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { createSigningModel } from './signed.ts';

const THOUGHT = 'A secret thought.';

/** Makes a reply with reasoning, a search and a file, this text around the file, and these calls. */
const createThinkingReply = (
  text: string,
  calls: readonly (readonly [name: string, input: string])[] = [],
) => ({
  parts: [
    { type: 'reasoning', text: THOUGHT, provider: { maker: { signature: THOUGHT } } },
    { type: 'file', mediaType: 'text/plain', data: THOUGHT, ofReasoning: true },
    { type: 'tool-call', id: 'srv', name: 'web_search', input: THOUGHT, ranBy: 'provider' },
    { type: 'tool-result', id: 'srv', name: 'web_search', result: THOUGHT },
    { type: 'text', text: text.slice(0, 2) },
    { type: 'reasoning', text: THOUGHT },
    { type: 'source', id: THOUGHT, title: THOUGHT },
    { type: 'custom', kind: THOUGHT },
    { type: 'text', text: text.slice(2) },
    ...calls.map(([name, input], index) => ({ type: 'tool-call', id: `c${index}`, name, input }) as const),
  ] satisfies ReplyPart[],
});

const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });

const TASK_INPUT = '{"task":"dig"}';
const task = v.object({ task: v.string() });
const base = { description: 'Works.', instructions: '' };

describe('reasoning', () => {
  it('is in the journal, but not in the text of an answer', async () => {
    const session = createTestSession(defineAgent({ ...base, name: 'tester' }), {
      model: createSigningModel([createThinkingReply('Kelp.')]),
    });
    const answer = await session.send('Go.');
    expect(answer).toMatchObject({ outcome: 'completed', text: 'Kelp.', artifacts: [], toolCalls: 0 });
    expect(JSON.stringify(answer)).not.toContain(THOUGHT);
    const reply = (await session.events()).find(({ type }) => type === 'model-replied');
    expect(reply).toMatchObject({
      text: 'Kelp.',
      toolCalls: [],
      ...createThinkingReply('Kelp.'),
      servedBy: 'maker',
    });
  });

  it('is not part of a structured answer', async () => {
    const output = v.object({ price: v.number() });
    const session = createTestSession(defineAgent({ ...base, name: 'tester', output }), {
      model: createSigningModel([createThinkingReply('{"price":7}')]),
    });
    const answer = await session.send('Go.');
    expect(answer).toMatchObject({ outcome: 'completed', text: '{"price":7}', object: { price: 7 } });
    expect(JSON.stringify(answer)).not.toContain(THOUGHT);
  });

  it('is not part of a result, an artifact, the blackboard or a directly returned answer of a nested loop', async () => {
    const dig = defineAgenticTool({ name: 'dig', description: 'Digs.', input: task, tools: [look] });
    const output = v.object({ found: v.string() });
    const helper = defineAgent({ ...base, name: 'helper', output });
    const work = defineAgenticTool({
      name: 'work',
      description: 'Works.',
      input: task,
      captureNestedArtifacts: true,
      tools: [look],
    });
    const direct = defineTool({
      name: 'direct',
      description: 'Tells.',
      returnDirect: true,
      run: () => 'Told.',
    });
    const session = createTestSession(
      defineAgent({
        ...base,
        name: 'tester',
        tools: [dig, publishToBlackboard(defineSubagent({ agent: helper })), work, direct],
      }),
      {
        model: createSigningModel([
          createThinkingReply('', [['dig', TASK_INPUT]]),
          createThinkingReply('Dug.'),
          createThinkingReply('', [['helper', '{"message":"Help."}']]),
          createThinkingReply('{"found":"kelp"}'),
          createThinkingReply('', [['work', TASK_INPUT]]),
          createThinkingReply('Worked.'),
          createThinkingReply('Now.', [['direct', '{}']]),
        ]),
      },
    );
    const answer = await session.send('Go.');
    expect(answer).toMatchObject({ outcome: 'returned-direct', text: 'Told.' });
    expect(JSON.stringify(answer)).not.toContain(THOUGHT);
    expect((await session.state()).blackboard).toEqual([{ value: { found: 'kelp' } }]);
    const results = (await session.events()).flatMap((event) =>
      event.type === 'tool-call-ended' ? [event.result] : [],
    );
    expect(results).toMatchObject([
      { content: 'Dug.' },
      { type: 'artifact' },
      { content: 'Worked.' },
      { content: 'Told.' },
    ]);
    expect(JSON.stringify(results)).not.toContain(THOUGHT);
  });

  it('is not part of the conversation that tools see', async () => {
    let words: unknown;
    const hear = defineTool({
      name: 'hear',
      description: 'Hears.',
      effect: 'read',
      run: (_, call) => {
        words = call.history().map(({ text }) => text);
        return 'seen';
      },
    });
    const session = createTestSession(defineAgent({ ...base, name: 'tester', tools: [hear] }), {
      model: createSigningModel([createThinkingReply('Well.', [['hear', '{}']]), 'Done.']),
    });
    await session.send('Go.');
    expect(words).toEqual(['Go.', 'Well.']);
  });
});
