import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  defineTool,
  type InputDeclaration,
  ModelError,
  ToolDefinitionError,
  type ToolSource,
  toolProvider,
} from '../../../../src/index.ts';
import { type AgenticToolConfig, defineAgenticTool } from '../../../../src/kinds/entry.ts';
import { withUsageNote } from '../../../../src/modules/decorators/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import {
  createToolCallingManager,
  defineToolCallingOptions,
} from '../../../../src/modules/tool-calling/entry.ts';
import { toolTable } from '../../../../src/modules/tool-objects/entry.ts';
import { createTestSession, type ScriptedReply, scriptedModel } from '../../../../src/testing/entry.ts';
import { RENAME_FIRST_TWO } from '../../../fixtures/rename.ts';
import { captureWarnings } from '../../../fixtures/warnings.ts';
import { runBare } from '../tool-loop/bare-loop.ts';
import {
  callTools,
  createAgent,
  createAnsweringTool,
  defineAgentic,
  getOfferedTools,
  getResults,
  summarizeRequests,
  TASK_SCHEMA,
} from './scenes.ts';

const look = createAnsweringTool('look', 'seen');

/** Runs a turn of an agent that has only this tool. */
async function runTurn(tool: AnyTool, replies: readonly ScriptedReply[], more = {}) {
  const session = createTestSession(createAgent('boss', [tool], more), { replies });
  const answer = await session.send('Go.');
  return { session, answer, read: getResults(session) };
}

describe('an agentic tool', () => {
  it('calls a model in its own loop, and returns the last message of the model (AGT-03)', async () => {
    const script = [callTools(['dig', { task: 'Deep.' }]), callTools('look'), 'Found it.', 'Done.'];
    const { session, answer, read } = await runTurn(defineAgentic('dig', [look]), script);
    expect(summarizeRequests(session.requests)).toEqual([
      'You are boss. <- Go.',
      'You dig. <- {"task":"Deep."}',
      'You dig. <- seen',
      'You are boss. <- Found it.',
    ]);
    expect(getOfferedTools(session)).toEqual([['dig'], ['look'], ['look'], ['dig']]);
    expect(read).toEqual(['Found it.']);
    expect(answer).toMatchObject({ outcome: 'completed', text: 'Done.', iterations: 4, toolCalls: 2 });
  });

  it('has default instructions that contain its description (AGT-02)', async () => {
    const dig = defineAgenticTool({
      name: 'dig',
      description: 'Dig for gold.',
      input: jsonSchema(TASK_SCHEMA),
      tools: [look],
    });
    const { session } = await runTurn(dig, [callTools(['dig', { task: 'Go.' }]), 'Found.', 'Done.']);
    expect(session.requests[1]?.messages[0]).toEqual({
      role: 'system',
      text:
        'You are an intelligent agent that can use tools to help you complete tasks. ' +
        'Use the provided tools to perform the following task: Dig for gold.',
    });
  });

  it('rebuilds its instructions before each model call, from its input and the state of the loop (AGT-01)', async () => {
    const dig = defineAgenticTool({
      name: 'dig',
      description: 'Digs.',
      input: v.object({ task: v.pipe(v.string(), v.trim()) }),
      instructions: ({ path, iterations, context }, { task }) =>
        `${path} ${iterations} '${task}' for ${context.get('user', v.string())}`,
      tools: [look],
    });
    const script = [callTools(['dig', { task: ' Deep ' }]), callTools('look'), 'Found.', 'Done.'];
    const { session } = await runTurn(dig, script, { context: { user: 'ann' } });
    expect(session.requests.map(({ messages }) => messages[0]?.text).slice(1, 3)).toEqual([
      "boss/dig 0 'Deep' for ann",
      "boss/dig 1 'Deep' for ann",
    ]);
  });

  it('returns an error result if its instructions throw, and the turn continues', async () => {
    const dig = defineAgentic('dig', [look], {
      instructions: () => {
        throw new Error('The instructions are missing.');
      },
    });
    const { read, answer } = await runTurn(dig, [callTools(['dig', { task: 'Go.' }]), 'Done.']);
    expect([read, answer.outcome]).toEqual([['Error: The instructions are missing.'], 'completed']);
  });

  it('can have its own model (AGT-01)', async () => {
    const own = scriptedModel([callTools('look'), 'Found.']);
    const dig = defineAgentic('dig', [look], { model: own });
    const { session, read } = await runTurn(dig, [callTools(['dig', { task: 'Go.' }]), 'Done.']);
    expect([session.requests.length, own.requests.length, read]).toEqual([2, 2, ['Found.']]);
  });

  it.each([
    ['20 iterations', undefined, 20],
    ['as many iterations as its limit', { iterations: 3 }, 3],
  ])('makes %s, and then requests the best possible answer (AGT-01, AGT-05)', async (_, limits, most) => {
    const inside = Array.from({ length: most }, () => callTools('look'));
    const script = [callTools(['dig', { task: 'Go.' }]), ...inside, 'So far.', 'Done.'];
    const { session, answer, read } = await runTurn(defineAgentic('dig', [look], { limits }), script, {
      limits: { iterations: 5 },
    });
    expect(session.requests).toHaveLength(most + 3);
    expect(session.requests[most + 1]).toMatchObject({ settings: { toolChoice: 'none' } });
    expect([read, answer.outcome]).toEqual([['So far.'], 'completed']);
  });

  it('runs in a bare loop, without a session or an agent (AGT-04)', async () => {
    const { end, model } = await runBare({
      tools: [defineAgentic('dig', [look])],
      replies: [callTools(['dig', { task: 'Go.' }]), callTools('look'), 'Found.', 'Done.'],
    });
    expect(end).toMatchObject({ outcome: 'completed' });
    expect(summarizeRequests(model.requests).slice(1)).toEqual([
      'You dig. <- {"task":"Go."}',
      'You dig. <- seen',
      'Go. <- Found.',
    ]);
  });

  it('returns an error result if it has no tools (AGT-04)', async () => {
    const { read, session } = await runTurn(defineAgentic('dig', []), [
      callTools(['dig', { task: 'Go.' }]),
      'Done.',
    ]);
    expect(read).toEqual(['Error: No tools available for SimpleAgenticTool']);
    expect(session.requests).toHaveLength(2);
  });

  it('lists every problem of an invalid input, without a model call', async () => {
    const { read } = await runTurn(defineAgentic('dig', [look]), [callTools('dig'), 'Done.']);
    expect(read).toEqual([
      'Error: The input of tool \'dig\' is not valid:\n- Instance does not have required property "task".\n' +
        'Call it again with a corrected input.',
    ]);
  });

  it('returns an error result if its model fails', async () => {
    const script = [callTools(['dig', { task: 'Go.' }]), new ModelError('server-error', 'Down.'), 'Done.'];
    const { read, answer } = await runTurn(defineAgentic('dig', [look]), script);
    expect([read, answer.outcome]).toEqual([['Error: Down.'], 'completed']);
  });

  it('is not changed by its copies (AGT-01)', () => {
    const dig = defineAgentic('dig', [look]);
    const before = { ...dig };
    const noted = withUsageNote(dig, 'Slowly.');
    expect(noted).not.toBe(dig);
    expect(dig).toEqual(before);
    expect(noted).toMatchObject({ inner: [{ name: 'look' }], effect: 'none' });
  });
});

