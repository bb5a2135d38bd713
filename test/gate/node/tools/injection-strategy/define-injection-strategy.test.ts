import { describe, expect, it, vi } from 'vitest';
import { type AnyTool, artifact, defineAgent, defineTool, error } from '../../../../../src/index.ts';
import {
  addTools,
  defineAgenticTool,
  defineInjectionStrategy,
  defineUnfolding,
  type InjectionContext,
  type InjectionStrategyConfig,
  noChange,
  removeTools,
  replaceTools,
} from '../../../../../src/kinds/entry.ts';
import { createTestSession } from '../../../../../src/testing/entry.ts';
import { runBare } from '../../tool-loop/bare-loop.ts';
import { diggingTool } from '../../tool-loop/scenes.ts';
import {
  calls,
  crash,
  createTool,
  descriptionOf,
  offeredTools,
  openedText,
  results,
  sessionWith,
  warmSessionWith,
} from '../../unfolding/scenes.ts';

const strategy = (evaluate: InjectionStrategyConfig['evaluate'], name = 'mine') =>
  defineInjectionStrategy({ name, evaluate });
/** Adds `after_{tool}` for each call. */
const addingStrategy = strategy(({ lastCall }) => addTools(createTool(`after_${lastCall.tool}`)), 'adds');

describe('a strategy of an agent', () => {
  it('adds tools after a call, for the next model call and the rest of the turn (INJ-01, INJ-09)', async () => {
    const session = sessionWith(
      [createTool('a'), createTool('b')],
      [calls('a'), calls('after_a', 'b'), 'Done.', 'Again.'],
      {
        use: [
          strategy(({ lastCall }) =>
            lastCall.tool.startsWith('after') ? noChange : addTools(createTool(`after_${lastCall.tool}`)),
          ),
        ],
      },
    );
    await session.send('Go.');
    await session.send('And now?');
    expect(offeredTools(session)).toEqual([
      ['a', 'b'],
      ['a', 'b', 'after_a'],
      ['a', 'b', 'after_a', 'after_b'],
      ['a', 'b'],
    ]);
    expect(results(session)[1]).toBe('after_a done');
  });

  it('can be an object of a class, and its methods share state', async () => {
    class Adding {
      readonly name = 'adding';
      readonly #added = createTool('b');
      offer(tools: readonly AnyTool[]): readonly AnyTool[] {
        return [...tools, this.#added];
      }
    }
    const use = [defineInjectionStrategy(new Adding())];
    const session = sessionWith([createTool('a')], ['Done.'], { use });
    await session.send('Go.');
    expect(offeredTools(session)).toEqual([['a', 'b']]);
  });

  it('adds no tool to the same reply (INJ-09)', async () => {
    const session = sessionWith([createTool('a')], [calls('a', 'after_a'), 'Done.'], {
      use: [addingStrategy],
    });
    await session.send('Go.');
    expect(results(session)[1]).toMatch(/^Error: Tool 'after_a' does not exist\./);
  });

  it('can return a bare list of tools to add (INJ-01)', async () => {
    const session = sessionWith([createTool('a')], [calls('a'), 'Done.'], {
      use: [strategy(() => [createTool('b')])],
    });
    await session.send('Go.');
    expect(offeredTools(session)[1]).toEqual(['a', 'b']);
  });

  it('removes tools and replaces them (INJ-02, INJ-06)', async () => {
    const session = sessionWith(
      [createTool('login'), createTool('help')],
      [calls('login'), calls('logout'), 'Done.'],
      {
        use: [
          strategy(({ lastCall: { tool } }) =>
            tool === 'login'
              ? replaceTools('login', [createTool('logout'), createTool('help')])
              : { remove: ['help'] },
          ),
        ],
      },
    );
    await session.send('Go.');
    expect(offeredTools(session).slice(1)).toEqual([['help', 'logout'], ['logout']]);
  });

  it('receives the call, its outcome and its position (INJ-01, INJ-07, INJ-08)', async () => {
    const seen: InjectionContext[] = [];
    const look = strategy((context) => {
      seen.push(context);
      return noChange;
    });
    const order = defineTool({
      name: 'order',
      description: 'Orders.',
      run: () => artifact('Order 41', { name: 'Order' }, { id: 41 }),
    });
    const list = createTool('list', () => [1, 2]);
    const fails = createTool('fails', () => error('{"no":1}'));
    const brace = createTool('brace', () => '{ not json');
    const session = warmSessionWith(
      [order, list, fails, brace],
      [calls(['order', { n: 1 }], 'list'), calls('fails', 'brace'), 'Done.'],
      { use: [look] },
    );
    await session.send('Go.');
    expect(seen.map(({ lastCall, iteration }) => ({ ...lastCall, iteration }))).toEqual([
      {
        id: expect.any(String),
        tool: 'order',
        input: '{"n":1}',
        result: 'Order 41',
        failed: false,
        artifact: { id: 41 },
        artifactType: 'Order',
        iteration: 1,
      },
      {
        id: expect.any(String),
        tool: 'list',
        input: '{}',
        result: '[1,2]',
        failed: false,
        json: [1, 2],
        artifact: [1, 2],
        iteration: 1,
      },
      {
        id: expect.any(String),
        tool: 'fails',
        input: '{}',
        result: 'Error: {"no":1}',
        failed: true,
        iteration: 2,
      },
      {
        id: expect.any(String),
        tool: 'brace',
        input: '{}',
        result: '{ not json',
        failed: false,
        iteration: 2,
      },
    ]);
    const before = seen.map(({ history }) =>
      history.map((message) =>
        message.role === 'user'
          ? message.text
          : message.calls.map(({ name, result }) => (result ? name : `${name}?`)),
      ),
    );
    expect(before).toEqual([
      ['Go.', ['order?', 'list?']],
      ['Go.', ['order', 'list?']],
      ['Go.', ['order', 'list'], ['fails?', 'brace?']],
      ['Go.', ['order', 'list'], ['fails', 'brace?']],
    ]);
    expect(seen.every(({ tools }) => tools.length === 4)).toBe(true);
  });

  it('is evaluated once per call and invocation, however long the turn is (INJ-01)', async () => {
    const evaluate = vi.fn(() => noChange);
    const replies = [...Array.from({ length: 15 }, () => calls('a')), 'Done.'];
    const session = warmSessionWith([createTool('a')], replies, { use: [strategy(evaluate)] });
    await session.send('Go.');
    expect(evaluate).toHaveBeenCalledTimes(15);
  });

  it('offers the same tools when another invocation resumes the turn', async () => {
    const session = sessionWith(
      [createTool('a'), crash(() => session)],
      [calls('a'), calls('after_a', 'crash'), calls('after_a'), 'Done.'],
      {
        use: [
          strategy(({ lastCall }) => (lastCall.tool === 'a' ? addTools(createTool('after_a')) : noChange)),
        ],
      },
    );
    await session.send('Go.');
    expect(offeredTools(session).slice(1)).toEqual(Array(3).fill(['a', 'crash', 'after_a']));
    expect(results(session)).toEqual(['a done', 'after_a done', 'crashed', 'after_a done']);
  });

  it('changes no tool if it throws, and logs a warning for the developer', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const broken = strategy(() => {
      throw new Error('Broken.');
    });
    const session = sessionWith([createTool('a')], [calls('a'), 'Done.'], { use: [broken, addingStrategy] });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
    expect(offeredTools(session)[1]).toEqual(['a', 'after_a']);
    expect(log.mock.calls[0]).toEqual([
      "holdfast: the strategy 'mine' threw in evaluate",
      new Error('Broken.'),
    ]);
    log.mockRestore();
  });

  it('sees only its own loop', async () => {
    const session = sessionWith(
      [diggingTool([createTool('a')]), createTool('b')],
      [calls('dig'), calls('a'), 'Deep.', calls('b'), 'Done.'],
      {
        use: [addingStrategy],
      },
    );
    await session.send('Go.');
    expect(offeredTools(session)).toEqual([
      ['b', 'dig'],
      ['a'],
      ['a'],
      ['b', 'dig', 'after_dig'],
      ['b', 'dig', 'after_dig', 'after_b'],
    ]);
  });

  it('can belong to a nested loop', async () => {
    const session = sessionWith(
      [diggingTool([createTool('a')], { uses: [addingStrategy] })],
      [calls('dig'), calls('a'), 'Deep.', 'Done.'],
    );
    await session.send('Go.');
    expect(offeredTools(session)[2]).toEqual(['a', 'after_a']);
  });
});

