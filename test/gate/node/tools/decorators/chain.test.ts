import { afterEach, describe, expect, it, vi } from 'vitest';
import { type AnyTool, defineTool, error, terminateAction } from '../../../../../src/index.ts';
import {
  decorate,
  mapContent,
  publishToBlackboard,
  sinkArtifacts,
  type ToolCallEvent,
  type ToolObservation,
  withEventPublication,
  withMetadata,
  withObservability,
} from '../../../../../src/modules/decorators/entry.ts';
import { jsonSchema } from '../../../../../src/modules/json-schema/entry.ts';
import { getModelText } from '../../../../doors/tools.ts';
import { callTools, getShownResults, startSession } from './turns.ts';

const createLookTool = (steps: string[] = [], answer: () => unknown = () => 'seen') =>
  defineTool({
    name: 'look',
    description: 'Looks.',
    effect: 'read',
    run: () => {
      steps.push('run');
      return answer();
    },
  });

/** Records the start and the result of each call. */
const recordSteps = (tool: AnyTool, steps: string[], name: string): AnyTool =>
  decorate(tool, {
    async call(input, call) {
      steps.push(`${name} in`);
      const result = await tool.call(input, call);
      steps.push(`${name} out`);
      return result;
    },
  });

/** A faulty custom decorator. */
const createRejectingTool = (tool: AnyTool, thrown: unknown): AnyTool =>
  decorate(tool, { call: () => Promise.reject(thrown) });

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a chain of decorators', () => {
  it('runs in the written order, the outermost first (DEC-22)', async () => {
    const steps: string[] = [];
    const session = startSession(
      [recordSteps(recordSteps(createLookTool(steps), steps, 'b'), steps, 'a')],
      [callTools('look'), 'Done.'],
    );
    await session.send('Go.');
    expect(steps).toEqual(['a in', 'b in', 'run', 'b out', 'a out']);
  });

  it('shows the original result to an inner decorator, and the outermost result to the model (DEC-22)', async () => {
    const steps: string[] = [];
    const events: ToolCallEvent[] = [];
    const observations: ToolObservation[] = [];
    const published = withEventPublication(withMetadata(createLookTool(steps), 'group', 'eyes'), (event) => {
      steps.push(event.type);
      events.push(event);
    });
    const observed = withObservability(published, (observation) => {
      steps.push('observation');
      observations.push(observation);
    });
    const shortened = decorate(observed, {
      call: async (input, call) =>
        mapContent(await observed.call(input, call), (content) => `${content}, in short`),
    });
    const session = startSession([shortened], [callTools('look'), 'Done.']);
    await session.send('Go.');
    // The request is published before the tool runs.
    expect(steps).toEqual(['request', 'run', 'response', 'observation']);
    expect(events[1]).toMatchObject({ outcome: { result: { content: 'seen' } } });
    expect(observations).toMatchObject([{ status: 'success', result: { content: 'seen' } }]);
    expect(getShownResults(session)).toEqual(['seen, in short']);
    expect(shortened.metadata).toEqual({ group: 'eyes' });
  });

  it('passes on a thrown value, and only the loop turns it into an error (DEC-22, DEC-23)', async () => {
    const observations: ToolObservation[] = [];
    const broken = createRejectingTool(createLookTool(), new RangeError('broken'));
    const observed = withObservability(broken, (observation) => void observations.push(observation));
    const session = startSession([observed], [callTools('look'), 'Done.']);
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(observations).toMatchObject([{ status: 'error', errorType: 'RangeError' }]);
    expect(getShownResults(session)).toEqual(['Error: broken']);
  });

  it('leads to an error that names the tool if the thrown error has no message (DEC-23)', async () => {
    const session = startSession(
      [createRejectingTool(createLookTool(), new Error(''))],
      [callTools('look'), 'Done.'],
    );
    await session.send('Go.');
    expect(getShownResults(session)).toEqual(['Error: Exception occurred in tool: look (Error)']);
  });

  it('never suppresses a control-flow signal (DEC-23)', async () => {
    const session = startSession(
      [createRejectingTool(createLookTool(), terminateAction('Enough.'))],
      [callTools('look'), 'Done.'],
    );
    expect(await session.send('Go.')).toMatchObject({
      outcome: 'completed',
      signal: { type: 'terminate-action', reason: 'Enough.' },
    });
    expect(session.requests).toHaveLength(1);
  });
});

