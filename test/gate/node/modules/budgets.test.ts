/** Where budgets apply: in an app, an agent, its copies, and the loops that its tools open. */
import { describe, expect, it } from 'vitest';
import type { ModuleUse } from '../../../../src/index.ts';
import { defineAgent } from '../../../../src/index.ts';
import { defineAgenticTool, defineSubagent } from '../../../../src/kinds/entry.ts';
import { budget } from '../../../../src/modules/limits/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { eventsOf, replyWithUsage, tokensReservedIn } from '../tool-loop/budget-scene.ts';
import { calls, readingTool, shownResults } from '../tool-loop/scenes.ts';

const agentWith = (use: readonly ModuleUse[], tools: Parameters<typeof defineAgent>[0]['tools'] = []) =>
  defineAgent({ name: 'clerk', description: 'Works.', instructions: 'Work.', tools, use });

const TOO_SMALL = { tokens: 100 };

const refusalsIn = async (session: Parameters<typeof eventsOf>[0]) =>
  (await eventsOf(session, 'model-refused')).map(({ limit, most, of }) => [limit, most, of]);

describe('a budget', () => {
  it('applies to all agents of an app in addition to their own budgets, and tokens of a call are reserved only once', async () => {
    const own = createTestSession(agentWith([budget({ tokens: 50_000 })]), {
      replies: [replyWithUsage(10, 5, { text: 'Done.' })],
      use: [budget({ tokens: 40_000 })],
    });
    expect(await own.send('Go.')).toMatchObject({ outcome: 'completed' });
    expect(await tokensReservedIn(own)).toHaveLength(1);
    const small = createTestSession(agentWith([budget({ tokens: 50_000 })]), {
      replies: ['Done.'],
      use: [budget(TOO_SMALL)],
    });
    expect(await small.send('Go.')).toMatchObject({ outcome: 'limit-reached', limit: { most: 100 } });
  });

  it('counts once if an app and its agent both declare it', async () => {
    const session = createTestSession(agentWith([budget(TOO_SMALL)]), {
      replies: ['Done.'],
      use: [budget(TOO_SMALL)],
    });
    await session.send('Go.');
    expect(await refusalsIn(session)).toEqual([['tokens', 100, undefined]]);
  });

  it('still applies to a copy of the agent that is made by a spread', async () => {
    const copy = defineAgent({ ...Object(agentWith([budget(TOO_SMALL)])), name: 'copy' });
    const session = createTestSession(copy, { replies: ['Done.'] });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'limit-reached' });
  });

  it.each([
    [
      'an agentic tool',
      defineAgenticTool({
        name: 'dig',
        description: 'Digs.',
        tools: [readingTool('look')],
        use: [budget(TOO_SMALL)],
      }),
    ],
    ['a subagent', defineSubagent({ name: 'dig', agent: agentWith([budget(TOO_SMALL)]) })],
  ])('ends the loop of %s that declares it, but not the outer loop', async (_, dig) => {
    const replies: ScriptedReply[] = [{ calls: [{ name: 'dig', input: { message: 'Dig.' } }] }, 'Done.'];
    const session = createTestSession(agentWith([], [dig]), { replies });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(shownResults(session.requests[1])).toEqual([
      'Stopped: the limit of 100 tokens was reached before there was an answer.',
    ]);
    expect(await refusalsIn(session)).toEqual([['tokens', 100, expect.any(String)]]);
  });

  it('is not an option of an agentic tool; the error names the module', () => {
    const limits = Object({ tokens: 5 });
    const dig = () =>
      defineAgenticTool({ name: 'dig', description: 'Digs.', tools: [readingTool('look')], limits });
    expect(dig).toThrow("Add use: [budget({ tokens })], with budget from 'holdfast/limits'");
  });

  it('reserves tokens once for each model request', async () => {
    const session = createTestSession(agentWith([budget({ tokens: 50_000 })], [readingTool('look')]), {
      replies: [calls('look'), replyWithUsage(10, 5, { text: 'Done.' })],
    });
    await session.send('Go.');
    expect(await tokensReservedIn(session)).toHaveLength(2);
  });
});
