/** Tests that a nested loop's reply content is sent back to its provider, and stays in that loop. */
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, defineAgent, defineTool } from '../../../../src/index.ts';
import { defineAgenticTool, defineSubagent } from '../../../../src/kinds/entry.ts';
import { createTestSession, type ScriptedReply, type TestSession } from '../../../../src/testing/entry.ts';
import { createSignedReply, createSigningModel, listHeldSignatures } from './signed.ts';

const createTestAgent = (tools: readonly AnyTool[]) =>
  defineAgent({ name: 'tester', description: 'Tests.', instructions: 'Test.', tools });

const first = createSignedReply('one', { text: 'One moment.', calls: ['look', ['look', '{}']] });
const second = createSignedReply('two', { calls: ['look'] });
const third = createSignedReply('three', { text: 'Seen.' });
const SCRIPT = [first, second, third];

describe('a reply of parts in a nested loop', () => {
  const task = v.object({ task: v.string() });
  const outer = [
    createSignedReply('outer', {
      calls: [
        ['work', '{"task":"left"}'],
        ['work', '{"task":"right"}'],
      ],
    }),
    third,
  ];

  it('is sent back only to the model of that loop, even after kills', async () => {
    let kills = 0;
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      effect: 'idempotent',
      run: () => {
        kills += 1;
        if (kills === 2) session.kill();
        return 'seen';
      },
    });
    const work = defineAgenticTool({ name: 'work', description: 'Works.', input: task, tools: [look] });
    const left = [
      createSignedReply('l1', { calls: ['look', 'look'] }),
      createSignedReply('l2', { calls: ['look'] }),
    ];
    const right = [createSignedReply('r1', { calls: ['look'] })];
    const replyByTask: ScriptedReply = ({ messages }) => {
      const done = messages.filter(({ role }) => role === 'assistant').length;
      const task = messages[1]?.text ?? '';
      if (task.includes('left')) return left[done] ?? 'The left.';
      if (task.includes('right')) return right[done] ?? 'The right.';
      return outer[done] ?? 'Yes.';
    };
    const session: TestSession = createTestSession(createTestAgent([work]), {
      model: createSigningModel(Array.from({ length: 20 }, () => replyByTask)),
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Seen.' });
    session.restart();
    await session.send('Yes?');
    const all = [...outer, ...left, ...right];
    const held = listHeldSignatures(session.requests, all).map((one) => one.join());
    expect(new Set(held)).toEqual(new Set(['', '0', '0,1', '2', '2,3', '4']));
    expect(held.slice(-1)).toEqual(['0,1']);
  });

  it('is sent back to the model of a subagent', async () => {
    const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });
    const helper = defineAgent({
      name: 'helper',
      description: 'Helps.',
      instructions: 'Help.',
      tools: [look],
    });
    const replies = [
      createSignedReply('asks', { calls: [['helper', '{"message":"Help."}']] }),
      ...SCRIPT,
      createSignedReply('end', { text: 'Done.' }),
    ];
    const session = createTestSession(createTestAgent([defineSubagent({ agent: helper })]), {
      model: createSigningModel(replies),
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(listHeldSignatures(session.requests, replies)).toEqual([[], [], [1], [1, 2], [0]]);
    expect(JSON.stringify(session.requests.at(-1))).not.toContain('three thinks.');
  });
});
