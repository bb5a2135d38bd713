import { describe, expect, it } from 'vitest';
import { type Agent, type AnyTool, defineTool, toolProvider } from '../../../../src/index.ts';
import { defineInjectionStrategy, defineSubagent } from '../../../../src/kinds/entry.ts';
import { inspect } from '../../../../src/modules/inspect/entry.ts';
import { callLimits } from '../../../../src/modules/limits/entry.ts';
import {
  defineToolGroup,
  toolGroups as registered,
  toolGroup,
} from '../../../../src/modules/tool-groups/entry.ts';
import { defineTransformer } from '../../../../src/modules/transformers/entry.ts';
import { scriptedModel } from '../../../../src/testing/entry.ts';
import { runBare } from '../tool-loop/bare-loop.ts';
import {
  askAgents,
  callTools,
  createAgent,
  createAnsweringTool,
  getOfferedTools,
  getResults,
  replyByLoop,
  runTurn,
} from './scenes.ts';

const look = createAnsweringTool('look', 'seen');

describe('the frame of a subagent', () => {
  it('uses the model of its agent, or the model of the app by default (SUB-09)', async () => {
    const own = scriptedModel(['From mine.']);
    const mine = createAgent('mine', [], { model: own });
    const theirs = createAgent('theirs');
    const tools = [defineSubagent({ agent: mine }), defineSubagent({ agent: theirs })];
    const { read, session } = await runTurn(
      tools,
      replyByLoop({
        'You are boss.': [askAgents('mine', 'theirs'), 'Done.'],
        'You are theirs.': ['From the app’s.'],
      }),
    );
    expect(read).toEqual(['From mine.', 'From the app’s.']);
    expect([own.requests.length, session.requests.length]).toEqual([1, 3]);
  });

  it('uses the iteration limit of its agent', async () => {
    const short = createAgent('clerk', [look], { limits: { iterations: 1 } });
    const script = [askAgents('clerk'), callTools('look'), 'So far.', 'Done.'];
    const { read, session } = await runTurn([defineSubagent({ agent: short })], script);
    expect([read, session.requests[2]?.settings]).toEqual([['So far.'], { toolChoice: 'none' }]);
  });

  it.each<[string, Parameters<typeof createAgent>[2], string]>([
    [
      'in total',
      { use: [callLimits({ toolCalls: 2 })] },
      'Total tool call limit (2) exceeded for this task. No further tool calls are allowed.',
    ],
    [
      'for one tool',
      { use: [callLimits({ callsPerTool: { look: 2 } })] },
      "Tool call limit (2) exceeded for tool 'look'. No further calls to this tool are allowed in this task.",
    ],
  ])('uses the call limits of its agent %s, which count only its own calls', async (_, limits, why) => {
    const own = createAgent('clerk', [look], limits);
    const before = callTools('look', 'look', 'look');
    const script = [
      before,
      askAgents('clerk'),
      callTools('look', 'look', 'look'),
      'Filed.',
      callTools('look'),
      'Done.',
    ];
    const { session, answer } = await runTurn([look, defineSubagent({ agent: own })], script);
    const told = session.requests[3]?.messages.slice(-3).map(({ text }) => text);
    expect(told).toEqual(['seen', 'seen', `Error: ${why}`]);
    expect(session.requests.at(-1)?.messages.at(-1)?.text).toBe('seen');
    expect(answer).toMatchObject({ outcome: 'limit-reached', text: 'Done.' });
  });

  it('also uses the call limits of the outer loops (SUB-09)', async () => {
    const own = createAgent('clerk', [look], {});
    const boss = { use: [callLimits({ toolCalls: 3 })] };
    const script = [askAgents('clerk'), callTools('look', 'look', 'look'), 'Filed.', 'Done.'];
    const { session } = await runTurn([defineSubagent({ agent: own })], script, { boss });
    expect(session.requests[2]?.messages.slice(-2).map(({ text }) => text)).toEqual([
      'seen',
      'Error: Total tool call limit (3) exceeded for this turn. No further tool calls are allowed.',
    ]);
  });

  it('uses the strategies and providers of its agent', async () => {
    const hiding = {
      name: 'hide',
      offer: (tools: readonly AnyTool[]) => tools.filter(({ name }) => name !== 'look'),
    };
    const providing = toolProvider({ toolsNow: () => [createAnsweringTool('peek', 1)] });
    const own = createAgent('clerk', [look, providing], { use: [defineInjectionStrategy(hiding)] });
    const { session } = await runTurn(
      [defineSubagent({ agent: own }), look],
      [askAgents('clerk'), 'Filed.', 'Done.'],
    );
    expect(getOfferedTools(session)).toEqual([['clerk', 'look'], ['peek'], ['clerk', 'look']]);
  });

  it('uses the policies of its agent instead of those of the outer loop', async () => {
    const strict = createAgent('clerk', [look], { policies: { isEligible: ({ name }) => name !== 'look' } });
    const boss = { policies: { isEligible: () => true } };
    const script = [askAgents('clerk'), callTools('look'), 'Filed.', 'Done.'];
    const { session } = await runTurn([defineSubagent({ agent: strict })], script, { boss });
    expect(session.requests[2]?.messages.at(-1)).toMatchObject({
      text: "Error: Tool 'look' was not run: this call is not permitted.",
    });
  });

  it('uses the inspectors and transformers of its agent after those of the outer loops (SUB-09)', async () => {
    const told: string[] = [];
    const createWatchingHooks = (name: string) => ({
      afterToolCall: ({ call }: { call: { name: string } }) => void told.push(`${name}: ${call.name}`),
    });
    const createMarkingTransformer = (mark: string) =>
      defineTransformer({ name: mark, result: (words) => `${words}${mark}` });
    const own = createAgent('clerk', [look], {
      use: [inspect(createWatchingHooks('clerk')), createMarkingTransformer('!')],
    });
    const boss = { use: [inspect(createWatchingHooks('boss')), createMarkingTransformer('?')] };
    const script = [askAgents('clerk'), callTools('look'), 'Filed.', 'Done.'];
    const { session, read } = await runTurn([defineSubagent({ agent: own })], script, { boss });
    expect(told).toEqual(['boss: look', 'clerk: look', 'boss: clerk']);
    expect([session.requests[2]?.messages.at(-1)?.text, read]).toEqual(['seen?!', ['Filed.?']]);
  });

  it('uses the context of its agent, which the context of the turn overrides (SUB-09)', async () => {
    const tell = defineTool({
      name: 'tell',
      description: 'Tells.',
      effect: 'read',
      run: (_, { context }) => JSON.stringify(context),
    });
    const own = createAgent('clerk', [tell], { context: { desk: 'own', floor: 'own' } });
    const script = [askAgents('clerk'), callTools('tell'), 'Filed.', 'Done.'];
    const { session } = await runTurn([defineSubagent({ agent: own })], script, {
      context: { user: 'ann', floor: 'of the turn' },
      boss: { policies: { loopIds: 'as-sent' } },
    });
    expect(JSON.parse(session.requests[2]?.messages.at(-1)?.text ?? '')).toEqual({
      desk: 'own',
      floor: 'of the turn',
      user: 'ann',
    });
  });

  it.each<[string, (one: Agent) => Agent | string, readonly Agent[] | undefined]>([
    ['definition', (one) => one, undefined],
    ['name', ({ name }) => name, [createAgent('clerk', [look, toolGroup('web')])]],
  ])(
    'uses the tool groups from the environment if its agent is referenced by %s',
    async (_, given, agents) => {
      const web = defineToolGroup({
        role: 'web',
        name: 'web',
        description: 'Looks things up.',
        tools: [createAnsweringTool('fetch', 1)],
      });
      const tool = defineSubagent({
        agent: given(createAgent('clerk', [look, toolGroup('web')])),
        name: 'clerk',
      });
      const script = [askAgents('clerk'), 'Filed.', 'Done.'];
      const { session } = await runTurn([tool], script, { use: [registered([web])], agents });
      expect(getOfferedTools(session)[1]).toEqual(['fetch', 'look']);
      const none = { use: [registered([])], agents: [] };
      const { read, answer } = await runTurn([tool], [askAgents('clerk'), 'Done.'], none);
      expect(answer.outcome).toBe('completed');
      expect(read).toEqual([
        agents
          ? "Error: Agent 'clerk' not found. Available agents: boss."
          : "Error: No tool group matching role 'web', which agent 'clerk' asks for. Registered roles: none.",
      ]);
    },
  );

  it('fails outside an app if its agent uses tool groups (SUB-06)', async () => {
    const tools = [defineSubagent({ agent: createAgent('clerk', [look, toolGroup('web')]) })];
    const { model } = await runBare({ tools, replies: [askAgents('clerk'), 'Done.'] });
    expect(getResults(model)).toEqual(["Error: Agent 'clerk' uses tool groups, which only an app provides."]);
  });

  it('passes on the credentials of the turn', async () => {
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      run: (_, { secrets }) => (secrets.get('key') === 'k-1234567890' ? 'paid' : 'no key'),
    });
    const script = [askAgents('clerk'), callTools('pay'), 'Filed.', 'Done.'];
    const { session } = await runTurn([defineSubagent({ agent: createAgent('clerk', [pay]) })], script, {
      secrets: () => ({ key: 'k-1234567890' }),
    });
    expect(session.requests[2]?.messages.at(-1)?.text).toBe('paid');
  });
});
