import { describe, expect, it } from 'vitest';
import { type AnyTool, defineAgent, defineTool, text } from '../../../../src/index.ts';
import { nest } from '../../../../src/kinds/entry.ts';
import { inspect } from '../../../../src/modules/inspect/entry.ts';
import { defineReference } from '../../../../src/modules/tool-groups/entry.ts';
import { defineTransformer } from '../../../../src/modules/transformers/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { RENAME_FIRST_TWO } from '../../../fixtures/rename.ts';

const base = { name: 'clerk', description: 'Answers.', instructions: 'Answer.' };
const createNamedTool = (name: string) =>
  defineTool({ name, description: `Does ${name}.`, effect: 'read', run: () => name });

const handbook = defineReference({
  name: 'handbook',
  description: 'The rules of the house.',
  notes: 'Chapters are numbered.\nQuote the number.',
  tools: [createNamedTool('find_chapter')],
});

async function collectRequests(
  agent: Parameters<typeof createTestSession>[0],
  replies: readonly ScriptedReply[],
) {
  const session = createTestSession(agent, { replies });
  await session.send('Go.');
  return session.requests;
}
const getOfferedTools = (requests: Awaited<ReturnType<typeof collectRequests>>): string[][] =>
  requests.map(({ tools }) => tools.map(({ name }) => name));

describe('the definition of an agent', () => {
  it('offers each listed tool, whether it is in one list or in several (PRN-01)', async () => {
    const agent = defineAgent({ ...base, tools: [createNamedTool('one'), createNamedTool('two')] });
    expect(getOfferedTools(await collectRequests(agent, ['Done.']))).toEqual([['one', 'two']]);
  });

  it('can omit its lists, but a list cannot contain null (PRN-03, AEV-03)', async () => {
    const absent = { tools: undefined, use: undefined };
    for (const agent of [defineAgent(base), defineAgent({ ...base, ...absent })]) {
      const [request] = await collectRequests(agent, ['Done.']);
      expect([request?.tools, request?.messages[0]]).toEqual([[], { role: 'system', text: 'Answer.' }]);
    }
    const withHole = (hole: null | undefined) =>
      defineAgent({
        ...base,
        // @ts-expect-error: a hole in a list is a mistake, such as an import that came to nothing
        tools: [createNamedTool('look'), hole],
      });
    const refused = "Agent 'clerk' cannot have these tools: Tool at index 1";
    const isChecked = process.env.NODE_ENV !== 'production';
    expect(() => withHole(null)).toThrow(
      isChecked ? `${refused} must not be null` : `${refused} is not a tool`,
    );
    expect(() => withHole(undefined)).toThrow(
      isChecked ? `${refused} must not be undefined` : `${refused} is not a tool`,
    );
  });

  it('limits the model calls of a turn, to 20 by default (PRN-04)', async () => {
    const tools = [createNamedTool('again')];
    const again = { calls: [{ name: 'again' }] };
    const replies = Array.from({ length: 25 }, () => again);
    expect(await collectRequests(defineAgent({ ...base, tools }), replies)).toHaveLength(21);
    const two = await collectRequests(defineAgent({ ...base, tools, limits: { iterations: 2 } }), replies);
    expect(getOfferedTools(two)).toEqual([['again'], ['again'], ['again']]);
    expect(two.map(({ settings }) => settings?.toolChoice)).toEqual([undefined, undefined, 'none']);
  });

  it('applies all of its transformers and inspectors in order, and uses its own policies (PRN-05)', async () => {
    const told: string[] = [];
    const createMarkingTransformer = (mark: string) =>
      defineTransformer({ name: mark, result: (shown) => `${shown}${mark}` });
    const createNotingHooks = (mark: string) => ({ afterToolCall: () => void told.push(mark) });
    const lenient = defineAgent({
      ...base,
      tools: [createNamedTool('look')],
      use: [
        createMarkingTransformer('!'),
        createMarkingTransformer('?'),
        inspect(createNotingHooks('first')),
        inspect(createNotingHooks('second')),
      ],
    });
    const policies = { unknownTools: { mode: 'immediate' } } as const;
    const strict = defineAgent({ ...base, tools: [createNamedTool('look')], policies });
    const replies = [{ calls: [{ name: 'look' }, { name: 'peek' }] }, 'Done.'];
    const [, second] = await collectRequests(lenient, replies);
    expect(second?.messages.at(-2)?.text).toBe('look!?');
    expect(told.filter((mark) => mark === 'first')).toHaveLength(2);
    expect(told.slice(0, 2)).toEqual(['first', 'second']);
    const refused = await createTestSession(strict, { replies }).send('Go.');
    expect(refused).toMatchObject({ outcome: 'failed', error: { type: 'tool-not-found' } });
  });

  it('includes the tools of a reference, and its notes in the instructions (PRN-07)', async () => {
    const agent = defineAgent({ ...base, tools: [createNamedTool('look'), handbook] });
    const requests = await collectRequests(agent, ['Done.']);
    expect(getOfferedTools(requests)).toEqual([['find_chapter', 'look']]);
    expect(requests[0]?.messages[0]).toEqual({
      role: 'system',
      text:
        'Answer.\n\n' +
        "Reference 'handbook': The rules of the house.\nChapters are numbered.\nQuote the number.",
    });
  });

  it('adds only the tools, and not the notes, if the tools of a reference are listed directly (PRN-07)', async () => {
    const agent = defineAgent({ ...base, tools: handbook.tools });
    const [request] = await collectRequests(agent, ['Done.']);
    expect([request?.tools.map(({ name }) => name), request?.messages[0]]).toEqual([
      ['find_chapter'],
      { role: 'system', text: 'Answer.' },
    ]);
  });

  it('refuses a reference if one of its tools has the name of another tool (AEV-04)', () => {
    const define = () => defineAgent({ ...base, tools: [createNamedTool('find_chapter'), handbook] });
    expect(define).toThrow(
      `Agent 'clerk' cannot have these tools: Duplicate tool name: 'find_chapter'${RENAME_FIRST_TWO}.`,
    );
  });

  it('does not add its tools to a nested loop, which has its own tools (PRN-08)', async () => {
    const dig: AnyTool = {
      ...createNamedTool('dig'),
      effect: 'none',
      call: async (_, call) => {
        const frame = {
          name: 'dig',
          instructions: 'Dig.',
          message: 'Dig.',
          tools: [createNamedTool('shovel')],
        };
        return text((await nest(call, frame)).text);
      },
    };
    const agent = defineAgent({ ...base, tools: [dig, createNamedTool('look')] });
    const requests = await collectRequests(agent, [{ calls: [{ name: 'dig' }] }, 'Dug.', 'Done.']);
    expect(getOfferedTools(requests)).toEqual([['dig', 'look'], ['shovel'], ['dig', 'look']]);
  });
});
