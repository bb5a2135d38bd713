/**
 * Values with `toJSON`, in each place where code passes a value to the journal, and values that cannot be
 * journaled.
 */
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

const AT = new Date('2026-11-22T10:00:00Z');
const SITE = new URL('https://example.com/orders/7');
const KEPT = { at: '2026-11-22T10:00:00.000Z', site: 'https://example.com/orders/7' };

let logged: unknown[][];
beforeEach(() => {
  logged = [];
  vi.spyOn(console, 'error').mockImplementation((...words) => void logged.push(words));
  return () => vi.restoreAllMocks();
});

const tool = (name: string, run: (input: unknown, call: CallContext) => unknown): AnyTool =>
  defineTool({ name, description: `Does ${name}.`, run });
const calls = (...names: string[]): ScriptedReply => ({ calls: names.map((name) => ({ name })) });
const clerk = (tools: readonly AnyTool[]) =>
  defineAgent({ name: 'clerk', description: 'Pays.', instructions: 'Pay.', tools });

type Session = ReturnType<typeof createTestSession>;
const lastResults = ({ requests }: Session): readonly string[] =>
  (requests.at(-1)?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [message.text] : []));

/** Runs a turn of these calls, one per reply. Returns the call results that the model saw. */
async function lastResultsOf(tools: readonly AnyTool[], ...names: string[]): Promise<readonly string[]> {
  const session = createTestSession(clerk(tools), {
    use: [files()],
    replies: [...names.map((name) => calls(name)), 'Done.'],
  });
  expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
  return lastResults(session);
}

describe('a value with `toJSON`', () => {
  it('can be the result of a `once` tool', async () => {
    const pay = tool('pay', () => ({ paid: { at: AT, site: SITE } }));
    const session = createTestSession(clerk([pay]), { replies: [calls('pay'), 'Paid.'] });
    const answer = await session.send('Pay.');
    expect(lastResults(session)).toEqual([JSON.stringify({ paid: KEPT })]);
    expect(answer.artifacts).toMatchObject([{ tool: 'pay', value: { paid: KEPT } }]);
    expect(await lastResultsOf([tool('now', () => AT)], 'now')).toEqual([KEPT.at]);
    expect(await lastResultsOf([tool('now', () => artifact('Now.', { at: AT }))], 'now')).toEqual(['Now.']);
    expect(logged).toEqual([]);
  });

  it('can be the reconciled result of a killed call', async () => {
    let ran = 0;
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      reconcile: () => ({ done: { at: AT, site: SITE } }),
      run: () => {
        ran += 1;
        session.kill();
        return { at: AT, site: SITE };
      },
    });
    const session: Session = createTestSession(clerk([pay]), {
      replies: [calls('pay'), 'Paid.'],
      leaseMs: 300,
    });
    await session.send('Pay.');
    expect([ran, ...lastResults(session)]).toEqual([1, JSON.stringify(KEPT)]);
  });

  it('can be the result that a caller sends for a tool that it runs', async () => {
    const session = createTestSession(clerk([manual(tool('sign', () => ''))]), {
      replies: [calls('sign'), 'Signed.'],
    });
    await session.send('Sign.');
    await session.result('sign', { result: { at: AT, site: SITE } as never }); // Code can send it; HTTP cannot.
    expect(lastResults(session)).toEqual([JSON.stringify(KEPT)]);
  });

  it('is JSON in the state and on the blackboard, in the same call and in later calls', async () => {
    const keep = tool('keep', (_, { state, blackboard }) => {
      state.set('paid', { at: AT, site: SITE });
      blackboard.add({ at: AT, site: SITE }, { name: 'paid' });
      return [state.get('paid'), blackboard.get('paid')];
    });
    const look = tool('look', (_, { state, blackboard }) => [state.get('paid'), blackboard.get('paid')]);
    const same = JSON.stringify([KEPT, KEPT]);
    const session = createTestSession(clerk([keep, look]), {
      replies: [calls('keep'), calls('look'), 'Done.', calls('look'), 'Done.'],
    });
    await session.send('Go.');
    expect(lastResults(session)).toEqual([same, same]);
    session.restart();
    await session.send('And now?');
    expect(lastResults(session)).toEqual([same, same, same]);
    expect(logged).toEqual([]);
  });

  it('reaches a sink as JSON, or as the parsed value if the sink has a type', async () => {
    const Receipt = defineDomainType({
      name: 'Receipt',
      schema: v.object({ at: v.pipe(v.string(), v.toDate()), site: v.string() }),
    });
    const seen: unknown[] = [];
    const sink: Sink = (value) => void seen.push(value);
    const pay = tool('pay', () => ({ at: AT, site: SITE }));
    const typed = defineTool({
      name: 'typed',
      description: 'Pays.',
      output: Receipt,
      run: () => ({ at: AT, site: SITE }),
    });
    const published = publishToBlackboard(pay, { transform: () => ({ last: AT }) });
    const session = createTestSession(
      clerk([sinkArtifacts(published, sink), sinkArtifacts(typed, sink, { type: Receipt })]),
      { replies: [calls('pay'), calls('typed'), 'Done.'] },
    );
    await session.send('Go.');
    expect(seen).toEqual([KEPT, { at: AT, site: KEPT.site }]);
    expect((await session.state()).blackboard.map(({ value }) => value)).toEqual([{ last: KEPT.at }]);
    expect(logged).toEqual([]);
  });

  it('can come from a subagent, in its answer and through the blackboard', async () => {
    const work = tool('work', (_, { blackboard }) => blackboard.add({ at: AT }, { name: 'worked' }));
    const worker = defineAgent({
      name: 'worker',
      description: 'Works.',
      instructions: 'Work.',
      tools: [work],
      output: v.object({ at: v.pipe(v.string(), v.toDate()) }),
    });
    const session = createTestSession(clerk([defineSubagent({ agent: worker })]), {
      replies: [
        { calls: [{ name: 'worker', input: { message: 'Work.' } }] },
        calls('work'),
        '{"at":"2026-11-22T10:00Z"}',
        'Done.',
      ],
    });
    expect(await session.send('Go.')).toMatchObject({
      text: 'Done.',
      artifacts: [{ value: { at: KEPT.at } }],
    });
    expect((await session.state()).blackboard).toMatchObject([{ name: 'worked', value: { at: KEPT.at } }]);
  });

  it('can be in the context that code passes', async () => {
    const look = tool('look', (_, { context }) => context.get('since'));
    const agent = defineAgent({ ...clerk([look]), output: undefined, context: { since: AT } });
    const session = createTestSession(agent, { replies: [calls('look'), 'Done.'] });
    await session.send('Since when?');
    expect(lastResults(session)).toEqual([KEPT.at]);
  });
});

