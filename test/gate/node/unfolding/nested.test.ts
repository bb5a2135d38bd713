import { describe, expect, it } from 'vitest';
import { type AnyTool, text } from '../../../../src/index.ts';
import { defineUnfolding } from '../../../../src/kinds/entry.ts';
import { decorate, withObservability } from '../../../../src/modules/decorators/entry.ts';
import { captureWarnings } from '../../../fixtures/warnings.ts';
import { diggingTool } from '../tool-loop/scenes.ts';
import { calls, createTool, offeredTools, openedText, results, sessionWith } from './scenes.ts';

const unfolding = (name: string, tools: readonly AnyTool[], more = {}): AnyTool =>
  defineUnfolding({ name, description: `The ${name}.`, tools, ...more });

/** Returns nested unfolding tools: `l1` contains `l2` and so on, and the last one contains `leaf`. */
const nestLevels = (depth: number, at = 1): AnyTool =>
  unfolding(`l${at}`, [
    at === depth ? createTool('leaf') : nestLevels(depth, at + 1),
    createTool(`at_${at}`),
  ]);

describe('nested unfolding tools', () => {
  it.each([2, 3, 5])('open one by one to a depth of %i (UNF-29, UNF-33)', async (depth) => {
    const names = Array.from({ length: depth }, (_, index) => `l${index + 1}`);
    const replies = [...names.map((name) => calls(name)), calls('leaf'), 'Done.'];
    const session = sessionWith([nestLevels(depth), createTool('search')], replies);
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', iterations: depth + 2 });
    expect(results(session).at(-1)).toBe('leaf done');
    for (const [step, seen] of offeredTools(session)
      .slice(0, depth + 1)
      .entries()) {
      const reached = names.slice(1, step + 1).flatMap((name, at) => [`at_${at + 1}`, name]);
      expect(seen).toEqual(['l1', 'search', ...reached, ...(step === depth ? [`at_${depth}`, 'leaf'] : [])]);
    }
  });

  it('open branch by branch, and stay open (UNF-29)', async () => {
    const admin = unfolding('admin', [
      unfolding('users', [createTool('create'), createTool('remove')]),
      unfolding('system', [createTool('backup')]),
    ]);
    const session = sessionWith([admin], [calls('admin'), calls('users'), calls('system'), 'Done.']);
    await session.send('Go.');
    expect(offeredTools(session).slice(1)).toEqual([
      ['admin', 'system', 'users'],
      ['admin', 'system', 'users', 'create', 'remove'],
      ['admin', 'system', 'users', 'create', 'remove', 'backup'],
    ]);
    expect(results(session)).toEqual([
      openedText('users', 'system'),
      openedText('create', 'remove'),
      openedText('backup'),
    ]);
  });

  it('can open together in one reply, and each lists its own tools (UNF-10)', async () => {
    const tools = [
      unfolding('a', [createTool('one')]),
      unfolding('b', [createTool('two')]),
      unfolding('c', [createTool('three')]),
    ];
    const session = sessionWith(tools, [calls('c', 'a', 'b'), 'Done.']);
    await session.send('Go.');
    expect(results(session)).toEqual([openedText('three'), openedText('one'), openedText('two')]);
    expect(offeredTools(session)[1]).toEqual(['a', 'b', 'c', 'one', 'three', 'two']);
  });

  it('can contain an exclusive one, which removes all other tools (UNF-16)', async () => {
    const inner = unfolding('mood', [createTool('formal'), createTool('casual')], { exclusive: true });
    const session = sessionWith(
      [unfolding('settings', [inner, createTool('theme')]), createTool('search')],
      [calls('settings'), calls('mood'), 'Done.'],
    );
    await session.send('Go.');
    expect(offeredTools(session).slice(1)).toEqual([
      ['search', 'settings', 'mood', 'theme'],
      ['casual', 'formal'],
    ]);
  });

  it('also open inside an exclusive one (UNF-16)', async () => {
    const outer = unfolding('outer', [unfolding('inner', [createTool('leaf')])], { exclusive: true });
    const session = sessionWith([outer, createTool('search')], [calls('outer'), calls('inner'), 'Done.']);
    await session.send('Go.');
    expect(offeredTools(session).slice(1)).toEqual([['inner'], ['inner', 'leaf']]);
  });
});

