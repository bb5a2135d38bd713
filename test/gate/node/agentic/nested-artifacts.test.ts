import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, artifact, defineDomainType, defineTool } from '../../../../src/index.ts';
import {
  chaining,
  definePipeline,
  definePlaybook,
  defineSubagent,
  discover,
  onArtifact,
} from '../../../../src/kinds/entry.ts';
import {
  listSink,
  publishToBlackboard,
  sinkArtifacts,
  withUsageNote,
} from '../../../../src/modules/decorators/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { startStored } from '../../../fixtures/stored.ts';
import {
  askAgents,
  callTools,
  createAgent,
  createAnsweringTool,
  defineAgentic,
  getResults,
  TASK_SCHEMA,
} from './scenes.ts';

const Fact = defineDomainType({ name: 'Fact', schema: v.object({ n: v.number() }) });
const createFactTool = (name: string, n: number) =>
  defineTool({ name, description: 'Finds.', effect: 'read', run: () => artifact(`Fact ${n}.`, Fact, { n }) });

/** Runs a turn whose only call is `dig`, and returns its artifacts. */
async function collectArtifacts(dig: AnyTool, ...inside: readonly ScriptedReply[]) {
  const session = createTestSession(createAgent('boss', [dig]), {
    replies: [callTools(['dig', { task: 'Go.' }]), ...inside, 'Found.', 'Done.'],
  });
  const answer = await session.send('Go.');
  const read = session.requests.at(-1)?.messages.at(-1)?.text;
  return { answer, read, artifacts: answer.artifacts.map(({ call: _, ...rest }) => rest) };
}

describe('the artifact of an agentic tool', () => {
  const tools = [
    createFactTool('one', 1),
    createFactTool('two', 2),
    createAnsweringTool('words', 'No fact.'),
  ];
  const Place = defineDomainType({ name: 'Place', schema: v.object({ city: v.string() }) });
  const place = createAnsweringTool('place', artifact('A place.', Place, { city: 'Ghent' }));
  const rows = createAnsweringTool('rows', [1, 2]);

  it('is absent if no inner call returns an artifact (AGT-06)', async () => {
    expect(await collectArtifacts(defineAgentic('dig', tools), callTools('words'))).toMatchObject({
      read: 'Found.',
      artifacts: [],
    });
  });

  it('is the artifact of its inner call if there is only one, with the same type (AGT-06)', async () => {
    expect(await collectArtifacts(defineAgentic('dig', tools), callTools('words', 'one'))).toMatchObject({
      read: 'Found.',
      artifacts: [{ tool: 'dig', type: 'Fact', value: { n: 1 } }],
    });
  });

  it('is a list if inner calls return several artifacts, in the order of the calls (AGT-06)', async () => {
    expect(
      await collectArtifacts(defineAgentic('dig', tools), callTools('two', 'one'), callTools('two')),
    ).toMatchObject({
      read: 'Found.',
      artifacts: [{ tool: 'dig', type: 'Fact', value: [{ n: 2 }, { n: 1 }, { n: 2 }] }],
    });
  });

  it('keeps a type that all inner artifacts share, so that `artifactsOf` reads each of them (S0-082)', async () => {
    const { answer } = await collectArtifacts(defineAgentic('dig', tools), callTools('two', 'one'));
    expect(answer.artifactsOf(Fact)).toEqual([{ n: 2 }, { n: 1 }]);
  });

  it('records each type if the types of inner artifacts differ (S0-082)', async () => {
    const inside = [...tools, place, rows];
    const { answer, artifacts } = await collectArtifacts(
      defineAgentic('dig', inside),
      callTools('two', 'place', 'rows', 'one'),
    );
    expect(artifacts).toEqual([
      {
        tool: 'dig',
        types: ['Fact', 'Place', null, 'Fact'],
        value: [{ n: 2 }, { city: 'Ghent' }, [1, 2], { n: 1 }],
      },
    ]);
    expect(answer.artifactsOf(Fact)).toEqual([{ n: 2 }, { n: 1 }]);
    expect(answer.artifactsOf(Place)).toEqual([{ city: 'Ghent' }]);
  });

  it('includes the items of a typed list, even together with other artifacts (S0-082)', async () => {
    const many = createAnsweringTool('many', artifact('Facts.', Fact, [{ n: 8 }, { n: 9 }]));
    const alone = await collectArtifacts(defineAgentic('dig', [many]), callTools('many'));
    expect(alone.artifacts).toEqual([{ tool: 'dig', type: 'Fact', value: [{ n: 8 }, { n: 9 }] }]);
    expect(alone.answer.artifactsOf(Fact)).toEqual([{ n: 8 }, { n: 9 }]);
    const { artifacts } = await collectArtifacts(
      defineAgentic('dig', [many, ...tools, place]),
      callTools('many', 'one', 'place'),
    );
    expect(artifacts).toMatchObject([{ types: ['Fact', 'Fact', 'Fact', 'Place'] }]);
  });

  it('passes each inner artifact to outer sinks, playbooks and chains by its type (S0-082)', async () => {
    const Car = defineDomainType({
      name: 'Car',
      schema: v.object({ id: v.string() }),
      tools: ({ id }) => [
        defineTool({ name: 'drive', description: 'Drives.', effect: 'read', run: () => `${id} drives` }),
      ],
    });
    const createCarTool = (id: string) => createAnsweringTool(`car_${id}`, artifact('A car.', Car, { id }));
    const dig = defineAgentic('dig', [...tools, createCarTool('a'), createCarTool('b')]);
    const sunk = listSink();
    const opened = createAnsweringTool('opened', 'open');
    const playbook = definePlaybook({
      name: 'play',
      description: 'Plays.',
      input: jsonSchema(TASK_SCHEMA),
      tools: [publishToBlackboard(sinkArtifacts(dig, sunk, { type: Fact }))],
      locked: [{ tool: opened, unlockedBy: onArtifact(Car) }],
      use: [chaining([discover(Car)])],
    });
    const session = createTestSession(createAgent('boss', [playbook]), {
      replies: [
        callTools(['play', { task: 'Go.' }]),
        callTools(['dig', { task: 'Go.' }]),
        callTools('one', 'car_a', 'car_b'),
        'Found.',
        callTools('car_a_drive', 'car_b_drive', 'opened'),
        'Played.',
        'Done.',
      ],
    });
    await session.send('Go.');
    expect(sunk.items()).toEqual([{ n: 1 }]);
    expect(getResults({ requests: session.requests.slice(0, -1) }).slice(-3)).toEqual([
      'a drives',
      'b drives',
      'open',
    ]);
    expect((await session.state()).blackboard).toEqual([
      { type: 'Fact', value: { n: 1 } },
      { type: 'Car', value: { id: 'a' } },
      { type: 'Car', value: { id: 'b' } },
    ]);
  });

  it('does not include artifacts of a failed call', async () => {
    const fails = defineTool({
      name: 'fails',
      description: 'Fails.',
      run: () => {
        throw new Error('No.');
      },
    });
    expect(
      (await collectArtifacts(defineAgentic('dig', [...tools, fails]), callTools('fails', 'one'))).artifacts,
    ).toMatchObject([{ value: { n: 1 } }]);
  });
});

