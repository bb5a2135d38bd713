import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { LogEntry } from '../../../../src/create-holdfast.ts';
import {
  type AnyTool,
  defineAgent,
  defineTool,
  exceptionProcessor,
  ModelError,
  type Policies,
} from '../../../../src/index.ts';
import { createManualClock, createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';

import { toLog } from '../../../doors/tools.ts';

const createTestAgent = (tools: readonly AnyTool[], policies?: Policies) =>
  defineAgent({ name: 'clerk', description: 'Works.', instructions: 'Work.', tools, policies });

const diskError = new Error('disk full', { cause: new RangeError('no inode') });

const createSaveTool = (more: { readonly expose?: boolean } = {}) =>
  defineTool({
    name: 'save',
    description: 'Saves.',
    ...more,
    run: () => {
      throw diskError;
    },
  });

const saveReply: ScriptedReply = { calls: [{ name: 'save' }] };

/** Returns the log lines of one turn, as a log function receives them. */
async function collectLogLines(
  agent: ReturnType<typeof createTestAgent>,
  replies: readonly ScriptedReply[],
  secrets: Record<string, string> = {},
): Promise<readonly LogEntry[]> {
  const lines: LogEntry[] = [];
  const log = (entry: LogEntry) => void lines.push(entry);
  const clock = createManualClock(1_000);
  await createTestSession(agent, { replies, log, clock, secrets: () => secrets }).send('Go.');
  return lines;
}

/** Captures console output, with its level. */
function captureConsole() {
  const lines: (readonly unknown[])[] = [];
  for (const level of ['error', 'warn', 'info'] as const) {
    const spy = vi.spyOn(console, level).mockImplementation((...given) => void lines.push([level, ...given]));
    onTestFinished(() => spy.mockRestore());
  }
  return lines;
}

const place = { owner: { id: 'tester' }, agent: 'clerk', session: 'test', turn: 'id2', principal: 'tester' };
const turnLine = {
  ...place,
  level: 'info',
  event: 'turn',
  ms: 0,
  model: 'scripted',
  usage: { inputTokens: 20, outputTokens: 10 },
} as const;

describe('an error from a tool', () => {
  it('is logged with its stack and the stacks of its causes', async () => {
    const [line, turn, ...more] = await collectLogLines(createTestAgent([createSaveTool()]), [
      saveReply,
      'Well.',
    ]);
    expect(line).toEqual({
      ...place,
      level: 'error',
      event: 'tool-threw',
      tool: 'save',
      message: "Tool 'save' threw: disk full (cause: no inode)",
      stack: `${diskError.stack}\nCaused by: ${(diskError.cause as Error).stack}`,
      thrown: diskError,
    });
    expect(turn).toEqual({ ...turnLine, outcome: 'completed', iterations: 2, tools: { save: 1 } });
    expect(more).toEqual([]);
  });

  it('is written to the console in one call, with its session and turn', async () => {
    const lines = captureConsole();
    await createTestSession(createTestAgent([createSaveTool()]), { replies: [saveReply, 'Well.'] }).send(
      'Go.',
    );
    expect(lines).toEqual([
      [
        'error',
        "holdfast: Tool 'save' threw: disk full (cause: no inode) (agent clerk, session test, turn id2)",
        diskError,
      ],
    ]);
  });

  it('is logged without the secrets of the turn, in the message and in the stack', async () => {
    const tool = defineTool({
      name: 'save',
      description: 'Saves.',
      run: (_, call) => {
        throw Object.assign(new Error(`401 for ${call.secrets.get('key')}`), { header: 'hunter2-hunter2' });
      },
    });
    const [line] = await collectLogLines(createTestAgent([tool]), [saveReply, 'Well.'], {
      key: 'hunter2-hunter2',
    });
    expect(line).toMatchObject({
      message: "Tool 'save' threw: 401 for [secret key]",
      stack: expect.stringMatching(/^Error: 401 for \[secret key\]\n +at /),
      thrown: undefined,
    });
    expect(JSON.stringify(line)).not.toContain('hunter2');
  });

  it('is also logged if it is a lost connection, which the model does not see as an error', async () => {
    const tool = defineTool({
      name: 'save',
      description: 'Saves.',
      effect: 'read',
      run: () => {
        throw new Error('socket hang up');
      },
    });
    const [line] = await collectLogLines(createTestAgent([tool]), [saveReply, 'Well.']);
    expect(line).toMatchObject({ event: 'tool-threw', message: "Tool 'save' threw: socket hang up" });
  });
});

it('a number that becomes null in JSON is logged as one line', async () => {
  const tool = defineTool({ name: 'save', description: 'Saves.', run: () => ({ at: Number.NaN }) });
  const [line] = await collectLogLines(createTestAgent([tool]), [saveReply, 'Well.']);
  expect(line).toEqual({
    ...place,
    level: 'error',
    event: 'value-lost',
    message: "Tool 'save' returned numbers that are null in JSON: $.at is NaN.",
  });
});

describe('an error from a model', () => {
  it('is logged with the provider’s reason, and the log line of the turn includes the failure', async () => {
    const failure = new ModelError('rate-limited', "The model's server answered 429: [request]", {
      reason: "The model's server answered 429: Slow down.",
    });
    expect(await collectLogLines(createTestAgent([]), [failure])).toEqual([
      {
        ...place,
        level: 'error',
        event: 'model-failed',
        model: 'scripted',
        message: "Model 'scripted' failed (rate-limited): The model's server answered 429: Slow down.",
      },
      {
        ...turnLine,
        level: 'error',
        outcome: 'failed',
        error: 'model-failure',
        message: "a turn failed (model-failure): The model's server answered 429: [request]",
        model: undefined,
        iterations: 0,
        usage: { inputTokens: 0, outputTokens: 0 },
        tools: {},
      },
    ]);
  });
});

describe('an error from a tool that ends the turn', () => {
  const policies: Policies = { exceptions: exceptionProcessor({ alwaysThrow: true }) };
  const getError = async (tool: AnyTool) => {
    const session = createTestSession(createTestAgent([tool], policies), {
      replies: [saveReply],
      log: false,
    });
    const { error, signal } = await session.send('Go.');
    const ended = (await session.events()).flatMap((event) =>
      event.type === 'tool-call-ended' ? [event.result] : [],
    );
    return { error, signal, ended };
  };

  it('appears in the result of the call, but not in an error that clients see', async () => {
    const message = "Tool 'save' threw, which ended the turn. The exception is in the result of its call.";
    const signal = { type: 'fail', reason: message };
    expect(await getError(createSaveTool())).toEqual({
      error: { type: 'tool-failure', message },
      signal,
      ended: [{ type: 'error', message: 'disk full (cause: no inode)', signal }],
    });
  });

  it('is the error of the turn if it has `expose: true`', async () => {
    const message = 'disk full (cause: no inode)';
    const signal = { type: 'fail', reason: message };
    expect(await getError(createSaveTool({ expose: true }))).toEqual({
      error: { type: 'tool-failure', message },
      signal,
      ended: [{ type: 'error', message, signal }],
    });
  });
});

describe('the log', () => {
  it('writes no lines if it is `false`', async () => {
    const lines = captureConsole();
    await createTestSession(createTestAgent([createSaveTool()]), {
      replies: [saveReply, 'Well.'],
      log: false,
    }).send('Go.');
    expect(lines).toEqual([]);
  });

  it('writes one line of JSON for each turn that has ended', async () => {
    const lines = captureConsole();
    const clerk = createTestAgent([defineTool({ name: 'save', description: 'Saves.', run: () => 'ok' })]);
    const session = createTestSession(clerk, {
      replies: [saveReply, 'Well.'],
      log: toLog(),
      clock: createManualClock(1_000),
    });
    await session.send('Go.');
    expect(lines).toEqual([['info', expect.any(String)]]);
    expect(JSON.parse(String(lines[0]?.[1]))).toEqual({
      ...turnLine,
      outcome: 'completed',
      iterations: 2,
      tools: { save: 1 },
    });
  });

  it('does not affect the turn if it throws', async () => {
    const log = () => {
      throw new Error('The log is full.');
    };
    const session = createTestSession(createTestAgent([createSaveTool()]), {
      replies: [saveReply, 'Well.'],
      log,
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Well.' });
  });

  it('has one line for a turn that took several invocations', async () => {
    const lines: LogEntry[] = [];
    const tool = defineTool({
      name: 'save',
      description: 'Saves.',
      effect: 'idempotent',
      run: () => {
        if (!killed) session.kill();
        killed = true;
        return 'ok';
      },
    });
    let killed = false;
    const session = createTestSession(createTestAgent([tool]), {
      replies: [saveReply, 'Well.'],
      log: (entry) => void lines.push(entry),
    });
    await session.send('Go.');
    expect(lines).toMatchObject([{ event: 'turn', outcome: 'completed', tools: { save: 1 } }]);
  });
});
