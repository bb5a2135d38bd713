import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, defineAgent, defineDomainType, defineTool } from '../../../../src/index.ts';
import {
  chainFrom,
  chaining,
  defineAgenticTool,
  definePlaybook,
  defineStateMachine,
  defineSubagent,
} from '../../../../src/kinds/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { callTools, createAgent, createAnsweringTool, runTurn } from './scenes.ts';

const look = createAnsweringTool('look', { seen: true });
const Total = v.object({ cents: v.number(), note: v.optional(v.string(), 'none') });
const Order = defineDomainType({
  name: 'Order',
  schema: v.object({ id: v.string(), at: v.pipe(v.string(), v.isoDate(), v.toDate()) }),
  tools: ({ at }) => [
    defineTool({
      name: 'year',
      description: 'The year.',
      effect: 'read',
      run: () => String(at.getUTCFullYear()),
    }),
  ],
});
const ORDER = { id: 'o1', at: '2026-01-02' };

const base = { name: 'work', description: 'Works.', input: v.object({ message: v.string() }) };
const createKinds = (output: typeof Total | typeof Order): readonly [string, AnyTool][] => [
  ['an agentic tool', defineAgenticTool({ ...base, tools: [look], output })],
  ['a playbook', definePlaybook({ ...base, tools: [look], locked: [], output })],
  ['a state machine', defineStateMachine({ ...base, initial: 'open', states: { open: [look] }, output })],
  ['a subagent', defineSubagent({ agent: createAgent('work', [look], { output }) })],
];
const work = { calls: [{ name: 'work', input: { message: 'Go.' } }] };

describe.each(createKinds(Total))('%s with a schema as its output', (_, tool) => {
  it('returns the answer as its artifact, without the artifacts of its inner calls', async () => {
    const { answer, read, session } = await runTurn(
      [tool],
      [work, callTools('look'), '{"cents":7}', 'Done.'],
    );
    const value = { cents: 7, note: 'none' };
    expect(answer.artifacts).toEqual([{ call: expect.any(String), tool: 'work', value }]);
    expect(read).toEqual([JSON.stringify(value)]);
    expect(session.requests.map(({ output }) => output?.name)).toEqual([
      undefined,
      'work',
      'work',
      undefined,
    ]);
  });

  it('asks the model a second time, and then fails', async () => {
    const { read } = await runTurn([tool], [work, 'Seven.', 'Seven!', 'Done.']);
    expect(read).toEqual([expect.stringMatching(/^Error: The model's answer does not have the form/)]);
  });
});

describe.each(createKinds(Order))('%s with a domain type as its output', (_, tool) => {
  const ordered: readonly ScriptedReply[] = [work, JSON.stringify(ORDER)];

  it('returns an artifact of the type, whose value is JSON', async () => {
    const { answer } = await runTurn([tool], [...ordered, 'Done.']);
    expect(answer.artifacts).toEqual([
      { call: expect.any(String), tool: 'work', type: 'Order', value: ORDER },
    ]);
    expect(answer.artifactsOf(Order)).toEqual([{ id: 'o1', at: new Date('2026-01-02') }]);
    expect(tool.output).toBe(Order);
  });

  it('adds the tools of the returned object', async () => {
    const clerk = createAgent('clerk', [tool], { use: [chaining([chainFrom(Order)])] });
    const session = createTestSession(clerk, { replies: [...ordered, callTools('year'), 'In 2026.'] });
    expect(await session.send('Which year?')).toMatchObject({ text: 'In 2026.' });
    expect(session.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: 'tool', text: '2026' });
  });
});

describe('an agent with a domain type as its output', () => {
  it('returns the JSON of the type once its schema accepts the answer', async () => {
    const clerk = defineAgent({ name: 'work', description: 'Works.', instructions: 'Work.', output: Order });
    const replies = ['{"id":"o1","at":"soon"}', JSON.stringify(ORDER)];
    const session = createTestSession(clerk, { replies });
    const { object } = await session.send('Go.');
    expect(object).toEqual(ORDER);
    expect(Order.parse(object)).toEqual({ ok: true, value: { id: 'o1', at: new Date('2026-01-02') } });
    expect(session.requests[0]?.output).toEqual({ name: 'work', schema: Order.json });
    expect(session.requests[1]?.messages.at(-1)?.text).toContain('at: Invalid date');
  });
});

describe('an agentic tool with an invalid output', () => {
  it('is refused when it is defined', () => {
    const defineWithStringOutput = () => defineAgenticTool({ ...base, tools: [look], output: v.string() });
    expect(defineWithStringOutput).toThrow(/^Tool 'work': its output /);
  });
});