describe('two concurrent calls', () => {
  /**
   * Both calls enter the tool before either continues. The second one ends first, and the first one throws.
   */
  function createMeeting() {
    const both = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    const inside: string[] = [];
    const tool = defineTool({
      name: 'meet',
      description: 'Meets.',
      input: jsonSchema({ type: 'object', properties: { n: { type: 'number' } } }),
      effect: 'read',
      run: async ({ n }, call) => {
        if (inside.push(call.id) === 2) both.resolve();
        await both.promise;
        if (n === 0) await second.promise;
        else second.resolve();
        return { n };
      },
    });
    return tool;
  }
  const twice = {
    calls: [
      { name: 'meet', input: { n: 0 } },
      { name: 'meet', input: { n: 1 } },
    ],
  };

  it('keep their own inputs through all their decorators (DEC-24)', async () => {
    const sunk: [string, unknown][] = [];
    const events: string[] = [];
    const tool = withEventPublication(
      publishToBlackboard(sinkArtifacts(createMeeting(), (found, { id }) => void sunk.push([id, found]))),
      ({ type, call, input }) => void events.push(`${type} ${call} ${input.n}`),
    );
    const session = startSession([tool], [twice, 'Done.']);
    const { turn } = await session.send('Go.');
    const [a, b] = [`${turn}.3.0`, `${turn}.3.1`];
    expect(sunk).toEqual([
      [b, { n: 1 }],
      [a, { n: 0 }],
    ]);
    expect(events.toSorted()).toEqual([
      `request ${a} 0`,
      `request ${b} 1`,
      `response ${a} 0`,
      `response ${b} 1`,
    ]);
    const changes = (await session.events()).flatMap((event) =>
      event.type === 'tool-call-ended' ? [[event.call, event.changes?.blackboard]] : [],
    );
    expect(Object.fromEntries(changes)).toEqual({ [a]: [{ value: { n: 0 } }], [b]: [{ value: { n: 1 } }] });
  });

  it('keep their own inputs if one of them throws in a decorator (DEC-24)', async () => {
    const sunk: string[] = [];
    const meet = createMeeting();
    const failing = decorate(meet, {
      async call(input, call) {
        const result = await meet.call(input, call);
        if (input.n === 1) throw new Error('broken');
        return result;
      },
    });
    const session = startSession(
      [publishToBlackboard(sinkArtifacts(failing, (_, { id }) => void sunk.push(id)))],
      [twice, 'Done.'],
    );
    const { turn } = await session.send('Go.');
    expect(sunk).toEqual([`${turn}.3.0`]);
    expect(getShownResults(session)).toEqual(['{"n":0}', 'Error: broken']);
    expect((await session.state()).blackboard).toEqual([{ value: { n: 0 } }]);
  });
});

describe('a tool that fails', () => {
  const fails = defineTool({
    name: 'fail',
    description: 'Fails.',
    effect: 'read',
    run: () => {
      throw new Error('broken');
    },
  });

  it.each([
    ['one call', callTools('fail'), ['Error: broken']],
    ['several calls', callTools('fail', 'look', 'fail'), ['Error: broken', 'seen', 'Error: broken']],
  ])('reports its error to the model, and the loop continues: %s (DEC-26)', async (_, reply, shown) => {
    const session = startSession([fails, createLookTool()], [reply, 'Done.']);
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(getShownResults(session)).toEqual(shown);
  });

  it('ends the loop only by a signal, after its siblings have ended (DEC-26)', async () => {
    const leaves = defineTool({
      name: 'leave',
      description: 'Leaves.',
      effect: 'read',
      run: () => {
        throw terminateAction('Enough.');
      },
    });
    const session = startSession(
      [fails, leaves, createLookTool([], () => error('No.'))],
      [callTools('fail', 'look', 'leave'), 'Done.'],
    );
    expect(await session.send('Go.')).toMatchObject({ signal: { type: 'terminate-action' } });
    const ended = (await session.events()).flatMap((event) =>
      event.type === 'tool-call-ended' ? [[event.call.slice(-1), getModelText(event.result)]] : [],
    );
    expect(Object.fromEntries(ended)).toEqual({ 0: 'Error: broken', 1: 'Error: No.', 2: 'Enough.' });
  });
});
