import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { artifact, defineDomainType, defineTool } from '../../../../../src/index.ts';
import { assetsOf, trackAssets } from '../../../../../src/modules/decorators/entry.ts';
import type { TestSession } from '../../../../../src/testing/entry.ts';
import { createFakeCall } from '../fake-call.ts';
import { callTools, createCrashingTool, getShownResults, startSession } from './turns.ts';

const Concert = defineDomainType({
  name: 'Concert',
  schema: v.object({ id: v.string(), works: v.array(v.string()) }),
});
const createReturningTool = (name: string, value: unknown) =>
  defineTool({ name, description: 'Makes.', effect: 'read', run: () => value });
const plan = createReturningTool('plan', artifact('Planned.', Concert, { id: 'c1', works: ['a', 'b', 'c'] }));

async function collectAssets(tools: Parameters<typeof startSession>[0]) {
  const session = startSession(tools, [callTools(...tools.map(({ name }) => name)), 'Done.']);
  await session.send('Go.');
  return { session, assets: assetsOf((await session.state()).blackboard) };
}

describe('tracked assets', () => {
  it('are the returned values that have an id, and the result is unchanged (AST-01)', async () => {
    const { session, assets } = await collectAssets([trackAssets(plan)]);
    expect(assets).toEqual([{ id: 'c1', type: 'Concert', value: { id: 'c1', works: ['a', 'b', 'c'] } }]);
    expect(getShownResults(session)).toEqual(['Planned.']);
  });

  it.each([
    ['items of a list', [{ id: 'a' }, { id: 7 }, { name: 'no id' }], ['a', '7']],
    ['missing for a value without an id', { name: 'no id' }, []],
    ['missing for a blank id or an id that is not text', [{ id: ' ' }, { id: null }, { id: { n: 1 } }], []],
    ['missing for text', 'words', []],
    ['missing for a value that is not an object', artifact('', 'a value'), []],
  ])('are %s (AST-01)', async (_, value, ids) => {
    const { assets } = await collectAssets([trackAssets(createReturningTool('make', value))]);
    expect(assets.map(({ id }) => id)).toEqual(ids);
  });

  it('are filtered after their type is checked (AST-01)', async () => {
    const asked: string[] = [];
    const both = [{ id: 'c1', works: ['a'] }, { id: 'x' }, { id: 'c2', works: ['a', 'b', 'c'] }];
    const tool = trackAssets(createReturningTool('make', artifact('', Concert, both)), {
      type: Concert,
      filter: ({ id, works }) => {
        asked.push(id);
        return works.length >= 3;
      },
    });
    expect((await collectAssets([tool])).assets.map(({ id }) => id)).toEqual(['c2']);
    expect(asked).toEqual(['c1', 'c2']);
  });

  it('are added once per session, across batches and turns (AST-01)', async () => {
    let works = 0;
    const tool = trackAssets(
      defineTool({
        name: 'plan',
        description: 'Plans.',
        effect: 'read',
        output: Concert,
        run: () => {
          works += 1;
          return { id: 'c1', works: [`${works}`] };
        },
      }),
    );
    const replies = [callTools('plan', 'plan'), callTools('plan'), 'Done.', callTools('plan'), 'Done.'];
    const session = startSession([tool], replies);
    await session.send('Go.');
    const { blackboard } = await session.state();
    session.restart();
    await session.send('Again.');
    expect((await session.state()).blackboard).toEqual(blackboard);
    expect(assetsOf(blackboard)).toEqual([{ id: 'c1', type: 'Concert', value: { id: 'c1', works: ['1'] } }]);
  });

  it('can share an id if their types differ', async () => {
    const other = createReturningTool('other', artifact('', { name: 'Other' }, { id: 'c1' }));
    const { assets } = await collectAssets(trackAssets([plan, other]));
    expect(assets.map(({ type, id }) => `${type} ${id}`)).toEqual(['Concert c1', 'Other c1']);
  });

  it('come from several tools through one filter (AST-01)', async () => {
    const tools = trackAssets(
      [
        createReturningTool('one', { id: 'important-1' }),
        createReturningTool('two', [{ id: 'x' }, { id: 'important-2' }]),
      ],
      { filter: (asset) => JSON.stringify(asset).includes('important-') },
    );
    expect((await collectAssets(tools)).assets.map(({ id }) => id)).toEqual(['important-1', 'important-2']);
  });

  it('are still on the blackboard after a crash of the Worker', async () => {
    const session: TestSession = startSession(
      [trackAssets(plan), createCrashingTool(() => session)],
      [callTools('plan'), callTools('crash'), 'Done.'],
    );
    await session.send('Go.');
    expect(assetsOf((await session.state()).blackboard)).toHaveLength(1);
  });

  it('can be read by type, without other entries of the blackboard', async () => {
    const { call, board } = createFakeCall();
    await trackAssets(plan).call({}, call);
    await trackAssets(createReturningTool('other', { id: 'o1' })).call({}, call);
    call.blackboard.add({ id: 'published' }, { name: 'published' });
    call.blackboard.add({ id: 'c9' }, { name: 'asset:"Concert":c9', type: 'Concert' });
    expect(assetsOf(board).map(({ id }) => id)).toEqual(['c1', 'o1', 'c9']);
    expect(assetsOf(board, Concert)).toEqual([
      { id: 'c1', type: 'Concert', value: { id: 'c1', works: ['a', 'b', 'c'] } },
    ]);
  });

  it('are not kept without a session', async () => {
    const { call, board } = createFakeCall({ inSession: false });
    expect((await trackAssets(plan).call({}, call)).text()).toBe('Planned.');
    expect(board).toEqual([]);
  });

  it('leave the tool’s metadata unchanged (AST-02)', () => {
    const tool = { ...plan, metadata: { group: 'music' }, returnDirect: true };
    expect(trackAssets(tool)).toMatchObject({ metadata: { group: 'music' }, returnDirect: true });
  });
});
