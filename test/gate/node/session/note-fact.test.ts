/** Facts that modules record outside of the turns of a session. */
import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../../src/index.ts';
import { defineModule } from '../../../../src/module.ts';
import type { SessionState } from '../../../../src/testing/entry.ts';
import { recordFact } from '../../../doors/session.ts';
import { callTools } from '../tool-loop/scenes.ts';
import { createMemoryApp } from './memory-app.ts';

const marks = defineModule({
  name: 'marks',
  state: {
    initial: [] as string[],
    scope: 'session',
    apply: (all: string[], mark: string) => [...all, mark],
  },
});

const getTurnId = ({ turn }: SessionState): string => turn?.id ?? '';

const getMarks = ({ memories }: SessionState): unknown => memories.get(marks.memory.name);

function createScene() {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hold = defineTool({
    name: 'hold',
    description: 'Holds.',
    effect: 'read',
    run: async () => {
      await released;
      return 'held';
    },
  });
  const app = createMemoryApp({
    tools: [hold],
    use: [marks.use()],
    replies: ['First.', callTools('hold'), 'Second.', 'Third.'],
  });
  const note = (turn: string, fact: string) =>
    recordFact(app.port, marks, { turn, memory: marks.memory, fact, at: 5 });
  return { app, note, release };
}

describe('a fact that is recorded outside of a turn', () => {
  it('is journaled and folded even after its turn has ended', async () => {
    const { app, note } = createScene();
    await app.say('One.');
    const { turn } = await app.state();
    expect(await note(turn?.id ?? '', 'a')).toBe('posted');
    expect(getMarks(await app.state())).toEqual(['a']);
    expect((await app.events(turn?.id ?? '')).at(-1)).toMatchObject({
      type: 'module-event',
      turn: turn?.id,
      module: 'app:marks',
      facts: [{ slice: 'app:marks', fact: 'a', at: 5 }],
    });
    expect((await app.state()).turn?.outcome).toBe('completed');
    expect(await note(turn?.id ?? '', 'b')).toBe('posted');
    expect(getMarks(await app.state())).toEqual(['a', 'b']);
  });

  it('is journaled when the running turn stops, without a further iteration', async () => {
    const { app, note, release } = createScene();
    await app.say('One.');
    const first = getTurnId(await app.state());
    const second = app.say('Two.');
    await expect.poll(async () => (await app.state()).turn?.toolCalls).toBe(1);
    expect(await note(first, 'c')).toBe('posted');
    release();
    expect(await second).toMatchObject({ status: 'ended', turn: { outcome: 'completed', iterations: 2 } });
    const state = await app.state();
    expect(getMarks(state)).toEqual(['c']);
    const noted = (await app.events(first)).filter(({ type }) => type === 'module-event');
    expect(noted).toHaveLength(1);
  });

  it('is rejected for an unknown turn', async () => {
    const { app, note } = createScene();
    await app.say('One.');
    expect(await note('t9', 'd')).toBe('no-such-turn');
    expect(getMarks(await app.state())).toEqual([]);
  });
});