describe('the artifact of an agentic tool with another agentic tool inside', () => {
  const inner = defineAgentic('inner', [createFactTool('one', 1)]);
  const script = [callTools(['inner', { task: 'Look.' }], 'two'), callTools('one'), 'Inner found.'];
  const both = [{ tool: 'dig', type: 'Fact', value: [{ n: 1 }, { n: 2 }] }];
  const own = [{ tool: 'dig', type: 'Fact', value: { n: 2 } }];

  it.each<[string, AnyTool]>([
    ['plain', inner],
    ['decorated', withUsageNote(withUsageNote(inner, 'Slow.'), 'Careful.')],
  ])(
    'includes artifacts of the inner tool only with `captureNestedArtifacts`: %s (AGT-09)',
    async (_, nested) => {
      const tools = [nested, createFactTool('two', 2)];
      expect((await collectArtifacts(defineAgentic('dig', tools), ...script)).artifacts).toEqual(own);
      const capturing = { captureNestedArtifacts: true };
      expect((await collectArtifacts(defineAgentic('dig', tools, capturing), ...script)).artifacts).toEqual(
        both,
      );
    },
  );

  it('includes artifacts of a subagent only with `captureNestedArtifacts` (AGT-09)', async () => {
    const biller = createAgent('inner', [], { output: v.object({ n: v.number() }) });
    const tools = [defineSubagent({ agent: biller }), createFactTool('two', 2)];
    const inside = [{ calls: [...askAgents('inner').calls, { name: 'two' }] }, '{"n":1}'];
    expect((await collectArtifacts(defineAgentic('dig', tools), ...inside)).artifacts).toEqual(own);
    const capturing = { captureNestedArtifacts: true };
    expect((await collectArtifacts(defineAgentic('dig', tools, capturing), ...inside)).artifacts).toEqual([
      { tool: 'dig', types: [null, 'Fact'], value: [{ n: 1 }, { n: 2 }] },
    ]);
  });

  it('includes artifacts of a pipeline, since no model decides in a pipeline (AGT-09)', async () => {
    const pipeline = definePipeline({ name: 'inner', steps: [createFactTool('one', 1)] });
    const inside = [callTools('inner', 'two')];
    expect(
      (await collectArtifacts(defineAgentic('dig', [pipeline, createFactTool('two', 2)]), ...inside))
        .artifacts,
    ).toEqual(both);
  });

  it('excludes the artifacts of the inner tool after an eviction too (AGT-09)', async () => {
    const again = defineTool({
      name: 'again',
      description: 'Kills the Worker once.',
      effect: 'read',
      run: async (_, call) => {
        await startStored(session, call);
        if (kills-- > 0) session.kill();
        return 'again';
      },
    });
    let kills = 1;
    const dig = defineAgentic('dig', [inner, createFactTool('two', 2), again]);
    const session = createTestSession(createAgent('boss', [dig]), {
      replies: [callTools(['dig', { task: 'Go.' }]), ...script, callTools('again'), 'Found.', 'Done.'],
    });
    const { artifacts } = await session.send('Go.');
    expect([kills, artifacts]).toMatchObject([-1, own]);
  });
});
