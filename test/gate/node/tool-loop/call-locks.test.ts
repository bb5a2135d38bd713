import { describe, expect, it } from 'vitest';
import { exclusively } from '../../../../src/kinds/entry.ts';
import { decorate } from '../../../../src/modules/decorators/entry.ts';
import { scriptedModel } from '../../../../src/testing/entry.ts';
import { createEmptyState, reduce, type TurnState } from '../../../doors/journal.ts';
import { CallLocks, createMemoryLoop, runForOutput } from '../../../doors/loop.ts';
import { waitForPromises } from '../../../doors/testing.ts';
import { createReadingTool, getShownResults } from './scenes.ts';

const createCalls = (...ids: readonly string[]) =>
  ids.map((id) => ({ id, providerId: id, name: 'work', input: '{}' }));

/**
 * Returns an interrupted turn with the calls `desk` and `next`. Inside `desk`, `begun` had started and
 * `fresh` had not.
 */
function runLeftTurn(): TurnState {
  const state = createEmptyState();
  const turn = 't';
  const reply = { turn, text: '', model: 'm', finish: 'tool-calls' } as const;
  const events = [
    { type: 'turn-started', turn, loopId: turn, message: 'Go.', context: {}, principal: { id: '' } },
    { type: 'model-replied', ...reply, toolCalls: createCalls('desk', 'next') },
    { type: 'frame-started', turn, frame: 'desk', name: 'desk', message: 'Go.' },
    { type: 'model-replied', ...reply, frame: 'desk', toolCalls: createCalls('begun', 'fresh') },
    { type: 'tool-call-started', turn, frame: 'desk', call: 'begun', effect: 'once' },
  ] as const;
  reduce(state, { seq: 1, type: 'session-opened', incarnation: 'i', agent: 'memory' });
  events.forEach((event, index) => {
    reduce(state, { seq: index + 2, ...event });
  });
  if (!state.turn) throw new Error('There is no turn.');
  return state.turn;
}

/** Returns a function that requests a lock, and a list of the calls that hold or held one. */
function createAsker(locks: CallLocks) {
  const having: string[] = [];
  return {
    ask: (call: string, path = 'memory/desk', word = '41') =>
      void locks.acquire({ call, path, word }).then(() => having.push(call)),
    async having() {
      await waitForPromises();
      return having;
    },
  };
}

describe('calls with the same lock key', () => {
  it('run one after another, and a call that holds the lock can request it again', async () => {
    const locks = new CallLocks();
    const { ask, having } = createAsker(locks);
    for (const call of ['a', 'b', 'a', 'c']) ask(call);
    expect(await having()).toEqual(['a', 'a']);
    locks.release('a');
    expect(await having()).toEqual(['a', 'a', 'b']);
    locks.release('b');
    expect(await having()).toEqual(['a', 'a', 'b', 'c']);
  });

  it('do not block calls with another key or path', async () => {
    const { ask, having } = createAsker(new CallLocks());
    ask('a');
    ask('b', 'memory/desk', '42');
    ask('c', 'memory');
    expect(await having()).toEqual(['a', 'b', 'c']);
  });

  it('keep their order if a waiting call is abandoned', async () => {
    const locks = new CallLocks();
    const { ask, having } = createAsker(locks);
    for (const call of ['a', 'b', 'c']) ask(call);
    locks.release('b');
    expect(await having()).toEqual(['a']);
  });
});

describe('a call that an earlier invocation started', () => {
  it('resumes immediately, and blocks all other calls of its path, regardless of their keys', async () => {
    const locks = new CallLocks(runLeftTurn());
    const { ask, having } = createAsker(locks);
    ask('fresh');
    ask('other', 'memory/desk', '42');
    ask('begun');
    ask('far', 'memory/shop');
    expect(await having()).toEqual(['begun', 'far']);
    locks.release('begun');
    expect(await having()).toEqual(['begun', 'far', 'fresh', 'other']);
  });

  it('stops blocking other calls if the call around its loop is abandoned', async () => {
    const locks = new CallLocks(runLeftTurn());
    const { ask, having } = createAsker(locks);
    ask('fresh');
    ask('next', 'memory');
    expect(await having()).toEqual([]);
    locks.release('desk');
    expect((await having()).toSorted()).toEqual(['fresh', 'next']);
  });

  it.each(['begun', 'desk'])(
    'blocks no other call if this invocation has already resumed %s',
    async (call) => {
      const { ask, having } = createAsker(new CallLocks(runLeftTurn(), new Set([call])));
      ask('fresh');
      expect(await having()).toEqual(['fresh']);
    },
  );
});

it('a call that this invocation started does not keep other calls from running exclusively', async () => {
  const began = Promise.withResolvers<void>();
  const over = Promise.withResolvers<string>();
  const slow = createReadingTool('slow', () => {
    began.resolve();
    return over.promise;
  });
  const quick = createReadingTool('quick', () => 'quick ran');
  const asks = decorate(quick, {
    async call(input, call) {
      await began.promise;
      const result = await exclusively(call, 'desk', () => quick.call(input, call));
      over.resolve(`slow ran after it: ${result.text()}`);
      return result;
    },
  });
  const model = scriptedModel([{ calls: [{ name: 'slow' }, { name: 'quick' }] }, 'Done.']);
  const { loop } = createMemoryLoop({ tools: [slow, asks], model, message: 'Go.' });
  await runForOutput(loop);
  expect(getShownResults(model.requests.at(-1))).toEqual(['slow ran after it: quick ran', 'quick ran']);
}, 5_000);
