import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, defineAgent, defineTool } from '../../../../src/index.ts';
import { defineUnfolding } from '../../../../src/kinds/entry.ts';
import { offlineModel } from '../../../../src/offline-model/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { offlineNotice } from '../../../doors/model.ts';

const createLookTool = (
  name: string,
  description: string,
  run: () => object,
  input: v.ObjectEntries = {},
): AnyTool => defineTool({ name, description, effect: 'read', input: v.object(input), run });

const flomp = { flomp_id: 'F-1', color: 'blue' };
const tools: readonly AnyTool[] = [
  defineUnfolding({
    name: 'workshop',
    description: 'Flomps and the glorks that they are made of.',
    tools: [
      defineUnfolding({
        name: 'flomps',
        description: 'Flomps: make, list, see.',
        tools: [
          createLookTool('get_flomp', 'One flomp.', () => flomp, { flomp_id: v.string() }),
          createLookTool('list_flomps', 'The flomps there are.', () => [flomp]),
          createLookTool('create_flomp', 'Creates a flomp.', () => flomp, { title: v.string() }),
          createLookTool('update_flomp', 'Updates a flomp.', () => flomp, {
            flomp_id: v.string(),
            title: v.optional(v.string()),
          }),
        ],
        childToolUsageNotes: 'Flomps are heavy.',
      }),
    ],
  }),
  defineUnfolding({
    name: 'yard',
    description: 'Zarniks.',
    tools: [
      defineUnfolding({
        name: 'zarniks',
        description: 'Zarniks: make them.',
        tools: [
          createLookTool('create_zarnik', 'Creates a zarnik.', () => ({ zarnik_id: 'Z-1' }), {
            title: v.string(),
          }),
        ],
      }),
    ],
  }),
];

/** Returns the calls after the last message, and the answer without its notice. */
async function planCalls(...messages: readonly string[]) {
  const agent = defineAgent({ name: 'a', description: 'a', instructions: 'a', tools });
  const session = createTestSession(agent, { model: offlineModel() });
  let text = '';
  for (const message of messages) ({ text } = await session.send(message));
  const { messages: said } = await session.state();
  const turn = said.slice(said.findLastIndex(({ role }) => role === 'user'));
  const calls = turn.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
  return {
    calls: calls.map(({ name, input }) => `${name} ${input}`),
    answer: text.replace(`\n${offlineNotice}`, ''),
  };
}

describe('the offline model with unfolding tools', () => {
  it('opens nested tools on its way to a look-up, and answers only from the look-up', async () => {
    expect(await planCalls('Show flomp F-1')).toEqual({
      calls: ['workshop {}', 'flomps {}', 'get_flomp {"flomp_id":"F-1"}'],
      answer: 'get_flomp (F-1): flomp id: F-1, color: blue',
    });
  });

  it('opens the tools again in the next turn, in which they are closed', async () => {
    const { calls } = await planCalls('Show flomp F-1', 'Show flomp F-2');
    expect(calls).toEqual(['workshop {}', 'flomps {}', 'get_flomp {"flomp_id":"F-2"}']);
  });

  it('does not use an open tool if a closed tool fits the object of the order better', async () => {
    const { calls } = await planCalls('Create a flomp "one", then create a zarnik "two"');
    expect(calls).toEqual([
      ...['workshop {}', 'flomps {}', 'create_flomp {"title":"one"}'],
      ...['yard {}', 'zarniks {}', 'create_zarnik {"title":"two"}'],
    ]);
  });

  it('reports its earlier look-ups, but not the tools that it opened for them', async () => {
    const { calls, answer } = await planCalls('Show flomp F-1', 'Hello');
    expect([calls, answer]).toEqual([[], 'Known from get_flomp (F-1): flomp id: F-1, color: blue']);
  });

  it.each(['List the flomps', 'Which flomps are there?'])(
    'prefers a tool with the exact words of "%s" to a tool for an earlier value',
    async (message) => {
      expect((await planCalls('Show flomp F-1', message)).calls.at(-1)).toBe('list_flomps {}');
    },
  );

  it('uses a value only for the parameter that the message mentions', async () => {
    const read = createLookTool('read_flomp', 'Reads a flomp for a theme.', () => flomp, {
      flomp_id: v.string(),
      theme: v.string(),
    });
    const agent = defineAgent({ name: 'a', description: 'a', instructions: 'a', tools: [read] });
    const session = createTestSession(agent, { model: offlineModel() });
    expect(await session.send('Read the flomp for the theme "tides"')).toMatchObject({ toolCalls: 0 });
  });

  it('fills an optional text with the quotation that follows its name', async () => {
    const { calls } = await planCalls('Update flomp F-1: title "Old Blue"');
    expect(calls.at(-1)).toBe('update_flomp {"flomp_id":"F-1","title":"Old Blue"}');
  });
});
