/** Tests which blackboard entries a subagent reads from its caller, and which are copied back (SUB-08). */

import { describe, expect, it } from 'vitest';
import { type AnyTool, defineTool, type Json, ModelError, text } from '../../../../src/index.ts';
import type { BlackboardEntry } from '../../../../src/kinds/entry.ts';
import { defineSubagent } from '../../../../src/kinds/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { startStored } from '../../../fixtures/stored.ts';
import { askAgents, callTools, createAgent, defineAgentic, getResults, replyByLoop } from './scenes.ts';

/** Adds an entry to the blackboard: `name=value`, or a value without a name. */
const note = defineTool({
  name: 'note',
  description: 'Notes.',
  input: jsonSchema({ type: 'object', properties: { entry: { type: 'string' } }, required: ['entry'] }),
  effect: 'read',
  run: ({ entry }, { blackboard }) => {
    const [name, value] = String(entry).split('=');
    if (value === undefined) blackboard.add(name ?? '');
    else blackboard.add(value, { name: name ?? '', type: 'Note' });
  },
});
const read = defineTool({
  name: 'read',
  description: 'Reads.',
  effect: 'read',
  run: (_, { blackboard }) => formatEntries(blackboard.entries()),
});
const callNote = (...entries: readonly string[]) =>
  callTools(...entries.map((entry) => ['note', { entry }] as const));

const formatEntries = (entries: readonly BlackboardEntry[]): string =>
  entries.map(({ name, value }) => (name === undefined ? `${value}` : `${name}=${value}`)).join(' ');

const tools: readonly AnyTool[] = [note, read];
const clerk = defineSubagent({ agent: createAgent('clerk', tools) });

/** Returns the blackboard after a turn of `boss` with these tools. Each loop has its own script. */
async function runTurn(
  more: readonly AnyTool[],
  scripts: Readonly<Record<string, readonly ScriptedReply[]>>,
  warm = false,
) {
  const replies = replyByLoop(scripts);
  const session = createTestSession(createAgent('boss', [...tools, ...more]), { replies, warm });
  const answer = await session.send('Go.');
  const { blackboard } = await session.state();
  return { session, answer, board: formatEntries(blackboard), read: getResults(session) };
}