describe('a value that cannot be journaled', () => {
  it('is reported to the model as part of a result, and to the developer in one log line', async () => {
    const pay = tool('pay', (): unknown => ({ paid: [{ by: () => 1, sum: 2 }], rate: Number.NaN }));
    expect(await lastResultsOf([pay], 'pay')).toEqual([
      '{"paid":[{"sum":2}],"rate":null}\n\n(not shown: $.paid[0].by is a function)',
    ]);
    expect(logged).toEqual([
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
    expect(await lastResultsOf([tool('pay', () => artifact('Paid.', { at }))], 'pay')).toEqual(['Paid.']);
    expect(await lastResultsOf([tool('pay', () => ({ at }))], 'pay')).toEqual([
      '{}\n\n(not shown: $.at is unreadable (no time))',
    ]);
    const problem =
      "holdfast: Tool 'pay' returned values that JSON does not keep, and they were left out: $.at is unreadable (no time). " +
      'Return JSON, or give the value a toJSON method.';
    expect(logged).toEqual([[problem], [problem]]);
  });

  it('is reported without a secret in its path', async () => {
    const leak = tool('leak', (_, { secrets }) => ({ [secrets.require('key')]: 1n as unknown }));
    const session = createTestSession(clerk([leak]), {
      replies: [calls('leak'), 'Done.'],
      secrets: () => ({ key: 'sk-1234567' }),
    });
    await session.send('Go.');
    expect(logged).toEqual([
      [
        "holdfast: Tool 'leak' returned values that JSON does not keep, and they were left out: $.[secret key] is a bigint. " +
          'Return JSON, or give the value a toJSON method.',
      ],
    ]);
  });

  it('is reported without any part of a long secret that is cut off', async () => {
    const leak = tool('leak', (_, { secrets }) => ({ [secrets.require('key')]: 1n as unknown }));
    const session = createTestSession(clerk([leak]), {
      replies: [calls('leak'), 'Done.'],
      secrets: () => ({ key: `sk-${'1234567890'.repeat(6)}` }),
    });
    await session.send('Go.');
    expect(lastResults(session)).toEqual(['{}\n\n(not shown: $.[secret key]… is a bigint)']);
    expect(logged).toEqual([
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
    const session: Session = createTestSession(clerk([pay]), {
      replies: [calls('pay'), 'Paid.'],
      leaseMs: 300,
    });
    await session.send('Pay.');
    expect(lastResults(session)).toEqual(['[null]\n\n(not shown: $[0] is a bigint)']);
    expect(logged).toEqual([
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
    expect(await lastResultsOf([tool('pay', () => returned)], 'pay')).toEqual(['Error: Nothing left.']);
  });

  it('ends the turn if it is a signal', async () => {
    const session = createTestSession(clerk([tool('pay', () => exitEarly('Enough.'))]), {
      replies: [calls('pay')],
    });
    expect(await session.send('Pay.')).toMatchObject({ outcome: 'cancelled' });
  });

  it('is stored as a file if it contains bytes, and the value has the name of the file instead', async () => {
    const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
    const chart = tool('chart', () => ({ title: 'Sales', pages: [{ image: png }] }));
    const [whole] = await lastResultsOf([tool('chart', () => png)], 'chart');
    expect(whole).toMatch(/^\[file [0-9a-f]{64}: image\/png, 8 bytes\]\n/);
    const [inside] = await lastResultsOf([chart], 'chart');
    expect(inside).toMatch(
      /^\{"title":"Sales","pages":\[\{"image":"\[file \\"pages\[0\]\.image\\"\]"\}\]\}\n\n\[file [0-9a-f]{64}: image\/png, "pages\[0\]\.image", 8 bytes\]\n/,
    );
  });

  it('leaves the cause of an error in the log only, without secrets (S0-047)', async () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), {
      stack: 'Error: connect ECONNREFUSED\n    at pay',
    });
    const pay = tool('pay', () => error('The bank does not answer.', { cause }));
    expect(await lastResultsOf([pay], 'pay')).toEqual(['Error: The bank does not answer.']);
    expect(logged).toEqual([
      [
        "holdfast: Tool 'pay' returned an error: The bank does not answer.\nCause: Error: connect ECONNREFUSED\n    at pay",
      ],
    ]);
  });

  const cents = v.object({ cents: v.number() });
  it.each([
    { output: defineDomainType({ name: 'Bill', schema: cents }), what: 'is no Bill' },
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
  ])('is an error if its result $what', async ({ output: Bill, what }) => {
    const bill = (value: unknown) =>
      defineTool({ name: 'bill', description: 'Bills.', output: Bill, run: () => value });
    const problem = `Tool 'bill' ran and finished, but its result ${what}: cents: Invalid type: Expected number but received "two".`;
    const lists = [[], [{ cents: 2 }, null, { cents: 'two' }]];
    const isOfType = what === 'is no Bill';
    for (const value of [{ cents: 'two' }, ...(isOfType ? [[{ cents: 'two' }]] : [])]) {
      expect(await lastResultsOf([bill(value)], 'bill')).toEqual([
        `Error: ${problem} This is a mistake in the code of the tool; do not call it again for this.`,
      ]);
    }
    expect(logged.every(([line]) => line === `holdfast: ${problem}`)).toBe(true);
    // A schema describes the whole value; only a domain type may describe each item of a list.
    for (const value of isOfType ? [] : lists)
      expect(await lastResultsOf([bill(value)], 'bill')).toEqual([
        "Error: Tool 'bill' ran and finished, but its result does not fit its output: cents: Invalid key: " +
          'Expected "cents" but received undefined. This is a mistake in the code of the tool; do not call it again for this.',
      ]);
    for (const value of [{ cents: 2 }, ...(isOfType ? lists : []), 'There is none.'])
      expect(await lastResultsOf([bill(value)], 'bill')).toEqual([
        typeof value === 'string' ? value : JSON.stringify(value),
      ]);
  });

  it.each<[string, (call: CallContext) => void, string]>([
    ['the state', ({ state }) => state.set('x', 1n as never), "call.state 'x'"],
    ['the blackboard', ({ blackboard }) => blackboard.add(1n as never), 'call.blackboard'],
  ])('is reported if a call adds it to %s', async (_, keep, where) => {
    const problem = `${where}: the value at \`$\` is a bigint, which is not JSON.`;
    expect(await lastResultsOf([tool('pay', (_input, call) => keep(call))], 'pay')).toEqual([
      `Error: ${problem}`,
    ]);
    expect(logged).toEqual([[`holdfast: Tool 'pay' failed. ${problem}`]]);
  });

  it('is reported if it is too long', async () => {
    const told = await lastResultsOf([tool('dump', () => 'x'.repeat(9_000_000))], 'dump');
    const problem =
      "Tool 'dump' ran and finished, but its result and what it changed, of 9000035 characters, are over the limit of " +
      '8388608 and were not kept. Do not repeat what it has done; if it only reads, ask it for less.';
    expect(told).toEqual([`Error: ${problem}`]);
    expect(logged).toEqual([[`holdfast: ${problem}`]]);
  });
});
