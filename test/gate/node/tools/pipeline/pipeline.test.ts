import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { ModuleUse } from '../../../../../src/index.ts';
import {
  type AnyTool,
  artifact,
  type CallContext,
  defineAgent,
  defineTextTool,
  defineTool,
  error,
  exitEarly,
  replan,
  ToolConfigurationError,
  type ToolResult,
  terminateAgent,
} from '../../../../../src/index.ts';
import { definePipeline, type PipelineStep } from '../../../../../src/kinds/entry.ts';
import { callLimits } from '../../../../../src/modules/limits/entry.ts';
import { createManualClock, createTestSession, type TestSession } from '../../../../../src/testing/entry.ts';

/** A text step that appends its name, or runs the given function. */
const createStep = (
  name: string,
  run: (input: string, call: CallContext) => unknown = (input) => `${input} ${name}`,
) => defineTextTool({ name, description: 'Steps.', effect: 'read', run });
const createFailingStep = (name: string, message = 'no luck') => createStep(name, () => error(message));
const createThrowingStep = (name: string, thrown: unknown) =>
  createStep(name, () => {
    throw thrown;
  });
const find = defineTool({
  name: 'find',
  description: 'Finds.',
  effect: 'read',
  input: v.object({ query: v.string() }),
  run: ({ query }) => ({ rows: [query] }),
});

function createSession(
  tool: AnyTool,
  input: unknown = { input: 'start' },
  use?: readonly ModuleUse[],
): TestSession {
  const agent = defineAgent({
    name: 'clerk',
    description: 'Works.',
    instructions: 'Work.',
    tools: [tool],
    use,
  });
  const replies = [{ calls: [{ name: tool.name, input }] }, 'Done.'];
  return createTestSession(agent, { replies, clock: createManualClock() });
}

const findToolText = ({ requests }: TestSession): string | undefined => {
  const last = requests[1]?.messages.at(-1);
  return last?.role === 'tool' ? last.text : undefined;
};

/** Calls a pipeline of these steps. Returns the model's view of the result, and the end of the turn. */
async function runPipeline(
  steps: readonly PipelineStep[],
  {
    input,
    ...more
  }: { input?: unknown; onFailure?: 'fail-fast' | 'continue'; use?: readonly ModuleUse[] } = {},
) {
  const { use, ...config } = more;
  const session = createSession(definePipeline({ name: 'line', steps, ...config }), input, use);
  const answer = await session.send('Go.');
  return { session, answer, text: findToolText(session) };
}

