import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { ModuleUse } from '../../../../src/index.ts';
import { type AnyTool, defineTool, type Effect, type Reconciliation } from '../../../../src/index.ts';
import { callLimits } from '../../../../src/modules/limits/entry.ts';
import { createManualClock, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { advanceUntilSettled, callResults } from '../session/former-holder.ts';
import { createMemoryApp } from '../session/memory-app.ts';

const look = defineTool({
  name: 'vectorSearch',
  description: 'Looks.',
  effect: 'read',
  input: v.object({ query: v.optional(v.string()) }),
  run: () => 'seen',
});
const list = defineTool({ name: 'list', description: 'Lists.', effect: 'read', run: () => 'a, b' });

const callTools = (...names: string[]) => ({ calls: names.map((name) => ({ name })) });

async function runTurn(
  tools: readonly AnyTool[],
  replies: readonly ScriptedReply[],
  use?: readonly ModuleUse[],
) {
  const app = createMemoryApp({ tools, replies, use });
  const end = await app.say('Go.');
  const texts = callResults((await app.state()).messages).map(([, text]) => text);
  return { app, end, texts };
}

describe('a call of an unknown tool', () => {
  const rest =
    'Available tools: [list, vectorSearch]. Use the exact tool name from this list. Do not combine or prefix tool ' +
    'names — tool names found in source code or search results are not callable.';

  it.each([
    ['vector-search', " Did you mean 'vectorSearch'?"],
    ['ragbot_vectorSearch', " Did you mean 'vectorSearch'?"],
    ['__proto__', ''],
  ])('results in a list of the available tools (TNF-02, TNF-03): %s', async (name, suggestion) => {
    const { texts, end } = await runTurn([look, list], [callTools(name), 'Done.']);
    expect(texts).toEqual([`Error: Tool '${name}' does not exist.${suggestion} ${rest}`]);
    expect(end).toMatchObject({ turn: { outcome: 'completed' } });
  });

  it('fails the turn if it is the fourth in a row (TNF-01)', async () => {
    const { app, end } = await runTurn(
      [look],
      [callTools('a'), callTools('b', 'c'), callTools('d'), 'Never.'],
    );
    expect(app.model.requests).toHaveLength(3);
    expect(end).toMatchObject({
      turn: {
        outcome: 'failed',
        error: {
          type: 'tool-not-found',
          message: 'The model called tools that do not exist more than 3 times in a row.',
        },
      },
    });
  });

  it('is counted from zero after a call of a known tool (TNF-06)', async () => {
    const { end } = await runTurn(
      [look],
      [callTools('a', 'b', 'c'), callTools('vectorSearch'), callTools('a', 'b', 'c'), 'Done.'],
    );
    expect(end).toMatchObject({ turn: { outcome: 'completed' } });
  });
});

describe('input', () => {
  it.each([
    ['{"query":', "is not valid JSON: it does not end with '}', so it may be cut off"],
    ['[1]', 'is an array, not a JSON object'],
  ])('leads to an error result if it is not a JSON object: %s', async (input, problem) => {
    const { texts } = await runTurn([look], [{ calls: [{ name: 'vectorSearch', input }] }, 'Done.']);
    expect(texts).toEqual([
      `Error: The input of tool 'vectorSearch' ${problem}. Send one JSON object that matches its schema.`,
    ]);
  });

  it('leads to an error result with every problem if it does not fit the schema, and the tool does not run', async () => {
    const { texts, app, end } = await runTurn(
      [look],
      [{ calls: [{ name: 'vectorSearch', input: { query: 1 } }] }, 'Done.'],
    );
    expect(texts[0]).toMatch(/^Error: The input of tool 'vectorSearch' is not valid:\n- /);
    const turn = end.status === 'ended' ? end.turn.id : '';
    expect((await app.events(turn)).map(({ type }) => type)).not.toContain('tool-call-started');
  });
});

describe('limits of tool calls (SPM-13)', () => {
  const perTool =
    "Error: Tool call limit (2) exceeded for tool 'list'. No further calls to this tool are allowed in this turn.";
  const total = 'Error: Total tool call limit (3) exceeded for this turn. No further tool calls are allowed.';

  it('refuse further calls of one tool, and end the turn as limit-reached', async () => {
    const replies = [callTools('list', 'list', 'vectorSearch', 'list'), callTools('list'), 'Best so far.'];
    const { texts, end } = await runTurn([look, list], replies, [callLimits({ callsPerTool: 2 })]);
    expect(texts).toEqual(['a, b', 'a, b', 'seen', perTool, perTool]);
    expect(end).toMatchObject({ turn: { outcome: 'limit-reached', text: 'Best so far.' } });
  });

  it('refuse all further calls', async () => {
    const { texts, end } = await runTurn(
      [look, list],
      [callTools('list', 'vectorSearch'), callTools('list', 'list'), 'Best.'],
      [callLimits({ toolCalls: 3 })],
    );
    expect(texts).toEqual(['a, b', 'seen', 'a, b', total]);
    expect(end).toMatchObject({ turn: { outcome: 'limit-reached', text: 'Best.' } });
  });

  it('count from the message that started the turn', async () => {
    const app = createMemoryApp({
      tools: [list],
      replies: [callTools('list'), 'One.', callTools('list'), 'Two.'],
      use: [callLimits({ toolCalls: 1 })],
    });
    await app.say('Go.');
    expect(await app.say('Again.')).toMatchObject({ turn: { outcome: 'completed', text: 'Two.' } });
  });
});

describe('a tool that exceeds its time limit', () => {
  const createHangingTool = (effect: Effect, reconcile?: () => Reconciliation) => {
    const signals: AbortSignal[] = [];
    const config = { name: 'slow', description: 'Waits.', timeout: 1_000 } as const;
    const run = (_: unknown, call: { signal: AbortSignal }): Promise<never> => {
      signals.push(call.signal);
      return new Promise(() => {});
    };
    const tool =
      effect === 'once' ? defineTool({ ...config, run, reconcile }) : defineTool({ ...config, effect, run });
    return { tool, signals };
  };
  const unknown =
    "Error: The outcome of this call of 'slow' is unknown: it was started, and no answer came back. It may have happened " +
    'or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.';

  it.each<[string, Effect, (() => Reconciliation) | undefined, string]>([
    ['a `read` call has failed', 'read', undefined, "Error: Tool 'slow' did not answer within 1000 ms."],
    ['an `idempotent` call has an unknown outcome', 'idempotent', undefined, unknown],
    ['a `once` call has an unknown outcome', 'once', undefined, unknown],
    [
      'a `once` call has the outcome that its `reconcile` returns',
      'once',
      () => ({ done: 'it was done' }),
      'it was done',
    ],
    ['a `once` call that keeps running may still complete', 'once', () => 'not-done', unknown],
  ])('is aborted: %s (PAR-03, PAR-09)', async (_, effect, reconcile, text) => {
    const clock = createManualClock();
    const { tool, signals } = createHangingTool(effect, reconcile);
    const app = createMemoryApp({ tools: [tool], replies: [callTools('slow'), 'Done.'], clock });
    expect(await advanceUntilSettled(clock, app.say('Go.'))).toMatchObject({
      turn: { outcome: 'completed' },
    });
    expect(callResults((await app.state()).messages)).toEqual([['slow', text]]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it.each<[string, () => unknown]>([
    ['the reason of its signal', () => undefined],
    ['its own error', () => new Error('Request was aborted.')],
  ])('is reconciled if it throws %s', async (_, thrown) => {
    const clock = createManualClock();
    const outcomes: Reconciliation[] = [{ done: 'paid after all' }, 'not-done', 'unknown'];
    const pay = defineTool({
      name: 'slow',
      description: 'Pays.',
      timeout: 1_000,
      run: (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(thrown() ?? signal.reason));
        }),
      reconcile: () => outcomes.shift() ?? 'unknown',
    });
    const replies = [callTools('slow'), callTools('slow'), callTools('slow'), 'Done.'];
    const app = createMemoryApp({ tools: [pay], replies, clock });
    await advanceUntilSettled(clock, app.say('Go.'));
    expect(callResults((await app.state()).messages)).toEqual([
      ['slow', 'paid after all'],
      ['slow', "Error: Tool 'slow' did not answer within 1000 ms."],
      ['slow', unknown],
    ]);
  });

  it.each([
    Object.assign(new Error('The object was reset.'), { durableObjectReset: true }),
    Object.assign(new Error('Try again.'), { retryable: true }),
    Object.assign(new Error('Too many requests.'), { overloaded: true }),
    new Error('internal error; reference = abc'),
    new Error('Durable Object reset because its code was updated.'),
    new Error('The service failed.', { cause: new TypeError('Network connection lost.') }),
  ])('has an unknown outcome if the platform aborted its call: %s', async (thrown) => {
    const slow = defineTool({
      name: 'slow',
      description: 'Calls an object.',
      run: () => Promise.reject(thrown),
    });
    const app = createMemoryApp({ tools: [slow], replies: [callTools('slow'), 'Done.'] });
    await app.say('Go.');
    expect(callResults((await app.state()).messages)).toEqual([['slow', unknown]]);
  });

  it('can still return its result late if it is `once`', async () => {
    const clock = createManualClock();
    const slow = defineTool({
      name: 'slow',
      description: 'Waits.',
      timeout: 1_000,
      run: () => new Promise((resolve) => clock.after(4_000, () => resolve('late'))),
    });
    const app = createMemoryApp({ tools: [slow], replies: [callTools('slow'), 'Done.'], clock });
    await advanceUntilSettled(clock, app.say('Go.'));
    expect(callResults((await app.state()).messages)).toEqual([['slow', 'late']]);
  });

  it.each<[Effect, string]>([
    ['read', "Error: The connection of tool 'cut' was lost before it answered."],
    ['once', unknown.replace('slow', 'cut')],
  ])('has an outcome that depends on its effect if its connection was lost: %s', async (effect, text) => {
    const run = (): never => {
      throw new Error('Network connection lost.');
    };
    const config = { name: 'cut', description: 'Breaks.', run } as const;
    const tool = effect === 'once' ? defineTool(config) : defineTool({ ...config, effect });
    expect((await runTurn([tool], [callTools('cut'), 'Done.'])).texts).toEqual([text]);
  });
});

describe('a tool that `defineTool` did not define', () => {
  it('can execute once per call, and a second request is an error that the model sees', async () => {
    const runs: string[] = [];
    const leaf = { effect: 'read', timeout: 1_000, run: () => runs.push('ran') } as const;
    const greedy: AnyTool = {
      name: 'greedy',
      description: 'Acts twice.',
      inputSchema: { type: 'object' },
      effect: 'read',
      returnDirect: false,
      metadata: {},
      check: async (input) => ({ ok: true, value: input }),
      async call(_, { execute }) {
        await execute(leaf);
        return execute(leaf);
      },
    };
    const app = createMemoryApp({ tools: [greedy], replies: [callTools('greedy'), 'Done.'] });
    await app.say('Go.');
    expect(callResults((await app.state()).messages)).toEqual([
      ['greedy', "Error: Tool 'greedy' can execute or nest only once per call."],
    ]);
    expect(runs).toEqual(['ran']);
  });
});
