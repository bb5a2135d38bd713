import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineTool } from '../../src/tools/define-tool.ts';
import { memoryApp } from './memory-app.ts';

const add = defineTool({
  name: 'add',
  description: 'Adds.',
  effect: 'read',
  input: v.object({ a: v.number(), b: v.number() }),
  run: ({ a, b }) => a + b,
});

describe('a turn', () => {
  it('asks, acts and answers', async () => {
    const app = memoryApp({
      instructions: 'Be brief.',
      tools: [add],
      replies: [{ calls: [{ name: 'add', input: { a: 1, b: 2 } }] }, 'Three.'],
    });
    const end = await app.say('What is 1 + 2?');
    expect(end).toMatchObject({
      status: 'ended',
      turn: { outcome: 'completed', text: 'Three.', iterations: 2 },
    });
    expect(app.model.requests[1]?.messages).toEqual([
      { role: 'system', text: 'Be brief.' },
      { role: 'user', text: 'What is 1 + 2?' },
      { role: 'assistant', text: '', toolCalls: [{ id: 'call_0_0', name: 'add', input: '{"a":1,"b":2}' }] },
      { role: 'tool', id: 'call_0_0', name: 'add', text: '3' },
    ]);
  });
});
