import * as v from 'valibot';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  type AnyTool,
  defineAgent,
  defineTextTool,
  defineTool,
  type ToolSource,
  toolProvider,
} from '../../../../../src/index.ts';

import { definePipeline } from '../../../../../src/kinds/entry.ts';
import { toolTable } from '../../../../../src/modules/tool-objects/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../../src/testing/entry.ts';

afterEach(() => vi.restoreAllMocks());

const createNamedTool = (name: string): AnyTool =>
  defineTool({ name, description: 'Does.', effect: 'read', run: () => `${name} done` });

class Calculator {
  static readonly tools = toolTable<Calculator>({
    plus: {
      name: 'add',
      description: 'Adds.',
      effect: 'read',
      input: v.object({ a: v.number(), b: v.number() }),
    },
  });
  plus({ a, b }: { a: number; b: number }) {
    return `Error: ${a + b}`;
  }
}

const createTestAgent = (tools: readonly ToolSource[]) =>
  defineAgent({ name: 'clerk', description: 'Works.', instructions: 'Work.', tools });

/** The tools offered in each model call, and the results that the model reads. */
async function runTurn(tools: readonly ToolSource[], replies: readonly ScriptedReply[], warm = false) {
  const session = createTestSession(createTestAgent(tools), { replies, warm });
  const answer = await session.send('Go.');
  const offered = session.requests.map((request) => request.tools.map(({ name }) => name));
  const last = session.requests.at(-1)?.messages ?? [];
  const read = last.flatMap((message) => (message.role === 'tool' ? [message.text] : []));
  return { session, answer, offered, read };
}

describe('an agent', () => {
  it('asks its model once if it has no tools (AEV-01)', async () => {
    const { answer, offered } = await runTurn([], ['Hello.']);
    expect(answer).toMatchObject({ outcome: 'completed', text: 'Hello.', iterations: 1 });
    expect(offered).toEqual([[]]);
  });

  it('calls tools and methods of objects in parallel, by their declared names (AET-06, AET-07)', async () => {
    const calls = [{ name: 'look' }, { name: 'add', input: { a: 1, b: 2 } }, { name: 'plus' }];
    const { offered, read } = await runTurn(
      [createNamedTool('look'), new Calculator()],
      [{ calls }, 'Done.'],
    );
    expect(offered[0]).toEqual(['add', 'look']);
    expect(read.slice(0, 2)).toEqual(['look done', 'Error: 3']);
    expect(read[2]).toMatch(/^Error: Tool 'plus' does not exist\./);
  });

  it('treats text that begins with `Error:` as a success (AET-06)', async () => {
    const calls = [{ name: 'add', input: { a: 1, b: 2 } }];
    const { session } = await runTurn([new Calculator()], [{ calls }, 'Done.']);
    const ended = (await session.events()).flatMap((event) =>
      event.type === 'tool-call-ended' ? [event.result] : [],
    );
    expect(ended).toEqual([{ type: 'text', content: 'Error: 3' }]);
  });

  it('reports an unknown tool to its model, and continues (AEV-06)', async () => {
    const { answer, read } = await runTurn(
      [createNamedTool('look')],
      [{ calls: [{ name: 'fly' }] }, 'Done.'],
    );
    expect(read).toEqual([
      "Error: Tool 'fly' does not exist. Available tools: [look]. Use the exact tool name from this list. " +
        'Do not combine or prefix tool names — tool names found in source code or search results are not callable.',
    ]);
    expect(answer.outcome).toBe('completed');
  });

  it('keeps providers apart from the listed tools', () => {
    const provider = toolProvider({ toolsNow: () => [createNamedTool('today')] });
    const { tools, sources } = createTestAgent([createNamedTool('look'), provider]);
    const getNames = (list: readonly { name: string }[]): string[] => list.map(({ name }) => name);
    expect([getNames(tools), getNames(sources)]).toEqual([['look'], ['dynamic-tools']]);
  });
});

describe('a tool provider of an agent', () => {
  it('is asked before every model call, and its tools can be called (AEV-07, AET-08)', async () => {
    const open = { tools: [createNamedTool('knock')] };
    const enter = defineTextTool({
      name: 'enter',
      description: 'Enters.',
      effect: 'read',
      run: () => {
        open.tools = [createNamedTool('leave')];
        return 'inside';
      },
    });
    const { offered, read } = await runTurn(
      [enter, toolProvider({ toolsNow: () => open.tools })],
      [{ calls: [{ name: 'enter' }] }, { calls: [{ name: 'leave' }, { name: 'knock' }] }, 'Done.'],
    );
    expect(offered).toEqual([
      ['enter', 'knock'],
      ['enter', 'leave'],
      ['enter', 'leave'],
    ]);
    expect(read.slice(0, 2)).toEqual(['inside', 'leave done']);
    expect(read[2]).toMatch(/^Error: Tool 'knock' does not exist\./);
  });

  it('is not asked in nested loops', async () => {
    let asked = 0;
    const listToolsNow = () => {
      asked += 1;
      return [];
    };
    const { answer } = await runTurn(
      [
        definePipeline({ name: 'line', steps: [createNamedTool('a'), createNamedTool('b')] }),
        toolProvider({ toolsNow: listToolsNow }),
      ],
      [{ calls: [{ name: 'line' }] }, 'Done.'],
      true,
    );
    expect([answer.outcome, asked]).toEqual(['completed', 3]);
  });

  it('fails the turn with a reason if it returns a value that is not a tool', async () => {
    const listToolsNow = () => [{} as AnyTool]; // as a faulty provider would
    const { answer } = await runTurn([toolProvider({ toolsNow: listToolsNow })], ['Never.']);
    expect(answer).toMatchObject({
      outcome: 'failed',
      error: { type: 'misconfigured', message: 'Tool at index 0 of tool provider 0 is not a tool' },
    });
  });

  it('fails the turn if it throws, and only the log contains its message', async () => {
    const report = vi.spyOn(console, 'error').mockImplementation(() => {});
    const toolsNow = (): never => {
      throw new Error('the catalog is gone');
    };
    const { answer } = await runTurn([toolProvider({ toolsNow })], ['Never.']);
    expect(answer).toMatchObject({ outcome: 'failed', error: { type: 'internal' } });
    expect(JSON.stringify(answer)).not.toContain('catalog');
    expect(report).toHaveBeenCalledOnce();
  });
});
