/** Values with `toJSON`, wherever code passes values to the journal, and values that cannot be journaled. */
import * as v from 'valibot';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type AnyTool,
  artifact,
  type CallContext,
  defineAgent,
  defineDomainType,
  defineTool,
  error,
  exitEarly,
} from '../../../../src/index.ts';
import { defineSubagent } from '../../../../src/kinds/entry.ts';
import {
  manual,
  publishToBlackboard,
  type Sink,
  sinkArtifacts,
} from '../../../../src/modules/decorators/entry.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';

const DATE_VALUE = new Date('2026-11-22T10:00:00Z');
const SITE_URL = new URL('https://example.com/orders/7');
const STORED_VALUES = { at: '2026-11-22T10:00:00.000Z', site: 'https://example.com/orders/7' };

let loggedLines: unknown[][];
beforeEach(() => {
  loggedLines = [];
  vi.spyOn(console, 'error').mockImplementation((...words) => void loggedLines.push(words));
  return () => vi.restoreAllMocks();
});

const createNamedTool = (name: string, run: (input: unknown, call: CallContext) => unknown): AnyTool =>
  defineTool({ name, description: `Does ${name}.`, run });
const callTools = (...names: string[]): ScriptedReply => ({ calls: names.map((name) => ({ name })) });
const createClerk = (tools: readonly AnyTool[]) =>
  defineAgent({ name: 'clerk', description: 'Pays.', instructions: 'Pay.', tools });

type Session = ReturnType<typeof createTestSession>;
const getLastResults = ({ requests }: Session): readonly string[] =>
  (requests.at(-1)?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [message.text] : []));

/** Runs a turn of these calls, one per reply. Returns the call results that the model saw. */
async function collectLastResults(tools: readonly AnyTool[], ...names: string[]): Promise<readonly string[]> {
  const session = createTestSession(createClerk(tools), {
    use: [files()],
    replies: [...names.map((name) => callTools(name)), 'Done.'],
  });
  expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
  return getLastResults(session);
}

