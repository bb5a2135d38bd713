import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type CallContext, defineTool } from '../../../../src/index.ts';
import {
  after,
  allOf,
  definePlaybook,
  onArtifact,
  onBlackboard,
  onBlackboardMatching,
} from '../../../../src/kinds/entry.ts';
import type { ScriptedReply, TestSession } from '../../../../src/testing/entry.ts';
import { waitUntil } from '../../../fixtures/scripts.ts';
import { startStored } from '../../../fixtures/stored.ts';
import { createMemoryApp } from '../session/memory-app.ts';
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
  listDescriptions,
  type PlaybookSetup,
  readPlaybookMemory,
  report,
  search,
  startSession,
  useTools,
} from './scenes.ts';

const gatedConfig = { tools: [search], locked: [{ tool: analyze, unlockedBy: after(search) }] };
const needsSearchText = formatLocked('You must first use: search');

/** Runs one turn, and returns the results of the calls inside the playbook. */
async function collectResults(session: TestSession, message = 'Go.'): Promise<readonly string[]> {
  const before = session.requests.length;
  await session.send(message);
  return getShownResults(session.requests.slice(before).at(-2));
}

/** Returns the replies of a turn that calls the playbook with a topic, and these tools inside it. */
const createTurnReplies = (topic: string, ...names: string[]): readonly ScriptedReply[] => [
  callPlaybook(topic),
  ...names.map((name) => useTools(name)),
  'Researched.',
  'Done.',
];

const createTalk = <Open extends string, Locked extends string>(
  config: PlaybookSetup<Open, Locked>,
  ...turns: readonly (readonly ScriptedReply[])[]
): TestSession => startSession([createResearcher(config)], turns.flat());

