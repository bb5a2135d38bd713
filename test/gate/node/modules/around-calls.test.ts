/** Modules that wrap the calls and the model calls of the loops that use them. */
import { describe, expect, it } from 'vitest';
import type { ModuleUse } from '../../../../src/index.ts';
import { type AnyTool, defineAgent, defineTool, error } from '../../../../src/index.ts';
import { defineAgenticTool } from '../../../../src/kinds/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { createModule, createUse, LOOPS } from '../../../doors/loop.ts';
import { getShownResults } from '../tool-loop/scenes.ts';

const createWorkTool = (name: string): AnyTool =>
  defineTool({ name, description: 'Works.', effect: 'read', run: () => `${name} done` });

/** A module that logs each call that it wraps. */
function createWatcher(name: string, log: string[], nested = false): ModuleUse {
  const use = createUse(createModule({ name, nested }));
  LOOPS.give(use, {
    async prepare({ frame }) {
      log.push(`${name} prepares ${frame.path}`);
    },
    async call(call, next, { frame }) {
      log.push(`${name} before ${call.tool}, used for '${frame}'`);
      const result = await next();
      log.push(`${name} after ${call.tool}: ${result.text()}`);
      return result;
    },
  });
  return use;
}

function startSession(
  tools: readonly AnyTool[],
  replies: readonly ScriptedReply[],
  use: { readonly ofAgent?: readonly ModuleUse[]; readonly ofApp?: readonly ModuleUse[] },
) {
  const agent = defineAgent({
    name: 'clerk',
    description: 'Works.',
    instructions: 'Work.',
    tools,
    use: use.ofAgent,
  });
  return createTestSession(agent, { replies, use: use.ofApp });
}

const dig = defineAgenticTool({ name: 'dig', description: 'Digs.', tools: [createWorkTool('spade')] });
const callTools = (name: string): ScriptedReply => ({ calls: [{ name, input: {} }] });

describe('a module around the calls of a loop', () => {
  it('wraps the modules of the agent if it belongs to the app, and both see each call', async () => {
    const log: string[] = [];
    const use = { ofAgent: [createWatcher('inner', log)], ofApp: [createWatcher('outer', log)] };
    const session = startSession([createWorkTool('look')], [callTools('look'), 'Done.'], use);
    expect(await session.send('Go.')).toMatchObject({ text: 'Done.' });
    expect(log).toEqual([
      'outer prepares clerk',
      'inner prepares clerk',
      "outer before look, used for ''",
      "inner before look, used for ''",
      'inner after look: look done',
      'outer after look: look done',
      'outer prepares clerk',
      'inner prepares clerk',
    ]);
  });

  it('applies to nested loops if it belongs to the app or is marked as nested, and otherwise only to the agent’s own loop', async () => {
    const log: string[] = [];
    const use = {
      ofAgent: [createWatcher('own', log), createWatcher('nested', log, true)],
      ofApp: [createWatcher('app', log)],
    };
    const session = startSession([dig], [callTools('dig'), callTools('spade'), 'Dug.', 'Done.'], use);
    expect(await session.send('Go.')).toMatchObject({ text: 'Done.' });
    expect(log.filter((line) => line.includes('spade'))).toEqual([
      "app before spade, used for ''",
      "nested before spade, used for ''",
      'nested after spade: spade done',
      'app after spade: spade done',
    ]);
    expect(log.filter((line) => line === 'own prepares clerk/dig')).toEqual([]);
    expect(log).toContain('nested prepares clerk/dig');
  });

  it('can return a result in place of the tool, which does not run, and can name the exceeded limit', async () => {
    const refusing = createUse(createModule({ name: 'refusing' }));
    LOOPS.give(refusing, {
      async call(_, __, { reached }) {
        reached({ kind: 'toolCalls', most: 0 });
        return error('Not today.');
      },
    });
    let ran = 0;
    const count = defineTool({
      name: 'count',
      description: 'Counts.',
      run: () => {
        ran += 1;
        return ran;
      },
    });
    const session = startSession([count], [callTools('count'), 'Done.'], { ofAgent: [refusing] });
    await session.send('Go.');
    expect(getShownResults(session.requests[1])).toEqual(['Error: Not today.']);
    expect(ran).toBe(0);
    const ended = (await session.events()).find(({ type }) => type === 'tool-call-ended');
    expect(ended).toMatchObject({ limit: { kind: 'toolCalls', most: 0 } });
  });

  it('runs again if a waiting call is answered', async () => {
    const log: string[] = [];
    const session = startSession(
      [requireApproval(createWorkTool('pay'), 'Pay?')],
      [callTools('pay'), 'Paid.'],
      {
        ofAgent: [createWatcher('guard', log)],
      },
    );
    expect(await session.send('Pay.')).toMatchObject({ outcome: 'suspended' });
    expect(await session.decide('pay', 'approve')).toMatchObject({ text: 'Paid.' });
    expect(log.filter((line) => line.includes('pay'))).toEqual([
      "guard before pay, used for ''",
      "guard before pay, used for ''",
      'guard after pay: pay done',
    ]);
  });

  it('fails a call if it throws, and the model sees the error', async () => {
    const broken = createUse(createModule({ name: 'broken' }));
    LOOPS.give(broken, { call: () => Promise.reject(new Error('The module is broken.')) });
    const session = startSession([createWorkTool('look')], [callTools('look'), 'Done.'], {
      ofAgent: [broken],
    });
    expect(await session.send('Go.')).toMatchObject({ text: 'Done.' });
    expect(getShownResults(session.requests[1])).toEqual(['Error: The module is broken.']);
  });
});

describe('modules of an app', () => {
  const first = createUse(createModule({ name: 'same' }));
  const second = createUse(createModule({ name: 'same' }));

  it('are refused if two have the same name, and the error suggests a second copy of the library', () => {
    expect(() => startSession([], [], { ofAgent: [first, second] })).toThrow(
      "Two modules are called 'same'. Rename one, or look for a second copy of holdfast (npm ls holdfast).",
    );
  });

  it('are refused if one is used twice under the same key', () => {
    const module = createModule({ name: 'keyed' });
    const createUses = (key = ''): readonly ModuleUse[] => [createUse(module, key), createUse(module, key)];
    expect(() => startSession([], [], { ofApp: createUses() })).toThrow(
      "The module 'keyed' is used twice with different settings. Use it once.",
    );
    expect(() => startSession([], [], { ofAgent: createUses('a') })).toThrow(
      "The module 'keyed' is used twice under the key 'a'. Give one of them another key.",
    );
  });
});
