/** The state that an invocation folds as it emits events equals a later fold of the journal. */
import { expect, it } from 'vitest';
import { type AnyTool, defineAgent, defineTool } from '../../../../src/index.ts';
import { defineAgenticTool, defineUnfolding } from '../../../../src/kinds/entry.ts';
import { defineModule } from '../../../../src/module.ts';
import { summarize } from '../../../../src/modules/compaction/entry.ts';
import { decorate } from '../../../../src/modules/decorators/entry.ts';
import { createTestSession, type TestSession } from '../../../../src/testing/entry.ts';
import { createLongMessage, joinFirstWords } from './compaction-scene.ts';
import { withLiveState } from './live-state.ts';

const words = defineModule({
  name: 'words',
  state: { initial: [], apply: (all: readonly string[], word: string) => [...all, word] },
});

const echo = defineTool({ name: 'echo', description: 'Echoes.', run: () => 'echoed' });

/** Changes all state that a call can change. */
const writeTool = defineTool({
  name: 'note',
  description: 'Notes.',
  effect: 'idempotent',
  run(_, { state, blackboard }) {
    state.set('seen', { at: [1] });
    blackboard.add({ type: 'note', value: { at: 1 } });
    return { noted: true };
  },
});

/** `writeTool`, with a decorator that also remembers the call. */
const note: AnyTool = decorate(writeTool, {
  call(input, call) {
    words.remember(call, 'noted', { on: 'end' });
    return writeTool.call(input, call);
  },
});

it('a running invocation has the same state as a later fold of its journal', async () => {
  const steer = defineTool({
    name: 'steer',
    description: 'Steers.',
    run: async () => {
      await session.post('In blue.', { whenBusy: 'steer' });
      return 'steered';
    },
  });
  const dig = defineAgenticTool({ name: 'dig', description: 'Digs.', instructions: 'Dig.', tools: [note] });
  const files = defineUnfolding({ name: 'files', description: 'Files.', tools: [echo] });
  const declared = defineAgent({
    name: 'clerk',
    description: 'Works.',
    instructions: 'Work.',
    tools: [note, steer, dig, files],
    use: [summarize({ overTokens: 150, keepTurns: 0, summarize: joinFirstWords })],
  });
  const { agent, live } = withLiveState(declared);
  const createCallReply = (...names: readonly string[]) => ({
    text: 'So.',
    calls: names.map((name) => ({ name })),
    usage: { inputTokens: 10, outputTokens: 5 },
  });
  const session: TestSession = createTestSession(agent, {
    use: [words.use()],
    replies: [
      'A.',
      createCallReply('note', 'files'),
      createCallReply('dig', 'echo', 'nobody'),
      createCallReply('note'),
      'Dug.',
      createCallReply('steer'),
      'Blue.',
    ],
    warm: true,
  });
  await session.send(createLongMessage('a'));
  expect(await session.send(createLongMessage('b'))).toMatchObject({ outcome: 'completed', text: 'Blue.' });
  const types = new Set((await session.events()).map(({ type }) => type));
  expect([...types]).toEqual([
    'session-opened',
    'turn-started',
    'model-replied',
    'turn-ended',
    'conversation-cut',
    'tool-call-started',
    'tool-call-ended',
    'tools-changed',
    'frame-started',
    'turn-steered',
  ]);
  const refolded = await session.state();
  expect(refolded.memories.get('app:words')).toEqual(['noted', 'noted']);
  expect(refolded.blackboard).toHaveLength(2);
  expect(live()).toStrictEqual(refolded);
});