describe('the progress of a playbook', () => {
  it('is kept for the next turn, even after a restart (PLY-12)', async () => {
    const session = createTalk(
      gatedConfig,
      createTurnReplies('a', 'analyze', 'search'),
      createTurnReplies('b', 'analyze'),
      createTurnReplies('c', 'analyze'),
    );
    expect(await collectResults(session)).toEqual([needsSearchText, 'search done']);
    expect(await collectResults(session)).toEqual(['analyze done']);
    session.restart();
    expect(await collectResults(session)).toEqual(['analyze done']);
  });

  it('is stored as counts, without the values of artifacts (PLY-12)', async () => {
    const many = Array.from({ length: 50 }, (_, at) => ({ title: `Volume ${at}`, pages: at }));
    const isLong = onArtifact(Document, ({ pages }) => pages === 49);
    const config = {
      tools: [search, createReturningTool('fetch', many)],
      locked: [{ tool: report, unlockedBy: isLong }],
    };
    const session = createTalk(
      config,
      createTurnReplies('a', 'search', 'fetch', 'search'),
      createTurnReplies('b', 'report'),
    );
    await session.send('Go.');
    const progress = {
      toolExecutions: 3,
      tools: { search: 2, fetch: 1 },
      artifacts: { Document: 50 },
      met: ['report#0'],
    };
    expect(await readPlaybookMemory(session)).toEqual({ 'desk/researcher': { '': progress } });
    session.restart();
    expect(await readPlaybookMemory(session)).toEqual({ 'desk/researcher': { '': progress } });
    expect(await collectResults(session)).toEqual(['report done']);
  });

  it('is the same when it is read from a snapshot', async () => {
    const thirty = useTools(...Array.from({ length: 30 }, () => 'search'));
    const long = [callPlaybook('a'), thirty, 'Researched.', 'Done.'];
    const replies = [...long, ...long, ...long, ...long, ...createTurnReplies('b', 'analyze')];
    const app = createMemoryApp({ tools: [createResearcher(gatedConfig)], replies });
    for (const _ of [1, 2, 3, 4]) await app.say('Go.');
    const before = (await app.state()).memories.get('playbooks');
    app.sessions.restart('["owner","tester","s1"]');
    const leased = await app.lease('Go on.');
    expect(leased.snapshot).not.toBeNull();
    expect((await app.state()).memories.get('playbooks')).toEqual(before);
    expect(before).toMatchObject({ 'tester/researcher': { '': { toolExecutions: 120 } } });
    await app.run(leased);
    expect(getShownResults(app.model.requests.at(-2))).toEqual(['analyze done']);
  });

  it('is separate for each agent, each outer tool and each key (PLY-12)', async () => {
    const config = { ...gatedConfig, key: ({ topic }: { topic: string }) => topic };
    const session = createTalk(
      config,
      createTurnReplies('a', 'search'),
      createTurnReplies('b', 'analyze'),
      createTurnReplies('a', 'analyze'),
    );
    expect(await collectResults(session)).toEqual(['search done']);
    session.restart();
    expect(await collectResults(session)).toEqual([needsSearchText]);
    expect(await collectResults(session)).toEqual(['analyze done']);
    expect(await readPlaybookMemory(session)).toEqual({
      'desk/researcher': {
        a: { toolExecutions: 2, tools: { search: 1, analyze: 1 }, artifacts: {}, met: [] },
      },
    });
  });

  it('is reset on request, and only for its key (PLY-12)', async () => {
    const config = {
      ...gatedConfig,
      key: ({ topic }: { topic: string }) => topic.charAt(0),
      reset: ({ topic }: { topic: string }) => topic.endsWith('anew'),
    };
    const session = createTalk(
      config,
      ...[createTurnReplies('a', 'search'), createTurnReplies('b', 'search')],
      ...[
        createTurnReplies('a anew', 'analyze'),
        createTurnReplies('a', 'analyze'),
        createTurnReplies('b', 'analyze'),
      ],
    );
    await collectResults(session);
    await collectResults(session);
    session.restart();
    expect(await collectResults(session)).toEqual([needsSearchText]);
    expect(await collectResults(session)).toEqual([needsSearchText]);
    expect(await collectResults(session)).toEqual(['analyze done']);
  });

  it('is not shared with another playbook, or with the same playbook inside another tool', async () => {
    const inner = createResearcher(gatedConfig);
    const outer = definePlaybook({
      name: 'outer',
      description: 'Is around it.',
      input: v.object({ topic: v.string() }),
      tools: [inner],
      locked: [],
    });
    const input = { topic: 'a' };
    const asksOuter = { calls: [{ name: 'outer', input }] };
    const replies = [
      ...createTurnReplies('a', 'search'),
      asksOuter,
      callPlaybook('a'),
      useTools('analyze'),
      'No.',
      'No.',
      'Done.',
    ];
    const session = startSession([inner, outer], replies);
    await session.send('Go.');
    await session.send('Go on.');
    expect(getShownResults(session.requests.at(-3))).toEqual([needsSearchText]);
  });
});

