import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, artifact, defineTool, error } from '../../../../src/index.ts';
import {
  after,
  allOf,
  anyOf,
  defineInjectionStrategy,
  definePlaybook,
  onArtifact,
  type UnlockCondition,
  when,
} from '../../../../src/kinds/entry.ts';
import { defineModule } from '../../../../src/module.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { formatToolTree } from '../../../../src/modules/inspect/entry.ts';
import { toolsOf, toolTable } from '../../../../src/modules/tool-objects/entry.ts';
import type { TestSession } from '../../../../src/testing/entry.ts';
import { RENAME, RENAME_FIRST_TWO } from '../../../fixtures/rename.ts';
import { startStored } from '../../../fixtures/stored.ts';
import { captureWarnings } from '../../../fixtures/warnings.ts';
import { runBare } from '../tool-loop/bare-loop.ts';
import { getShownResults } from '../tool-loop/scenes.ts';
import {
  analyze,
  callPlaybook,
  createResearcher,
  createReturningTool,
  createTool,
  Document,
  formatLocked,
  formatPrerequisites,
  getInnerResults,
  listDescriptions,
  playPlaybook,
  readPlaybookMemory,
  report,
  search,
  startSession,
  useTools,
} from './scenes.ts';

const base = {
  name: 'researcher',
  description: 'Researches a topic.',
  input: v.object({ topic: v.string() }),
};
const gatedConfig = { tools: [search], locked: [{ tool: analyze, unlockedBy: after(search) }] };