describe('a pipeline', () => {
  it('runs its steps in order within one call of the model (AEP-01)', async () => {
    const { session, answer, text } = await runPipeline([createStep('a'), createStep('b'), createStep('c')]);
    expect(text).toBe('start a b c');
    expect(session.requests).toHaveLength(2);
    expect(session.requests[0]?.tools.map(({ name }) => name)).toEqual(['line']);
    expect(answer).toMatchObject({ outcome: 'completed', iterations: 2, toolCalls: 4, model: 'scripted' });
  });

  it("journals each step as a call in the pipeline's own frame", async () => {
    const { session } = await runPipeline([createStep('a'), createStep('b')]);
    const events = await session.events();
    const [frame] = events.flatMap((event) => (event.type === 'frame-started' ? [event] : []));
    expect(frame).toMatchObject({ name: 'line', message: 'Pipeline: a -> b' });
    const inside = events.filter((event) => 'frame' in event && event.type !== 'frame-started');
    expect(inside).toMatchObject([
      { type: 'model-replied', planned: true, toolCalls: [{ name: 'a', input: '{"input":"start"}' }] },
      { type: 'tool-call-started' },
      { type: 'tool-call-ended' },
      { type: 'model-replied', planned: true, toolCalls: [{ name: 'b', input: '{"input":"start a"}' }] },
      { type: 'tool-call-started' },
      { type: 'tool-call-ended' },
      { type: 'model-replied', planned: true, toolCalls: [] },
    ]);
    expect(inside.at(-1)).not.toHaveProperty('last'); // No limit was reached.
  });

  it('passes the context of the turn to every step (AEP-05)', async () => {
    const seen: unknown[] = [];
    const createLookingStep = (name: string) =>
      createStep(name, (_, { context }) => void seen.push([name, context.get('tenant')]));
    const session = createSession(
      definePipeline({ name: 'line', steps: [createLookingStep('a'), createLookingStep('b')] }),
    );
    await session.send('Go.', { context: { tenant: 'acme' } });
    expect(seen).toEqual([
      ['a', 'acme'],
      ['b', 'acme'],
    ]);
  });

  it('returns its input if it has no steps (AEP-06)', async () => {
    expect((await runPipeline([])).text).toBe('start');
    expect((await runPipeline([], { input: { input: null } })).text).toBe('');
  });

  it('returns every problem of an invalid input before any step runs (AEP-11)', async () => {
    const { session, text } = await runPipeline([find, createStep('sum')], { input: { top: 3 } });
    expect(text).toBe(
      "Error: The input of tool 'line' is not valid:\n" +
        '- query: Invalid key: Expected "query" but received undefined\nCall it again with a corrected input.',
    );
    expect((await session.events()).map(({ type }) => type)).not.toContain('frame-started');
  });

  it('can use a tool twice, and continues after a tool that returns directly', async () => {
    const direct = defineTextTool({
      name: 'a',
      description: 'Steps.',
      effect: 'read',
      returnDirect: true,
      run: (input) => `${input} a`,
    });
    const { text, answer } = await runPipeline([direct, direct, createStep('b')]);
    expect(text).toBe('start a a b');
    expect(answer).toMatchObject({ outcome: 'completed', text: 'Done.' });
  });

  it('can use different tools with the same name', async () => {
    const same = createStep('a', (input) => `${input} A`);
    expect((await runPipeline([createStep('a'), same, createStep('a_2'), createStep('a')])).text).toBe(
      'start a A a_2 a',
    );
    const long = 'x'.repeat(64);
    expect(
      (await runPipeline([createStep(long, () => 1), createStep(long, (input) => `${input}+1`)])).text,
    ).toBe('1+1');
  });

  it('can be a step of another pipeline', async () => {
    const inner = definePipeline({ steps: [createStep('a'), createStep('b')] });
    expect((await runPipeline([inner, createStep('c')])).text).toBe('start a b c');
  });
});

describe('the result of a step', () => {
  const Report = { name: 'Report' };

  it('is the result of the pipeline, with its artifact, if the step is the last', async () => {
    const report = createStep('report', () => artifact('three rows', Report, { rows: 3 }));
    const { text, answer } = await runPipeline([createStep('a'), report]);
    expect(text).toBe('three rows');
    expect(answer.artifacts).toMatchObject([{ tool: 'line', type: 'Report', value: { rows: 3 } }]);
  });

  it('is passed to a text step as the text that the model would read', async () => {
    expect(
      (await runPipeline([createStep('a', () => artifact('three rows', { rows: 3 })), createStep('b')])).text,
    ).toBe('three rows b');
    expect((await runPipeline([find, createStep('b')], { input: { query: 'kelp' } })).text).toBe(
      '{"rows":["kelp"]} b',
    );
    expect((await runPipeline([createStep('a', () => ({ input: 'x' })), createStep('b')])).text).toBe(
      '{"input":"x"} b',
    );
  });

  it('is passed to a typed step as the value of its artifact, or as JSON', async () => {
    expect((await runPipeline([createStep('a', () => artifact('one', { query: 'kelp' })), find])).text).toBe(
      '{"rows":["kelp"]}',
    );
    expect((await runPipeline([createStep('a', () => '{"query":"kelp"}'), find])).text).toBe(
      '{"rows":["kelp"]}',
    );
  });

  it.each<[string, unknown, string]>([
    [
      'text that is not JSON',
      'plain kelp',
      "The input of tool 'find' is not valid JSON: it does not begin with '{'.",
    ],
    ['a list', ['kelp'], "The input of tool 'find' is an array, not a JSON object."],
    [
      'another object',
      { name: 'kelp' },
      'The input of tool \'find\' is not valid:\n- query: Invalid key: Expected "query" but received undefined',
    ],
  ])(
    'leads to an error with the names of both steps if a typed step refuses it: %s',
    async (_, given, problem) => {
      expect((await runPipeline([createStep('a', () => given), find])).text).toBe(
        `Error: Step 'find' did not run, because the output of step 'a' is not valid input for it. ${problem}`,
      );
    },
  );

  it('is passed on as the empty text if it is null (AEP-09)', async () => {
    expect((await runPipeline([createStep('a', () => null), createStep('b')])).text).toBe(' b');
    expect((await runPipeline([createStep('a'), createStep('b', () => null)])).text).toBe('');
  });
});