describe('a playbook whose Worker is killed', () => {
  /** Returns a session of a playbook with a tool that kills its Worker after it acts for the first time. */
  function playDyingTool(
    effect: 'idempotent' | 'once',
    replies: readonly ScriptedReply[],
    more: Pick<PlaybookSetup<never, never>, 'reset'> = {},
  ) {
    const ran: string[] = [];
    const run = (_: unknown, call: CallContext): string => {
      if (ran.push(call.id) === 1) session.kill();
      return 'dies done';
    };
    const dies = defineTool({
      ...{ name: 'dies', description: 'Dies.', effect, run },
      ...(effect === 'once' && { reconcile: () => ({ done: 'dies done' }) }),
    } as Parameters<typeof defineTool<'dies'>>[0]); // Only a `once` tool has a `reconcile`.
    const config = {
      ...more,
      tools: [search, dies],
      locked: [
        { tool: analyze, unlockedBy: after(search) },
        { tool: report, unlockedBy: after(dies) },
      ],
    };
    const session: TestSession = startSession([createResearcher(config)], replies);
    return { session, ran };
  }

  it.each(['idempotent', 'once'] as const)(
    'resumes inside the loop with its progress, and counts the interrupted call of an %s tool once',
    async (effect) => {
      const { session } = playDyingTool(
        effect,
        createTurnReplies('a', 'report', 'search', 'dies', 'report', 'analyze'),
      );
      expect(await collectResults(session)).toEqual([
        ...[
          formatLocked('You must first use: dies'),
          'search done',
          'dies done',
          'report done',
          'analyze done',
        ],
      ]);
      expect(await readPlaybookMemory(session)).toMatchObject({
        'desk/researcher': {
          '': { toolExecutions: 4, tools: { search: 1, dies: 1, report: 1, analyze: 1 } },
        },
      });
      const opened = (await session.events()).filter((event) => event.type === 'frame-started');
      expect(opened).toHaveLength(1);
    },
  );

  it('keeps a lock open after an earlier call of the batch has opened it', async () => {
    const { session, ran } = playDyingTool('idempotent', [
      ...[callPlaybook('a'), useTools('search', 'dies', 'analyze', 'report'), 'Researched.', 'Done.'],
    ]);
    expect(await collectResults(session)).toEqual([
      'search done',
      'dies done',
      'analyze done',
      'report done',
    ]);
    expect(ran).toHaveLength(2);
    const searches = (await session.events()).filter(
      (event) => event.type === 'tool-call-ended' && event.call.endsWith('.0') && event.frame !== undefined,
    );
    expect(searches).toHaveLength(1);
  });

  it('shows the model the same tools and instructions in every request (PLY-05)', async () => {
    const replies = createTurnReplies('a', 'search', 'dies', 'analyze');
    const { session } = playDyingTool('idempotent', replies);
    await session.send('Go.');
    const inside = session.requests.slice(1, -1);
    const [first] = inside;
    expect(
      listDescriptions(
        'analyze',
        [first].flatMap((one) => one ?? []),
      ),
    ).toEqual(['Does analyze.']);
    expect(inside.map(({ tools, messages }) => [tools, messages[0]])).toEqual(
      Array(4).fill([first?.tools, first?.messages[0]]),
    );
  });

  it('lists the closed locks of its key at the start of a call, and lists all locks after a reset', async () => {
    const made = createResearcher({
      tools: [search],
      locked: [
        { tool: analyze, unlockedBy: after(search) },
        {
          tool: report,
          unlockedBy: allOf(
            after(search),
            onBlackboardMatching(() => true),
          ),
        },
      ],
      key: ({ topic }) => topic.charAt(0),
      reset: ({ topic }) => topic.endsWith('anew'),
    });
    const ends = ['Researched.', 'Done.'];
    const session = startSession(
      [made],
      [
        ...[callPlaybook('a'), useTools('search'), ...ends, callPlaybook('b'), ...ends],
        ...[callPlaybook('a'), useTools('analyze'), ...ends, callPlaybook('a anew'), ...ends],
      ],
    );
    for (const message of ['Go.', 'Go.', 'Go.', 'Go.']) {
      await session.send(message);
      session.restart();
    }
    const told = session.requests.flatMap(({ messages: [first] }) =>
      first?.text === 'Help.' ? [] : (first?.text.split('\n\n')[1] ?? ''),
    );
    const further = 'use search and have an entry on the blackboard that meets a condition';
    const all = formatPrerequisites('analyze: first use search', `report: first ${further}`);
    const left = formatPrerequisites(`report: first ${further}`);
    expect(told).toEqual([all, all, all, left, left, all]);
  });

  it('is reset only once, however often it resumes', async () => {
    const { session } = playDyingTool('idempotent', createTurnReplies('a', 'search', 'dies', 'analyze'), {
      reset: () => true,
    });
    expect(await collectResults(session)).toEqual(['search done', 'dies done', 'analyze done']);
  });
});

