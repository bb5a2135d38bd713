import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { defineAgent, defineTool, ModelError } from '../../../../src/index.ts';
import { inspect, loggingInspector } from '../../../../src/modules/inspect/entry.ts';
import {
  ToolObjectError,
  toolsOfSafely,
  unfoldingOfSafely,
} from '../../../../src/modules/tool-objects/entry.ts';
import { createManualClock, createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { toLog } from '../../../doors/tools.ts';

const diskError = new Error('disk full', { cause: new RangeError('no inode') });

const clerk = defineAgent({
  name: 'clerk',
  description: 'Works.',
  instructions: 'Work.',
  tools: [
    defineTool({
      name: 'save',
      description: 'Saves.',
      run: () => {
        throw diskError;
      },
    }),
  ],
});

/** Records the console output from now on: each line with its level. */
function captureLines(): readonly (readonly unknown[])[] {
  const lines: (readonly unknown[])[] = [];
  for (const level of ['error', 'warn', 'info', 'log', 'debug'] as const) {
    const spy = vi.spyOn(console, level).mockImplementation((...given) => void lines.push([level, ...given]));
    onTestFinished(() => spy.mockRestore());
  }
  return lines;
}

/** Returns the console output of a turn. */
async function captureWrittenLines(
  ...replies: readonly ScriptedReply[]
): Promise<readonly (readonly unknown[])[]> {
  const lines = captureLines();
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
const saveReply: ScriptedReply = { calls: [{ name: 'save' }] };
const inProduction = process.env.NODE_ENV === 'production';

describe.runIf(inProduction)('a log line in production', () => {
  it('is one JSON object: an error has its stack, and a turn has its model and usage', async () => {
    const usage = {
      inputTokens: 20,
      outputTokens: 9,
      cachedInputTokens: 8,
      cacheWriteTokens: 4,
      reasoningTokens: 3,
    };
    const lines = await captureWrittenLines({ calls: ['save'], usage }, { text: 'Well.', usage });
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
        stack: `${diskError.stack}\nCaused by: ${(diskError.cause as Error).stack}`,
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

class PlainObject {}

describe('a debug line about an object without tools', () => {
  const inspectLines = (): readonly (readonly unknown[])[] => {
    const lines = captureLines();
    expect([toolsOfSafely(new PlainObject()), unfoldingOfSafely(new PlainObject())]).toEqual([[], undefined]);
    return lines;
  };

  it.runIf(inProduction)('is one JSON object in production, with the reason and its stack', () => {
    const line = { level: 'debug', event: 'other' };
    const stack = expect.stringMatching(/^ToolObjectError: .* Plain.*\n +at /);
    expect(
      inspectLines().map(([level, text, ...more]) => [level, JSON.parse(String(text)), ...more]),
    ).toEqual([
      ['debug', { ...line, message: 'no tools of an object', stack }],
      ['debug', { ...line, message: 'no unfolding tool of an object', stack }],
    ]);
  });

  it.skipIf(inProduction)('is written as text in development, with the thrown error', () => {
    expect(inspectLines()).toEqual([
      ['debug', 'holdfast: no tools of an object', expect.any(ToolObjectError)],
      ['debug', 'holdfast: no unfolding tool of an object', expect.any(ToolObjectError)],
    ]);
  });
});

describe('a line of the logging inspector', () => {
  const playLogged = async () => {
    const lines = captureLines();
    const agent = { ...clerk, uses: [...clerk.uses, inspect(loggingInspector())] };
    const clock = createManualClock(1_000);
    await createTestSession(agent, { replies: [saveReply, 'Well.'], log: false, clock }).send('Go.');
    return lines;
  };
  const message = "Tool 'save' failed in 0 ms: {} -> Error: disk full (cause: no inode)";

  it.runIf(inProduction)('is one JSON object in production', async () => {
    const [[level, line, ...more] = [], ...others] = await playLogged();
    expect([level, more, others]).toEqual(['warn', [], []]);
    const place = { session: 'test', turn: 'id2' };
    expect(JSON.parse(String(line))).toEqual({ level, logger: 'holdfast.tool.save', message, ...place });
  });

  it.skipIf(inProduction)('is written as text in development', async () => {
    expect(await playLogged()).toEqual([['warn', `holdfast.tool.save: ${message} (session test, turn id2)`]]);
  });
});

describe('a failed turn', () => {
  it.runIf(inProduction)('is logged in one line with its reason', async () => {
    const [failed, turn, ...more] = await captureWrittenLines(
      saveReply,
      new ModelError('server-error', 'The model is down.'),
    );
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
      message: 'a turn failed (model-failure): The model is down.',
      model: 'scripted',
    });
  });

  it.skipIf(inProduction)(
    'is logged as text in development, while a completed turn is logged as JSON',
    async () => {
      expect(await captureWrittenLines(new ModelError('server-error', 'The model is down.'))).toEqual([
        [
          'error',
          "holdfast: Model 'scripted' failed (server-error): The model is down. (agent clerk, session test, turn id2)",
        ],
        [
          'error',
          'holdfast: a turn failed (model-failure): The model is down. (agent clerk, session test, turn id2)',
        ],
      ]);
      const [line] = await captureWrittenLines('Well.');
      expect(line).toEqual(['info', expect.stringMatching(/^\{.*"event":"turn","outcome":"completed"/)]);
    },
  );
});
