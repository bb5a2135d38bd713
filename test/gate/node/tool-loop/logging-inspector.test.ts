import * as v from 'valibot';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  type AnyTool,
  defineAgent,
  defineTool,
  error,
  ModelError,
  ToolConfigurationError,
} from '../../../../src/index.ts';
import {
  inspect,
  type LoggingOptions,
  type LogLine,
  type LoopInspector,
  loggingInspector,
  loopLoggingInspector,
  type ToolResultSeen,
} from '../../../../src/modules/inspect/entry.ts';
import { createManualClock, createTestSession, type ManualClock } from '../../../../src/testing/entry.ts';
import { captureWarnings } from '../../../fixtures/warnings.ts';

afterEach(() => vi.restoreAllMocks());

const search = (run: (query: string) => unknown) =>
  defineTool({
    name: 'search',
    description: 'Searches.',
    effect: 'read',
    input: v.object({ query: v.string() }),
    run: ({ query }) => run(query),
  });

interface CallSetup {
  readonly query: string | undefined;
  readonly name: string | undefined;
  readonly clock: ManualClock | undefined;
}

/** Runs a turn with one call of one tool. */
async function runTurn(
  tool: AnyTool,
  inspector: LoopInspector,
  { query = 'kelp', name = tool.name, clock = createManualClock() }: Partial<CallSetup> = {},
) {
  const agent = defineAgent({
    name: 'clerk',
    description: 'Works.',
    instructions: 'Work.',
    tools: [tool],
    use: [inspect(inspector)],
  });
  const replies = [{ calls: [{ name, input: { query } }] }, 'Done.'];
  await createTestSession(agent, { replies, clock }).send('Go.');
}

async function collectLogLines(
  run: (query: string) => unknown,
  { query, name, clock, ...options }: LoggingOptions & Partial<CallSetup> = {},
): Promise<readonly LogLine[]> {
  const logged: LogLine[] = [];
  const inspector = loggingInspector({ ...options, log: (line) => logged.push(line) });
  await runTurn(search(run), inspector, { query, name, clock });
  return logged;
}

const logger = 'holdfast.tool.search';
const place = { session: 'test', turn: 'id2' };
const input = '{"query":"kelp"}';

describe('the log entry of a call', () => {
  it('is one line with the name, input, result and duration (AEL-01, AEL-07)', async () => {
    const clock = createManualClock();
    const run = async () => {
      await clock.advance(56.7);
      return 'three rows';
    };
    expect(await collectLogLines(run, { clock })).toEqual([
      {
        level: 'info',
        logger,
        message: `Tool 'search' succeeded in 57 ms: ${input} -> three rows`,
        ...place,
      },
    ]);
  });

  it.each<[string, LogLine['level'], string, () => unknown]>([
    ['a failure', 'warn', 'failed in 0 ms: INPUT -> Error: no rows', () => error('no rows')],
    [
      'an exception',
      'warn',
      'failed in 0 ms: INPUT -> Error: disk full',
      () => {
        throw new Error('disk full');
      },
    ],
    [
      'a configuration error',
      'error',
      'is misconfigured in 0 ms: INPUT -> Error: no key is set',
      () => {
        throw new ToolConfigurationError('no key is set');
      },
    ],
  ])('has the level of the outcome: %s (AEL-01)', async (_, level, message, run) => {
    expect(await collectLogLines(run)).toEqual([
      { level, logger, message: `Tool 'search' ${message.replace('INPUT', input)}`, ...place },
    ]);
  });

  it('has a level that depends on the type of the result, not on its text (AEL-08)', async () => {
    expect(
      (await collectLogLines(() => 'Error: is what the book is called')).map(({ level }) => level),
    ).toEqual(['info']);
  });

  it('contains the complete texts at the finest levels, and the definition of the tool (AEL-01)', async () => {
    const answer = 'x'.repeat(300);
    const debug = await collectLogLines(() => answer, { level: 'debug' });
    expect(debug.map(({ level }) => level)).toEqual(['debug', 'info', 'debug']);
    expect(debug[0]?.message).toBe(`Tool 'search' is called with ${input}`);
    expect(debug[2]?.message).toBe(`Tool 'search' answered ${answer}`);
    const [spec] = await collectLogLines(() => answer, { level: 'trace' });
    const { name, description, inputSchema } = search(() => '');
    expect(spec).toEqual({
      level: 'trace',
      logger,
      message: `Tool 'search' is ${JSON.stringify({ name, description, inputSchema })}`,
      ...place,
    });
  });

  it.each<[string, number | undefined, string]>([
    ['200 characters by default', undefined, `: {"query":"kelp"} -> ${'x'.repeat(200)}…`],
    ['as many characters as configured', 16, `: ${input} -> ${'x'.repeat(16)}…`],
    ['all', -1, `: ${input} -> ${'x'.repeat(201)}`],
    ['no text', 0, ''],
  ])('quotes %s (AEL-02)', async (_, truncate, words) => {
    expect(await collectLogLines(() => 'x'.repeat(201), { truncate })).toMatchObject([
      { message: `Tool 'search' succeeded in 0 ms${words}` },
    ]);
  });

  it.each([[-2], [1.5]])('throws for the length %s', (truncate) => {
    expect(() => loggingInspector({ truncate })).toThrow(
      `loggingInspector: truncate is ${truncate}. Use a whole number of at least -1.`,
    );
  });

  it('is omitted if its level is finer than the configured level', async () => {
    expect(await collectLogLines(() => 'rows', { level: 'warn' })).toEqual([]);
    expect(await collectLogLines(() => error('no rows'), { level: 'error' })).toEqual([]);
  });

  it('is a single line, regardless of the text that a model writes', async () => {
    const [line] = await collectLogLines(() => 'a\r\nb', { name: 'sea\nrch' });
    expect(line).toMatchObject({ level: 'warn', logger: 'holdfast.tool.sea_rch' });
    expect(line?.message).toMatch(/^Tool 'sea_rch' failed in 0 ms: /);
    expect((await collectLogLines(() => 'a\r\nb'))[0]?.message).toMatch(/-> a\\r\\nb$/);
  });

  it('is written to the console by default (AEL-07)', async () => {
    const info = vi.spyOn(console, 'info').mockImplementation(() => {});
    await runTurn(
      search(() => 'rows'),
      loggingInspector(),
    );
    expect(info.mock.calls).toEqual([
      [`${logger}: Tool 'search' succeeded in 0 ms: ${input} -> rows (session test, turn id2)`],
    ]);
  });

  it('is a warning if the tool threw (AET-04, S1-06)', async () => {
    const warned = captureWarnings();
    const clock = createManualClock();
    const run = async (): Promise<never> => {
      await clock.advance(1_234);
      throw new Error('disk full');
    };
    await runTurn(search(run), loggingInspector(), { clock });
    expect(warned).toEqual([
      `${logger}: Tool 'search' failed in 1234 ms: ${input} -> Error: disk full (session test, turn id2)`,
    ]);
  });
});