describe('two calls of a playbook in one batch', () => {
  /**
   * Returns a playbook, and a trace of when its searches begin and end. A search ends once `together`
   * searches have begun. If `of.session` is set, the search also waits until its start is stored.
   */
  function createTracedPlaybook(key?: (input: { topic: string }) => string, together = 1) {
    const trace: string[] = [];
    const of: { session?: TestSession } = {};
    const slow = createTool('search', async (call) => {
      trace.push('begins');
      if (of.session) await startStored(of.session, call);
      await waitUntil(() => trace.length >= together);
      trace.push('ends');
      return 'search done';
    });
    const made = createResearcher({
      tools: [slow],
      locked: [{ tool: analyze, unlockedBy: after(slow) }],
      key,
    });
    return { trace, made, of };
  }

  it('run one after another if they have the same key, and the second one sees the progress of the first', async () => {
    const { trace, made, of } = createTracedPlaybook();
    const replies = [
      callPlaybook('a', 'b'),
      useTools('search'),
      'First.',
      useTools('analyze', 'search'),
      'Second.',
      'Done.',
    ];
    const session = startSession([made], replies);
    of.session = session;
    await session.send('Go.');
    expect(trace).toEqual(['begins', 'ends', 'begins', 'ends']);
    expect(getShownResults(session.requests[4])).toEqual(['analyze done', 'search done']);
    expect(getShownResults(session.requests.at(-1))).toEqual(['First.', 'Second.']);
  });

  it('run in parallel if they have different keys', async () => {
    const { trace, made } = createTracedPlaybook(({ topic }) => topic, 2);
    const replies = [callPlaybook('a', 'b'), useTools('search'), useTools('search'), 'One.', 'Two.', 'Done.'];
    await startSession([made], replies).send('Go.');
    expect(trace).toEqual(['begins', 'begins', 'ends', 'ends']);
  });

  it('return an error result if their key cannot be read from the input', async () => {
    const { made } = createTracedPlaybook(({ topic }) => topic.toLowerCase());
    const bad = {
      calls: [
        { name: 'researcher', input: { topic: 7 } },
        { name: 'researcher', input: {} },
      ],
    };
    const session = startSession([made], [bad, 'Done.']);
    await session.send('Go.');
    const answers = getShownResults(session.requests.at(-1));
    expect(answers).toEqual([expect.stringMatching(/^Error: /), expect.stringMatching(/^Error: /)]);
  });
});

describe('the calls of a batch inside a playbook', () => {
  it('run in source order, and each one sees the progress of the previous call', async () => {
    const session = createTalk(gatedConfig, [
      ...[callPlaybook('a'), useTools('analyze', 'search', 'analyze'), 'Researched.', 'Done.'],
    ]);
    expect(await collectResults(session)).toEqual([needsSearchText, 'search done', 'analyze done']);
  });

  it('see the blackboard entries of the previous call (PLY-10)', async () => {
    const adds = createTool('adds', ({ blackboard }) =>
      blackboard.add({ title: 'a', pages: 1 }, { type: 'Document' }),
    );
    const config = { tools: [adds], locked: [{ tool: report, unlockedBy: onBlackboard(Document) }] };
    const session = createTalk(config, [
      ...[callPlaybook('a'), useTools('report', 'adds', 'report'), 'Researched.', 'Done.'],
    ]);
    expect(await collectResults(session)).toEqual([
      ...[formatLocked('Prerequisites have not been met yet.'), 'Done', 'report done'],
    ]);
  });

  it('see the blackboard entries from outside the playbook (PLY-10)', async () => {
    const adds = createTool('adds', ({ blackboard }) =>
      blackboard.add({ title: 'a', pages: 1 }, { type: 'Document' }),
    );
    const config = { tools: [search], locked: [{ tool: report, unlockedBy: onBlackboard(Document) }] };
    const session = startSession(
      [adds, createResearcher(config)],
      [useTools('adds'), ...createTurnReplies('a', 'report')],
    );
    expect(await collectResults(session)).toEqual(['report done']);
  });
});
