import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineTool, ToolDefinitionError } from '../../../../src/index.ts';
import { manual } from '../../../../src/modules/decorators/entry.ts';
import { callResults } from '../session/former-holder.ts';
import { createMemoryApp } from '../session/memory-app.ts';

function createPayTool() {
  const ran: unknown[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: v.object({ eur: v.number() }),
    metadata: { group: 'money' },
    run: (input) => ran.push(input),
  });
  return { pay, ran };
}

describe('a manual tool', () => {
  it('appears to the model as the same tool, and runs no code (SPM-17)', async () => {
    const { pay, ran } = createPayTool();
    expect(manual(pay)).toMatchObject({
      name: 'pay',
      description: 'Pays.',
      inputSchema: pay.inputSchema,
      metadata: { group: 'money' },
      effect: 'none',
      delegate: pay,
    });
    const app = createMemoryApp({
      tools: [manual(pay, { expires: 1_000 })],
      replies: [{ calls: [{ name: 'pay', input: { eur: 5 } }] }, 'Paid.'],
    });
    expect(await app.say('Go.')).toMatchObject({ status: 'suspended' });
    const { turn } = await app.state();
    const [, reply] = (await app.state()).messages;
    expect(reply).toMatchObject({
      calls: [
        {
          input: '{"eur":5}',
          waits: [{ wait: { for: 'result', message: "Run 'pay' and send its result.", expires: 1_000 } }],
        },
      ],
    });
    const call = reply?.role === 'assistant' ? reply.calls[0]?.id : undefined;
    const note = {
      wait: `${call}#0`,
      answer: { type: 'result', result: { type: 'text', content: 'Receipt 7.' } },
    };
    await app.port.post({
      kind: 'answer',
      turn: turn?.id ?? '',
      body: JSON.stringify(note),
      answers: {
        wait: note.wait,
        bodyHash: 'h',
      },
    });
    expect(await app.run(await app.resume(turn?.id ?? ''))).toMatchObject({ turn: { text: 'Paid.' } });
    expect(callResults((await app.state()).messages)).toEqual([['pay', 'Receipt 7.']]);
    expect(ran).toEqual([]);
  });

  it('returns an error for an invalid input without a wait', async () => {
    const { pay } = createPayTool();
    const app = createMemoryApp({
      tools: [manual(pay)],
      replies: [{ calls: [{ name: 'pay', input: { eur: 'five' } }] }, 'Sorry.'],
    });
    expect(await app.say('Go.')).toMatchObject({ status: 'ended', turn: { text: 'Sorry.' } });
    expect(callResults((await app.state()).messages)[0]?.[1]).toMatch(
      /^Error: The input of tool 'pay' is not valid:\n- /,
    );
  });

  it('is refused unless its waiting time is positive', () => {
    expect(() => manual(createPayTool().pay, { expires: 0 })).toThrow(ToolDefinitionError);
  });
});
