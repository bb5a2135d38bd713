/** Where budgets apply: in an app, an agent, its copies, and the loops that its tools open. */
import { describe, expect, it } from 'vitest';
import type { ModuleUse } from '../../../../src/index.ts';
import { defineAgent } from '../../../../src/index.ts';
import { defineAgenticTool, defineSubagent } from '../../../../src/kinds/entry.ts';
import { budget } from '../../../../src/modules/limits/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { createReplyWithUsage, listEvents, readReservedTokens } from '../tool-loop/budget-scene.ts';
import { callTools, createReadingTool, getShownResults } from '../tool-loop/scenes.ts';

const createTestAgent = (use: readonly ModuleUse[], tools: Parameters<typeof defineAgent>[0]['tools'] = []) =>
  defineAgent({ name: 'clerk', description: 'Works.', instructions: 'Work.', tools, use });

const SMALL_BUDGET = { tokens: 100 };

const readRefusals = async (session: Parameters<typeof listEvents>[0]) =>
  (await listEvents(session, 'model-refused')).map(({ limit, most, of }) => [limit, most, of]);

describe('a budget', () => {
  it('applies to all agents of an app in addition to their own budgets, and reserves the tokens of each call once', async () => {
    const own = createTestSession(createTestAgent([budget({ tokens: 50_000 })]), {
      replies: [createReplyWithUsage(10, 5, { text: 'Done.' })],
      use: [budget({ tokens: 40_000 })],
    });
    expect(await own.send('Go.')).toMatchObject({ outcome: 'completed' });
    expect(await readReservedTokens(own)).toHaveLength(1);
    const small = createTestSession(createTestAgent([budget({ tokens: 50_000 })]), {
      replies: ['Done.'],
      use: [budget(SMALL_BUDGET)],
    });
    expect(await small.send('Go.')).toMatchObject({ outcome: 'limit-reached', limit: { most: 100 } });
  });

  it('counts once if an app and its agent both declare it', async () => {
    const session = createTestSession(createTestAgent([budget(SMALL_BUDGET)]), {
      replies: ['Done.'],
      use: [budget(SMALL_BUDGET)],
    });
    await session.send('Go.');
    expect(await readRefusals(session)).toEqual([['tokens', 100, undefined]]);
  });

  it('still applies to a copy of the agent that is made by a spread', async () => {
    const copy = defineAgent({ ...Object(createTestAgent([budget(SMALL_BUDGET)])), name: 'copy' });
    const session = createTestSession(copy, { replies: ['Done.'] });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'limit-reached' });
  });

  it.each([
    [
      'an agentic tool',
      defineAgenticTool({
        name: 'dig',
        description: 'Digs.',
        tools: [createReadingTool('look')],
        use: [budget(SMALL_BUDGET)],
      }),
    ],
    ['a subagent', defineSubagent({ name: 'dig', agent: createTestAgent([budget(SMALL_BUDGET)]) })],
  ])('ends the loop of %s that declares it, but not the outer loop', async (_, dig) => {
    const replies: ScriptedReply[] = [{ calls: [{ name: 'dig', input: { message: 'Dig.' } }] }, 'Done.'];
    const session = createTestSession(createTestAgent([], [dig]), { replies });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(getShownResults(session.requests[1])).toEqual([
      'Stopped: the limit of 100 tokens was reached before there was an answer.',
    ]);
    expect(await readRefusals(session)).toEqual([['tokens', 100, expect.any(String)]]);
  });

  it('is refused as an option of an agentic tool, with an error that names the module', () => {
    const limits = Object({ tokens: 5 });
    const createDigTool = () =>
      defineAgenticTool({ name: 'dig', description: 'Digs.', tools: [createReadingTool('look')], limits });
    expect(createDigTool).toThrow("Add use: [budget({ tokens })], with budget from 'holdfast/limits'");
  });

  it('reserves tokens once for each model request', async () => {
    const session = createTestSession(
      createTestAgent([budget({ tokens: 50_000 })], [createReadingTool('look')]),
      {
        replies: [callTools('look'), createReplyWithUsage(10, 5, { text: 'Done.' })],
      },
    );
    await session.send('Go.');
    expect(await readReservedTokens(session)).toHaveLength(2);
  });
});