describe('a playbook', () => {
  it('offers its open and its locked tools from the start, with their own schemas (PLY-01)', async () => {
    const counts = defineTool({
      name: 'counts',
      description: 'Counts.',
      input: v.object({ upTo: v.number() }),
      run: () => 1,
    });
    const config = { tools: [search], locked: [{ tool: counts, unlockedBy: after(search) }] };
    const [first, second] = (await playPlaybook(config, [useTools('search')])).inside;
    expect(first?.tools.map(({ name }) => name)).toEqual(['counts', 'search']);
    expect(first?.tools[0]?.inputSchema).toBe(counts.inputSchema);
    expect(second?.tools).toEqual([
      { name: 'counts', description: 'Counts.', inputSchema: counts.inputSchema },
      { name: 'search', description: 'Does search.', inputSchema: search.inputSchema },
    ]);
  });

  it('returns the last message of its loop, and the artifacts of its tools (AGT-03, AGT-06)', async () => {
    const finds = createReturningTool('finds', { title: 'Tides', pages: 2 });
    const { answer, session } = await playPlaybook({ tools: [finds], locked: [] }, [useTools('finds')]);
    expect(getShownResults(session.requests.at(-1))).toEqual(['Researched.']);
    expect(answer).toMatchObject({
      artifacts: [{ tool: 'researcher', type: 'Document', value: { title: 'Tides', pages: 2 } }],
    });
  });

  it('states its purpose and the conditions of its locked tools in its instructions (AGT-02, PLY-05, PLY-09)', async () => {
    const { inside } = await playPlaybook(gatedConfig, []);
    expect(inside[0]?.messages).toEqual([
      {
        role: 'system',
        text:
          'You are an intelligent agent that can use tools to help you complete tasks. Use the provided tools to perform ' +
          'the following task: Researches a topic.\n\n' +
          formatPrerequisites('analyze: first use search'),
      },
      { role: 'user', text: '{"topic":"tides"}' },
    ]);
  });

  it("puts the author's instructions above the conditions, and computes them for each model call", async () => {
    const collectInstructions = async (
      instructions: Parameters<typeof createResearcher>[0]['instructions'],
    ) =>
      (await playPlaybook({ ...gatedConfig, instructions }, [useTools('search')])).inside.map(
        ({ messages }) => messages[0]?.text,
      );
    const below = `\n\n${formatPrerequisites('analyze: first use search')}`;
    expect(await collectInstructions('Research.')).toEqual([`Research.${below}`, `Research.${below}`]);
    expect(
      await collectInstructions(({ path, iterations }, { topic }) => `${path} ${iterations} ${topic}`),
    ).toEqual([`desk/researcher 0 tides${below}`, `desk/researcher 1 tides${below}`]);
  });

  it('does not mention locks if it has no locked tools', async () => {
    const getPrompt = async (instructions?: string) =>
      (await playPlaybook({ tools: [search], locked: [], ...(instructions && { instructions }) }, []))
        .inside[0]?.messages[0]?.text;
    expect(await getPrompt()).toBe(
      'You are an intelligent agent that can use tools to help you complete tasks. Use the provided tools to perform ' +
        'the following task: Researches a topic.',
    );
    expect(await getPrompt('Research.')).toBe('Research.');
  });

  it('accepts class instances as open tools', async () => {
    class Calculator {
      static readonly tools = toolTable<Calculator>({ add: { description: 'Adds.' } });
      add() {
        return 3;
      }
    }
    const config = { tools: [new Calculator()], locked: [] };
    expect(getInnerResults(await playPlaybook(config, [useTools('add')]))).toEqual(['3']);
    const spread = { tools: toolsOf(new Calculator()), locked: [{ tool: report, unlockedBy: after('add') }] };
    expect(getInnerResults(await playPlaybook(spread, [useTools('add'), useTools('report')]))).toEqual([
      '3',
      'report done',
    ]);
  });

  it('logs a warning if it declares no input, because its caller cannot pass a task (AGT-08)', () => {
    const warned = captureWarnings();
    definePlaybook({ name: 'mute', description: 'Has no input.', tools: [search], locked: [] });
    expect(warned).toHaveLength(1);
  });

  it('returns an error result if it has no tools (AGT-04)', async () => {
    const session = startSession(
      [createResearcher({ tools: [], locked: [] })],
      [callPlaybook('tides'), 'Done.'],
    );
    await session.send('Go.');
    expect(getShownResults(session.requests.at(-1))).toEqual(['Error: No tools available for PlaybookTool']);
  });

  it('runs in a loop without a session (AGT-04)', async () => {
    const replies = [callPlaybook('tides'), useTools('search'), 'Found.', 'Done.'];
    const { model, end } = await runBare({ tools: [createResearcher(gatedConfig)], replies });
    expect(end).toMatchObject({ outcome: 'completed' });
    expect(getShownResults(model.requests.at(-1))).toEqual(['Found.']);
  });

  it('lists all of its tools (TOOL-20)', () => {
    expect(formatToolTree('desk', [createResearcher(gatedConfig)])).toBe(
      'desk\n└── researcher (2 inner tools)\n    ├── search\n    └── analyze',
    );
  });

  it('asks for no approval of a locked tool', async () => {
    const asking = requireApproval(createTool('pay'), 'Pay?');
    const config = { tools: [search], locked: [{ tool: asking, unlockedBy: after(search) }] };
    const session = startSession(
      [createResearcher(config)],
      [callPlaybook('tides'), useTools('pay'), useTools('search', 'pay'), 'Paid.', 'Done.'],
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'suspended' });
    expect(getShownResults(session.requests[2])).toEqual([formatLocked('You must first use: search')]);
    session.restart();
    expect(await session.decide('pay', 'approve')).toMatchObject({ outcome: 'completed' });
    expect(getShownResults(session.requests[3])).toEqual([
      formatLocked('You must first use: search'),
      'search done',
      'pay done',
    ]);
  });

  it('does not change the schema, errors and results of an unlocked tool', async () => {
    const picky = defineTool({
      name: 'picky',
      description: 'Is picky.',
      input: v.object({ at: v.string() }),
      effect: 'read',
      run: ({ at }) => (at === 'x' ? error('Not x.') : at),
    });
    const config = { tools: [search], locked: [{ tool: picky, unlockedBy: after(search) }] };
    const createPickyCall = (input: object) => ({ calls: [{ name: 'picky', input }] });
    const answers = getInnerResults(
      await playPlaybook(config, [
        createPickyCall({}),
        useTools('search'),
        createPickyCall({}),
        createPickyCall({ at: 'x' }),
        createPickyCall({ at: 'y' }),
      ]),
    );
    expect(answers[0]).toBe(formatLocked('You must first use: search'));
    expect(answers[2]).toMatch(/^Error: .*at/s);
    expect(answers.slice(3)).toEqual(['Error: Not x.', 'y']);
  });

  it('keeps a tool locked if its strategy decorates the tool', async () => {
    const upper = {
      name: 'upper',
      offer: (tools: readonly AnyTool[]) =>
        tools.map((tool) => ({ ...tool, description: tool.description.toUpperCase(), delegate: tool })),
    };
    const shown = await playPlaybook({ ...gatedConfig, use: [defineInjectionStrategy(upper)] }, [
      useTools('analyze'),
    ]);
    expect(listDescriptions('analyze', shown.inside)).toEqual(['DOES ANALYZE.', 'DOES ANALYZE.']);
    expect(getInnerResults(shown)).toEqual([formatLocked('You must first use: search')]);
  });

  it('runs the tools of its strategy in sequence with its own tools, and counts their calls', async () => {
    const extra = createTool('extra', async (call) => {
      await startStored(session, call); // At this point all parallel calls have started.
      return 'extra done';
    });
    const adding = { name: 'adding', offer: (tools: readonly AnyTool[]) => [...tools, extra] };
    const one = when((progress) => progress.used('extra') > 0);
    const config = {
      tools: [],
      locked: [{ tool: analyze, unlockedBy: one }],
      use: [defineInjectionStrategy(adding)],
    };
    const replies = [callPlaybook('tides'), useTools('extra', 'analyze'), 'Researched.', 'Done.'];
    const session: TestSession = startSession([createResearcher(config)], replies);
    await session.send('Go.');
    expect(getInnerResults({ inside: session.requests.slice(1, -1) })).toEqual([
      'extra done',
      'analyze done',
    ]);
  });
});

