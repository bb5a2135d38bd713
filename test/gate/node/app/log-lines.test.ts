import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { defineAgent, defineTool, ModelError } from '../../../../src/index.ts';
import { createManualClock, createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { toLog } from '../../../doors/tools.ts';

const thrown = new Error('disk full', { cause: new RangeError('no inode') });

const clerk = defineAgent({
  name: 'clerk',
  description: 'Works.',
  instructions: 'Work.',
  tools: [
    defineTool({
      name: 'save',
      description: 'Saves.',
      run: () => {
        throw thrown;
      },
    }),
  ],
});

/** What a turn writes to the console: each line with its level. */
async function writtenBy(...replies: readonly ScriptedReply[]): Promise<readonly (readonly unknown[])[]> {
  const lines: (readonly unknown[])[] = [];
  for (const level of ['error', 'warn', 'info', 'log'] as const) {
    const spy = vi.spyOn(console, level).mockImplementation((...given) => void lines.push([level, ...given]));
    onTestFinished(() => spy.mockRestore());
  }
  const principal = { id: 'ann', tenant: 'acme', roles: ['clerk'] };
  const session = createTestSession(clerk, {
    replies,
    principal,
    log: toLog(),
    clock: createManualClock(1_000),
  });
  await session.send('Go.');
  return lines;
}

const place = { owner: { id: 'tester' }, agent: 'clerk', session: 'test', turn: 'id2', principal: 'ann' };
const saves: ScriptedReply = { calls: [{ name: 'save' }] };
const inProduction = process.env.NODE_ENV === 'production';

describe.runIf(inProduction)('in production, every line of the console', () => {
  it('is one JSON object: a problem with its stack, a turn with its model and all that it used', async () => {
    const usage = {
      inputTokens: 20,
      outputTokens: 9,
      cachedInputTokens: 8,
      cacheWriteTokens: 4,
      reasoningTokens: 3,
    };
    const lines = await writtenBy({ calls: ['save'], usage }, { text: 'Well.', usage });
    expect(lines).toEqual([
      ['error', expect.any(String)],
      ['info', expect.any(String)],
    ]);
    expect(lines.map(([, line]) => JSON.parse(String(line)))).toEqual([
      {
        ...place,
        level: 'error',
        event: 'tool-threw',
        tool: 'save',
        message: "Tool 'save' threw: disk full (cause: no inode)",
        stack: `${thrown.stack}\nCaused by: ${(thrown.cause as Error).stack}`,
      },
      {
        ...place,
        level: 'info',
        event: 'turn',
        outcome: 'completed',
        ms: 0,
        model: 'scripted',
        iterations: 2,
        usage: {
          inputTokens: 40,
          outputTokens: 18,
          cachedInputTokens: 16,
          cacheWriteTokens: 8,
          reasoningTokens: 6,
        },
        tools: { save: 1 },
      },
    ]);
  });
});

describe('a turn that failed', () => {
  it.runIf(inProduction)('has one line, which says why', async () => {
    const [failed, turn, ...more] = await writtenBy(saves, new ModelError('server-error', 'It is down.'));
    expect([failed, turn, ...more].map((line) => JSON.parse(String(line?.[1])).event)).toEqual([
      'tool-threw',
      'model-failed',
      'turn',
    ]);
    expect(JSON.parse(String(more[0]?.[1]))).toMatchObject({
      ...place,
      level: 'error',
      outcome: 'failed',
      error: 'model-failure',
      message: 'a turn failed (model-failure): It is down.',
      model: 'scripted',
    });
  });

  it.skipIf(inProduction)('is written in words in development, and one that ended well as JSON', async () => {
    expect(await writtenBy(new ModelError('server-error', 'It is down.'))).toEqual([
      [
        'error',
        "holdfast: Model 'scripted' failed (server-error): It is down. (agent clerk, session test, turn id2)",
      ],
      ['error', 'holdfast: a turn failed (model-failure): It is down. (agent clerk, session test, turn id2)'],
    ]);
    const [line] = await writtenBy('Well.');
    expect(line).toEqual(['info', expect.stringMatching(/^\{.*"event":"turn","outcome":"completed"/)]);
  });
});
