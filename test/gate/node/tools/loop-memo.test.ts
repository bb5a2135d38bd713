import { describe, expect, it } from 'vitest';
import { defineTool, LOOP_ID_KEY, ToolCallContext } from '../../../../src/index.ts';
import { type LoopMemo, loopMemo } from '../../../../src/modules/decorators/entry.ts';
import type { TestSession } from '../../../../src/testing/entry.ts';
import { callTools, createCrashingTool, getShownResults, startSession } from './decorators/turns.ts';
import { createFakeCall } from './fake-call.ts';

const createLoopContext = (id: string) => ToolCallContext.of({ [LOOP_ID_KEY]: id });

/**
 * A tool that returns the rules if the memo reports a first time. Its calls are serial if `serial` is set.
 */
const createAskingTool = (name: string, memo: LoopMemo, serial?: string) =>
  defineTool({
    name,
    description: 'Asks.',
    effect: 'read',
    serial,
    run: (_, call) => (memo.firstTimeIn(call) ? 'rules and answer' : 'answer'),
  });

describe('a loop memo', () => {
  it('returns true on its first use in a loop, and then false, even if loops interleave (ONE-01)', () => {
    const { call, during } = createFakeCall();
    const memo = loopMemo('rules');
    expect(memo.firstTimeIn(during(createLoopContext('a')))).toBe(true);
    expect(memo.firstTimeIn(during(createLoopContext('b')))).toBe(true);
    expect(memo.firstTimeIn(during(createLoopContext('a')))).toBe(false);
    expect(memo.firstTimeIn(during(createLoopContext('b')))).toBe(false);
    expect(memo.firstTimeIn(call)).toBe(true);
  });

  it('is shared only with a memo of the same name (ONE-01)', () => {
    const { during } = createFakeCall();
    const call = during(createLoopContext('a'));
    expect(loopMemo('rules').firstTimeIn(call)).toBe(true);
    expect(loopMemo('greeting').firstTimeIn(call)).toBe(true);
    expect(loopMemo('rules').firstTimeIn(call)).toBe(false);
  });

  it('always returns true without a loop id, and does not remember the use (ONE-02)', () => {
    const { call, during, cells } = createFakeCall();
    const memo = loopMemo('rules');
    expect([memo.firstTimeIn(call), memo.firstTimeIn(call)]).toEqual([true, true]);
    memo.remember(call, 'n');
    expect(memo.recall(call)).toBeUndefined();
    expect(cells.size).toBe(0);
    expect(memo.firstTimeIn(during(createLoopContext('a')))).toBe(true);
  });

  it('remembers the last 16 loops, and forgets the oldest first (ONE-03)', () => {
    const { during } = createFakeCall();
    const memo = loopMemo('rules');
    for (let n = 0; n < 16; n += 1) memo.firstTimeIn(during(createLoopContext(`l${n}`)));
    expect(memo.firstTimeIn(during(createLoopContext('l0')))).toBe(false);
    expect(memo.firstTimeIn(during(createLoopContext('l16')))).toBe(true);
    expect(memo.firstTimeIn(during(createLoopContext('l1')))).toBe(false);
    expect(memo.firstTimeIn(during(createLoopContext('l0')))).toBe(true);
  });

  it('ignores unknown data in the state', () => {
    const { during, cells } = createFakeCall();
    cells.set('holdfast.memo:rules', { a: 1 });
    expect(loopMemo('rules').firstTimeIn(during(createLoopContext('a')))).toBe(true);
    cells.set('holdfast.memo:rules', ['a', ['a'], null]);
    expect(loopMemo('rules').firstTimeIn(during(createLoopContext('a')))).toBe(true);
  });

  it('returns true for one call of a batch if the calls of the tool are serial (ONE-04)', async () => {
    const ask = createAskingTool('ask', loopMemo('rules'), 'ask');
    const session = startSession([ask], [callTools('ask', 'ask', 'ask'), 'Done.']);
    await session.send('Go.');
    expect(getShownResults(session)).toEqual(['rules and answer', 'answer', 'answer']);
  });

  it('is shared by tools with the same `serial` (ONE-04)', async () => {
    const memo = loopMemo('rules');
    const tools = [createAskingTool('ask', memo, 'rules'), createAskingTool('look', memo, 'rules')];
    const session = startSession(tools, [callTools('look', 'ask'), 'Done.']);
    await session.send('Go.');
    expect(getShownResults(session)).toEqual(['rules and answer', 'answer']);
  });

  it('is kept across a restart of the Worker and the object (ONE-03)', async () => {
    const ask = createAskingTool('ask', loopMemo('rules'));
    const killed: TestSession = startSession(
      [ask, createCrashingTool(() => killed)],
      [callTools('ask'), callTools('crash'), callTools('ask'), 'Done.'],
    );
    await killed.send('Go.', { loopId: 'l' });
    expect(getShownResults(killed)).toEqual(['rules and answer', 'crashed', 'answer']);
    const restarted = startSession(
      [ask],
      [callTools('ask'), 'Done.', callTools('ask'), 'Done.', callTools('ask'), 'Done.'],
    );
    await restarted.send('Go.', { loopId: 'l' });
    restarted.restart();
    await restarted.send('On.', { loopId: 'l' });
    await restarted.send('Anew.');
    expect(getShownResults(restarted)).toEqual(['rules and answer', 'answer', 'rules and answer']);
  });

  it('does not remember a use in a call that fails later', async () => {
    const memo = loopMemo('rules');
    let isBroken = true;
    const ask = defineTool({
      name: 'ask',
      description: 'Asks.',
      run: (_, call) => {
        const first = memo.firstTimeIn(call);
        if (isBroken) throw new Error('broken');
        return String(first);
      },
    });
    const repairTool = () => {
      isBroken = false;
      return callTools('ask');
    };
    const session = startSession([ask], [callTools('ask'), repairTool, 'Done.']);
    await session.send('Go.');
    expect(getShownResults(session)).toEqual(['Error: broken', 'true']);
  });
});
