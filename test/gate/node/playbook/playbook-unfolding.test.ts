import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, defineTool } from '../../../../src/index.ts';
import { after, defineUnfolding, when } from '../../../../src/kinds/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import type { ScriptedReply, TestSession } from '../../../../src/testing/entry.ts';
import { startStored } from '../../../fixtures/stored.ts';
import { getShownResults } from '../tool-loop/scenes.ts';
import {
  analyze,
  callPlaybook,
  createResearcher,
  createTool,
  formatLocked,
  getInnerResults,
  listDescriptions,
  type PlayedSession,
  playPlaybook,
  readPlaybookMemory,
  report,
  search,
  startSession,
  useTools,
} from './scenes.ts';

const add = defineTool({
  name: 'add',
  description: 'Adds.',
  input: v.object({ a: v.number() }),
  effect: 'read',
  run: ({ a }) => a + 1,
});
const math = defineUnfolding({ name: 'math', description: 'Reckons', tools: [add] });

const addReply = { calls: [{ name: 'add', input: { a: 1 } }] };
const shortcut = { calls: [{ name: 'math', input: { add: { a: 1 } } }] };
const needsSearchText = formatLocked('You must first use: search');
const getOfferedTools = ({ inside }: PlayedSession): readonly string[][] =>
  inside.map(({ tools }) => tools.map(({ name }) => name));