describe('a value with `toJSON`', () => {
  it('can be the result of a `once` tool', async () => {
    const pay = createNamedTool('pay', () => ({ paid: { at: DATE_VALUE, site: SITE_URL } }));
    const session = createTestSession(createClerk([pay]), { replies: [callTools('pay'), 'Paid.'] });
    const answer = await session.send('Pay.');
    expect(getLastResults(session)).toEqual([JSON.stringify({ paid: STORED_VALUES })]);
    expect(answer.artifacts).toMatchObject([{ tool: 'pay', value: { paid: STORED_VALUES } }]);
    expect(await collectLastResults([createNamedTool('now', () => DATE_VALUE)], 'now')).toEqual([
      STORED_VALUES.at,
    ]);
    expect(
      await collectLastResults([createNamedTool('now', () => artifact('Now.', { at: DATE_VALUE }))], 'now'),
    ).toEqual(['Now.']);
    expect(loggedLines).toEqual([]);
  });

  it('can be the reconciled result of a killed call', async () => {
    let ran = 0;
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      reconcile: () => ({ done: { at: DATE_VALUE, site: SITE_URL } }),
      run: () => {
        ran += 1;
        session.kill();
        return { at: DATE_VALUE, site: SITE_URL };
      },
    });
    const session: Session = createTestSession(createClerk([pay]), {
      replies: [callTools('pay'), 'Paid.'],
      leaseMs: 300,
    });
    await session.send('Pay.');
    expect([ran, ...getLastResults(session)]).toEqual([1, JSON.stringify(STORED_VALUES)]);
  });

  it('can be the result that a caller sends for a tool that it runs', async () => {
    const session = createTestSession(createClerk([manual(createNamedTool('sign', () => ''))]), {
      replies: [callTools('sign'), 'Signed.'],
    });
    await session.send('Sign.');
    await session.result('sign', { result: { at: DATE_VALUE, site: SITE_URL } as never }); // Only code can send it, not HTTP.
    expect(getLastResults(session)).toEqual([JSON.stringify(STORED_VALUES)]);
  });

  it('is JSON in the state and on the blackboard, in the same call and in later calls', async () => {
    const keep = createNamedTool('keep', (_, { state, blackboard }) => {
      state.set('paid', { at: DATE_VALUE, site: SITE_URL });
      blackboard.add({ at: DATE_VALUE, site: SITE_URL }, { name: 'paid' });
      return [state.get('paid'), blackboard.get('paid')];
    });
    const look = createNamedTool('look', (_, { state, blackboard }) => [
      state.get('paid'),
      blackboard.get('paid'),
    ]);
    const same = JSON.stringify([STORED_VALUES, STORED_VALUES]);
    const session = createTestSession(createClerk([keep, look]), {
      replies: [callTools('keep'), callTools('look'), 'Done.', callTools('look'), 'Done.'],
    });
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([same, same]);
    session.restart();
    await session.send('And now?');
    expect(getLastResults(session)).toEqual([same, same, same]);
    expect(loggedLines).toEqual([]);
  });

  it('arrives at a sink as JSON, or as the parsed value if the sink has a type', async () => {
    const Receipt = defineDomainType({
      name: 'Receipt',
      schema: v.object({ at: v.pipe(v.string(), v.toDate()), site: v.string() }),
    });
    const seen: unknown[] = [];
    const recordValue: Sink = (value) => void seen.push(value);
    const pay = createNamedTool('pay', () => ({ at: DATE_VALUE, site: SITE_URL }));
    const typed = defineTool({
      name: 'typed',
      description: 'Pays.',
      output: Receipt,
      run: () => ({ at: DATE_VALUE, site: SITE_URL }),
    });
    const published = publishToBlackboard(pay, { transform: () => ({ last: DATE_VALUE }) });
    const session = createTestSession(
      createClerk([
        sinkArtifacts(published, recordValue),
        sinkArtifacts(typed, recordValue, { type: Receipt }),
      ]),
      { replies: [callTools('pay'), callTools('typed'), 'Done.'] },
    );
    await session.send('Go.');
    expect(seen).toEqual([STORED_VALUES, { at: DATE_VALUE, site: STORED_VALUES.site }]);
    expect((await session.state()).blackboard.map(({ value }) => value)).toEqual([
      { last: STORED_VALUES.at },
    ]);
    expect(loggedLines).toEqual([]);
  });

  it('can be in the answer of a subagent and on the blackboard of a subagent', async () => {
    const work = createNamedTool('work', (_, { blackboard }) =>
      blackboard.add({ at: DATE_VALUE }, { name: 'worked' }),
    );
    const worker = defineAgent({
      name: 'worker',
      description: 'Works.',
      instructions: 'Work.',
      tools: [work],
      output: v.object({ at: v.pipe(v.string(), v.toDate()) }),
    });
    const session = createTestSession(createClerk([defineSubagent({ agent: worker })]), {
      replies: [
        { calls: [{ name: 'worker', input: { message: 'Work.' } }] },
        callTools('work'),
        '{"at":"2026-11-22T10:00Z"}',
        'Done.',
      ],
    });
    expect(await session.send('Go.')).toMatchObject({
      text: 'Done.',
      artifacts: [{ value: { at: STORED_VALUES.at } }],
    });
    expect((await session.state()).blackboard).toMatchObject([
      { name: 'worked', value: { at: STORED_VALUES.at } },
    ]);
  });

  it('can be in the context that an agent sets', async () => {
    const look = createNamedTool('look', (_, { context }) => context.get('since'));
    const agent = defineAgent({ ...createClerk([look]), output: undefined, context: { since: DATE_VALUE } });
    const session = createTestSession(agent, { replies: [callTools('look'), 'Done.'] });
    await session.send('Since when?');
    expect(getLastResults(session)).toEqual([STORED_VALUES.at]);
  });
});

