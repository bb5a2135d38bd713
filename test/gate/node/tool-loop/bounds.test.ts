import { describe, expect, it } from 'vitest';
import { type AgentConfig, defineTextTool, error } from '../../../../src/index.ts';
import { callLimits } from '../../../../src/modules/limits/entry.ts';
import { fullLength, truncateToolResults } from '../../../../src/modules/transformers/entry.ts';
import { createManualClock, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { advanceUntilSettled, callResults } from '../session/former-holder.ts';
import { createMemoryApp } from '../session/memory-app.ts';

const look = defineTextTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });
const callTools = (...names: string[]) => ({ calls: names.map((name) => ({ name, input: 'x' })) });

async function runTurn(
  bounds: Pick<AgentConfig<'tester'>, 'limits' | 'use'>,
  replies: readonly ScriptedReply[],
) {
  const app = createMemoryApp({ tools: [look], replies, ...bounds });
  const end = await app.say('Go.');
  return { app, end, read: callResults((await app.state()).messages).map(([, text]) => text) };
}

describe('the two limits of a loop', () => {
  it('are independent: iterations count model calls, however many tools each reply calls (AEL-10)', async () => {
    const { app, end, read } = await runTurn({ limits: { iterations: 1 } }, [
      callTools('look', 'look', 'look'),
      'Best.',
    ]);
    expect(read).toEqual(['seen', 'seen', 'seen']);
    expect(app.model.requests[1]?.settings).toEqual({ toolChoice: 'none' });
    expect(end).toMatchObject({ turn: { outcome: 'limit-reached', text: 'Best.', toolCalls: 3 } });
  });

  it('are independent: tool calls are counted one by one, and the model can still answer (AEL-10)', async () => {
    const { app, end, read } = await runTurn({ use: [callLimits({ toolCalls: 2 })] }, [
      callTools('look', 'look', 'look'),
      'Best.',
    ]);
    expect(read).toEqual([
      'seen',
      'seen',
      'Error: Total tool call limit (2) exceeded for this turn. No further tool calls are allowed.',
    ]);
    expect(app.model.requests[1]?.tools).toHaveLength(1);
    expect(end).toMatchObject({ turn: { outcome: 'limit-reached', text: 'Best.', iterations: 2 } });
  });
});

describe('a batch', () => {
  it('has no time limit: each call has the limit of its tool, and other calls keep their results (AEL-09)', async () => {
    const clock = createManualClock();
    const createWaitingTool = (name: string, timeout: number, ms: number) =>
      defineTextTool({
        name,
        description: 'Waits.',
        effect: 'read',
        timeout,
        run: () => new Promise((resolve) => clock.after(ms, () => resolve('late'))),
      });
    const app = createMemoryApp({
      tools: [
        look,
        createWaitingTool('brief', 1_000, 60_000),
        createWaitingTool('long', 600_000, 6 * 60_000),
      ],
      replies: [callTools('look', 'brief', 'long'), 'Done.'],
      clock,
    });
    expect(await advanceUntilSettled(clock, app.say('Go.'), 600_000)).toMatchObject({
      turn: { outcome: 'completed' },
    });
    expect(callResults((await app.state()).messages)).toEqual([
      ['look', 'seen'],
      ['brief', "Error: Tool 'brief' did not answer within 1000 ms."],
      ['long', 'late'],
    ]);
  });
});

describe('a long result', () => {
  /** Returns a result as the model sees it and as the journal stores it. */
  async function getResult(run: () => unknown, maxLength?: number) {
    const tool = defineTextTool({ name: 'read', description: 'Reads.', effect: 'read', run });
    const use = maxLength === undefined ? [] : [truncateToolResults({ maxLength, marker: fullLength })];
    const app = createMemoryApp({ tools: [tool], replies: [callTools('read'), 'Done.'], use });
    await app.say('Go.');
    const last = app.model.requests[1]?.messages.at(-1);
    const [[, kept] = []] = callResults((await app.state()).messages);
    return { text: last?.role === 'tool' ? last.text : undefined, kept };
  }

  it.each<[string, number | undefined, string]>([
    ['completely by default', undefined, 'abcdef'],
    ['up to a number of characters', 4, 'abcd... [truncated, full length: 6 chars]'],
    ['completely if it has exactly that length', 6, 'abcdef'],
    ['only as a note', 0, '... [truncated, full length: 6 chars]'],
  ])('is shown to the model %s, and is stored completely (AEL-02, AEL-03)', async (_, maxLength, text) => {
    expect(await getResult(() => 'abcdef', maxLength)).toEqual({ text, kept: 'abcdef' });
  });

  it('is still an error after it was truncated (AEL-03)', async () => {
    expect(await getResult(() => error('abcdef'), 4)).toEqual({
      text: 'Error: abcd... [truncated, full length: 6 chars]',
      kept: 'Error: abcdef',
    });
  });
});
