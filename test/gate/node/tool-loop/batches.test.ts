import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type CallContext, defineTool, type Json } from '../../../../src/index.ts';
import { callResults } from '../session/former-holder.ts';
import { createMemoryApp } from '../session/memory-app.ts';

type RunFunction = (input: { readonly n: number }, call: CallContext) => unknown;
const createNamedTool = (name: string, run: RunFunction, more: { serial?: string; timeout?: number } = {}) =>
  defineTool({
    name,
    description: 'Does.',
    effect: 'read',
    input: v.object({ n: v.optional(v.number(), 0) }),
    run,
    ...more,
  });

const createNumberedCalls = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({ name, input: { n } }));

/** Returns the results of the first reply, as the model sees them. */
async function collectResults(
  tools: Parameters<typeof createMemoryApp>[0]['tools'],
  calls: { name: string; input?: unknown }[],
) {
  const app = createMemoryApp({ tools: tools ?? [], replies: [{ calls }, 'Done.'] });
  const end = await app.say('Go.');
  const shown = app.model.requests[1]?.messages.flatMap((message) =>
    message.role === 'tool' ? [message.text] : [],
  );
  return { app, end, shown };
}

describe('a batch', () => {
  it('runs calls in parallel, and returns results in source order for any order of completion (PAR-02)', async () => {
    const ends: number[] = [];
    const ended = [0, 1, 2].map(() => Promise.withResolvers<void>());
    const slow = createNamedTool('slow', async ({ n }) => {
      await ended[n + 1]?.promise;
      ends.push(n);
      ended[n]?.resolve();
      return `result ${n}`;
    });
    const { shown } = await collectResults([slow], createNumberedCalls('slow', 3));
    expect(ends).toEqual([2, 1, 0]);
    expect(shown).toEqual(['result 0', 'result 1', 'result 2']);
  });

  it('runs at most six calls at the same time', async () => {
    let running = 0;
    let most = 0;
    const six = Promise.withResolvers<void>();
    const slow = createNamedTool('slow', async () => {
      running += 1;
      most = Math.max(most, running);
      if (running === 6) six.resolve();
      await six.promise;
      running -= 1;
    });
    await collectResults([slow], createNumberedCalls('slow', 20));
    expect(most).toBe(6);
  });

  it('runs calls with the same serial key one after another in source order, in parallel with other calls', async () => {
    const log: string[] = [];
    const free = Promise.withResolvers<void>();
    const run: RunFunction = async ({ n }, { tool }) => {
      log.push(`${tool}${n} starts`);
      if (tool === 'free') free.resolve();
      await free.promise;
      log.push(`${tool}${n} ends`);
    };
    const calls = [...createNumberedCalls('step', 2), ...createNumberedCalls('free', 1)];
    await collectResults(
      [createNamedTool('step', run, { serial: 's' }), createNamedTool('free', run)],
      calls,
    );
    expect(log.filter((line) => line.startsWith('step'))).toEqual([
      ...['step0 starts', 'step0 ends'],
      ...['step1 starts', 'step1 ends'],
    ]);
    expect(log.indexOf('free0 starts')).toBeLessThan(log.indexOf('step0 ends'));
  });

  it('continues after a failed call, whose error the model sees (PAR-04)', async () => {
    const flaky = createNamedTool('flaky', ({ n }) => {
      if (n === 0) throw new Error('The disk is full.');
      return 'fine';
    });
    const { shown, end } = await collectResults([flaky], createNumberedCalls('flaky', 2));
    expect(shown).toEqual(['Error: The disk is full.', 'fine']);
    expect(end).toMatchObject({ turn: { outcome: 'completed' } });
  });

  it.each<[unknown, string]>([
    [new TypeError('  '), 'Error: Exception occurred in tool: fails (TypeError)'],
    ['just words', 'Error: just words'],
    [new Error('x'.repeat(3000)), `Error: ${'x'.repeat(2000)}`],
    [Object.create(null), 'Error: Exception occurred in tool: fails (no class)'],
  ])('turns a thrown value into an error result (SPM-10): %#', async (thrown, text) => {
    const fails = createNamedTool('fails', () => {
      throw thrown;
    });
    expect((await collectResults([fails], [{ name: 'fails' }])).shown).toEqual([text]);
  });
});

