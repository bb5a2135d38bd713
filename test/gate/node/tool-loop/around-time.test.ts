/**
 * Tests the time limit of 30 seconds for code around a call. The library's own waits, and code with its own
 * time limit, do not count.
 */
import * as v from 'valibot';
import { beforeEach, describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../../src/create-holdfast.ts';
import { type AnyTool, defineAgent, defineTool, type Policies } from '../../../../src/index.ts';
import { defineSubagent } from '../../../../src/kinds/entry.ts';
import {
  decorate,
  requireApproval,
  withAwaiting,
  withReview,
} from '../../../../src/modules/decorators/entry.ts';
import {
  createManualClock,
  createTestSession,
  type ManualClock,
  type ScriptedReply,
} from '../../../../src/testing/entry.ts';
import { countTimers } from '../../../full/crash-matrix/lab/counted-clock.ts';
import { advanceUntilSettled } from '../session/former-holder.ts';
import { callTools, createDiggingTool, createReadingTool, getShownResults } from './scenes.ts';

let manual: ManualClock;
let ran: string[];
let loggedMessages: string[];
beforeEach(() => {
  manual = createManualClock(1_000_000);
  ran = [];
  loggedMessages = [];
});

const neverResolve = (): Promise<never> => new Promise(() => {});
const resolveAfter = (ms: number): Promise<void> => new Promise((resolve) => manual.after(ms, resolve));

const createPayTool = (): AnyTool =>
  defineTool({ name: 'pay', description: 'Pays.', run: () => void ran.push('pay') });

interface SceneOptions {
  readonly tools: readonly AnyTool[];
  readonly replies?: readonly ScriptedReply[];
  readonly policies?: Policies;
}

/** Starts a turn, and returns its session, its answer and a counter of open timers. */
function startScene({ tools, replies = [callTools('pay'), 'Well.'], policies }: SceneOptions) {
  const { clock, timersLeft } = countTimers(manual);
  const agent = defineAgent({ name: 'clerk', description: 'W.', instructions: '', tools, policies });
  const log = (entry: LogEntry): void => {
    if (entry.event !== 'turn') loggedMessages.push(entry.message);
  };
  const session = createTestSession(agent, { replies, clock, log });
  return { session, answer: session.send('Go.'), timersLeft };
}

const LATE_ERROR = "Error: Tool 'pay' was not run: code that runs before it did not finish within 30000 ms.";

const hangingCases: readonly [code: string, tool: () => AnyTool, policies: Policies][] = [
  ['the message of its approval', () => requireApproval(createPayTool(), neverResolve), {}],
  ['the decider of withAwaiting', () => withAwaiting(createPayTool(), neverResolve), {}],
  [
    'the message of its review',
    () => withReview(createPayTool(), () => ({ decision: 'approve' }), { message: neverResolve }),
    {},
  ],
  [
    'its input schema',
    () =>
      defineTool({
        name: 'pay',
        description: 'Pays.',
        input: v.pipeAsync(v.object({}), v.checkAsync(neverResolve)) as never, // This is valibot's own type, with an asynchronous check.
        run: () => void ran.push('pay'),
      }),
    {},
  ],
  ['isEligible', createPayTool, { isEligible: neverResolve }],
  ['its call or a decorator', () => decorate(createPayTool(), { call: neverResolve }), {}],
];

describe('code that hangs before a call', () => {
  it.each(hangingCases)('makes the call time out after 30 seconds: %s', async (code, tool, policies) => {
    const { session, answer, timersLeft } = startScene({ tools: [tool()], policies });
    await manual.advance(29_999);
    expect(session.requests).toHaveLength(1);
    await manual.advance(1);
    expect(await answer).toMatchObject({ outcome: 'completed', text: 'Well.' });
    expect(getShownResults(session.requests[1])).toEqual([LATE_ERROR]);
    const ends = (await session.events()).filter(({ type }) => type === 'tool-call-ended');
    expect(ends).toMatchObject([{ result: { type: 'error', reason: 'timeout' } }]);
    expect(loggedMessages).toEqual([
      `Tool 'pay' was abandoned: ${code} did not finish within 30000 ms. Give it a time limit of its own.`,
    ]);
    expect([ran, timersLeft()]).toEqual([[], 0]);
  });

  it('ends only the call that it delays, even in a nested loop', async () => {
    const { session, answer } = startScene({
      tools: [createDiggingTool([requireApproval(createPayTool(), neverResolve), createReadingTool('look')])],
      replies: [callTools('dig'), callTools('pay', 'look'), 'Dug.', 'Well.'],
    });
    await manual.advance(30_000);
    expect(await answer).toMatchObject({ outcome: 'completed' });
    expect(getShownResults(session.requests[2])).toEqual([LATE_ERROR, 'look done']);
  });

  it('cannot run the tool if it finishes later', async () => {
    const gate = Promise.withResolvers<void>();
    const tool = createPayTool();
    const slow = decorate(tool, {
      call: async (input, call) => {
        await gate.promise;
        return tool.call(input, call);
      },
    });
    const { answer } = startScene({ tools: [slow] });
    await manual.advance(30_000);
    await answer;
    gate.resolve();
    await manual.advance(1);
    expect(ran).toEqual([]);
  });

  it('makes the outcome unknown if an earlier invocation had already started the call', async () => {
    const tool = defineTool({ name: 'pay', description: 'Pays.', timeout: 900_000, run: neverResolve });
    let isSlow = false;
    const slow = decorate(tool, {
      call: (input, call) => (isSlow ? neverResolve() : tool.call(input, call)),
    });
    const { session, answer } = startScene({ tools: [slow] });
    await manual.advance(1_000);
    isSlow = true;
    session.kill();
    expect(await advanceUntilSettled(manual, answer, 120_000)).toMatchObject({ outcome: 'completed' });
    expect(getShownResults(session.requests[1])[0]).toContain("The outcome of this call of 'pay' is unknown");
  });
});

describe('code that hangs after a call', () => {
  const createStuckTool = (tool: AnyTool): AnyTool =>
    decorate(tool, {
      call: async (input, call) => {
        await tool.call(input, call);
        return neverResolve();
      },
    });

  it('does not change the result of the call', async () => {
    const tools = [createStuckTool(createReadingTool('pay', () => 'paid'))];
    const { session, answer, timersLeft } = startScene({ tools });
    await manual.advance(30_000);
    expect(await answer).toMatchObject({ outcome: 'completed' });
    expect(getShownResults(session.requests[1])).toEqual(['paid']);
    expect(loggedMessages).toEqual([
      "Tool 'pay' was abandoned: its call or a decorator did not finish within 30000 ms. Give it a time limit of its own.",
    ]);
    expect(timersLeft()).toBe(0);
  });

  it('does not change the answer of a nested loop', async () => {
    const tools = [createStuckTool(createDiggingTool([createReadingTool('look')]))];
    const { session, answer } = startScene({ tools, replies: [callTools('dig'), 'Dug.', 'Well.'] });
    await manual.advance(30_000);
    await answer;
    expect(getShownResults(session.requests[2])).toEqual(['Dug.']);
  });
});

describe('the time of code around a call', () => {
  it.each<[string, () => AnyTool]>([
    [
      'the tool itself',
      () => defineTool({ name: 'pay', description: 'P.', timeout: 90_000, run: () => resolveAfter(60_000) }),
    ],
    [
      'a review, which has its own time limit',
      () =>
        withReview(createPayTool(), async () => {
          await resolveAfter(60_000);
          return { decision: 'approve' };
        }),
    ],
    [
      'a nested loop',
      () => ({
        ...createDiggingTool([
          defineTool({ name: 'look', description: 'L.', timeout: 90_000, run: () => resolveAfter(60_000) }),
        ]),
        name: 'pay',
      }),
    ],
  ])('does not include %s', async (_, tool) => {
    const { session, answer } = startScene({
      tools: [tool()],
      replies: [
        callTools('pay'),
        ({ tools }) => (tools?.some(({ name }) => name === 'look') ? callTools('look') : 'Well.'),
        'Dug.',
        'Well.',
      ],
    });
    expect(await advanceUntilSettled(manual, answer, 120_000)).toMatchObject({ outcome: 'completed' });
    expect(getShownResults(session.requests.at(-1))[0]).not.toContain('Error');
    expect(loggedMessages).toEqual([]);
  });

  it('does not include the wait for a person', async () => {
    const { session, answer } = startScene({ tools: [requireApproval(createPayTool(), 'Pay?')] });
    await manual.advance(1_000);
    expect(await answer).toMatchObject({ outcome: 'suspended' });
    await manual.advance(600_000);
    const [pending] = await session.pending();
    const approved = session.decide(pending?.call ?? '', 'approve');
    expect(await advanceUntilSettled(manual, approved)).toMatchObject({ outcome: 'completed' });
    expect(ran).toEqual(['pay']);
  });

  it('does not include the wait for a free slot', async () => {
    const names = Array.from({ length: 8 }, (_, at) => `t${at}`);
    const tools = names.map((name) =>
      defineTool({
        name,
        description: 'W.',
        effect: 'read',
        timeout: 90_000,
        run: () => resolveAfter(45_000),
      }),
    );
    const { session, answer } = startScene({ tools, replies: [callTools(...names), 'Well.'] });
    expect(await advanceUntilSettled(manual, answer, 120_000)).toMatchObject({ outcome: 'completed' });
    expect(getShownResults(session.requests[1])).toEqual(names.map(() => 'Done'));
  });

  it('does not include the wait for a call with the same serial key', async () => {
    const createSlowTool = (name: string) =>
      createReadingTool(name, () => resolveAfter(45_000), { serial: 'one', timeout: 90_000 });
    const { session, answer } = startScene({
      tools: [createSlowTool('a'), createSlowTool('b')],
      replies: [callTools('a', 'b'), 'Well.'],
    });
    await advanceUntilSettled(manual, answer, 120_000);
    expect(getShownResults(session.requests[1])).toEqual(['Done', 'Done']);
  });
});

/** Returns the number of timers that a turn sets if its model calls these tools in one reply. */
async function countTurnTimers(names: readonly string[]): Promise<number> {
  let timers = 0;
  const clock = {
    now: () => manual.now(),
    after: (ms: number, run: () => void) => {
      timers += 1;
      return manual.after(ms, run);
    },
  };
  const tools = names.map((name) => createReadingTool(name, () => name, { timeout: 20_000 }));
  const agent = defineAgent({ name: 'clerk', description: 'W.', instructions: '', tools });
  const session = createTestSession(agent, { replies: [callTools(...names), 'Well.', 'Well.'], clock });
  await advanceUntilSettled(manual, session.send('Go.'));
  return timers;
}

it('an invocation sets one timer for all of its calls', async () => {
  expect((await countTurnTimers(['a', 'b', 'c', 'd', 'e'])) - (await countTurnTimers(['a']))).toBe(0);
});

it('the input check of a subagent has the same time limit as other input checks', async () => {
  const input = v.pipeAsync(v.object({}), v.checkAsync(neverResolve)) as never; // This is valibot's own type, with an asynchronous check.
  const agent = defineAgent({ name: 'digger', description: 'D.', instructions: '', tools: [] });
  const dig = defineSubagent({ name: 'pay', description: 'Digs.', agent, input });
  const { session, answer } = startScene({ tools: [dig] });
  await manual.advance(30_000);
  await answer;
  expect(getShownResults(session.requests[1])).toEqual([LATE_ERROR]);
});
