import { describe, expect, it } from 'vitest';
import { type AnyTool, text } from '../../../../src/index.ts';
import { defineUnfolding } from '../../../../src/kinds/entry.ts';
import { decorate, withObservability } from '../../../../src/modules/decorators/entry.ts';
import { captureWarnings } from '../../../fixtures/warnings.ts';
import { createDiggingTool } from '../tool-loop/scenes.ts';
import {
  callTools,
  createSession,
  createTool,
  formatOpenedText,
  getLastResults,
  getOfferedTools,
} from './scenes.ts';

const createUnfolding = (name: string, tools: readonly AnyTool[], more = {}): AnyTool =>
  defineUnfolding({ name, description: `The ${name}.`, tools, ...more });

/** Returns nested unfolding tools: `l1` contains `l2` and so on, and the last one contains `leaf`. */
const createNestedUnfolding = (depth: number, at = 1): AnyTool =>
  createUnfolding(`l${at}`, [
    at === depth ? createTool('leaf') : createNestedUnfolding(depth, at + 1),
    createTool(`at_${at}`),
  ]);

describe('nested unfolding tools', () => {
  it.each([2, 3, 5])('open one by one to a depth of %i (UNF-29, UNF-33)', async (depth) => {
    const names = Array.from({ length: depth }, (_, index) => `l${index + 1}`);
    const replies = [...names.map((name) => callTools(name)), callTools('leaf'), 'Done.'];
    const session = createSession([createNestedUnfolding(depth), createTool('search')], replies);
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', iterations: depth + 2 });
    expect(getLastResults(session).at(-1)).toBe('leaf done');
    for (const [step, seen] of getOfferedTools(session)
      .slice(0, depth + 1)
      .entries()) {
      const reached = names.slice(1, step + 1).flatMap((name, at) => [`at_${at + 1}`, name]);
      expect(seen).toEqual(['l1', 'search', ...reached, ...(step === depth ? [`at_${depth}`, 'leaf'] : [])]);
    }
  });

  it('open branch by branch, and stay open (UNF-29)', async () => {
    const admin = createUnfolding('admin', [
      createUnfolding('users', [createTool('create'), createTool('remove')]),
      createUnfolding('system', [createTool('backup')]),
    ]);
    const session = createSession(
      [admin],
      [callTools('admin'), callTools('users'), callTools('system'), 'Done.'],
    );
    await session.send('Go.');
    expect(getOfferedTools(session).slice(1)).toEqual([
      ['admin', 'system', 'users'],
      ['admin', 'system', 'users', 'create', 'remove'],
      ['admin', 'system', 'users', 'create', 'remove', 'backup'],
    ]);
    expect(getLastResults(session)).toEqual([
      formatOpenedText('users', 'system'),
      formatOpenedText('create', 'remove'),
      formatOpenedText('backup'),
    ]);
  });

  it('can open together in one reply, and each lists its own tools (UNF-10)', async () => {
    const tools = [
      createUnfolding('a', [createTool('one')]),
      createUnfolding('b', [createTool('two')]),
      createUnfolding('c', [createTool('three')]),
    ];
    const session = createSession(tools, [callTools('c', 'a', 'b'), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([
      formatOpenedText('three'),
      formatOpenedText('one'),
      formatOpenedText('two'),
    ]);
    expect(getOfferedTools(session)[1]).toEqual(['a', 'b', 'c', 'one', 'three', 'two']);
  });

  it('can contain an exclusive one, which removes all other tools (UNF-16)', async () => {
    const inner = createUnfolding('mood', [createTool('formal'), createTool('casual')], { exclusive: true });
    const session = createSession(
      [createUnfolding('settings', [inner, createTool('theme')]), createTool('search')],
      [callTools('settings'), callTools('mood'), 'Done.'],
    );
    await session.send('Go.');
    expect(getOfferedTools(session).slice(1)).toEqual([
      ['search', 'settings', 'mood', 'theme'],
      ['casual', 'formal'],
    ]);
  });

  it('can also open inside an exclusive unfolding tool (UNF-16)', async () => {
    const outer = createUnfolding('outer', [createUnfolding('inner', [createTool('leaf')])], {
      exclusive: true,
    });
    const session = createSession(
      [outer, createTool('search')],
      [callTools('outer'), callTools('inner'), 'Done.'],
    );
    await session.send('Go.');
    expect(getOfferedTools(session).slice(1)).toEqual([['inner'], ['inner', 'leaf']]);
  });
});

describe('an unfolding tool in a nested loop', () => {
  it('opens only in that loop, and is closed in the next nested loop of the same tool', async () => {
    const files = createUnfolding('files', [createTool('read')]);
    const session = createSession(
      [createDiggingTool([files]), files],
      [
        callTools('dig'),
        callTools('files'),
        callTools('read'),
        'Deep.',
        callTools('dig'),
        'Deeper.',
        'Done.',
      ],
    );
    await session.send('Go.');
    expect(getOfferedTools(session)).toEqual([
      ['dig', 'files'],
      ['files'],
      ['files', 'read'],
      ['files', 'read'],
      ['dig', 'files'],
      ['files'],
      ['dig', 'files'],
    ]);
    expect((await session.state()).memories.get('unfolding')).toEqual([]);
  });

  it('can also be open independently in the outer loop', async () => {
    const files = createUnfolding('files', [createTool('read')]);
    const session = createSession(
      [createDiggingTool([files]), files],
      [callTools('files', 'dig'), callTools('files'), 'Deep.', 'Done.'],
    );
    await session.send('Go.');
    expect(getOfferedTools(session)).toEqual([
      ['dig', 'files'],
      ['files'],
      ['files', 'read'],
      ['dig', 'files', 'read'],
    ]);
  });
});

describe('a decorated unfolding tool', () => {
  it('offers its inner tools through its decorators (UNF-30)', async () => {
    const seen: string[] = [];
    const files = withObservability(
      createUnfolding('files', [createTool('read')]),
      ({ tool }) => void seen.push(tool),
    );
    const session = createSession([decorate(files, {})], [callTools('files'), 'Done.']);
    await session.send('Go.');
    expect(getOfferedTools(session)[1]).toEqual(['files', 'read']);
    expect(seen).toEqual(['files']);
  });

  it('returns an error to the model and logs a warning if a wrapper has no `delegate` (UNF-30)', async () => {
    const warned = captureWarnings();
    const files = createUnfolding('files', [createTool('read')]);
    class Wrapper {
      readonly name = 'files';
      readonly description = files.description;
      readonly inputSchema = files.inputSchema;
      readonly effect = files.effect;
      readonly returnDirect = false;
      readonly metadata = {};
      readonly check = files.check;
      readonly call = files.call;
    }
    const session = createSession([new Wrapper()], [callTools('files'), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([
      "Error: Tool 'files' cannot show its tools here. Do not call it again; go on without it.",
    ]);
    expect(getOfferedTools(session)[1]).toEqual(['files']);
    expect(warned).toEqual([
      "holdfast: the unfolding tool 'files' cannot unfold: its wrapper has no `delegate`, or the loop that called it does not offer it",
    ]);
  });

  /** Decorates an unfolding tool and its inner tools with a guard that logs calls. */
  const createGuardedTool = (tool: AnyTool, log: string[]): AnyTool =>
    decorate(tool, {
      async call(input, call) {
        log.push(tool.name);
        const result = await tool.call(input, call);
        return result.type === 'text' && result.content.endsWith('done')
          ? text(`${result.content}, guarded`)
          : result;
      },
      adopt: (inner) => createGuardedTool(inner, log),
    });

  it('applies a guard to its inner tools, at every level (UNF-28)', async () => {
    const log: string[] = [];
    const session = createSession(
      [createGuardedTool(createNestedUnfolding(3), log)],
      [callTools('l1'), callTools('l2'), callTools('l3'), callTools('leaf', 'at_1'), 'Done.'],
    );
    await session.send('Go.');
    expect(log).toEqual(['l1', 'l2', 'l3', 'leaf', 'at_1']);
    expect(getLastResults(session).slice(3)).toEqual(['leaf done, guarded', 'at_1 done, guarded']);
  });

  it('guards deeper levels even if the guard has no `adopt` (UNF-28)', async () => {
    const log: string[] = [];
    const createLoggingTool = (tool: AnyTool): AnyTool =>
      decorate(tool, {
        call(input, call) {
          log.push(tool.name);
          return tool.call(input, call);
        },
      });
    const outer = decorate(createNestedUnfolding(2), { adopt: createLoggingTool });
    const session = createSession([outer], [callTools('l1'), callTools('l2'), callTools('leaf'), 'Done.']);
    await session.send('Go.');
    expect(log).toEqual(['l2', 'leaf']);
  });

  it('cannot be bypassed by a shortcut if its inner tools are guarded (UNF-28)', async () => {
    const log: string[] = [];
    const createLoggingTool = (tool: AnyTool): AnyTool =>
      decorate(tool, {
        call(input, call) {
          log.push(tool.name);
          return tool.call(input, call);
        },
      });
    const files = decorate(createUnfolding('files', [createTool('read')]), { adopt: createLoggingTool });
    const session = createSession([files], [callTools(['files', { read: {} }]), callTools('read'), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([formatOpenedText('read'), 'read done']);
    expect(log).toEqual(['read']);
  });
});
