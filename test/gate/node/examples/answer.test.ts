import { expect, it } from 'vitest';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';

const search = defineTool({
  name: 'search',
  description: 'Searches the archive.',
  effect: 'read',
  run(_, call) {
    call.say('This takes a moment.');
    return { found: 3 };
  },
});

const clerk = defineAgent({
  name: 'clerk',
  description: 'Finds letters.',
  instructions: 'Find what is asked for.',
  tools: [search],
});

it('the answer of the example contains all results of the turn', async () => {
  const session = createTestSession(clerk, {
    replies: [{ calls: [{ name: 'search' }] }, 'There are three.'],
  });
  const answer = await session.send('How many letters are there?');
  const call = `${answer.turn}.3.0`;
  expect(answer).toMatchObject({
    outcome: 'completed',
    text: 'There are three.',
    artifacts: [{ call, tool: 'search', value: { found: 3 } }],
    said: [{ call, tool: 'search', text: 'This takes a moment.' }],
    iterations: 2,
    toolCalls: 1,
  });
  expect(session.requests[1]?.messages.at(-1)).toMatchObject({
    role: 'tool',
    text: '{"found":3}\n\n[Said to the user: This takes a moment.]',
  });
});
