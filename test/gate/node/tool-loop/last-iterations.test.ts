import { expect, it } from 'vitest';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import { inspect, type LoopInspector, metricsInspector } from '../../../../src/modules/inspect/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { callTools, createDiggingTool } from './scenes.ts';

const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });

/** Returns the iterations that an inspector receives, each with its number of calls. */
async function listIterations(replies: readonly ScriptedReply[], limits = {}): Promise<number[][]> {
  const seen: number[][] = [];
  const inspector: LoopInspector = {
    afterIteration: ({ iteration, calls: made }) => seen.push([iteration, made.length]),
  };
  const base = { name: 'clerk', description: 'Works.', instructions: '', tools: [look] };
  const agent = defineAgent({ ...base, use: [inspect(inspector)], limits });
  await createTestSession(agent, { replies }).send('Go.');
  return seen;
}

it('an inspector receives the last iteration even if a limit was reached (CBK-04)', async () => {
  expect(await listIterations([callTools('look'), 'Best.'], { iterations: 1 })).toEqual([
    [1, 1],
    [2, 0],
  ]);
});

it('an inspector receives an iteration with a blank reply (CBK-04)', async () => {
  expect(await listIterations(['', 'Best.'])).toEqual([
    [1, 0],
    [2, 0],
  ]);
});

it('metrics attribute a call in a nested loop to the agent of the turn (AEL-04)', async () => {
  const tags: unknown[] = [];
  const metrics = { count: (_: string, __: number, tag: unknown) => void tags.push(tag), value: () => {} };
  const base = { name: 'clerk', description: 'Works.', instructions: '', tools: [createDiggingTool([look])] };
  const agent = defineAgent({ ...base, use: [inspect(metricsInspector(metrics))] });
  await createTestSession(agent, { replies: [callTools('dig'), callTools('look'), 'Dug.', 'Done.'] }).send(
    'Go.',
  );
  expect(tags).toEqual([
    { tool: 'look', agent: 'clerk' },
    { tool: 'dig', agent: 'clerk' },
  ]);
});
