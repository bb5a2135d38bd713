import { describe, expect, it } from 'vitest';
import { listTools, withPlainClient } from './plain-client.ts';
import { createRealRun, type RealRun } from './real-run.ts';
import { createCallReply, createRealTalk } from './real-talk.ts';

const ada = { name: 'Ada', entityType: 'person', observations: ['writes programs'] };
const engine = { name: 'Engine', entityType: 'machine', observations: ['is made of brass'] };
const programsRelation = { from: 'Ada', to: 'Engine', relationType: 'programs' };

interface Step {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The structured content of the result. */
  readonly value: Readonly<Record<string, unknown>>;
  /** The result as the model receives it. Defaults to `value` as JSON. */
  readonly shows?: string;
}

const createDeleteStep = (tool: string, what: string, input: Step['input']): Step => ({
  tool,
  input,
  value: { success: true, message: `${what} deleted successfully` },
  shows: `${what} deleted successfully`,
});

const likesObservation = { entityName: 'Ada', addedObservations: ['likes numbers'] };

/**
 * Uses every tool of the server. Each step uses the data of the previous steps. The server formats only some of
 * its data as text.
 */
const steps: readonly Step[] = [
  {
    tool: 'create_entities',
    input: { entities: [ada, engine] },
    value: { entities: [ada, engine] },
    shows: JSON.stringify([ada, engine], null, 2),
  },
  {
    tool: 'create_relations',
    input: { relations: [programsRelation] },
    value: { relations: [programsRelation] },
    shows: JSON.stringify([programsRelation], null, 2),
  },
  {
    tool: 'add_observations',
    input: { observations: [{ entityName: 'Ada', contents: ['likes numbers'] }] },
    value: { results: [likesObservation] },
    shows: JSON.stringify([likesObservation], null, 2),
  },
  {
    tool: 'search_nodes',
    input: { query: 'brass' },
    value: { entities: [engine], relations: [programsRelation] },
  },
  createDeleteStep('delete_observations', 'Observations', {
    deletions: [{ entityName: 'Ada', observations: ['likes numbers'] }],
  }),
  {
    tool: 'open_nodes',
    input: { names: ['Ada'] },
    value: { entities: [ada], relations: [programsRelation] },
  },
  createDeleteStep('delete_relations', 'Relations', { relations: [programsRelation] }),
  createDeleteStep('delete_entities', 'Entities', { entityNames: ['Engine'] }),
  { tool: 'read_graph', input: {}, value: { entities: [ada], relations: [] } },
];

const readGraph = (run: RealRun): Promise<unknown> =>
  withPlainClient(run, async (client) => (await client.callTool({ name: 'read_graph' })).structuredContent);

describe('the real memory server used by an agent', () => {
  it('offers all of its tools to the model, and each of them can be called', async () => {
    const run = createRealRun('memory');
    const replies = [...steps.map(({ tool, input }) => createCallReply(tool, input)), 'Done.'];
    const talk = createRealTalk(run, { replies });
    const answer = await talk.say();
    expect(answer).toMatchObject({ outcome: 'completed', text: 'Done.', toolCalls: steps.length });
    const names = (await listTools(run)).map(({ name }) => name).toSorted();
    expect(talk.offered()).toEqual(names);
    expect(steps.map(({ tool }) => tool).toSorted()).toEqual(names);
    expect(await readGraph(run)).toEqual({ entities: [ada], relations: [] });
    expect(talk.shown()).toEqual(steps.map(({ value, shows }) => shows ?? JSON.stringify(value)));
    expect(answer.artifacts).toEqual(
      steps.map(({ tool, value }) => ({ call: expect.any(String), tool, value })),
    );
  });

  it('returns its own error message for a failed call', async () => {
    const observations = [{ entityName: 'Nobody', contents: ['is here'] }];
    const talk = createRealTalk(createRealRun('memory'), {
      replies: [createCallReply('add_observations', { observations }), 'Oh.'],
    });
    expect(await talk.say()).toMatchObject({ outcome: 'completed', text: 'Oh.', artifacts: [] });
    expect(talk.shown()).toEqual(['Error: Entity with name Nobody not found']);
  });

  it('keeps data of one turn for the next turn, which has its own connection', async () => {
    const run = createRealRun('memory');
    const replies = [
      createCallReply('create_entities', { entities: [ada] }),
      'Kept.',
      createCallReply('read_graph'),
      'Read.',
    ];
    const talk = createRealTalk(run, { replies });
    await talk.say();
    expect((await talk.say()).artifacts).toEqual([
      expect.objectContaining({ tool: 'read_graph', value: { entities: [ada], relations: [] } }),
    ]);
    const begun = (await run.requests()).filter(({ body }) => body.includes('"initialize"'));
    expect(begun).toHaveLength(2);
  });
});