describe('the tools of an agentic tool', () => {
  class Shed {
    static tools = toolTable<Shed>({ spade: { description: 'Digs.', effect: 'read' } });
    spade() {
      return 'dug';
    }
  }
  class Empty {
    readonly color = 'red';
  }
  const plain = { color: 'red' };
  const runInside = async (tools: readonly ToolSource[]) => {
    const { session } = await runTurn(defineAgentic('dig', tools), [
      callTools(['dig', { task: 'Go.' }]),
      'Found.',
      'Done.',
    ]);
    return getOfferedTools(session)[1];
  };

  it('can be tools, objects with tools, and providers, which are asked before each model call (AGT-01)', async () => {
    let now: readonly AnyTool[] = [createAnsweringTool('early', 1)];
    const provider = toolProvider({ toolsNow: () => now });
    const turn = [callTools(['dig', { task: 'Go.' }]), 'Found.', 'Done.'];
    const session = createTestSession(
      createAgent('boss', [defineAgentic('dig', [look, new Shed(), provider])]),
      {
        replies: [...turn, ...turn],
      },
    );
    await session.send('Go.');
    now = [createAnsweringTool('late', 2)];
    await session.send('Go.');
    expect(getOfferedTools(session).filter((names) => !names.includes('dig'))).toEqual([
      ['early', 'look', 'spade'],
      ['late', 'look', 'spade'],
    ]);
  });

  it('exclude objects without tools, without a warning (AGT-07)', async () => {
    expect(await runInside([new Empty(), look, plain])).toEqual(['look']);
    expect(defineAgentic('dig', [new Empty()]).inner).toEqual([]);
  });

  it.each<[string, readonly unknown[], string]>([
    ['null', [null], 'Tool at index 0 must not be null'],
    ['text', ['look'], "Tool at index 0 is 'look'. List the tool itself"],
    ['an agent', [createAgent('other')], "Tool at index 0 ('other') is an agent. List its tools instead"],
    [
      'a class without static tools',
      [look, Empty],
      'Tool at index 1 is the class Empty, which has no static tools. List new Empty() for the tools of its instances',
    ],
    [
      'a function',
      [() => look],
      "Tool at index 0 ('') is a function. Call it, and list its result, or pass it to toolFactory",
    ],
    ['a list', [[look]], 'Tool at index 0 is a list. Spread it, as in [...tools]'],
    [
      'two tools with the same name',
      [look, createAnsweringTool('look', 2)],
      `Duplicate tool name: 'look'${RENAME_FIRST_TWO}`,
    ],
  ])('are refused if they contain %s', (_, tools, why) => {
    const define = () => defineAgentic('dig', tools as readonly ToolSource[]); // Plain JavaScript can pass this.
    expect(define).toThrow(ToolDefinitionError);
    expect(define).toThrow(`Tool 'dig': it cannot have these tools: ${why}.`);
  });

  it('keep their state under the path of the agentic tool, separate from other tools', async () => {
    const count = defineTool({
      name: 'count',
      description: 'Counts.',
      effect: 'read',
      run: (_, { state }) => state.set('n', Number(state.get('n') ?? 0) + 1),
    });
    const script = [
      callTools(['dig', { task: 'Go.' }], 'count'),
      callTools('count'),
      callTools('count'),
      'Two.',
      'Done.',
    ];
    const session = createTestSession(createAgent('boss', [count, defineAgentic('dig', [count])]), {
      replies: script,
    });
    await session.send('Go.');
    const { callState: cells } = await session.state();
    expect([...cells].toSorted()).toEqual([
      ['boss', { n: 1 }],
      ['boss/dig', { n: 2 }],
    ]);
  });
});