describe('an adapter', () => {
  const createAdaptedStep = (
    adapt: (result: ToolResult) => object | string | null | undefined,
    tool = createStep('a'),
  ) => ({
    tool,
    adapt,
  });

  it('returns the next input from a result, whose value it receives (AEP-04)', async () => {
    const rows = createStep('rows', () => artifact('two rows', { rows: ['kelp', 'dulse'] }));
    const toSecondQuery = (result: ToolResult) => ({
      query: result.type === 'artifact' ? result.content : '',
    });
    expect((await runPipeline([createAdaptedStep(toSecondQuery, rows), find])).text).toBe(
      '{"rows":["two rows"]}',
    );
    const formatValue = (result: ToolResult) =>
      result.type === 'artifact' ? JSON.stringify(result.value) : '';
    expect((await runPipeline([createAdaptedStep(formatValue, rows), createStep('b')])).text).toBe(
      '{"rows":["kelp","dulse"]} b',
    );
  });

  it.each([[null], [undefined]])('passes on the empty text if it returns %s (AEP-04)', async (nothing) => {
    expect((await runPipeline([createAdaptedStep(() => nothing), createStep('b')])).text).toBe(' b');
  });

  it('passes an object to a text step as JSON, unless the object is its input', async () => {
    expect((await runPipeline([createAdaptedStep(() => ({ rows: 3 })), createStep('b')])).text).toBe(
      '{"rows":3} b',
    );
    expect((await runPipeline([createAdaptedStep(() => ({ input: 'x' })), createStep('b')])).text).toBe(
      'x b',
    );
  });

  it('is not called after a failed step or the last step (AEP-04)', async () => {
    const asked: string[] = [];
    const adaptResult = (result: ToolResult) => {
      asked.push(result.content);
      return result.content;
    };
    const { text } = await runPipeline(
      [
        createAdaptedStep(adaptResult, createFailingStep('a')),
        createAdaptedStep(adaptResult, createStep('b')),
      ],
      {
        onFailure: 'continue',
      },
    );
    expect([text, asked]).toEqual(['no luck b', []]);
  });

  it.each<['fail-fast' | 'continue']>([['fail-fast'], ['continue']])(
    'fails the pipeline with an error that includes its step if it throws (%s, AEP-10)',
    async (onFailure) => {
      const throwOnAdapt = (): never => {
        throw new Error('no rows');
      };
      const { text, answer } = await runPipeline(
        [createStep('a'), createAdaptedStep(throwOnAdapt, createStep('b')), createStep('c')],
        {
          onFailure,
        },
      );
      expect(text).toBe("Error: The adapter of step 'b' threw: no rows");
      expect(answer.outcome).toBe('completed');
    },
  );

  it('causes an error that includes its step if its return value is not JSON', async () => {
    expect(
      (await runPipeline([createAdaptedStep(() => ({ at: new WeakMap() })), createStep('b')])).text,
    ).toBe("Error: The adapter of step 'a' returned no JSON: at `$.at` it is a WeakMap.");
  });

  it('can end the turn with a signal', async () => {
    const throwOnAdapt = (): never => {
      throw exitEarly('The supervisor left.');
    };
    expect((await runPipeline([createAdaptedStep(throwOnAdapt), createStep('b')])).answer).toMatchObject({
      outcome: 'cancelled',
    });
  });
});

