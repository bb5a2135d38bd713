/** The values that calls keep in the state and on the blackboard, read through schemas and types. */
import * as v from 'valibot';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type AnyTool,
  artifact,
  type CallContext,
  defineAgent,
  defineDomainType,
  defineTool,
} from '../../../../src/index.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';

let loggedLines: unknown[][];
beforeEach(() => {
  loggedLines = [];
  vi.spyOn(console, 'error').mockImplementation((...words) => void loggedLines.push(words));
  return () => vi.restoreAllMocks();
});

const Customer = defineDomainType({
  name: 'Customer',
  schema: v.object({ id: v.string(), since: v.pipe(v.string(), v.toDate()) }),
});
const ANN_RECORD = { id: 'ann', since: '2026-01-01T00:00:00.000Z' };
const BEN_RECORD = { id: 'ben', since: '2026-02-01T00:00:00.000Z' };
const parseRecord = ({ id, since }: typeof ANN_RECORD) => ({ id, since: new Date(since) });

const createNamedTool = (
  name: string,
  run: (call: CallContext) => unknown,
  more: { serial?: string } = {},
): AnyTool => defineTool({ name, description: `Does ${name}.`, run: (_, call) => run(call), ...more });
const callTools = (...names: readonly string[]): ScriptedReply => ({
  calls: names.map((name) => ({ name })),
});

/** Runs one turn of these replies. Returns the call results that the model saw, and the turn's answer. */
async function runTurn(tools: readonly AnyTool[], ...replies: readonly ScriptedReply[]) {
  const agent = defineAgent({ name: 'clerk', description: 'Keeps.', instructions: 'Keep.', tools });
  const session = createTestSession(agent, { replies: [...replies, 'Done.'] });
  const answer = await session.send('Go.');
  const told = (session.requests.at(-1)?.messages ?? []).flatMap((one) =>
    one.role === 'tool' ? [one.text] : [],
  );
  return { answer, told };
}

describe('the state of a call', () => {
  it('is parsed by its schema when it is read and when it is updated', async () => {
    const visit = createNamedTool('visit', ({ state }) =>
      state.update('visits', v.number(), (before = 0) => before + 1),
    );
    const day = v.pipe(v.string(), v.toDate());
    const tomorrow = createNamedTool('tomorrow', ({ state }) => {
      state.update('day', day, () => '2026-01-01');
      const next = state.update('day', day, (before) =>
        new Date((before?.getTime() ?? 0) + 86_400_000).toISOString(),
      );
      return [next.toISOString(), state.get('day'), state.get('day', day)?.getTime(), state.get('none', day)];
    });
    const { told } = await runTurn(
      [visit, tomorrow],
      callTools('visit'),
      callTools('visit'),
      callTools('tomorrow'),
    );
    expect(told).toEqual([
      '1',
      '2',
      '["2026-01-02T00:00:00.000Z","2026-01-02T00:00:00.000Z",1767312000000,null]',
    ]);
  });

  it('is rejected by its schema and then stays unchanged', async () => {
    const tools = [
      createNamedTool('write', ({ state }) => state.set('visits', 'many')),
      createNamedTool('read', ({ state }) => state.get('visits', v.number())),
      createNamedTool('update', ({ state }) => state.update('count', v.number(), () => 'two' as never)),
      createNamedTool('late', ({ state }) => state.get('visits', v.pipeAsync(v.string()))),
    ];
    const { told, answer } = await runTurn(
      tools,
      callTools('write'),
      callTools('read'),
      callTools('update'),
      callTools('late'),
    );
    expect(answer.outcome).toBe('completed');
    expect(told).toEqual([
      'Done',
      'Error: call.state \'visits\' does not match its schema: Invalid type: Expected number but received "many"',
      "Error: The new value of call.state 'count' does not match its schema: Invalid type: Expected number but received " +
        '"two"',
      "Error: call.state 'visits' is read through an asynchronous schema. Use a synchronous one.",
    ]);
  });

  const createWriteTool = (name: string, serial?: string) =>
    createNamedTool(name, ({ state }) => state.set('total', name), serial === undefined ? {} : { serial });

  it('causes a warning if two calls of a reply write the same key and the later write loses the other value', async () => {
    await runTurn([createWriteTool('pay'), createWriteTool('book')], callTools('pay', 'book'));
    expect(loggedLines).toEqual([
      [
        "holdfast: Calls of 'pay' and 'book' in one reply both wrote call.state 'total', and only the later value is kept. " +
          'Give both tools the same `serial`, so that they run one after another, and each sees the earlier value.',
      ],
    ]);
  });

  it('causes no warning if the calls share a serial, write different keys, or run in different replies', async () => {
    await runTurn(
      [createWriteTool('pay', 'till'), createWriteTool('book', 'till')],
      callTools('pay', 'book'),
    );
    await runTurn(
      [createWriteTool('pay'), createNamedTool('look', ({ state }) => state.set('seen', 1))],
      callTools('pay', 'look'),
    );
    await runTurn([createWriteTool('pay'), createWriteTool('book')], callTools('pay'), callTools('book'));
    expect(loggedLines).toEqual([]);
  });
});

describe('the blackboard', () => {
  it('accepts a value of a type, and returns the newest value through its schema', async () => {
    const add = createNamedTool('add', ({ blackboard }) => {
      blackboard.add(Customer, ANN_RECORD);
      blackboard.add(Customer, BEN_RECORD, { name: 'newest' });
      blackboard.add({ id: 7 }, { type: 'Customer' });
      return blackboard.entries();
    });
    const last = createNamedTool('last', ({ blackboard }) => {
      const found = blackboard.last(Customer);
      return [found?.since.getTime(), found?.id, blackboard.last({ ...Customer, name: 'Other' })];
    });
    const { told } = await runTurn([add, last], callTools('add'), callTools('last'));
    expect(told.map((one) => JSON.parse(one))).toEqual([
      [
        { type: 'Customer', value: ANN_RECORD },
        { name: 'newest', type: 'Customer', value: BEN_RECORD },
        { type: 'Customer', value: { id: 7 } },
      ],
      [Date.parse(BEN_RECORD.since), 'ben', null],
    ]);
  });

  it('rejects a value that does not match its type or is not JSON', async () => {
    const add = createNamedTool('add', ({ blackboard }) => blackboard.add(Customer, { id: 'ann' } as never));
    const odd = createNamedTool('odd', ({ blackboard }) =>
      blackboard.add(Customer, { id: () => 1 } as never),
    );
    const { told } = await runTurn([add, odd], callTools('add'), callTools('odd'));
    expect(told).toEqual([
      'Error: call.blackboard: this is not a valid Customer: since: Invalid key: Expected "since" but received undefined',
      'Error: call.blackboard: the value at `$.id` is a function, which is not JSON.',
    ]);
  });
});

it('a turn returns its artifacts by their types', async () => {
  const tools = [
    createNamedTool('ann', () => artifact('Ann.', Customer, ANN_RECORD)),
    createNamedTool('odd', () => artifact('Odd.', Customer, { id: 7 })),
    createNamedTool('other', () => artifact('Other.', { name: 'Other' }, BEN_RECORD)),
  ];
  const { answer } = await runTurn(tools, callTools('ann', 'odd', 'other'));
  expect(answer.artifacts).toHaveLength(3);
  expect(answer.artifactsOf(Customer)).toEqual([parseRecord(ANN_RECORD)]);
  expect(Object.keys(answer)).not.toContain('artifactsOf');
});
