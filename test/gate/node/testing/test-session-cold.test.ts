/** Tests a test session that creates its agent again for each invocation. */
import { describe, expect, it } from 'vitest';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';

const callTools = (...names: readonly string[]): ScriptedReply => ({
  calls: names.map((name) => ({ name })),
});
const COUNT_REPLIES = [callTools('count'), callTools('count'), 'Done.'];

/** Defines an agent with a counter in a closure, and one in the state of its calls. */
function createCounter() {
  let here = 0;
  const count = defineTool({
    name: 'count',
    description: 'Counts.',
    run: (_, { state }) => {
      here += 1;
      const kept = Number(state.get('kept') ?? 0) + 1;
      state.set('kept', kept);
      return { here, kept };
    },
  });
  return defineAgent({ name: 'counter', description: 'Counts.', instructions: 'Count.', tools: [count] });
}

async function collectCounts(session: ReturnType<typeof createTestSession>) {
  const answer = await session.send('Go.');
  expect(answer).toMatchObject({ outcome: 'completed', text: 'Done.' });
  return answer.artifacts.map(({ value }) => value);
}

describe('an agent that a function creates for a test session', () => {
  it('loses all state outside the journal, because a new invocation continues after each reply', async () => {
    let made = 0;
    const make = () => {
      made += 1;
      return createCounter();
    };
    const session = createTestSession(make, { replies: COUNT_REPLIES });
    expect(await collectCounts(session)).toEqual([
      { here: 1, kept: 1 },
      { here: 1, kept: 2 },
    ]);
    const types = (await session.events()).map(({ type }) => type);
    expect(types.filter((type) => type === 'turn-yielded')).toHaveLength(3);
    expect(made).toBe(5); // Once to read its definition, and once per invocation.
    expect(session.requests).toHaveLength(3);
  });

  it('runs its turn in one invocation if the session is warm', async () => {
    const session = createTestSession(createCounter, { replies: COUNT_REPLIES, warm: true });
    expect(await collectCounts(session)).toEqual([
      { here: 1, kept: 1 },
      { here: 2, kept: 2 },
    ]);
    expect((await session.events()).map(({ type }) => type)).not.toContain('turn-yielded');
  });

  it('keeps its state across invocations if an object is passed instead of a function', async () => {
    expect(await collectCounts(createTestSession(createCounter(), { replies: COUNT_REPLIES }))).toEqual([
      { here: 1, kept: 1 },
      { here: 2, kept: 2 },
    ]);
  });
});