describe('the state that a call sees', () => {
  const count: RunFunction = ({ n }, { state }) => {
    const before = state.get('count') ?? null;
    state.set('count', n);
    return { before };
  };

  it('is the state at the start of the batch', async () => {
    const { shown, app } = await collectResults(
      [createNamedTool('count', count)],
      createNumberedCalls('count', 3),
    );
    expect(shown).toEqual(['{"before":null}', '{"before":null}', '{"before":null}']);
    expect([...(await app.state()).callState]).toEqual([['tester', { count: 2 }]]);
  });

  it('contains the changes of earlier calls with the same serial key', async () => {
    const { shown } = await collectResults(
      [createNamedTool('count', count, { serial: 's' })],
      createNumberedCalls('count', 3),
    );
    expect(shown).toEqual(['{"before":null}', '{"before":0}', '{"before":1}']);
  });

  it('does not contain the changes of a failed call', async () => {
    const run: RunFunction = (input, call) => {
      call.blackboard.add(input.n);
      const seen = count(input, call);
      if (input.n === 1) throw new Error('No.');
      return seen;
    };
    const { shown, app } = await collectResults(
      [createNamedTool('count', run, { serial: 's' })],
      createNumberedCalls('count', 3),
    );
    expect(shown).toEqual(['{"before":null}', 'Error: No.', '{"before":0}']);
    expect((await app.state()).blackboard).toEqual([{ value: 0 }, { value: 2 }]);
  });

  it('persists for later turns', async () => {
    const app = createMemoryApp({
      tools: [createNamedTool('count', count)],
      replies: [
        { calls: [{ name: 'count', input: { n: 5 } }] },
        'One.',
        { calls: [{ name: 'count' }] },
        'Two.',
      ],
    });
    await app.say('Go.');
    await app.say('Again.');
    expect(callResults((await app.state()).messages)).toEqual([
      ['count', '{"before":null}'],
      ['count', '{"before":5}'],
    ]);
  });

  it('contains the changes of the call itself, including null', async () => {
    const run: RunFunction = (_, { state }) => {
      state.set('x', 1);
      state.set('x', null);
      return [state.get('x') ?? 'nothing', state.get('toString') ?? 'nothing'];
    };
    expect((await collectResults([createNamedTool('write', run)], [{ name: 'write' }])).shown).toEqual([
      '["nothing","nothing"]',
    ]);
    const readTwice: RunFunction = (_, { state }) => {
      const before = state.get('x') as Json;
      state.set('x', null);
      return [before, state.get('x') as Json];
    };
    const app = createMemoryApp({
      tools: [
        createNamedTool('set', (_, { state }) => state.set('x', 1)),
        createNamedTool('again', readTwice),
      ],
      replies: [{ calls: [{ name: 'set' }] }, { calls: [{ name: 'again' }] }, 'Done.'],
    });
    await app.say('Go.');
    expect(callResults((await app.state()).messages).at(-1)).toEqual(['again', '[1,null]']);
  });

  it('is a copy, so that changes to a read or written value have no effect', async () => {
    const run: RunFunction = (_, { state, blackboard }) => {
      const list = [1];
      state.set('list', list);
      blackboard.add(list, { name: 'list' });
      list.push(2);
      (state.get('list') as number[]).push(3);
      (blackboard.get('list') as number[]).push(4);
      for (const { value } of blackboard.entries()) (value as number[]).push(5);
      return [state.get('list'), blackboard.get('list')];
    };
    const { shown, app } = await collectResults([createNamedTool('write', run)], [{ name: 'write' }]);
    expect(shown).toEqual(['[[1],[1]]']);
    expect((await app.state()).blackboard).toEqual([{ name: 'list', value: [1] }]);
  });

  it.each<[string, unknown]>([
    ['the value at `$.at` is a function', { at: () => 1 }],
    ['the value at `$` is undefined', undefined],
    ['the value at `$[0]` is NaN', [Number.NaN]],
  ])('cannot contain a value that JSON would change: %s', async (what, value) => {
    const run: RunFunction = (_, { state }) => state.set('x', value as Json);
    expect((await collectResults([createNamedTool('write', run)], [{ name: 'write' }])).shown).toEqual([
      `Error: call.state 'x': ${what}, which is not JSON.`,
    ]);
  });

  it('accepts names from prototypes as plain keys', async () => {
    const run: RunFunction = (_, { state }) => {
      state.set('__proto__', { admin: true });
      return [state.get('admin') ?? 'nothing', state.get('__proto__') as Json];
    };
    const { shown, app } = await collectResults([createNamedTool('write', run)], [{ name: 'write' }]);
    expect(shown).toEqual(['["nothing",{"admin":true}]']);
    expect(Object.keys((await app.state()).callState.get('tester') ?? {})).toEqual(['__proto__']);
  });
});

describe('the blackboard that a call sees', () => {
  it('contains entries from the start of the batch, from earlier calls with its serial key, and its own, in order', async () => {
    const run: RunFunction = ({ n }, { blackboard }) => {
      blackboard.add(n, { name: 'n', type: 'Number' });
      return [blackboard.get('n'), blackboard.entries().map(({ value }) => value)];
    };
    const serial = createNamedTool('serial', run, { serial: 's' });
    const { shown, app } = await collectResults(
      [serial, createNamedTool('free', run)],
      [...createNumberedCalls('serial', 2), ...createNumberedCalls('free', 1)],
    );
    expect(shown).toEqual(['[0,[0]]', '[1,[0,1]]', '[0,[0]]']);
    expect((await app.state()).blackboard.map(({ name, type, value }) => [name, type, value])).toEqual([
      ['n', 'Number', 0],
      ['n', 'Number', 1],
      ['n', 'Number', 0],
    ]);
  });
});

describe('a result that is too long to be stored', () => {
  it('is replaced by an error that reports its length', async () => {
    const dump = defineTool({
      name: 'dump',
      description: 'Dumps.',
      effect: 'read',
      run: () => 'x'.repeat(9_000_000),
    });
    const app = createMemoryApp({ tools: [dump], replies: [{ calls: [{ name: 'dump' }] }, 'Too much.'] });
    await app.say('Go.');
    expect(app.model.requests[1]?.messages.at(-1)).toMatchObject({
      text:
        "Error: Tool 'dump' ran and finished, but its result and what it changed, of 9000035 characters, are over the limit " +
        'of 8388608 and were not kept. Do not repeat what it has done; if it only reads, ask it for less.',
    });
  });
});
