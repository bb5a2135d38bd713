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
import { answeringTool, askAgents, calls, createAgent, defineAgentic, resultsRead, TASK } from './scenes.ts';

const Fact = defineDomainType({ name: 'Fact', schema: v.object({ n: v.number() }) });
const factTool = (name: string, n: number) =>
  defineTool({ name, description: 'Finds.', effect: 'read', run: () => artifact(`Fact ${n}.`, Fact, { n }) });

/** Runs a turn whose only call is `dig`, and returns its artifacts. */
async function artifactsOf(dig: AnyTool, ...inside: readonly ScriptedReply[]) {
  const session = createTestSession(createAgent('boss', [dig]), {
    replies: [calls(['dig', { task: 'Go.' }]), ...inside, 'Found.', 'Done.'],
  });
  const answer = await session.send('Go.');
  const read = session.requests.at(-1)?.messages.at(-1)?.text;
  return { answer, read, artifacts: answer.artifacts.map(({ call: _, ...rest }) => rest) };
}

describe('the artifact of an agentic tool', () => {
  const tools = [factTool('one', 1), factTool('two', 2), answeringTool('words', 'No fact.')];
  const Place = defineDomainType({ name: 'Place', schema: v.object({ city: v.string() }) });
  const place = answeringTool('place', artifact('A place.', Place, { city: 'Ghent' }));
  const rows = answeringTool('rows', [1, 2]);

  it('is absent if no inner call returns an artifact (AGT-06)', async () => {
    expect(await artifactsOf(defineAgentic('dig', tools), calls('words'))).toMatchObject({
      read: 'Found.',
      artifacts: [],
    });
  });

  it('is that of its inner call if there is only one, with its type (AGT-06)', async () => {
    expect(await artifactsOf(defineAgentic('dig', tools), calls('words', 'one'))).toMatchObject({
      read: 'Found.',
      artifacts: [{ tool: 'dig', type: 'Fact', value: { n: 1 } }],
    });
  });

  it('is a list if inner calls return several artifacts, in the order of the calls (AGT-06)', async () => {
    expect(await artifactsOf(defineAgentic('dig', tools), calls('two', 'one'), calls('two'))).toMatchObject({
      read: 'Found.',
      artifacts: [{ tool: 'dig', type: 'Fact', value: [{ n: 2 }, { n: 1 }, { n: 2 }] }],
    });
  });

  it('keeps a type that all inner artifacts share, so that `artifactsOf` reads each of them (S0-082)', async () => {
    const { answer } = await artifactsOf(defineAgentic('dig', tools), calls('two', 'one'));
    expect(answer.artifactsOf(Fact)).toEqual([{ n: 2 }, { n: 1 }]);
  });

  it('records each type if the types of inner artifacts differ (S0-082)', async () => {
    const inside = [...tools, place, rows];
    const { answer, artifacts } = await artifactsOf(
      defineAgentic('dig', inside),
      calls('two', 'place', 'rows', 'one'),
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

  it('includes the items of a typed list, even beside other artifacts (S0-082)', async () => {
    const many = answeringTool('many', artifact('Facts.', Fact, [{ n: 8 }, { n: 9 }]));
    const alone = await artifactsOf(defineAgentic('dig', [many]), calls('many'));
    expect(alone.artifacts).toEqual([{ tool: 'dig', type: 'Fact', value: [{ n: 8 }, { n: 9 }] }]);
    expect(alone.answer.artifactsOf(Fact)).toEqual([{ n: 8 }, { n: 9 }]);
    const { artifacts } = await artifactsOf(
      defineAgentic('dig', [many, ...tools, place]),
      calls('many', 'one', 'place'),
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
    const car = (id: string) => answeringTool(`car_${id}`, artifact('A car.', Car, { id }));
    const dig = defineAgentic('dig', [...tools, car('a'), car('b')]);
    const sunk = listSink();
    const opened = answeringTool('opened', 'open');
    const playbook = definePlaybook({
      name: 'play',
      description: 'Plays.',
      input: jsonSchema(TASK),
      tools: [publishToBlackboard(sinkArtifacts(dig, sunk, { type: Fact }))],
      locked: [{ tool: opened, unlockedBy: onArtifact(Car) }],
      use: [chaining([discover(Car)])],
    });
    const session = createTestSession(createAgent('boss', [playbook]), {
      replies: [
        calls(['play', { task: 'Go.' }]),
        calls(['dig', { task: 'Go.' }]),
        calls('one', 'car_a', 'car_b'),
        'Found.',
        calls('car_a_drive', 'car_b_drive', 'opened'),
        'Played.',
        'Done.',
      ],
    });
    await session.send('Go.');
    expect(sunk.items()).toEqual([{ n: 1 }]);
    expect(resultsRead({ requests: session.requests.slice(0, -1) }).slice(-3)).toEqual([
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
      (await artifactsOf(defineAgentic('dig', [...tools, fails]), calls('fails', 'one'))).artifacts,
    ).toMatchObject([{ value: { n: 1 } }]);
  });
});

describe('the artifact of an agentic tool with another agentic tool inside', () => {
  const inner = defineAgentic('inner', [factTool('one', 1)]);
  const script = [calls(['inner', { task: 'Look.' }], 'two'), calls('one'), 'Inner found.'];
  const both = [{ tool: 'dig', type: 'Fact', value: [{ n: 1 }, { n: 2 }] }];
  const own = [{ tool: 'dig', type: 'Fact', value: { n: 2 } }];

  it.each<[string, AnyTool]>([
    ['plain', inner],
    ['decorated', withUsageNote(withUsageNote(inner, 'Slow.'), 'Careful.')],
  ])(
    'includes artifacts of the inner tool only with `captureNestedArtifacts`: %s (AGT-09)',
    async (_, nested) => {
      const tools = [nested, factTool('two', 2)];
      expect((await artifactsOf(defineAgentic('dig', tools), ...script)).artifacts).toEqual(own);
      const capturing = { captureNestedArtifacts: true };
      expect((await artifactsOf(defineAgentic('dig', tools, capturing), ...script)).artifacts).toEqual(both);
    },
  );

  it('includes artifacts of a subagent only with `captureNestedArtifacts` (AGT-09)', async () => {
    const biller = createAgent('inner', [], { output: v.object({ n: v.number() }) });
    const tools = [defineSubagent({ agent: biller }), factTool('two', 2)];
    const inside = [{ calls: [...askAgents('inner').calls, { name: 'two' }] }, '{"n":1}'];
    expect((await artifactsOf(defineAgentic('dig', tools), ...inside)).artifacts).toEqual(own);
    const capturing = { captureNestedArtifacts: true };
    expect((await artifactsOf(defineAgentic('dig', tools, capturing), ...inside)).artifacts).toEqual([
      { tool: 'dig', types: [null, 'Fact'], value: [{ n: 1 }, { n: 2 }] },
    ]);
  });

  it('includes artifacts of a pipeline, since no model decides in a pipeline (AGT-09)', async () => {
    const pipeline = definePipeline({ name: 'inner', steps: [factTool('one', 1)] });
    const inside = [calls('inner', 'two')];
    expect(
      (await artifactsOf(defineAgentic('dig', [pipeline, factTool('two', 2)]), ...inside)).artifacts,
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
    const dig = defineAgentic('dig', [inner, factTool('two', 2), again]);
    const session = createTestSession(createAgent('boss', [dig]), {
      replies: [calls(['dig', { task: 'Go.' }]), ...script, calls('again'), 'Found.', 'Done.'],
    });
    const { artifacts } = await session.send('Go.');
    expect([kills, artifacts]).toMatchObject([-1, own]);
  });
});
