import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { after, defineTool, defineUnfolding, requireApproval, when } from '../../src/index.ts';
import { shownResults } from '../tool-loop/scenes.ts';
import {
  descriptions,
  does,
  locked,
  type Played,
  playbook,
  played,
  plays,
  remembered,
  report,
  results,
  search,
  sessionOf,
  uses,
} from './scenes.ts';

const add = defineTool({
  name: 'add',
  description: 'Adds.',
  input: v.object({ a: v.number() }),
  effect: 'read',
  run: ({ a }) => a + 1,
});
const math = defineUnfolding({ name: 'math', description: 'Reckons', tools: [add] });

const adds = { calls: [{ name: 'add', input: { a: 1 } }] };
const shortcut = { calls: [{ name: 'math', input: { add: { a: 1 } } }] };
const needsSearch = locked('You must first use: search');
const offered = ({ inside }: Played): readonly string[][] =>
  inside.map(({ tools }) => tools.map(({ name }) => name));

describe('an unfolding tool inside a playbook', () => {
  it('unfolds, and its tools count when they are used (PLY-11)', async () => {
    const afterAdd = when((progress) => progress.used('add') > 0);
    const config = { tools: [math], locked: [{ tool: report, unlockedBy: afterAdd }] };
    const shown = await played(config, [uses('report'), uses('math'), adds, uses('report')]);
    expect(offered(shown)).toEqual([
      ['math', 'report'],
      ['math', 'report'],
      ...Array.from({ length: 3 }, () => ['add', 'math', 'report']),
    ]);
    expect(results(shown).slice(-2)).toEqual(['2', 'report done']);
    expect(descriptions('add', shown.inside).at(-1)).toBe('Adds.');
  });

  it('that is locked stays folded, and unfolds once it is not (PLY-05, PLY-11)', async () => {
    const config = { tools: [search], locked: [{ tool: math, unlockedBy: after(search) }] };
    const shown = await played(config, [uses('math'), adds, uses('search'), uses('math'), adds]);
    expect(offered(shown).map((names) => names.includes('add'))).toEqual([
      ...[false, false, false, false, true, true],
    ]);
    expect(results(shown)[0]).toBe(needsSearch);
    expect(results(shown)[1]).toMatch(/^Error: Tool 'add' does not exist\./);
    expect(results(shown)[4]).toBe('2');
    expect(descriptions('math', shown.inside).slice(0, 1)).toEqual([`Reckons\n\n${needsSearch}`]);
    expect(descriptions('math', shown.inside)[3]).toBe('Reckons');
  });

  it('takes no shortcut past its lock, and afterwards one that counts for both (PLY-07, PLY-11)', async () => {
    const config = {
      tools: [search],
      locked: [
        { tool: math, unlockedBy: after(search) },
        { tool: report, unlockedBy: after(math) },
      ],
    };
    const inside = [shortcut, uses('report'), uses('search'), shortcut, uses('report')];
    const { session, inside: requests } = await played(config, inside);
    const [first, second, , fourth, fifth] = results({ inside: requests });
    expect([first, second, fifth]).toEqual([needsSearch, locked('You must first use: math'), 'report done']);
    expect(fourth).toMatch(/^2\b/);
    const { toolExecutions, tools } = Object(await remembered(session))['desk/researcher'][''];
    expect([toolExecutions, tools]).toEqual([3, { search: 1, add: 1, math: 1, report: 1 }]);
  });

  it('hands the context and a decision on to the tools inside (PLY-11)', async () => {
    const tenant = does('tenant', ({ context }) => String(context.get('tenant')));
    const guarded = defineUnfolding({
      name: 'desk_work',
      description: 'Works',
      tools: [requireApproval(tenant, 'May I?')],
    });
    const made = playbook({ tools: [guarded], locked: [{ tool: report, unlockedBy: after(guarded) }] });
    const replies = [plays('a'), uses('desk_work'), uses('tenant', 'report'), 'Researched.', 'Done.'];
    const session = sessionOf([made], replies);
    expect(await session.send('Go.', { context: { tenant: 't1' } })).toMatchObject({ outcome: 'suspended' });
    session.restart();
    expect(await session.decide('tenant', 'approve')).toMatchObject({ outcome: 'completed' });
    expect(shownResults(session.requests.at(-2)).slice(1)).toEqual(['t1', 'report done']);
  });

  it('runs the calls of a batch one after another, those of unfolded tools too', async () => {
    const trace: string[] = [];
    const slow = (name: string) =>
      does(name, async () => {
        trace.push(`${name} begins`);
        await new Promise((resolve) => setTimeout(resolve, 3));
        trace.push(`${name} ends`);
      });
    const facade = defineUnfolding({ name: 'facade', description: 'Opens', tools: [slow('inner')] });
    const config = { tools: [facade, slow('outer')], locked: [] };
    await played(config, [uses('facade'), uses('inner', 'outer')]);
    expect(trace).toEqual(['inner begins', 'inner ends', 'outer begins', 'outer ends']);
  });
});