describe('a step that fails', () => {
  it('fails the pipeline with its result, and skips the other steps (AEP-02)', async () => {
    const later: string[] = [];
    const { text } = await runPipeline([
      createStep('a'),
      createFailingStep('b'),
      createStep('c', (input) => void later.push(input)),
    ]);
    expect([text, later]).toEqual(['Error: no luck', []]);
  });

  it('passes its message to the next step if the pipeline continues (AEP-03)', async () => {
    const onFailure = 'continue';
    expect((await runPipeline([createFailingStep('a'), createStep('b')], { onFailure })).text).toBe(
      'no luck b',
    );
    expect((await runPipeline([createFailingStep('a', ''), createStep('b')], { onFailure })).text).toBe(
      'Tool execution failed with no message b',
    );
    expect((await runPipeline([createStep('a'), createFailingStep('b')], { onFailure })).text).toBe(
      'Error: no luck',
    );
  });

  it('is named in the error if it throws (AEP-09)', async () => {
    const broken = createThrowingStep('b', new Error('disk full'));
    expect((await runPipeline([createStep('a'), broken, createStep('c')])).text).toBe(
      "Error: Step 'b' threw: disk full",
    );
    expect((await runPipeline([broken, createStep('c')], { onFailure: 'continue' })).text).toBe(
      "Step 'b' threw: disk full c",
    );
  });

  it('passes on a message that a typed step refuses, which is then the failure', async () => {
    const { text } = await runPipeline([createFailingStep('a'), find, createStep('c')], {
      onFailure: 'continue',
    });
    expect(text).toBe(
      "Step 'find' did not run, because the output of step 'a' is not valid input for it. The input of tool 'find' is not " +
        "valid JSON: it does not begin with '{'. c",
    );
  });

  it('returns the error of the limit if the turn has no tool calls left', async () => {
    const { text, answer } = await runPipeline([createStep('a'), createStep('b')], {
      use: [callLimits({ toolCalls: 2 })],
    });
    expect(text).toBe(
      'Error: Total tool call limit (2) exceeded for this turn. No further tool calls are allowed.',
    );
    expect(answer.outcome).toBe('limit-reached');
  });
});

describe('a signal from a step', () => {
  it.each([['fail-fast' as const], ['continue' as const]])(
    'ends the turn on an early exit (%s, AEP-09)',
    async (onFailure) => {
      const later: string[] = [];
      const { answer, session } = await runPipeline(
        [createThrowingStep('a', exitEarly('Rejected.')), createStep('b', (input) => void later.push(input))],
        { onFailure },
      );
      expect([answer.outcome, later, session.requests.length]).toEqual(['cancelled', [], 1]);
    },
  );

  it('fails the turn on a configuration error (AEP-09)', async () => {
    const { answer } = await runPipeline([
      createStep('a'),
      createThrowingStep('b', new ToolConfigurationError('No key is set.')),
    ]);
    expect(answer).toMatchObject({
      outcome: 'failed',
      error: { type: 'misconfigured', message: 'No key is set.' },
    });
  });

  it.each([
    [replan('New plan.'), 'completed'],
    [terminateAgent('Enough.'), 'cancelled'],
  ])('ends the loop that called the pipeline: %s', async (signal, outcome) => {
    const { answer, session } = await runPipeline([createThrowingStep('a', signal), createStep('b')]);
    expect([answer.outcome, session.requests.length]).toEqual([outcome, 1]);
  });
});