describe('an unfolding tool that a strategy adds', () => {
  const archive = (more: { readonly exclusive?: boolean } = {}) =>
    defineUnfolding({
      name: 'archive',
      description: 'Old.',
      tools: [createTool('read'), createTool('write')],
      ...more,
    });
  const addsOnce = (tool: AnyTool) =>
    strategy(({ lastCall }) => (lastCall.tool === 'a' ? addTools(tool) : noChange));

  it('opens and runs its inner tools, even after another invocation resumes (INJ-04, S0-098)', async () => {
    const tool = archive();
    const session = sessionWith(
      [createTool('a'), crash(() => session)],
      [calls('a'), calls('archive'), calls('read', 'crash'), calls('write'), 'Done.'],
      { use: [addsOnce(tool)] },
    );
    await session.send('Go.');
    expect(offeredTools(session)).toEqual([
      ['a', 'crash'],
      ['a', 'crash', 'archive'],
      ...Array(3).fill(['a', 'crash', 'archive', 'read', 'write']),
    ]);
    expect(results(session).slice(1)).toEqual([
      openedText('read', 'write'),
      'read done',
      'crashed',
      'write done',
    ]);
  });

  it('lists its inner tools when it is called again', async () => {
    const session = sessionWith(
      [createTool('a')],
      [calls('a'), calls('archive'), calls('archive'), 'Done.'],
      {
        use: [addsOnce(archive())],
      },
    );
    await session.send('Go.');
    expect(results(session).at(-1)).toBe(
      "'archive' is open already. Call one of its tools:\n- read: Does read.\n- write: Does write.",
    );
  });

  it('does not change an unfolding tool of the agent', async () => {
    const files = defineUnfolding({ name: 'files', description: 'Files.', tools: [createTool('find')] });
    const session = sessionWith(
      [createTool('a'), files],
      [calls('files'), calls('a'), calls('archive'), calls('files'), 'Done.'],
      { use: [addsOnce(archive())] },
    );
    await session.send('Go.');
    expect(offeredTools(session).at(-1)).toEqual(['a', 'files', 'find', 'archive', 'read', 'write']);
    expect(descriptionOf(session, 'files')).toBe(
      'Files. Already open: its tools are among yours. Call it only to list them.',
    );
    expect(results(session).at(-1)).toBe(
      "'files' is open already. Call one of its tools:\n- find: Does find.",
    );
  });

  it('removes all other tools if it is exclusive', async () => {
    const session = sessionWith([createTool('a')], [calls('a'), calls('archive'), 'Done.'], {
      use: [addsOnce(archive({ exclusive: true }))],
    });
    await session.send('Go.');
    expect(offeredTools(session).at(-1)).toEqual(['read', 'write']);
  });

  it('loses an inner tool that the strategy or another strategy removes', async () => {
    const tool = defineUnfolding({
      name: 'archive',
      description: 'Old.',
      tools: [createTool('read'), createTool('write'), createTool('burn')],
    });
    const both = strategy(({ lastCall }) => {
      if (lastCall.tool === 'a') return addTools(tool);
      return lastCall.tool === 'archive' ? removeTools('write') : noChange;
    });
    const other = strategy(() => removeTools('burn'), 'other');
    const session = sessionWith([createTool('a')], [calls('a'), calls('archive'), 'Done.'], {
      use: [both, other],
    });
    await session.send('Go.');
    expect(offeredTools(session).at(-1)).toEqual(['a', 'archive', 'read']);
  });

  it('opens if a strategy with `offer` adds it, at any depth', async () => {
    const outer = defineUnfolding({ name: 'outer', description: 'Outer.', tools: [archive()] });
    const added = defineInjectionStrategy({ name: 'adding', offer: (tools) => [...tools, outer] });
    const session = sessionWith([], [calls('outer'), calls('archive'), calls('read'), 'Done.'], {
      use: [added],
    });
    await session.send('Go.');
    expect(offeredTools(session).at(-1)).toEqual(['outer', 'archive', 'read', 'write']);
    expect(results(session).at(-1)).toBe('read done');
  });

  it('opens in a nested loop, and if the app has the strategy', async () => {
    const helper = defineAgenticTool({
      name: 'helper',
      description: 'Helps.',
      tools: [createTool('a')],
      use: [addsOnce(archive())],
    });
    const nested = sessionWith(
      [helper],
      [calls('helper'), calls('a'), calls('archive'), calls('read'), 'Deep.', 'Done.'],
    );
    await nested.send('Go.');
    expect(offeredTools(nested)[4]).toEqual(['a', 'archive', 'read', 'write']);
    const ofApp = createTestSession(
      defineAgent({ name: 'clerk', description: 'Helps.', instructions: 'Help.', tools: [createTool('a')] }),
      {
        use: [addsOnce(archive())],
        replies: [calls('a'), calls('archive'), calls('read'), 'Done.'],
      },
    );
    await ofApp.send('Go.');
    expect(results(ofApp).at(-1)).toBe('read done');
  });
});