describe('an invalid playbook', () => {
  const createRefusedDefinition = (
    tools: readonly AnyTool[],
    ...locks: readonly (readonly [AnyTool, UnlockCondition])[]
  ) => {
    const config = { ...base, tools, locked: locks.map(([tool, unlockedBy]) => ({ tool, unlockedBy })) };
    return () => definePlaybook(config);
  };
  const createNamedTool = (name: string): AnyTool => createTool(name);
  const withoutNames = (condition: UnlockCondition): UnlockCondition => ({ ...condition, names: [] });

  it.each<[string, () => unknown, string]>([
    [
      'two tools with the same name',
      createRefusedDefinition([search], [createNamedTool('search'), after('search')]),
      `Tool 'researcher': it has more than one tool 'search'${RENAME}.`,
    ],
    [
      'two open tools with the same name',
      createRefusedDefinition([search, createNamedTool('search')]),
      `Tool 'researcher': it cannot have these tools: Duplicate tool name: 'search'${RENAME_FIRST_TWO}.`,
    ],
    [
      'a lock on a tool that it does not have',
      createRefusedDefinition([search], [report, allOf(after('search'), after('serch'))]),
      "Tool 'researcher': 'report' is unlocked by 'serch', which is not one of its tools.",
    ],
    [
      'an empty condition',
      createRefusedDefinition([search], [report, withoutNames(after('search'))]),
      "Tool 'researcher': a condition of 'report' is empty.",
    ],
    [
      'a tool that unlocks itself',
      createRefusedDefinition([search], [report, after('report')]),
      "Tool 'researcher': 'report' can never be unlocked, since each waits for itself or another of them.",
    ],
    [
      'tools that unlock only each other',
      createRefusedDefinition(
        [search],
        [report, allOf(after('search'), after('analyze'))],
        [analyze, anyOf(after('report'))],
      ),
      "Tool 'researcher': 'report', 'analyze' can never be unlocked, since each waits for itself or another of them.",
    ],
  ])('is refused because of %s', (_, define, message) => {
    expect(define).toThrow(expect.objectContaining({ name: 'ToolDefinitionError', message }));
  });

  it('is accepted if two tools unlock each other but one of them has another way to be unlocked', () => {
    const either = anyOf(
      after('analyze'),
      when(() => true),
    );
    expect(createRefusedDefinition([], [report, either], [analyze, after('report')])).not.toThrow();
  });
});

