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
import { memoryApp } from '../session/memory-app.ts';
import { shownResults } from '../tool-loop/scenes.ts';
import {
  analyze,
  type Config,
  callPlaybook,
  createTool,
  Document,
  descriptions,
  lockedText,
  playbook,
  playbookMemory,
  prerequisitesText,
  report,
  returningTool,
  search,
  sessionOf,
  useTools,
} from './scenes.ts';

const gatedConfig = { tools: [search], locked: [{ tool: analyze, unlockedBy: after(search) }] };
const needsSearchText = lockedText('You must first use: search');

/** Runs one turn, and returns the results of the calls inside the playbook. */
async function resultsOfTurn(session: TestSession, message = 'Go.'): Promise<readonly string[]> {
  const before = session.requests.length;
  await session.send(message);
  return shownResults(session.requests.slice(before).at(-2));
}

/**
 * Returns the replies of one turn in which the model calls the playbook with a topic, and these tools inside
 * it.
 */
const turn = (topic: string, ...names: string[]): readonly ScriptedReply[] => [
  callPlaybook(topic),
  ...names.map((name) => useTools(name)),
  'Researched.',
  'Done.',
];

const talk = <Open extends string, Locked extends string>(
  config: Config<Open, Locked>,
  ...turns: readonly (readonly ScriptedReply[])[]
): TestSession => sessionOf([playbook(config)], turns.flat());

