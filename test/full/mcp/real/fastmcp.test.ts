import { describe, expect, it } from 'vitest';
import { createRealRun } from './real-run.ts';
import { createCallReply, createRealTalk } from './real-talk.ts';

describe('a server built with fastmcp', () => {
  it('lists and runs its tools', async () => {
    const talk = createRealTalk(createRealRun('fastmcp'), {
      replies: [createCallReply('double', { amount: 21 }), 'Done.'],
    });
    expect(await talk.say()).toMatchObject({ outcome: 'completed', text: 'Done.', toolCalls: 1 });
    expect(talk.offered()).toEqual(['double', 'tell_recipe']);
    expect(talk.shown()).toEqual(['42']);
  });

  it('streams text, which becomes the result if the result itself is empty', async () => {
    const talk = createRealTalk(createRealRun('fastmcp'), {
      replies: [createCallReply('tell_recipe', { dish: 'beans' }), 'Done.'],
    });
    const told: unknown[] = [];
    for await (const { event, data } of talk.stream()) if (event === 'progress') told.push(data.status);
    expect(told).toEqual(['1/2', '2/2']);
    expect(talk.shown()).toEqual(['Cook the beans. Eat it.']);
  });
});