describe('a value that cannot be journaled', () => {
  it('is described to the model in the result, and to the developer in log lines', async () => {
    const pay = createNamedTool('pay', (): unknown => ({
      paid: [{ by: () => 1, sum: 2 }],
      rate: Number.NaN,
    }));
    expect(await collectLastResults([pay], 'pay')).toEqual([
      '{"paid":[{"sum":2}],"rate":null}\n\n(not shown: $.paid[0].by is a function)',
    ]);
    expect(loggedLines).toEqual([
      [
        "holdfast: Tool 'pay' returned values that JSON does not keep, and they were left out: $.paid[0].by is a function. " +
          'Return JSON, or give the value a toJSON method.',
      ],
      ["holdfast: Tool 'pay' returned numbers that are null in JSON: $.rate is NaN."],
    ]);
  });

  it('is reported with the reason why it is unreadable', async () => {
    const at = {
      toJSON() {
        throw new Error('no time');
      },
    };
    expect(
      await collectLastResults([createNamedTool('pay', () => artifact('Paid.', { at }))], 'pay'),
    ).toEqual(['Paid.']);
    expect(await collectLastResults([createNamedTool('pay', () => ({ at }))], 'pay')).toEqual([
      '{}\n\n(not shown: $.at is unreadable (no time))',
    ]);
    const problem =
      "holdfast: Tool 'pay' returned values that JSON does not keep, and they were left out: $.at is unreadable (no time). " +
      'Return JSON, or give the value a toJSON method.';
    expect(loggedLines).toEqual([[problem], [problem]]);
  });

  it('is reported without a secret in its path', async () => {
    const leak = createNamedTool('leak', (_, { secrets }) => ({ [secrets.require('key')]: 1n as unknown }));
    const session = createTestSession(createClerk([leak]), {
      replies: [callTools('leak'), 'Done.'],
      secrets: () => ({ key: 'sk-1234567' }),
    });
    await session.send('Go.');
    expect(loggedLines).toEqual([
      [
        "holdfast: Tool 'leak' returned values that JSON does not keep, and they were left out: $.[secret key] is a bigint. " +
          'Return JSON, or give the value a toJSON method.',
      ],
    ]);
  });

  it('is reported without any part of a long secret that is cut off', async () => {
    const leak = createNamedTool('leak', (_, { secrets }) => ({ [secrets.require('key')]: 1n as unknown }));
    const session = createTestSession(createClerk([leak]), {
      replies: [callTools('leak'), 'Done.'],
      secrets: () => ({ key: `sk-${'1234567890'.repeat(6)}` }),
    });
    await session.send('Go.');
    expect(getLastResults(session)).toEqual(['{}\n\n(not shown: $.[secret key]… is a bigint)']);
    expect(loggedLines).toEqual([
      [
        "holdfast: Tool 'leak' returned values that JSON does not keep, and they were left out: $.[secret key]… is a bigint. " +
          'Return JSON, or give the value a toJSON method.',
      ],
    ]);
  });

  it('is reported if `reconcile` returned it', async () => {
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      reconcile: () => ({ done: [1n] }),
      run: () => session.kill(),
    });
    const session: Session = createTestSession(createClerk([pay]), {
      replies: [callTools('pay'), 'Paid.'],
      leaseMs: 300,
    });
    await session.send('Pay.');
    expect(getLastResults(session)).toEqual(['[null]\n\n(not shown: $[0] is a bigint)']);
    expect(loggedLines).toEqual([
      [
        "holdfast: Tool 'pay' returned values that JSON does not keep, and they were left out: $[0] is a bigint. " +
          'Return JSON, or give the value a toJSON method.',
      ],
    ]);
  });

  it.each<[string, unknown]>([
    ['an error', new RangeError('Nothing left.')],
    ['an error with more properties', Object.assign(new Error('Nothing left.'), { code: 7 })],
  ])('fails the call if it is %s', async (_, returned) => {
    expect(await collectLastResults([createNamedTool('pay', () => returned)], 'pay')).toEqual([
      'Error: Nothing left.',
    ]);
  });

  it('ends the turn if it is a signal', async () => {
    const session = createTestSession(createClerk([createNamedTool('pay', () => exitEarly('Enough.'))]), {
      replies: [callTools('pay')],
    });
    expect(await session.send('Pay.')).toMatchObject({ outcome: 'cancelled' });
  });

  it('has its bytes stored as a file, and the name of the file replaces them', async () => {
    const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
    const chart = createNamedTool('chart', () => ({ title: 'Sales', pages: [{ image: png }] }));
    const [whole] = await collectLastResults([createNamedTool('chart', () => png)], 'chart');
    expect(whole).toMatch(/^\[file [0-9a-f]{64}: image\/png, 8 bytes\]\n/);
    const [inside] = await collectLastResults([chart], 'chart');
    expect(inside).toMatch(
      /^\{"title":"Sales","pages":\[\{"image":"\[file \\"pages\[0\]\.image\\"\]"\}\]\}\n\n\[file [0-9a-f]{64}: image\/png, "pages\[0\]\.image", 8 bytes\]\n/,
    );
  });

  it('shows the cause of a returned error only in the log, without secrets (S0-047)', async () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), {
      stack: 'Error: connect ECONNREFUSED\n    at pay',
    });
    const pay = createNamedTool('pay', () => error('The bank does not answer.', { cause }));
    expect(await collectLastResults([pay], 'pay')).toEqual(['Error: The bank does not answer.']);
    expect(loggedLines).toEqual([
      [
        "holdfast: Tool 'pay' returned an error: The bank does not answer.\nCause: Error: connect ECONNREFUSED\n    at pay",
      ],
    ]);
  });

  const cents = v.object({ cents: v.number() });
  it.each([
    { output: defineDomainType({ name: 'Bill', schema: cents }), what: 'does not fit Bill' },
    { output: cents, what: 'does not fit its output' },
    {
      output: v.objectAsync({
        cents: v.pipeAsync(
          v.number(),
          v.checkAsync(async () => true),
        ),
      }),
      what: 'does not fit its output',
    },
  ])('causes an error if the result $what', async ({ output: Bill, what }) => {
    const createBillTool = (value: unknown) =>
      defineTool({ name: 'bill', description: 'Bills.', output: Bill, run: () => value });
    const problem = `Tool 'bill' ran and finished, but its result ${what}: cents: Invalid type: Expected number but received "two".`;
    const lists = [[], [{ cents: 2 }, null, { cents: 'two' }]];
    const isOfType = what === 'does not fit Bill';
    for (const value of [{ cents: 'two' }, ...(isOfType ? [[{ cents: 'two' }]] : [])]) {
      expect(await collectLastResults([createBillTool(value)], 'bill')).toEqual([
        `Error: ${problem} This is a mistake in the code of the tool; do not call it again for this.`,
      ]);
    }
    expect(loggedLines.every(([line]) => line === `holdfast: ${problem}`)).toBe(true);
    // A schema describes the whole value; only a domain type may describe each item of a list.
    for (const value of isOfType ? [] : lists)
      expect(await collectLastResults([createBillTool(value)], 'bill')).toEqual([
        "Error: Tool 'bill' ran and finished, but its result does not fit its output: cents: Invalid key: " +
          'Expected "cents" but received undefined. This is a mistake in the code of the tool; do not call it again for this.',
      ]);
    for (const value of [{ cents: 2 }, ...(isOfType ? lists : []), 'There is none.'])
      expect(await collectLastResults([createBillTool(value)], 'bill')).toEqual([
        typeof value === 'string' ? value : JSON.stringify(value),
      ]);
  });

  it.each<[string, (call: CallContext) => void, string]>([
    ['the state', ({ state }) => state.set('x', 1n as never), "call.state 'x'"],
    ['the blackboard', ({ blackboard }) => blackboard.add(1n as never), 'call.blackboard'],
  ])('is reported if a call adds it to %s', async (_, keep, where) => {
    const problem = `${where}: the value at \`$\` is a bigint, which is not JSON.`;
    expect(await collectLastResults([createNamedTool('pay', (_input, call) => keep(call))], 'pay')).toEqual([
      `Error: ${problem}`,
    ]);
    expect(loggedLines).toEqual([[`holdfast: Tool 'pay' failed. ${problem}`]]);
  });

  it('is reported if it is too long', async () => {
    const told = await collectLastResults([createNamedTool('dump', () => 'x'.repeat(9_000_000))], 'dump');
    const problem =
      "Tool 'dump' ran and finished, but its result and what it changed, of 9000035 characters, are over the limit of " +
      '8388608 and were not kept. Do not repeat what it has done; if it only reads, ask it for less.';
    expect(told).toEqual([`Error: ${problem}`]);
    expect(loggedLines).toEqual([[`holdfast: ${problem}`]]);
  });
});
