import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  type AnyTool,
  artifact,
  defineTool,
  error,
  exitEarly,
  Secrets,
  ToolConfigurationError,
} from '../../../../../src/index.ts';
import { answers } from '../../../../../src/modules/answers/entry.ts';
import {
  decorate,
  oneShotPerLoop,
  type ToolCallEvent,
  type ToolObservation,
  withEventPublication,
  withObservability,
} from '../../../../../src/modules/decorators/entry.ts';
import { jsonSchema } from '../../../../../src/modules/json-schema/entry.ts';
import type { TestSession } from '../../../../../src/testing/entry.ts';
import { waitForPromises } from '../../../../doors/testing.ts';
import { createFakeCall } from '../fake-call.ts';
import { callTools, getShownResults, startSession } from './turns.ts';

const input = { type: 'object', properties: { at: { type: 'string' } } };
const createReturningTool = (value: unknown) =>
  defineTool({
    name: 'look',
    description: 'Looks.',
    effect: 'read',
    input: jsonSchema(input),
    run: () => value,
  });
/** A decorator that throws after the tool has run. */
const createThrowingTool = (thrown: unknown): AnyTool => {
  const look = createReturningTool('seen');
  return decorate(look, {
    call: async (given, call) => {
      await look.call(given, call);
      throw thrown;
    },
  });
};

function collectEvents() {
  const list: ToolCallEvent[] = [];
  return { list, publish: (event: ToolCallEvent): void => void list.push(event) };
}

/** A clock that returns these times, one per read. */
function mockClock(...times: number[]): void {
  vi.spyOn(Date, 'now').mockImplementation(() => times.shift() ?? 0);
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a tool that publishes events', () => {
  it('publishes a request with its input, and a response with its result and running time (DEC-21)', async () => {
    const { list, publish } = collectEvents();
    mockClock(1_000, 1_005);
    const result = await withEventPublication(createReturningTool('seen'), publish).call(
      { at: 'sea' },
      createFakeCall({ tool: 'watch' }).call,
    );
    expect(result.text()).toBe('seen');
    const base = { call: '1.2.0', tool: 'watch', input: { at: 'sea' } };
    expect(list).toEqual([
      { type: 'request', ...base },
      { type: 'response', ...base, ms: 5, outcome: { type: 'result', result } },
    ]);
  });

  it('publishes an error that the tool returns as its result (DEC-21)', async () => {
    const { list, publish } = collectEvents();
    await withEventPublication(createReturningTool(error('No.')), publish).call({}, createFakeCall().call);
    expect(list[1]).toMatchObject({ outcome: { type: 'result', result: { type: 'error', message: 'No.' } } });
  });

  it.each([
    ['a failure', new Error('broken')],
    ['a signal', exitEarly('Enough.')],
  ])('publishes %s that a decorator inside it throws, and rethrows it (DEC-21)', async (_, thrown) => {
    const { list, publish } = collectEvents();
    const call = withEventPublication(createThrowingTool(thrown), publish).call({}, createFakeCall().call);
    await expect(call).rejects.toBe(thrown);
    expect(list.map(({ type }) => type)).toEqual(['request', 'response']);
    expect(list[1]).toMatchObject({ outcome: { type: 'failure', error: thrown } });
  });

  it('wraps a tool only once for the same publisher, at any depth (DEC-21)', async () => {
    const [one, two] = [collectEvents(), collectEvents()];
    const tool = withEventPublication(createReturningTool('seen'), one.publish);
    expect(withEventPublication(tool, one.publish)).toBe(tool);
    const gated = oneShotPerLoop(tool, 'Go on.');
    expect(withEventPublication(gated, one.publish)).toBe(gated);
    await withEventPublication(gated, two.publish).call({}, createFakeCall().call);
    expect([one.list.length, two.list.length]).toEqual([2, 2]);
  });

  it('runs before its request is published, and publishes its events in order', async () => {
    const steps: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      run: () => {
        steps.push('run');
      },
    });
    const publishing = withEventPublication(look, async ({ type }) => {
      if (type === 'request') await promise;
      steps.push(type);
    });
    const called = publishing.call({}, createFakeCall().call);
    await waitForPromises();
    expect(steps).toEqual(['run']);
    resolve();
    await called;
    expect(steps).toEqual(['run', 'request', 'response']);
  });

  it('does not fail the call if publishing fails, and logs the failure', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const failure = new Error('no');
    const session = startSession(
      [withEventPublication(createReturningTool('seen'), () => Promise.reject(failure))],
      [callTools('look'), 'Done.'],
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(getShownResults(session)).toEqual(['seen']);
    const line = ["holdfast: the watcher of tool 'look' failed", failure];
    expect(log.mock.calls).toEqual([line, line]);
  });

  it('does not publish the secrets of the invocation', async () => {
    const { list, publish } = collectEvents();
    const secrets = Secrets.of({ KEY: 'hunter22' });
    const look = withEventPublication(
      createReturningTool(artifact('by hunter22', { by: 'hunter22' })),
      publish,
    );
    await look.call({ at: 'hunter22' }, createFakeCall({ secrets }).call);
    expect(JSON.stringify(list)).not.toContain('hunter22');
    expect(list).toHaveLength(2);
  });

  it('publishes the request again if another Worker resumes the call', async () => {
    const { list, publish } = collectEvents();
    const session: TestSession = startSession(
      [
        withEventPublication(
          defineTool({
            name: 'look',
            description: 'Looks.',
            effect: 'idempotent',
            run: () => {
              if (list.length > 1) return 'seen';
              session.kill();
              return new Promise<never>(() => {});
            },
          }),
          publish,
        ),
      ],
      [callTools('look'), 'Done.'],
    );
    await session.send('Go.');
    expect(new Set(list.map(({ call }) => call)).size).toBe(1);
    expect(list.map(({ type }) => type)).toEqual(['request', 'request', 'response']);
    expect(list.at(-1)).toMatchObject({
      type: 'response',
      outcome: { type: 'result', result: { content: 'seen' } },
    });
  });

  it('publishes no response for a call that waits for an answer', async () => {
    const { list, publish } = collectEvents();
    const asks: AnyTool = {
      ...createReturningTool('seen'),
      uses: [answers],
      call: async (_, call) => {
        await call.ask({ for: 'decision', message: 'May I?' });
        throw new Error('No decision arrives in this test.');
      },
    };
    const session = startSession([withEventPublication(asks, publish)], [callTools('look')]);
    await session.send('Go.').catch(() => undefined);
    expect((await session.events()).at(-1)?.type).toBe('tool-call-suspended');
    expect(list.map(({ type }) => type)).toEqual(['request']);
  });
});

