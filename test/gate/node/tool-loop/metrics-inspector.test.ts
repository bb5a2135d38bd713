import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  defineAgent,
  defineTextTool,
  type ErrorReason,
  error,
  exitEarly,
  type ResultData,
  ToolConfigurationError,
} from '../../../../src/index.ts';
import {
  type CallOutcome,
  callOutcome,
  inspect,
  type Metrics,
  metricsInspector,
} from '../../../../src/modules/inspect/entry.ts';
import { callLimits } from '../../../../src/modules/limits/entry.ts';
import { createManualClock, createTestSession } from '../../../../src/testing/entry.ts';
import { createFailureResult, toSignalResult } from '../../../doors/tools.ts';

afterEach(() => vi.restoreAllMocks());

function createRecorder() {
  const counts: unknown[] = [];
  const values: unknown[] = [];
  const metrics: Metrics = {
    count: (...given) => counts.push(given),
    value: (...given) => values.push(given),
  };
  return { metrics, counts, values };
}

/** Runs a turn with one call of the same tool for each of these functions. */
async function runTurn(runs: readonly (() => unknown)[], metrics?: Metrics, toolCalls?: number) {
  const clock = createManualClock();
  let next = 0;
  const tool = defineTextTool({
    name: 'search',
    description: 'Searches.',
    effect: 'read',
    serial: 'one by one',
    run: async () => {
      await clock.advance(7);
      const run = runs[next];
      next += 1;
      return run?.();
    },
  });
  const agent = defineAgent({
    name: 'clerk',
    description: 'Works.',
    instructions: 'Work.',
    tools: [tool],
    use: [callLimits({ toolCalls }), inspect(metricsInspector(metrics))],
  });
  const calls = runs.map(() => ({ name: 'search' }));
  return createTestSession(agent, { replies: [{ calls }, 'Done.'], clock }).send('Go.');
}

const throwDiskFull = (): never => {
  throw new Error('disk full');
};

describe('the metrics of a call', () => {
  it('count successes, failures, errors and skipped calls separately (AEL-04)', async () => {
    const { metrics, counts } = createRecorder();
    const tags = { tool: 'search', agent: 'clerk' };
    await runTurn([() => 'rows', () => error('no rows'), throwDiskFull, () => 'never'], metrics, 3);
    expect(counts.toSorted()).toEqual([
      ['holdfast.tool.error', 1, tags],
      ['holdfast.tool.failure', 1, tags],
      ['holdfast.tool.skipped', 1, tags],
      ['holdfast.tool.success', 1, tags],
    ]);
  });

  it('contain the duration (AEL-04)', async () => {
    const { metrics, values } = createRecorder();
    await runTurn([() => 'rows'], metrics);
    expect(values).toEqual([['holdfast.tool.duration', 7, { tool: 'search', agent: 'clerk' }]]);
  });

  it('are discarded if there is no receiver (AEL-04, AEL-07)', async () => {
    const report = vi.spyOn(console, 'error').mockImplementation(() => {});
    expect(await runTurn([() => 'rows', throwDiskFull])).toMatchObject({ outcome: 'completed' });
    // The tool itself reports an error, and the inspector records nothing.
    expect(report).toHaveBeenCalledOnce();
  });

  it('have the agent name `unknown` if the path of the call is empty (AEL-04)', () => {
    const { metrics, counts } = createRecorder();
    metricsInspector(metrics).afterToolCall?.({
      session: 's',
      turn: 't',
      frame: '',
      path: '',
      iteration: 1,
      principal: { id: 'tester' },
      call: { id: 'c', name: 'search', input: '{}' },
      metadata: {},
      definition: () => undefined,
      result: { type: 'text', content: 'rows' },
      text: 'rows',
      ms: 1,
    });
    expect(counts).toEqual([['holdfast.tool.success', 1, { tool: 'search', agent: 'unknown' }]]);
  });

  it('contain counts and values that tools report (AEL-04)', async () => {
    const { metrics, counts, values } = createRecorder();
    const run = () => {
      metrics.count('cache.hit', 2, { tool: 'search' });
      metrics.value('rows', 40, {});
      return 'rows';
    };
    await runTurn([run], metrics);
    expect(counts).toHaveLength(2);
    expect(counts[0]).toEqual(['cache.hit', 2, { tool: 'search' }]);
    expect(values[0]).toEqual(['rows', 40, {}]);
  });
});

describe('the outcome of a call', () => {
  const reasons: Partial<Record<ErrorReason, CallOutcome>> = {
    threw: 'error',
    timeout: 'error',
    cancelled: 'error',
    'unknown-outcome': 'error',
    'unknown-tool': 'failure',
    'invalid-input': 'failure',
    declined: 'failure',
    limit: 'skipped',
    skipped: 'skipped',
  };

  it.each<[string, ResultData, CallOutcome]>([
    ['text that begins like an error', { type: 'text', content: 'Error: not one' }, 'success'],
    ['an artifact', { type: 'artifact', value: {} }, 'success'],
    ['a failure', error('no'), 'failure'],
    ['a configuration error', toSignalResult(new ToolConfigurationError('no key')), 'error'],
    ['an early exit', toSignalResult(exitEarly('bye')), 'success'],
    ...Object.entries(reasons).map(([reason, outcome]): [string, ResultData, CallOutcome] => [
      reason,
      createFailureResult(reason as ErrorReason, 'no'), // A key of `reasons`.
      outcome,
    ]),
  ])('depends on the result: %s (AEL-06, AEL-08)', (_, result, outcome) => {
    expect(callOutcome(result)).toBe(outcome);
  });
});
