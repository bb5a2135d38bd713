import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../../../../src/index.ts';
import { defineSubagent } from '../../../../../src/kinds/entry.ts';
import {
  defineTransformer,
  slidingWindow,
  truncateToolResults,
} from '../../../../../src/modules/transformers/entry.ts';
import { createTestSession } from '../../../../../src/testing/entry.ts';
import { callTools, createReadingTool, getShownResults } from '../../tool-loop/scenes.ts';

const base = { name: 'clerk', description: 'Works.', instructions: 'Work.' };
const createMarkingTransformer = (mark: string) =>
  defineTransformer({ name: mark, result: (text) => `${text}${mark}` });

describe('a transformer in use', () => {
  it('is applied once in a nested loop if the inner and the outer agent both use it', async () => {
    const use = [createMarkingTransformer('!')];
    const inner = defineAgent({
      ...base,
      name: 'finder',
      tools: [createReadingTool('look', () => 'seen')],
      use,
    });
    const outer = defineAgent({ ...base, tools: [defineSubagent({ agent: inner })], use });
    const session = createTestSession(outer, {
      replies: [
        { calls: [{ name: 'finder', input: { message: 'Find it.' } }] },
        callTools('look'),
        'Found.',
        'Done.',
      ],
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
    expect(getShownResults(session.requests[2])).toEqual(['seen!']);
    expect(getShownResults(session.requests[3])).toEqual(['Found.!']);
  });

  it('is applied to every agent of an app that uses it, before those of the agent', async () => {
    const agent = defineAgent({
      ...base,
      tools: [createReadingTool('look', () => 'seen')],
      use: [createMarkingTransformer('!')],
    });
    const session = createTestSession(agent, {
      replies: [callTools('look'), 'Done.'],
      use: [createMarkingTransformer('?')],
    });
    await session.send('Go.');
    expect(getShownResults(session.requests[1])).toEqual(['seen?!']);
  });

  it('can be used several times only under different names', () => {
    const agent = defineAgent({
      ...base,
      use: [createMarkingTransformer('!'), createMarkingTransformer('!')],
    });
    expect(() => createTestSession(agent, { replies: [] })).toThrow(
      "The module 'transformers' is used twice under the key '!'. Give one of them another key.",
    );
  });

  it('can be used several times with different windows and lengths', () => {
    const use = [
      ...[slidingWindow({ maxMessages: 3 }), slidingWindow({ maxMessages: 4 })],
      ...[truncateToolResults({ maxLength: 3 }), truncateToolResults({ maxLength: 4 })],
    ];
    expect(() => createTestSession(defineAgent({ ...base, use }), { replies: [] })).not.toThrow();
  });
});

describe('the options of a transformer', () => {
  it.each<[string, unknown, string]>([
    ['have no name', { reply: String }, "A transformer has no 'name'. Use a string."],
    [
      'have an unknown option',
      { name: 'cut', results: String },
      "A transformer has an unknown option 'results'. Did you mean 'result'?",
    ],
    [
      'have no function',
      { name: 'cut' },
      "The transformer 'cut' has no function. Give it 'messages', 'result' or 'reply'.",
    ],
  ])('are refused if they %s', (_, literal, message) => {
    expect(() => defineTransformer(literal as never)).toThrow(message);
  });
});