describe('the blackboard of a subagent', () => {
  it("starts as a copy of the caller's blackboard, to which its additions are copied back on success (SUB-08)", async () => {
    const { board, session } = await runTurn([clerk], {
      'You are boss.': [callNote('a=1', 'loose'), askAgents('clerk'), 'Done.'],
      'You are clerk.': [callTools('read'), callNote('b=2', 'more'), callTools('read'), 'Filed.'],
    });
    expect(board).toBe('a=1 loose b=2 more');
    const inside = session.requests.filter(({ messages: [first] }) => first?.text === 'You are clerk.');
    expect(inside.flatMap(({ messages }) => messages.at(-1)?.text ?? [])).toEqual([
      'To clerk.',
      'a=1 loose',
      'Done',
      'a=1 loose b=2 more',
    ]);
    expect((await session.state()).blackboard[2]).toEqual({ name: 'b', type: 'Note', value: '2' });
  });

  it('is copied back without the names that the caller has already bound (SUB-08)', async () => {
    const { session, board } = await runTurn([clerk], {
      'You are boss.': [callNote('a=1'), askAgents('clerk'), 'Done.'],
      'You are clerk.': [callNote('a=2'), callNote('b=3', 'b=4'), 'Filed.'],
    });
    expect(board).toBe('a=1 2 b=3 b=4');
    const { blackboard } = await session.state();
    expect(blackboard.findLast(({ name }) => name === 'a')?.value).toBe('1');
    expect(blackboard[1]).toEqual({ type: 'Note', value: '2' });
  });

  it.each<[string, readonly ScriptedReply[]]>([
    ['its model fails', [new ModelError('server-error', 'Down.')]],
    ['its model returns two blank replies', ['', '']],
  ])('is not copied back if %s (SUB-08)', async (_, end) => {
    const {
      board,
      read: told,
      answer,
    } = await runTurn([clerk], {
      'You are boss.': [callNote('a=1'), askAgents('clerk'), 'Done.'],
      'You are clerk.': [callNote('b=2'), ...end],
    });
    expect([board, answer.outcome]).toEqual(['a=1', 'completed']);
    expect(told.at(-1)).toMatch(/^Error: /);
  });

  it('is separate from that of a parallel subagent, while both see the original entries of the caller (SUB-08)', async () => {
    const other = defineSubagent({ agent: createAgent('other', tools) });
    const done: string[] = [];
    const runClerkFirst = async (): Promise<ScriptedReply> => {
      while (done.length === 0) await new Promise((resolve) => setTimeout(resolve, 0));
      return callTools('read');
    };
    const createSayingReply = (words: string) => (): ScriptedReply => {
      done.push(words);
      return words;
    };
    const scripts = {
      'You are boss.': [callNote('a=1'), askAgents('other', 'clerk'), 'Done.'],
      'You are clerk.': [callNote('c=3'), callTools('read'), createSayingReply('Filed.')],
      'You are other.': [callNote('o=2'), runClerkFirst, ({ messages }) => messages.at(-1)?.text ?? ''],
    } satisfies Readonly<Record<string, readonly ScriptedReply[]>>;
    // One loop waits for the other in the same invocation.
    const { board, read: told } = await runTurn([other, clerk], scripts, true);
    expect(told.slice(1)).toEqual(['a=1 o=2', 'Filed.']);
    // Entries are in the order of the calls, regardless of which call ended first.
    expect(board).toBe('a=1 o=2 c=3');
  });

  it('is shared by the agentic tools inside it, and by their inner tools (SUB-08)', async () => {
    const dig = defineAgentic('dig', [note]);
    const digger = defineSubagent({ agent: createAgent('digger', [dig, read]) });
    const { board, read: told } = await runTurn([digger], {
      'You are boss.': [callNote('a=1'), askAgents('digger'), 'Done.'],
      'You are digger.': [
        callTools(['dig', { task: 'Go.' }]),
        callTools('read'),
        ({ messages }) => messages.at(-1)?.text ?? '',
      ],
      'You dig.': [callNote('d=2'), 'Dug.'],
    });
    expect([told.at(-1), board]).toEqual(['a=1 d=2', 'a=1 d=2']);
  });

  it('is copied back level by level from nested subagents', async () => {
    const outer = defineSubagent({ agent: createAgent('outer', [...tools, clerk]) });
    const createScripts = (end: ScriptedReply) => ({
      'You are boss.': [callNote('a=1'), askAgents('outer'), 'Done.'],
      'You are outer.': [callNote('o=2'), askAgents('clerk'), callTools('read'), end],
      'You are clerk.': [callNote('c=3', 'a=9'), 'Filed.'],
    });
    expect((await runTurn([outer], createScripts('Out.'))).board).toBe('a=1 o=2 c=3 9');
    const failing = new ModelError('server-error', 'Down.');
    expect((await runTurn([outer], createScripts(failing))).board).toBe('a=1');
  });

  it('is the same after a kill inside the subagent, and its additions are copied back once (SUB-08)', async () => {
    let kills = 1;
    const fatal = defineTool({
      name: 'fatal',
      description: 'Kills the Worker once.',
      effect: 'read',
      run: async (_, call) => {
        await startStored(session, call);
        if (kills-- > 0) session.kill();
        return text('alive');
      },
    });
    const session = createTestSession(
      createAgent('boss', [...tools, defineSubagent({ agent: createAgent('clerk', [...tools, fatal]) })]),
      {
        replies: replyByLoop({
          'You are boss.': [callNote('a=1'), askAgents('clerk'), 'Done.'],
          'You are clerk.': [
            callNote('b=2'),
            callTools('fatal'),
            callTools('read'),
            callNote('c=3'),
            'Filed.',
          ],
        }),
      },
    );
    await session.send('Go.');
    session.restart();
    expect([kills, formatEntries((await session.state()).blackboard)]).toEqual([-1, 'a=1 b=2 c=3']);
    const seen: readonly (Json | undefined)[] = session.requests.map(({ messages }) => messages.at(-1)?.text);
    expect(seen).toContain('a=1 b=2');
  });
});
