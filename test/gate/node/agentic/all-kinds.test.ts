import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, artifact, defineTool } from '../../../../src/index.ts';
import { defineAgenticTool, definePlaybook, defineStateMachine } from '../../../../src/kinds/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { callTools, createAgent } from './scenes.ts';

interface Options {
  readonly limits?: { readonly iterations: number };
  readonly captureNestedArtifacts?: boolean;
}

const base = { name: 'dig', description: 'Digs.', input: v.object({ task: v.string() }) };
const findTool = defineTool({
  name: 'look',
  description: 'Looks.',
  effect: 'read',
  run: () => artifact('Seen.', { n: 1 }),
});

describe.each<[string, (tools: readonly AnyTool[], options: Options) => AnyTool]>([
  ['an agentic tool', (tools, options) => defineAgenticTool({ ...base, tools, ...options })],
  ['a playbook', (tools, options) => definePlaybook({ ...base, tools, locked: [], ...options })],
  [
    'a state machine',
    (tools, options) => defineStateMachine({ ...base, initial: 'only', states: { only: tools }, ...options }),
  ],
])('%s', (_, define) => {
  it('has its own limit of iterations (AGT-05)', async () => {
    const session = createTestSession(
      createAgent('boss', [define([findTool], { limits: { iterations: 1 } })]),
      {
        replies: [callTools(['dig', { task: 'Go.' }]), callTools('look'), 'So far.', 'Done.'],
      },
    );
    await session.send('Go.');
    expect(session.requests[2]).toMatchObject({ settings: { toolChoice: 'none' } });
    expect(session.requests[2]?.messages.at(-1)?.text).toContain('Maximum tool iterations (1) reached');
  });

  it.each([
    [true, [{ tool: 'dig', value: { n: 1 } }]],
    [false, []],
  ])(
    'includes the artifacts of inner agentic tools if `captureNestedArtifacts` is %j (AGT-09)',
    async (captures, own) => {
      const inner = defineAgenticTool({ ...base, name: 'inner', tools: [findTool] });
      const tool = define([inner], { captureNestedArtifacts: captures });
      const session = createTestSession(createAgent('boss', [tool]), {
        replies: [
          callTools(['dig', { task: 'Go.' }]),
          callTools(['inner', { task: 'Look.' }]),
          callTools('look'),
          'Inner found.',
          'Found.',
          'Done.',
        ],
      });
      const { artifacts } = await session.send('Go.');
      expect(artifacts.map(({ call: _call, ...rest }) => rest)).toEqual(own);
    },
  );
});