describe('names from a model', () => {
  const hostile = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];

  it.each(hostile)('such as %s are counted like other names of tools', async (name) => {
    const config = { tools: [createTool(name)], locked: [{ tool: report, unlockedBy: after(name) }] };
    const { session, inside } = await playPlaybook(config, [
      useTools('report'),
      useTools(name),
      useTools('report'),
    ]);
    expect(getInnerResults({ inside })).toEqual([
      formatLocked(`You must first use: ${name}`),
      `${name} done`,
      'report done',
    ]);
    session.restart();
    expect(JSON.stringify(await readPlaybookMemory(session))).toContain(`"tools":{"${name}":1,"report":1}`);
  });

  it.each(hostile)('such as %s work as keys like any other name', async (key) => {
    const config = { ...gatedConfig, key: ({ topic }: { topic: string }) => topic };
    const replies = [
      ...[callPlaybook(key), useTools('analyze'), useTools('search'), 'Found.', 'Done.'],
      ...[callPlaybook(key), useTools('analyze'), 'Read.', 'Done.'],
    ];
    const session = startSession([createResearcher(config)], replies);
    await session.send('Go.');
    session.restart();
    await session.send('Go on.');
    expect(getShownResults(session.requests[3])).toEqual([
      formatLocked('You must first use: search'),
      'search done',
    ]);
    expect(getShownResults(session.requests[7])).toEqual(['analyze done']);
  });

  it('are counted separately up to 200 names, in addition to the tools of the playbook', async () => {
    const all = Array.from({ length: 250 }, (_, at) => createTool(`tool_${at}`));
    const others = { name: 'others', offer: (tools: readonly AnyTool[]) => [...tools, ...all] };
    const config = {
      tools: [search],
      locked: [{ tool: report, unlockedBy: when(({ toolExecutions }) => toolExecutions > 250) }],
      limits: { iterations: 60 },
    };
    const calls = Array.from({ length: 25 }, (_, at) =>
      useTools(...all.slice(at * 10, at * 10 + 10).map(({ name }) => name)),
    );
    const { session, inside } = await playWithSource(config, others, [
      ...calls,
      useTools('search'),
      useTools('report'),
    ]);
    expect(getInnerResults({ inside }).at(-1)).toBe('report done');
    const { toolExecutions, tools } = Object(await readPlaybookMemory(session))['desk/researcher'][''];
    expect([toolExecutions, Object.keys(tools).length, tools.search, tools.report]).toEqual([252, 202, 1, 1]);
  });

  /** Runs a turn like `playPlaybook`, with a strategy such as chaining ahead of the playbook's own. */
  async function playWithSource(
    config: Parameters<typeof createResearcher>[0],
    source: { name: string; offer: (tools: readonly AnyTool[]) => readonly AnyTool[] },
    inside: Parameters<typeof playPlaybook>[1],
  ) {
    const use = [defineModule({ name: source.name }).use({ offer: source })];
    const session = startSession(
      [createResearcher(config)],
      [callPlaybook('tides'), ...inside, 'Researched.', 'Done.'],
      use,
    );
    await session.send('Go.');
    return { session, inside: session.requests.slice(1, -1) };
  }

  it('are counted if they belong to tools from outside the playbook (AGT-10)', async () => {
    const free = createTool('free');
    const used = when((progress) => progress.used('free') > 0);
    const config = { tools: [search], locked: [{ tool: report, unlockedBy: used }] };
    const source = { name: 'source', offer: (tools: readonly AnyTool[]) => [...tools, free] };
    const { inside } = await playWithSource(config, source, [useTools('free'), useTools('report')]);
    expect(getInnerResults({ inside })).toEqual(['free done', 'report done']);
    expect(listDescriptions('free', inside)).toEqual(Array.from(inside, () => 'Does free.'));
  });
});

describe('the types of artifacts', () => {
  it('are counted by name, up to 200 types in addition to those in conditions', async () => {
    let made = 0;
    const odd = createTool('odd', () => {
      made += 1;
      return artifact('Made.', { name: `Type${made}` }, made);
    });
    const config = {
      tools: [odd, createReturningTool('documents', { title: 'Tides', pages: 2 })],
      locked: [{ tool: report, unlockedBy: onArtifact(Document) }],
      limits: { iterations: 60 },
    };
    const ten = useTools(...Array.from({ length: 10 }, () => 'odd'));
    const calls = [...Array.from({ length: 21 }, () => ten), useTools('documents'), useTools('report')];
    const { session, inside } = await playPlaybook(config, calls);
    expect(getInnerResults({ inside }).at(-1)).toBe('report done');
    const { artifacts } = Object(await readPlaybookMemory(session))['desk/researcher'][''];
    expect([Object.keys(artifacts).length, artifacts.Document]).toEqual([201, 1]);
  });
});
