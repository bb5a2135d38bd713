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
import { createDiggingTool } from '../../tool-loop/scenes.ts';
import {
  callTools,
  createCrashTool,
  createSession,
  createTool,
  createWarmSession,
  findDescription,
  formatOpenedText,
  getLastResults,
  getOfferedTools,
} from '../../unfolding/scenes.ts';

const createStrategy = (evaluate: InjectionStrategyConfig['evaluate'], name = 'mine') =>
  defineInjectionStrategy({ name, evaluate });
/** Adds `after_{tool}` for each call. */
const addingStrategy = createStrategy(
  ({ lastCall }) => addTools(createTool(`after_${lastCall.tool}`)),
  'adds',
);

describe('a strategy of an agent', () => {
  it('adds tools after a call, for the next model call and the rest of the turn (INJ-01, INJ-09)', async () => {
    const session = createSession(
      [createTool('a'), createTool('b')],
      [callTools('a'), callTools('after_a', 'b'), 'Done.', 'Again.'],
      {
        use: [
          createStrategy(({ lastCall }) =>
            lastCall.tool.startsWith('after') ? noChange : addTools(createTool(`after_${lastCall.tool}`)),
          ),
        ],
      },
    );
    await session.send('Go.');
    await session.send('And now?');
    expect(getOfferedTools(session)).toEqual([
      ['a', 'b'],
      ['a', 'b', 'after_a'],
      ['a', 'b', 'after_a', 'after_b'],
      ['a', 'b'],
    ]);
    expect(getLastResults(session)[1]).toBe('after_a done');
  });

  it('can be an instance of a class whose methods share state', async () => {
    class Adding {
      readonly name = 'adding';
      readonly #added = createTool('b');
      offer(tools: readonly AnyTool[]): readonly AnyTool[] {
        return [...tools, this.#added];
      }
    }
    const use = [defineInjectionStrategy(new Adding())];
    const session = createSession([createTool('a')], ['Done.'], { use });
    await session.send('Go.');
    expect(getOfferedTools(session)).toEqual([['a', 'b']]);
  });

  it('adds no tool to the same reply (INJ-09)', async () => {
    const session = createSession([createTool('a')], [callTools('a', 'after_a'), 'Done.'], {
      use: [addingStrategy],
    });
    await session.send('Go.');
    expect(getLastResults(session)[1]).toMatch(/^Error: Tool 'after_a' does not exist\./);
  });

  it('can return a bare list of tools to add (INJ-01)', async () => {
    const session = createSession([createTool('a')], [callTools('a'), 'Done.'], {
      use: [createStrategy(() => [createTool('b')])],
    });
    await session.send('Go.');
    expect(getOfferedTools(session)[1]).toEqual(['a', 'b']);
  });

  it('removes tools and replaces them (INJ-02, INJ-06)', async () => {
    const session = createSession(
      [createTool('login'), createTool('help')],
      [callTools('login'), callTools('logout'), 'Done.'],
      {
        use: [
          createStrategy(({ lastCall: { tool } }) =>
            tool === 'login'
              ? replaceTools('login', [createTool('logout'), createTool('help')])
              : { remove: ['help'] },
          ),
        ],
      },
    );
    await session.send('Go.');
    expect(getOfferedTools(session).slice(1)).toEqual([['help', 'logout'], ['logout']]);
  });

  it('receives the call, its outcome and its position (INJ-01, INJ-07, INJ-08)', async () => {
    const seen: InjectionContext[] = [];
    const look = createStrategy((context) => {
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
    const session = createWarmSession(
      [order, list, fails, brace],
      [callTools(['order', { n: 1 }], 'list'), callTools('fails', 'brace'), 'Done.'],
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

  it('is evaluated once per call and invocation, regardless of the length of the turn (INJ-01)', async () => {
    const evaluate = vi.fn(() => noChange);
    const replies = [...Array.from({ length: 15 }, () => callTools('a')), 'Done.'];
    const session = createWarmSession([createTool('a')], replies, { use: [createStrategy(evaluate)] });
    await session.send('Go.');
    expect(evaluate).toHaveBeenCalledTimes(15);
  });

  it('offers the same tools when another invocation resumes the turn', async () => {
    const session = createSession(
      [createTool('a'), createCrashTool(() => session)],
      [callTools('a'), callTools('after_a', 'crash'), callTools('after_a'), 'Done.'],
      {
        use: [
          createStrategy(({ lastCall }) =>
            lastCall.tool === 'a' ? addTools(createTool('after_a')) : noChange,
          ),
        ],
      },
    );
    await session.send('Go.');
    expect(getOfferedTools(session).slice(1)).toEqual(Array(3).fill(['a', 'crash', 'after_a']));
    expect(getLastResults(session)).toEqual(['a done', 'after_a done', 'crashed', 'after_a done']);
  });

  it('changes no tool if it throws, and logs a warning for the developer', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const broken = createStrategy(() => {
      throw new Error('Broken.');
    });
    const session = createSession([createTool('a')], [callTools('a'), 'Done.'], {
      use: [broken, addingStrategy],
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
    expect(getOfferedTools(session)[1]).toEqual(['a', 'after_a']);
    expect(log.mock.calls[0]).toEqual([
      "holdfast: the strategy 'mine' threw in evaluate",
      new Error('Broken.'),
    ]);
    log.mockRestore();
  });

  it('adds tools only in its own loop', async () => {
    const session = createSession(
      [createDiggingTool([createTool('a')]), createTool('b')],
      [callTools('dig'), callTools('a'), 'Deep.', callTools('b'), 'Done.'],
      {
        use: [addingStrategy],
      },
    );
    await session.send('Go.');
    expect(getOfferedTools(session)).toEqual([
      ['b', 'dig'],
      ['a'],
      ['a'],
      ['b', 'dig', 'after_dig'],
      ['b', 'dig', 'after_dig', 'after_b'],
    ]);
  });

  it('can belong to a nested loop', async () => {
    const session = createSession(
      [createDiggingTool([createTool('a')], { uses: [addingStrategy] })],
      [callTools('dig'), callTools('a'), 'Deep.', 'Done.'],
    );
    await session.send('Go.');
    expect(getOfferedTools(session)[2]).toEqual(['a', 'after_a']);
  });
});

describe('an unfolding tool that a strategy adds', () => {
  const createArchive = (more: { readonly exclusive?: boolean } = {}) =>
    defineUnfolding({
      name: 'archive',
      description: 'Old.',
      tools: [createTool('read'), createTool('write')],
      ...more,
    });
  const createAddOnceStrategy = (tool: AnyTool) =>
    createStrategy(({ lastCall }) => (lastCall.tool === 'a' ? addTools(tool) : noChange));

  it('opens and runs its inner tools, even after another invocation resumes (INJ-04, S0-098)', async () => {
    const tool = createArchive();
    const session = createSession(
      [createTool('a'), createCrashTool(() => session)],
      [callTools('a'), callTools('archive'), callTools('read', 'crash'), callTools('write'), 'Done.'],
      { use: [createAddOnceStrategy(tool)] },
    );
    await session.send('Go.');
    expect(getOfferedTools(session)).toEqual([
      ['a', 'crash'],
      ['a', 'crash', 'archive'],
      ...Array(3).fill(['a', 'crash', 'archive', 'read', 'write']),
    ]);
    expect(getLastResults(session).slice(1)).toEqual([
      formatOpenedText('read', 'write'),
      'read done',
      'crashed',
      'write done',
    ]);
  });

  it('lists its inner tools when it is called again', async () => {
    const session = createSession(
      [createTool('a')],
      [callTools('a'), callTools('archive'), callTools('archive'), 'Done.'],
      {
        use: [createAddOnceStrategy(createArchive())],
      },
    );
    await session.send('Go.');
    expect(getLastResults(session).at(-1)).toBe(
      "'archive' is open already. Call one of its tools:\n- read: Does read.\n- write: Does write.",
    );
  });

  it('does not change an unfolding tool of the agent', async () => {
    const files = defineUnfolding({ name: 'files', description: 'Files.', tools: [createTool('find')] });
    const session = createSession(
      [createTool('a'), files],
      [callTools('files'), callTools('a'), callTools('archive'), callTools('files'), 'Done.'],
      { use: [createAddOnceStrategy(createArchive())] },
    );
    await session.send('Go.');
    expect(getOfferedTools(session).at(-1)).toEqual(['a', 'files', 'find', 'archive', 'read', 'write']);
    expect(findDescription(session, 'files')).toBe(
      'Files. Already open: its tools are among yours. Call it only to list them.',
    );
    expect(getLastResults(session).at(-1)).toBe(
      "'files' is open already. Call one of its tools:\n- find: Does find.",
    );
  });

  it('removes all other tools if it is exclusive', async () => {
    const session = createSession([createTool('a')], [callTools('a'), callTools('archive'), 'Done.'], {
      use: [createAddOnceStrategy(createArchive({ exclusive: true }))],
    });
    await session.send('Go.');
    expect(getOfferedTools(session).at(-1)).toEqual(['read', 'write']);
  });

  it('does not offer an inner tool that the same strategy or another strategy removes', async () => {
    const tool = defineUnfolding({
      name: 'archive',
      description: 'Old.',
      tools: [createTool('read'), createTool('write'), createTool('burn')],
    });
    const both = createStrategy(({ lastCall }) => {
      if (lastCall.tool === 'a') return addTools(tool);
      return lastCall.tool === 'archive' ? removeTools('write') : noChange;
    });
    const other = createStrategy(() => removeTools('burn'), 'other');
    const session = createSession([createTool('a')], [callTools('a'), callTools('archive'), 'Done.'], {
      use: [both, other],
    });
    await session.send('Go.');
    expect(getOfferedTools(session).at(-1)).toEqual(['a', 'archive', 'read']);
  });

  it('opens if a strategy with `offer` adds it, at any depth', async () => {
    const outer = defineUnfolding({ name: 'outer', description: 'Outer.', tools: [createArchive()] });
    const added = defineInjectionStrategy({ name: 'adding', offer: (tools) => [...tools, outer] });
    const session = createSession(
      [],
      [callTools('outer'), callTools('archive'), callTools('read'), 'Done.'],
      {
        use: [added],
      },
    );
    await session.send('Go.');
    expect(getOfferedTools(session).at(-1)).toEqual(['outer', 'archive', 'read', 'write']);
    expect(getLastResults(session).at(-1)).toBe('read done');
  });

  it('opens in a nested loop, and if the app has the strategy', async () => {
    const helper = defineAgenticTool({
      name: 'helper',
      description: 'Helps.',
      tools: [createTool('a')],
      use: [createAddOnceStrategy(createArchive())],
    });
    const nested = createSession(
      [helper],
      [callTools('helper'), callTools('a'), callTools('archive'), callTools('read'), 'Deep.', 'Done.'],
    );
    await nested.send('Go.');
    expect(getOfferedTools(nested)[4]).toEqual(['a', 'archive', 'read', 'write']);
    const ofApp = createTestSession(
      defineAgent({ name: 'clerk', description: 'Helps.', instructions: 'Help.', tools: [createTool('a')] }),
      {
        use: [createAddOnceStrategy(createArchive())],
        replies: [callTools('a'), callTools('archive'), callTools('read'), 'Done.'],
      },
    );
    await ofApp.send('Go.');
    expect(getLastResults(ofApp).at(-1)).toBe('read done');
  });
});

describe('several strategies', () => {
  const files = defineUnfolding({
    name: 'files',
    description: 'Files.',
    tools: [createTool('read'), createTool('write')],
  });

  it('run in order, after the default strategy for unfolding (INJ-03, INJ-04, INJ-05)', async () => {
    const seen: string[][] = [];
    const first = createStrategy(({ tools }) => {
      seen.push(tools.map(({ name }) => name).toSorted());
      return { add: [createTool('one')], remove: ['write'] };
    }, 'first');
    const second = createStrategy(({ tools }) => {
      seen.push(tools.map(({ name }) => name).toSorted());
      return removeTools('one');
    }, 'second');
    const session = createSession([files], [callTools('files'), 'Done.'], { use: [first, second] });
    await session.send('Go.');
    expect(getOfferedTools(session)[1]).toEqual(['files', 'read']);
    expect(seen.at(-1)).toEqual(['files', 'one', 'read']);
    expect(seen.at(-2)).toEqual(['files', 'read', 'write']);
  });

  it('change the tools that an unfolding tool announces, because they change the offered tools', async () => {
    const hide = createStrategy(() => removeTools('write'));
    const session = createSession([files, createTool('a')], [callTools('a'), callTools('files'), 'Done.'], {
      use: [hide],
    });
    await session.send('Go.');
    expect(getLastResults(session)[1]).toMatch(/^Tools now available: read\. /);
  });

  it('do not change the tools of a bare loop (INJ-03)', async () => {
    const { offered: shown } = await runBare({ tools: [files], replies: [callTools('files'), 'Done.'] });
    expect(shown).toEqual([['files'], ['files']]);
  });
});