describe('an unfolding tool inside a playbook', () => {
  it('can be called, and its inner tools count as used (PLY-11)', async () => {
    const afterAdd = when((progress) => progress.used('add') > 0);
    const config = { tools: [math], locked: [{ tool: report, unlockedBy: afterAdd }] };
    const shown = await playPlaybook(config, [
      useTools('report'),
      useTools('math'),
      addReply,
      useTools('report'),
    ]);
    expect(getOfferedTools(shown)).toEqual([
      ['math', 'report'],
      ['math', 'report'],
      ...Array.from({ length: 3 }, () => ['math', 'report', 'add']),
    ]);
    expect(getInnerResults(shown).slice(-2)).toEqual(['2', 'report done']);
    expect(listDescriptions('add', shown.inside).at(-1)).toBe('Adds.');
  });

  it('stays folded while it is locked, and can be unfolded after it is unlocked (PLY-05, PLY-11)', async () => {
    const config = { tools: [search], locked: [{ tool: math, unlockedBy: after(search) }] };
    const shown = await playPlaybook(config, [
      useTools('math'),
      addReply,
      useTools('search'),
      useTools('math'),
      addReply,
    ]);
    expect(getOfferedTools(shown).map((names) => names.includes('add'))).toEqual([
      ...[false, false, false, false, true, true],
    ]);
    expect(getInnerResults(shown)[0]).toBe(needsSearchText);
    expect(getInnerResults(shown)[1]).toMatch(/^Error: Tool 'add' does not exist\./);
    expect(getInnerResults(shown)[4]).toBe('2');
    expect(listDescriptions('math', shown.inside)[0]).toBe('Reckons');
    expect(listDescriptions('math', shown.inside)[3]).toBe('Reckons');
  });

  it('offers a shortcut only after it is unlocked, and its use counts for both tools (PLY-07, PLY-11)', async () => {
    const config = {
      tools: [search],
      locked: [
        { tool: math, unlockedBy: after(search) },
        { tool: report, unlockedBy: after(math) },
      ],
    };
    const inside = [shortcut, useTools('report'), useTools('search'), shortcut, useTools('report')];
    const { session, inside: requests } = await playPlaybook(config, inside);
    const [first, second, , fourth, fifth] = getInnerResults({ inside: requests });
    expect([first, second, fifth]).toEqual([
      needsSearchText,
      formatLocked('You must first use: math'),
      'report done',
    ]);
    expect(fourth).toMatch(/^2\b/);
    const { toolExecutions, tools } = Object(await readPlaybookMemory(session))['desk/researcher'][''];
    expect([toolExecutions, tools]).toEqual([3, { search: 1, add: 1, math: 1, report: 1 }]);
  });

  it('passes the context and a decision to its inner tools (PLY-11)', async () => {
    const tenant = createTool('tenant', ({ context }) => String(context.get('tenant')));
    const guarded = defineUnfolding({
      name: 'desk_work',
      description: 'Works',
      tools: [requireApproval(tenant, 'May I?')],
    });
    const made = createResearcher({
      tools: [guarded],
      locked: [{ tool: report, unlockedBy: after(guarded) }],
    });
    const replies = [
      callPlaybook('a'),
      useTools('desk_work'),
      useTools('tenant', 'report'),
      'Researched.',
      'Done.',
    ];
    const session = startSession([made], replies);
    expect(await session.send('Go.', { context: { tenant: 't1' } })).toMatchObject({ outcome: 'suspended' });
    session.restart();
    expect(await session.decide('tenant', 'approve')).toMatchObject({ outcome: 'completed' });
    expect(getShownResults(session.requests.at(-2)).slice(1)).toEqual(['t1', 'report done']);
  });

  describe('with session scope', () => {
    /** Returns the results inside the playbook of one turn. */
    const collectResults = async (session: TestSession) => {
      await session.send('Go.');
      return getShownResults(session.requests.at(-2));
    };
    const createTurnReplies = (topic: string, ...inside: ScriptedReply[]) => [
      callPlaybook(topic),
      ...inside,
      'Researched.',
      'Done.',
    ];
    const createOpenedMath = (...tools: AnyTool[]) =>
      defineUnfolding({ name: 'math', description: 'Reckons', scope: 'session', tools });
    const keyed = {
      key: ({ topic }: { topic: string }) => topic.charAt(0),
      reset: ({ topic }: { topic: string }) => topic.endsWith('anew'),
    };

    it('is locked with all its inner tools for another key, and after a reset (PLY-12)', async () => {
      const made = createResearcher({
        tools: [search],
        locked: [{ tool: createOpenedMath(add), unlockedBy: after(search) }],
        ...keyed,
      });
      const session = startSession(
        [made],
        [
          ...createTurnReplies('a', useTools('search'), useTools('math'), addReply),
          ...createTurnReplies('b', addReply, shortcut, useTools('math'), useTools('search'), addReply),
          ...createTurnReplies('a', addReply),
          ...createTurnReplies('a anew', addReply),
        ],
      );
      expect((await collectResults(session)).at(-1)).toBe('2');
      session.restart();
      const [first, second, third, , last] = await collectResults(session);
      expect([first, second, third, last]).toEqual([needsSearchText, needsSearchText, needsSearchText, '2']);
      const inside = session.requests.slice(-7, -1);
      expect(listDescriptions('add', inside)).toEqual(Array(6).fill('Adds.'));
      expect(await collectResults(session)).toEqual(['2']);
      expect(await collectResults(session)).toEqual([needsSearchText]);
    });

    it('is locked together with the tools of an inner unfolding tool', async () => {
      const sums = defineUnfolding({ name: 'sums', description: 'Sums', scope: 'session', tools: [add] });
      const made = createResearcher({
        tools: [search],
        locked: [{ tool: createOpenedMath(sums), unlockedBy: after(search) }],
        ...keyed,
      });
      const sumsShortcut = { calls: [{ name: 'sums', input: { add: { a: 1 } } }] };
      const session = startSession(
        [made],
        [
          ...createTurnReplies('a', useTools('search'), useTools('math'), useTools('sums'), addReply),
          ...createTurnReplies('b', addReply, useTools('sums'), sumsShortcut),
        ],
      );
      expect((await collectResults(session)).at(-1)).toBe('2');
      expect(await collectResults(session)).toEqual([needsSearchText, needsSearchText, needsSearchText]);
    });

    it('does not lock an inner tool that another unfolding tool also offers, or that was offered before (AGT-10)', async () => {
      const also = defineUnfolding({ name: 'also', description: 'Reckons', scope: 'session', tools: [add] });
      const made = createResearcher({
        tools: [search, also],
        locked: [{ tool: createOpenedMath(add, search), unlockedBy: after(search) }],
        ...keyed,
      });
      const session = startSession(
        [made],
        [
          ...createTurnReplies('a', useTools('search'), useTools('math'), useTools('also')),
          ...createTurnReplies('b', addReply, useTools('search')),
        ],
      );
      await collectResults(session);
      expect(await collectResults(session)).toEqual(['2', 'search done']);
    });
  });

  it('has no shortcut to an inner tool that is locked', async () => {
    const facade = defineUnfolding({ name: 'facade', description: 'Opens', tools: [report] });
    const config = {
      tools: [search, analyze],
      locked: [
        { tool: facade, unlockedBy: after(search) },
        { tool: report, unlockedBy: after(analyze) },
      ],
    };
    const short = { calls: [{ name: 'facade', input: { report: {} } }] };
    const shown = await playPlaybook(config, [short, useTools('search'), short, useTools('analyze'), short]);
    expect(getInnerResults(shown)).toEqual([
      ...[formatLocked('You must first use: analyze'), 'search done'],
      ...[formatLocked('You must first use: analyze'), 'analyze done', 'report done'],
    ]);
  });

  it('runs the calls of a batch one after another, including calls of its inner tools', async () => {
    const trace: string[] = [];
    const createSlowTool = (name: string) =>
      createTool(name, async (call) => {
        trace.push(`${name} begins`);
        await startStored(session, call); // At this point all parallel calls have started.
        trace.push(`${name} ends`);
      });
    const facade = defineUnfolding({
      name: 'facade',
      description: 'Opens',
      tools: [createSlowTool('inner')],
    });
    const config = { tools: [facade, createSlowTool('outer')], locked: [] };
    const replies = [
      callPlaybook('tides'),
      useTools('facade'),
      useTools('inner', 'outer'),
      'Researched.',
      'Done.',
    ];
    const session: TestSession = startSession([createResearcher(config)], replies);
    await session.send('Go.');
    expect(trace).toEqual(['inner begins', 'inner ends', 'outer begins', 'outer ends']);
  });
});