describe('the definition of an agentic tool', () => {
  it('logs one warning if it declares no input, because callers cannot pass a task (AGT-08)', async () => {
    const warned = captureWarnings();
    const dig = defineAgenticTool({ name: 'dig', description: 'Digs.', tools: [look] });
    const { session } = await runTurn(dig, [callTools('dig'), 'Found.', 'Done.']);
    expect(session.requests[1]?.messages.at(-1)).toEqual({ role: 'user', text: '{}' });
    expect(warned).toEqual([
      "holdfast: agentic tool 'dig' declares no input, so its caller cannot pass it any values. Add an 'input' schema.",
    ]);
  });

  it('logs no warning if it declares an input (AGT-08)', () => {
    const warned = captureWarnings();
    defineAgentic('dig', [look]);
    expect(warned).toEqual([]);
  });

  it.each<[string, Partial<AgenticToolConfig<string, InputDeclaration>>, string]>([
    [
      'its name is blank',
      { name: ' ' },
      "Tool ' ': its name must be 1 to 64 of the characters A-Z a-z 0-9 _ -.",
    ],
    [
      'its description is blank',
      { description: '' },
      "Tool 'dig': its description is blank. The model chooses tools by their descriptions.",
    ],
    [
      'a limit is not a count',
      { limits: { iterations: 0 } },
      "Tool 'dig': its limit 'iterations' is 0. Use a positive whole number.",
    ],
  ])('throws if %s', (_, change, why) => {
    const config = {
      name: 'dig',
      description: 'Digs.',
      input: jsonSchema(TASK_SCHEMA),
      tools: [look],
      ...change,
    };
    expect(() => defineAgenticTool(config)).toThrow(why);
  });

  it('returns a plain object with documented properties, not an instance of a class (AGT-12)', () => {
    expect(Object.keys(defineAgentic('dig', [look])).toSorted()).toEqual([
      'call',
      'check',
      'description',
      'effect',
      'inner',
      'inputSchema',
      'metadata',
      'name',
      'returnDirect',
      'serial',
    ]);
  });
});

describe('a tool-calling manager', () => {
  const reply = {
    text: '',
    toolCalls: [{ id: 'p', name: 'dig', input: '{"task":"Go."}' }],
    finish: 'tool-calls',
  } as const;

  it("runs an agentic tool without a session, with the tool's own model (AGT-04)", async () => {
    const dig = defineAgentic('dig', [look], { model: scriptedModel([callTools('look'), 'Found.']) });
    const options = defineToolCallingOptions({ tools: [dig] });
    const result = await createToolCallingManager().executeToolCalls(
      [{ role: 'user', text: 'Go.' }],
      reply,
      options,
    );
    expect(result.history.at(-1)).toMatchObject({ role: 'tool', text: 'Found.' });
  });
});
