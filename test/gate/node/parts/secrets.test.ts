import { describe, expect, it } from 'vitest';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import type { ReplyPart } from '../../../../src/model/entry.ts';
import { createTestSession, scriptedModel } from '../../../../src/testing/entry.ts';

const SECRET = 'hunter2-0815';
const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });

function startSession(parts: readonly ReplyPart[]) {
  const model = scriptedModel([{ parts, provider: { maker: { whole: 'x' } } }, 'Done.'], {
    provider: 'maker',
  });
  const agent = defineAgent({
    name: 'tester',
    description: 'Tests.',
    instructions: '',
    tools: [look],
    model,
  });
  return createTestSession(agent, { model, secrets: () => ({ key: SECRET }) });
}

const createReasoningPart = (text: string): ReplyPart => ({
  type: 'reasoning',
  text,
  provider: { maker: { signature: 's' } },
});
const calls: ReplyPart = {
  type: 'tool-call',
  id: 'c',
  name: 'look',
  input: '{}',
  provider: { maker: { id: 'fc' } },
};

describe('a reply in a session with credentials', () => {
  it('is sent back as text with its calls and results if it contains a credential, which is not journaled', async () => {
    const session = startSession([
      createReasoningPart(`The key is ${SECRET}.`),
      { type: 'text', text: 'I look.' },
      calls,
    ]);
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.', toolCalls: 1 });
    expect(session.requests[1]?.messages).toEqual([
      { role: 'user', text: 'Go.' },
      { role: 'assistant', text: 'I look.', toolCalls: [] },
      {
        role: 'user',
        text: 'You have called tools before this message, and they answered:\n- look with the input {} answered: seen',
      },
    ]);
    expect(JSON.stringify(await session.events())).not.toContain(SECRET);
  });

  it('has a credential removed from its text', async () => {
    const session = startSession([{ type: 'text', text: `It is ${SECRET}.` }]);
    expect(await session.send('Go.')).toMatchObject({ text: 'It is [secret key].' });
  });

  it('is sent back complete if it contains no credential', async () => {
    const session = startSession([createReasoningPart('Hm.'), calls]);
    await session.send('Go.');
    expect(session.requests[1]?.messages[1]).toMatchObject({ parts: [createReasoningPart('Hm.'), calls] });
  });
});