describe('several strategies', () => {
  const files = defineUnfolding({
    name: 'files',
    description: 'Files.',
    tools: [createTool('read'), createTool('write')],
  });

  it('run in order, after the unfolding that every agent has by default (INJ-03, INJ-04, INJ-05)', async () => {
    const seen: string[][] = [];
    const first = strategy(({ tools }) => {
      seen.push(tools.map(({ name }) => name).toSorted());
      return { add: [createTool('one')], remove: ['write'] };
    }, 'first');
    const second = strategy(({ tools }) => {
      seen.push(tools.map(({ name }) => name).toSorted());
      return removeTools('one');
    }, 'second');
    const session = sessionWith([files], [calls('files'), 'Done.'], { use: [first, second] });
    await session.send('Go.');
    expect(offeredTools(session)[1]).toEqual(['files', 'read']);
    expect(seen.at(-1)).toEqual(['files', 'one', 'read']);
    expect(seen.at(-2)).toEqual(['files', 'read', 'write']);
  });

  it('change the description of an unfolding tool, because they change the offered tools', async () => {
    const hide = strategy(() => removeTools('write'));
    const session = sessionWith([files, createTool('a')], [calls('a'), calls('files'), 'Done.'], {
      use: [hide],
    });
    await session.send('Go.');
    expect(results(session)[1]).toMatch(/^Tools now available: read\. /);
  });

  it('change no tool in a bare loop, which has no strategies (INJ-03)', async () => {
    const { offered: shown } = await runBare({ tools: [files], replies: [calls('files'), 'Done.'] });
    expect(shown).toEqual([['files'], ['files']]);
  });
});
