import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, artifact, defineDomainType, defineTool } from '../../../../src/index.ts';
import { definePipeline, defineSubagent } from '../../../../src/kinds/entry.ts';
import { withUsageNote } from '../../../../src/modules/decorators/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { startStored } from '../../../fixtures/stored.ts';
import { agent, agentic, answers, asks, calls } from './scenes.ts';

const Fact = defineDomainType({ name: 'Fact', schema: v.object({ n: v.number() }) });
const fact = (name: string, n: number) =>
  defineTool({ name, description: 'Finds.', effect: 'read', run: () => artifact(`Fact ${n}.`, Fact, { n }) });

/** The artifact of a turn whose only call is `dig`. */
async function dug(dig: AnyTool, ...inside: readonly ScriptedReply[]) {
  const session = createTestSession(agent('boss', [dig]), {
    replies: [calls(['dig', { task: 'Go.' }]), ...inside, 'Found.', 'Done.'],
  });
  const { artifacts } = await session.send('Go.');
  const read = session.requests.at(-1)?.messages.at(-1)?.text;
  return { read, artifacts: artifacts.map(({ call: _, ...rest }) => rest) };
}

describe('the artifacts of the calls inside an agentic tool', () => {
  const tools = [fact('one', 1), fact('two', 2), answers('words', 'No fact.')];

  it('none: its result is its words (AGT-06)', async () => {
    expect(await dug(agentic('dig', tools), calls('words'))).toEqual({ read: 'Found.', artifacts: [] });
  });

  it('one: it is its own, with its type (AGT-06)', async () => {
    expect(await dug(agentic('dig', tools), calls('words', 'one'))).toEqual({
      read: 'Found.',
      artifacts: [{ tool: 'dig', type: 'Fact', value: { n: 1 } }],
    });
  });

  it('several: the list of them, in the order of the calls (AGT-06)', async () => {
    expect(await dug(agentic('dig', tools), calls('two', 'one'), calls('two'))).toEqual({
      read: 'Found.',
      artifacts: [{ tool: 'dig', value: [{ n: 2 }, { n: 1 }, { n: 2 }] }],
    });
  });

  it('are none of those of a call that failed', async () => {
    const fails = defineTool({
      name: 'fails',
      description: 'Fails.',
      run: () => {
        throw new Error('No.');
      },
    });
    expect((await dug(agentic('dig', [...tools, fails]), calls('fails', 'one'))).artifacts).toMatchObject([
      { value: { n: 1 } },
    ]);
  });
});

describe('the artifacts of agentic tools inside an agentic tool', () => {
  const inner = agentic('inner', [fact('one', 1)]);
  const script = [calls(['inner', { task: 'Look.' }], 'two'), calls('one'), 'Inner found.'];
  const both = [{ tool: 'dig', value: [{ n: 1 }, { n: 2 }] }];
  const own = [{ tool: 'dig', type: 'Fact', value: { n: 2 } }];

  it.each<[string, AnyTool]>([
    ['as it is', inner],
    ['decorated', withUsageNote(withUsageNote(inner, 'Slow.'), 'Careful.')],
  ])('are not among its own, unless it captures them: %s (AGT-09)', async (_, nested) => {
    const tools = [nested, fact('two', 2)];
    expect((await dug(agentic('dig', tools), ...script)).artifacts).toEqual(own);
    const capturing = { captureNestedArtifacts: true };
    expect((await dug(agentic('dig', tools, capturing), ...script)).artifacts).toEqual(both);
  });

  it('neither are those of a subagent (AGT-09)', async () => {
    const biller = agent('inner', [], { output: v.object({ n: v.number() }) });
    const tools = [defineSubagent({ agent: biller }), fact('two', 2)];
    const inside = [{ calls: [...asks('inner').calls, { name: 'two' }] }, '{"n":1}'];
    expect((await dug(agentic('dig', tools), ...inside)).artifacts).toEqual(own);
    const capturing = { captureNestedArtifacts: true };
    expect((await dug(agentic('dig', tools, capturing), ...inside)).artifacts).toEqual(both);
  });

  it('a pipeline is no agentic tool: no model decides in it (AGT-09)', async () => {
    const pipeline = definePipeline({ name: 'inner', steps: [fact('one', 1)] });
    const inside = [calls('inner', 'two')];
    expect((await dug(agentic('dig', [pipeline, fact('two', 2)]), ...inside)).artifacts).toEqual(both);
  });

  it('are told apart after an eviction too (AGT-09)', async () => {
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
    const dig = agentic('dig', [inner, fact('two', 2), again]);
    const session = createTestSession(agent('boss', [dig]), {
      replies: [calls(['dig', { task: 'Go.' }]), ...script, calls('again'), 'Found.', 'Done.'],
    });
    const { artifacts } = await session.send('Go.');
    expect([kills, artifacts]).toMatchObject([-1, own]);
  });
});