describe('the progress of a playbook', () => {
  it('is kept for the next turn, even after a restart (PLY-12)', async () => {
    const session = talk(
      gatedConfig,
      turn('a', 'analyze', 'search'),
      turn('b', 'analyze'),
      turn('c', 'analyze'),
    );
    expect(await resultsOfTurn(session)).toEqual([needsSearchText, 'search done']);
    expect(await resultsOfTurn(session)).toEqual(['analyze done']);
    session.restart();
    expect(await resultsOfTurn(session)).toEqual(['analyze done']);
  });

  it('is stored as counts, without values (PLY-12)', async () => {
    const many = Array.from({ length: 50 }, (_, at) => ({ title: `Volume ${at}`, pages: at }));
    const isLong = onArtifact(Document, ({ pages }) => pages === 49);
    const config = {
      tools: [search, returningTool('fetch', many)],
      locked: [{ tool: report, unlockedBy: isLong }],
    };
    const session = talk(config, turn('a', 'search', 'fetch', 'search'), turn('b', 'report'));
    await session.send('Go.');
    const progress = {
      toolExecutions: 3,
      tools: { search: 2, fetch: 1 },
      artifacts: { Document: 50 },
      met: ['report#0'],
    };
    expect(await playbookMemory(session)).toEqual({ 'desk/researcher': { '': progress } });
    session.restart();
    expect(await playbookMemory(session)).toEqual({ 'desk/researcher': { '': progress } });
    expect(await resultsOfTurn(session)).toEqual(['report done']);
  });

  it('is the same when it is read from a snapshot', async () => {
    const thirty = useTools(...Array.from({ length: 30 }, () => 'search'));
    const long = [callPlaybook('a'), thirty, 'Researched.', 'Done.'];
    const replies = [...long, ...long, ...long, ...long, ...turn('b', 'analyze')];
    const app = memoryApp({ tools: [playbook(gatedConfig)], replies });
    for (const _ of [1, 2, 3, 4]) await app.say('Go.');
    const before = (await app.state()).memories.get('playbooks');
    app.sessions.restart('["owner","tester","s1"]');
    const leased = await app.lease('Go on.');
    expect(leased.snapshot).not.toBeNull();
    expect((await app.state()).memories.get('playbooks')).toEqual(before);
    expect(before).toMatchObject({ 'tester/researcher': { '': { toolExecutions: 120 } } });
    await app.run(leased);
    expect(shownResults(app.model.requests.at(-2))).toEqual(['analyze done']);
  });

  it('is separate for each agent, each outer tool and each key (PLY-12)', async () => {
    const config = { ...gatedConfig, key: ({ topic }: { topic: string }) => topic };
    const session = talk(config, turn('a', 'search'), turn('b', 'analyze'), turn('a', 'analyze'));
    expect(await resultsOfTurn(session)).toEqual(['search done']);
    session.restart();
    expect(await resultsOfTurn(session)).toEqual([needsSearchText]);
    expect(await resultsOfTurn(session)).toEqual(['analyze done']);
    expect(await playbookMemory(session)).toEqual({
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
    const session = talk(
      config,
      ...[turn('a', 'search'), turn('b', 'search')],
      ...[turn('a anew', 'analyze'), turn('a', 'analyze'), turn('b', 'analyze')],
    );
    await resultsOfTurn(session);
    await resultsOfTurn(session);
    session.restart();
    expect(await resultsOfTurn(session)).toEqual([needsSearchText]);
    expect(await resultsOfTurn(session)).toEqual([needsSearchText]);
    expect(await resultsOfTurn(session)).toEqual(['analyze done']);
  });

  it('is not shared with another playbook, or with the same playbook inside another tool', async () => {
    const inner = playbook(gatedConfig);
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
      ...turn('a', 'search'),
      asksOuter,
      callPlaybook('a'),
      useTools('analyze'),
      'No.',
      'No.',
      'Done.',
    ];
    const session = sessionOf([inner, outer], replies);
    await session.send('Go.');
    await session.send('Go on.');
    expect(shownResults(session.requests.at(-3))).toEqual([needsSearchText]);
  });
});

describe('a playbook whose Worker is killed', () => {
  /** Returns a session of a playbook with a tool that kills its Worker in its first run, after it acted. */
  function dying(
    effect: 'idempotent' | 'once',
    replies: readonly ScriptedReply[],
    more: Pick<Config<never, never>, 'reset'> = {},
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
    const session: TestSession = sessionOf([playbook(config)], replies);
    return { session, ran };
  }

  it.each(['idempotent', 'once'] as const)(
    'resumes inside the loop with its progress, and counts the interrupted %s call once',
    async (effect) => {
      const { session } = dying(effect, turn('a', 'report', 'search', 'dies', 'report', 'analyze'));
      expect(await resultsOfTurn(session)).toEqual([
        ...[
          lockedText('You must first use: dies'),
          'search done',
          'dies done',
          'report done',
          'analyze done',
        ],
      ]);
      expect(await playbookMemory(session)).toMatchObject({
        'desk/researcher': {
          '': { toolExecutions: 4, tools: { search: 1, dies: 1, report: 1, analyze: 1 } },
        },
      });
      const opened = (await session.events()).filter((event) => event.type === 'frame-started');
      expect(opened).toHaveLength(1);
    },
  );

  it('keeps a lock open that an earlier call of the batch opened', async () => {
    const { session, ran } = dying('idempotent', [
      ...[callPlaybook('a'), useTools('search', 'dies', 'analyze', 'report'), 'Researched.', 'Done.'],
    ]);
    expect(await resultsOfTurn(session)).toEqual(['search done', 'dies done', 'analyze done', 'report done']);
    expect(ran).toHaveLength(2);
    const searches = (await session.events()).filter(
      (event) => event.type === 'tool-call-ended' && event.call.endsWith('.0') && event.frame !== undefined,
    );
    expect(searches).toHaveLength(1);
  });

  it('shows the model the same tools and instructions in every request (PLY-05)', async () => {
    const replies = turn('a', 'search', 'dies', 'analyze');
    const { session } = dying('idempotent', replies);
    await session.send('Go.');
    const inside = session.requests.slice(1, -1);
    const [first] = inside;
    expect(
      descriptions(
        'analyze',
        [first].flatMap((one) => one ?? []),
      ),
    ).toEqual(['Does analyze.']);
    expect(inside.map(({ tools, messages }) => [tools, messages[0]])).toEqual(
      Array(4).fill([first?.tools, first?.messages[0]]),
    );
  });

  it('states at the start of a call which locks of its key are closed, and all locks after a reset', async () => {
    const made = playbook({
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
    const session = sessionOf(
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
    const all = prerequisitesText('analyze: first use search', `report: first ${further}`);
    const left = prerequisitesText(`report: first ${further}`);
    expect(told).toEqual([all, all, all, left, left, all]);
  });

  it('is reset only once, however often it resumes', async () => {
    const { session } = dying('idempotent', turn('a', 'search', 'dies', 'analyze'), { reset: () => true });
    expect(await resultsOfTurn(session)).toEqual(['search done', 'dies done', 'analyze done']);
  });
});

describe('two calls of a playbook in one batch', () => {
  /**
   * Returns a playbook whose searches record when they begin and end. A search ends after `together` searches
   * began, or once its start is stored.
   */
  function traced(key?: (input: { topic: string }) => string, together = 1) {
    const trace: string[] = [];
    const of: { session?: TestSession } = {};
    const slow = createTool('search', async (call) => {
      trace.push('begins');
      if (of.session) await startStored(of.session, call);
      await waitUntil(() => trace.length >= together);
      trace.push('ends');
      return 'search done';
    });
    const made = playbook({
      tools: [slow],
      locked: [{ tool: analyze, unlockedBy: after(slow) }],
      key,
    });
    return { trace, made, of };
  }

  it('run one after another if they have the same key, and the second one sees the progress of the first', async () => {
    const { trace, made, of } = traced();
    const replies = [
      callPlaybook('a', 'b'),
      useTools('search'),
      'First.',
      useTools('analyze', 'search'),
      'Second.',
      'Done.',
    ];
    const session = sessionOf([made], replies);
    of.session = session;
    await session.send('Go.');
    expect(trace).toEqual(['begins', 'ends', 'begins', 'ends']);
    expect(shownResults(session.requests[4])).toEqual(['analyze done', 'search done']);
    expect(shownResults(session.requests.at(-1))).toEqual(['First.', 'Second.']);
  });

  it('run in parallel if they have different keys', async () => {
    const { trace, made } = traced(({ topic }) => topic, 2);
    const replies = [callPlaybook('a', 'b'), useTools('search'), useTools('search'), 'One.', 'Two.', 'Done.'];
    await sessionOf([made], replies).send('Go.');
    expect(trace).toEqual(['begins', 'begins', 'ends', 'ends']);
  });

  it('return an error result if their key cannot be read from the input', async () => {
    const { made } = traced(({ topic }) => topic.toLowerCase());
    const bad = {
      calls: [
        { name: 'researcher', input: { topic: 7 } },
        { name: 'researcher', input: {} },
      ],
    };
    const session = sessionOf([made], [bad, 'Done.']);
    await session.send('Go.');
    const answers = shownResults(session.requests.at(-1));
    expect(answers).toEqual([expect.stringMatching(/^Error: /), expect.stringMatching(/^Error: /)]);
  });
});

describe('the calls of a batch inside a playbook', () => {
  it('run in source order, and each one sees the progress of the previous call', async () => {
    const session = talk(gatedConfig, [
      ...[callPlaybook('a'), useTools('analyze', 'search', 'analyze'), 'Researched.', 'Done.'],
    ]);
    expect(await resultsOfTurn(session)).toEqual([needsSearchText, 'search done', 'analyze done']);
  });

  it('see the blackboard entries of the previous call (PLY-10)', async () => {
    const adds = createTool('adds', ({ blackboard }) =>
      blackboard.add({ title: 'a', pages: 1 }, { type: 'Document' }),
    );
    const config = { tools: [adds], locked: [{ tool: report, unlockedBy: onBlackboard(Document) }] };
    const session = talk(config, [
      ...[callPlaybook('a'), useTools('report', 'adds', 'report'), 'Researched.', 'Done.'],
    ]);
    expect(await resultsOfTurn(session)).toEqual([
      ...[lockedText('Prerequisites have not been met yet.'), 'Done', 'report done'],
    ]);
  });

  it('see the blackboard entries from outside the playbook (PLY-10)', async () => {
    const adds = createTool('adds', ({ blackboard }) =>
      blackboard.add({ title: 'a', pages: 1 }, { type: 'Document' }),
    );
    const config = { tools: [search], locked: [{ tool: report, unlockedBy: onBlackboard(Document) }] };
    const session = sessionOf([adds, playbook(config)], [useTools('adds'), ...turn('a', 'report')]);
    expect(await resultsOfTurn(session)).toEqual(['report done']);
  });
});