describe('an unfolding tool in a nested loop', () => {
  it('opens only in that loop, and is closed in the next nested loop of the same tool', async () => {
    const files = unfolding('files', [createTool('read')]);
    const session = sessionWith(
      [diggingTool([files]), files],
      [calls('dig'), calls('files'), calls('read'), 'Deep.', calls('dig'), 'Deeper.', 'Done.'],
    );
    await session.send('Go.');
    expect(offeredTools(session)).toEqual([
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

  it('can be open in the outer loop independently', async () => {
    const files = unfolding('files', [createTool('read')]);
    const session = sessionWith(
      [diggingTool([files]), files],
      [calls('files', 'dig'), calls('files'), 'Deep.', 'Done.'],
    );
    await session.send('Go.');
    expect(offeredTools(session)).toEqual([
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
      unfolding('files', [createTool('read')]),
      ({ tool }) => void seen.push(tool),
    );
    const session = sessionWith([decorate(files, {})], [calls('files'), 'Done.']);
    await session.send('Go.');
    expect(offeredTools(session)[1]).toEqual(['files', 'read']);
    expect(seen).toEqual(['files']);
  });

  it('returns an error to the model and logs a warning if a wrapper has no `delegate` (UNF-30)', async () => {
    const warned = captureWarnings();
    const files = unfolding('files', [createTool('read')]);
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
    const session = sessionWith([new Wrapper()], [calls('files'), 'Done.']);
    await session.send('Go.');
    expect(results(session)).toEqual([
      "Error: Tool 'files' cannot show its tools here. Do not call it again; go on without it.",
    ]);
    expect(offeredTools(session)[1]).toEqual(['files']);
    expect(warned).toEqual([
      "holdfast: the unfolding tool 'files' cannot unfold: its wrapper has no `delegate`, or the loop that called it does not offer it",
    ]);
  });

  /** Decorates an unfolding tool and its inner tools with a guard that logs calls. */
  const guarded = (tool: AnyTool, log: string[]): AnyTool =>
    decorate(tool, {
      async call(input, call) {
        log.push(tool.name);
        const result = await tool.call(input, call);
        return result.type === 'text' && result.content.endsWith('done')
          ? text(`${result.content}, guarded`)
          : result;
      },
      adopt: (inner) => guarded(inner, log),
    });

  it('applies a guard to its inner tools, at every level (UNF-28)', async () => {
    const log: string[] = [];
    const session = sessionWith(
      [guarded(nestLevels(3), log)],
      [calls('l1'), calls('l2'), calls('l3'), calls('leaf', 'at_1'), 'Done.'],
    );
    await session.send('Go.');
    expect(log).toEqual(['l1', 'l2', 'l3', 'leaf', 'at_1']);
    expect(results(session).slice(3)).toEqual(['leaf done, guarded', 'at_1 done, guarded']);
  });

  it('guards deeper levels even if the guard has no `adopt` (UNF-28)', async () => {
    const log: string[] = [];
    const logs = (tool: AnyTool): AnyTool =>
      decorate(tool, {
        call(input, call) {
          log.push(tool.name);
          return tool.call(input, call);
        },
      });
    const outer = decorate(nestLevels(2), { adopt: logs });
    const session = sessionWith([outer], [calls('l1'), calls('l2'), calls('leaf'), 'Done.']);
    await session.send('Go.');
    expect(log).toEqual(['l2', 'leaf']);
  });

  it('cannot be bypassed by a shortcut if its inner tools are guarded (UNF-28)', async () => {
    const log: string[] = [];
    const logs = (tool: AnyTool): AnyTool =>
      decorate(tool, {
        call(input, call) {
          log.push(tool.name);
          return tool.call(input, call);
        },
      });
    const files = decorate(unfolding('files', [createTool('read')]), { adopt: logs });
    const session = sessionWith([files], [calls(['files', { read: {} }]), calls('read'), 'Done.']);
    await session.send('Go.');
    expect(results(session)).toEqual([openedText('read'), 'read done']);
    expect(log).toEqual(['read']);
  });
});