describe('a result that an inspector receives', () => {
  it('contains the value of the result, for use in traces (AEL-06)', async () => {
    const seen: ToolResultSeen[] = [];
    await runTurn(
      search(() => ({ rows: 3 })),
      { afterToolCall: (one) => void seen.push(one) },
    );
    expect(seen).toMatchObject([{ result: { type: 'artifact', value: { rows: 3 } }, text: '{"rows":3}' }]);
  });
});

describe('the log entry of a failed model call', () => {
  const failing: Parameters<typeof createTestSession>[1]['replies'] = [
    new ModelError('rate-limited', "The model's server answered 429: Slow down.", { status: 429 }),
  ];

  it('is one line with the model, the kind of failure, its message and the duration', async () => {
    const logged: LogLine[] = [];
    const told = { log: (line: LogLine) => logged.push(line) };
    const inspectors = [loggingInspector({ ...told, level: 'error' }), loopLoggingInspector(told)];
    const agent = defineAgent({
      name: 'clerk',
      description: 'Works.',
      instructions: '',
      tools: [],
      use: [inspect(...inspectors)],
    });
    await createTestSession(agent, { replies: failing, log: false, clock: createManualClock() }).send('Go.');
    expect(logged.slice(1)).toEqual([
      {
        level: 'error',
        logger: 'holdfast.model.scripted',
        message:
          "Model 'scripted' failed (rate-limited) in 0 ms: The model's server answered 429: Slow down.",
        ...place,
      },
      {
        level: 'debug',
        logger: 'holdfast.loop.clerk',
        message: '1: has no reply after 0 ms: rate-limited',
        ...place,
      },
    ]);
  });

  it('is passed to an inspector in place of a reply', async () => {
    const seen: unknown[] = [];
    const inspector: LoopInspector = {
      afterModelCall: () => seen.push('a reply'),
      modelFailed: (one) => seen.push(one),
    };
    const agent = defineAgent({
      name: 'clerk',
      description: 'Works.',
      instructions: '',
      tools: [],
      use: [inspect(inspector)],
    });
    await createTestSession(agent, { replies: failing, log: false, clock: createManualClock() }).send('Go.');
    expect(seen).toEqual([
      {
        ...place,
        frame: '',
        path: 'clerk',
        iteration: 1,
        principal: { id: 'tester' },
        model: 'scripted',
        failure: 'rate-limited',
        status: 429,
        message: "The model's server answered 429: Slow down.",
        ms: 0,
      },
    ]);
  });
});

it('the log entry of a configuration error contains the name of the error', () => {
  expect(new ToolConfigurationError('no key is set')).toMatchObject({
    name: 'ToolConfigurationError',
    message: 'no key is set',
  });
});
