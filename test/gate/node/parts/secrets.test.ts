import { describe, expect, it } from 'vitest';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import type { ReplyPart } from '../../../../src/model/entry.ts';
import { createTestSession, scriptedModel } from '../../../../src/testing/entry.ts';

const SECRET = 'hunter2-0815';
const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });

function sessionOf(parts: readonly ReplyPart[]) {
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

const thinks = (text: string): ReplyPart => ({
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

describe('a reply that repeats a credential', () => {
  it('is not given back in part: all of it is told in words, its calls and results too, and the journal has no secret', async () => {
    const session = sessionOf([thinks(`The key is ${SECRET}.`), { type: 'text', text: 'I look.' }, calls]);
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

  it('has it taken out of its words', async () => {
    const session = sessionOf([{ type: 'text', text: `It is ${SECRET}.` }]);
    expect(await session.send('Go.')).toMatchObject({ text: 'It is [secret key].' });
  });

  it('without a credential goes back whole, though the session has some', async () => {
    const session = sessionOf([thinks('Hm.'), calls]);
    await session.send('Go.');
    expect(session.requests[1]?.messages[1]).toMatchObject({ parts: [thinks('Hm.'), calls] });
  });
});