describe('an observed tool', () => {
  async function collectObservations(tool: AnyTool): Promise<ToolObservation[]> {
    const seen: ToolObservation[] = [];
    mockClock(1_000, 1_005);
    const observing = withObservability(tool, (observation) => void seen.push(observation));
    await observing.call({ at: 'sea' }, createFakeCall({ tool: 'watch' }).call).catch(() => undefined);
    return seen;
  }
  const base = { call: '1.2.0', tool: 'watch', input: { at: 'sea' }, ms: 5 };

  it('works without an observer (DEC-25)', async () => {
    const tool = withObservability(createReturningTool('seen'));
    const session = startSession([tool], [callTools('look'), 'Done.']);
    await session.send('Go.');
    expect(getShownResults(session)).toEqual(['seen']);
    expect(tool.delegate).toBeDefined();
  });

  it('records its name, input, status and result (DEC-25)', async () => {
    expect(await collectObservations(createReturningTool('seen'))).toEqual([
      { ...base, status: 'success', result: expect.objectContaining({ content: 'seen' }) },
    ]);
  });

  it.each([
    ['the tool returns', createReturningTool(error('No.')), 'error'],
    ['has a reason', { ...createReturningTool(1), inputSchema: {}, call: callStrictTool }, 'invalid-input'],
    ['is thrown', createThrowingTool(new TypeError('broken')), 'TypeError'],
    ['is not an Error', createThrowingTool('broken'), 'string'],
    ['is a configuration error', createThrowingTool(new ToolConfigurationError('No key.')), 'error'],
  ])('records the type of an error that %s (DEC-25)', async (_, tool, errorType) => {
    expect(await collectObservations(tool)).toEqual([{ ...base, status: 'error', errorType }]);
  });

  it('does not record a control-flow signal as an error', async () => {
    expect(await collectObservations(createThrowingTool(exitEarly('Enough.')))).toEqual([
      { ...base, status: 'success', result: expect.objectContaining({ content: 'Enough.' }) },
    ]);
  });
});

const strictTool = defineTool({
  name: 'strict',
  description: 'Is strict.',
  input: jsonSchema({ type: 'object', required: ['to'] }),
  run: () => 'ok',
});
function callStrictTool(...given: Parameters<AnyTool['call']>) {
  return strictTool.call(...given);
}
