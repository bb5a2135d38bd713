import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, defineAgent, defineTool } from '../../../../src/index.ts';
import { defineManualTool } from '../../../../src/modules/answers/entry.ts';
import { createManualClock, createTestSession, type TestSession } from '../../../../src/testing/entry.ts';
import { askFirst } from '../../../fixtures/asks-first.ts';

const createTestAgent = (...tools: readonly AnyTool[]) =>
  defineAgent({ name: 'clerk', description: 'Pays.', instructions: '', tools });

/** Returns a tool that pays, and a list of its payments. */
function createPayer() {
  const paid: number[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: v.object({ amount: v.number() }),
    run: ({ amount }) => {
      paid.push(amount);
      return `Paid ${amount}.`;
    },
  });
  return { pay, paid };
}

const createCall = (name: string, input: unknown = {}) => ({ name, input });
const payReply = { calls: [createCall('pay', { amount: 7 })] };
const getLastResults = ({ requests }: TestSession): unknown[] =>
  (requests.at(-1)?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [message.text] : []));

describe('a test session that waits for a decision', () => {
  it('returns the pending calls, and runs none of them', async () => {
    const { pay, paid } = createPayer();
    const session = createTestSession(createTestAgent(askFirst(pay, { by: 'manager' })), {
      replies: [payReply],
    });
    const answer = await session.send('Pay 7.');
    const pending = [
      {
        call: `${answer.turn}.3.0`,
        question: 1,
        tool: 'pay',
        input: { amount: 7 },
        for: 'decision',
        message: 'May I pay?',
        allows: ['approve', 'edit', 'reject', 'exit'],
        schema: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
        by: 'manager',
      },
    ];
    expect(answer).toEqual({
      turn: expect.any(String),
      loopId: answer.turn,
      session: 'test',
      agent: 'clerk',
      outcome: 'suspended',
      text: '',
      artifacts: [],
      pending,
      usage: { inputTokens: 10, outputTokens: 5 },
      iterations: 1,
      toolCalls: 1,
      model: 'scripted',
    });
    expect(await session.pending()).toEqual(pending);
    await expect(session.send('And?')).rejects.toThrow('The session did not accept the message (suspended).');
    expect(paid).toEqual([]);
  });

  it('runs a call once after its approval, and journals who decided (DEC-18, DEC-19)', async () => {
    const { pay, paid } = createPayer();
    const session = createTestSession(createTestAgent(askFirst(pay)), { replies: [payReply, 'Done.'] });
    await session.send('Pay 7.');
    const answer = await session.decide('pay', { decision: 'approve', reason: 'Fine.', by: 'ann' });
    expect(answer).toMatchObject({ outcome: 'completed', text: 'Done.', iterations: 2, toolCalls: 1 });
    expect([paid, getLastResults(session), await session.pending()]).toEqual([[7], ['Paid 7.'], []]);
    const answered = (await session.events()).flatMap((event) =>
      event.type === 'tool-call-answered' ? [event] : [],
    );
    expect(answered).toEqual([
      {
        seq: expect.any(Number),
        at: expect.any(Number),
        type: 'tool-call-answered',
        turn: answer.turn,
        call: `${answer.turn}.3.0`,
        answer: { type: 'decision', decision: 'approve', reason: 'Fine.', by: 'ann' },
      },
    ]);
  });

  it('runs a call with its edited input (AEA-13)', async () => {
    const { pay, paid } = createPayer();
    const session = createTestSession(createTestAgent(askFirst(pay)), { replies: [payReply, 'Done.'] });
    await session.send('Pay 7.');
    await session.decide('pay', { decision: 'edit', input: { amount: 5 } });
    expect([paid, getLastResults(session)]).toEqual([[5], ['Paid 5.']]);
  });

  it('does not run a rejected call, and shows the rejection to the model (DEC-18, DEC-19)', async () => {
    const { pay, paid } = createPayer();
    const session = createTestSession(createTestAgent(askFirst(pay)), { replies: [payReply, 'Pity.'] });
    await session.send('Pay 7.');
    expect(await session.decide('pay', { decision: 'reject', reason: 'Too much.' })).toMatchObject({
      outcome: 'completed',
      text: 'Pity.',
    });
    expect([paid, getLastResults(session), (await session.state()).blackboard]).toEqual([
      [],
      ['Error: Too much.'],
      [],
    ]);
  });

  it('ends the turn after an exit, without another model call', async () => {
    const { pay, paid } = createPayer();
    const session = createTestSession(createTestAgent(askFirst(pay)), { replies: [payReply] });
    await session.send('Pay 7.');
    expect(await session.decide('pay', 'exit')).toMatchObject({
      outcome: 'cancelled',
      signal: { type: 'exit', reason: 'Out.' },
    });
    expect([paid, session.requests.length]).toEqual([[], 1]);
  });

  it.each([
    [
      'a decision that is not allowed',
      { decision: 'exit' },
      'decision: must be approve, edit or reject here',
    ],
    ['an edit without an input', { decision: 'edit' }, 'input: is missing'],
    [
      'an edit that does not fit the schema',
      { decision: 'edit', input: { amount: 'all' } },
      'input.amount: Instance type "string" is invalid. Expected "number".',
    ],
  ] as const)('throws for an invalid decision, and still waits: %s', async (_, decision, problem) => {
    const { pay, paid } = createPayer();
    const tool = askFirst(pay, { allows: ['approve', 'edit', 'reject'] });
    const session = createTestSession(createTestAgent(tool), { replies: [payReply, 'Done.'] });
    await session.send('Pay 7.');
    await expect(session.decide('pay', decision)).rejects.toThrow(`The answer is not valid: ${problem}.`);
    await session.decide('pay', 'approve');
    expect(paid).toEqual([7]);
  });

  it('throws an error that lists the pending calls if a decision matches several calls or no call', async () => {
    const { pay } = createPayer();
    const twice = { calls: [createCall('pay', { amount: 1 }), createCall('pay', { amount: 2 })] };
    const session = createTestSession(createTestAgent(askFirst(pay)), { replies: [twice, 'Done.'] });
    await expect(session.decide('pay', 'approve')).rejects.toThrow(
      "No waiting call matches 'pay'. Waiting: nothing.",
    );
    const { turn } = await session.send('Pay.');
    const waiting = `pay (${turn}.3.0), pay (${turn}.3.1)`;
    await expect(session.decide('pay', 'approve')).rejects.toThrow(
      `More than one call matches 'pay'. Waiting: ${waiting}.`,
    );
    await expect(session.decide('ship', 'approve')).rejects.toThrow(
      `No waiting call matches 'ship'. Waiting: ${waiting}.`,
    );
  });

  it('resumes after the last of two decisions, and then runs both calls', async () => {
    const { pay, paid } = createPayer();
    const twice = { calls: [createCall('pay', { amount: 1 }), createCall('pay', { amount: 2 })] };
    const session = createTestSession(createTestAgent(askFirst(pay)), { replies: [twice, 'Done.'] });
    const { turn } = await session.send('Pay.');
    const first = await session.decide(`${turn}.3.1`, 'approve');
    expect(first).toMatchObject({ outcome: 'suspended', pending: [{ call: `${turn}.3.0` }] });
    expect(paid).toEqual([]);
    expect(await session.decide('pay', 'approve')).toMatchObject({ outcome: 'completed' });
    expect(paid.toSorted()).toEqual([1, 2]);
  });

  it('asks the questions of a call one after another, each with its own answer', async () => {
    const { pay, paid } = createPayer();
    const tool = askFirst(askFirst(pay, { message: 'Inner?' }), { message: 'Outer?' });
    const session = createTestSession(createTestAgent(tool), { replies: [payReply, 'Done.'] });
    expect(await session.send('Pay 7.')).toMatchObject({ pending: [{ message: 'Outer?' }] });
    expect(await session.decide('pay', 'approve')).toMatchObject({ pending: [{ message: 'Inner?' }] });
    expect(paid).toEqual([]);
    expect(await session.decide('pay', 'approve')).toMatchObject({ outcome: 'completed' });
    expect(paid).toEqual([7]);
  });

  it('waits for the same calls after a restart', async () => {
    const { pay, paid } = createPayer();
    const session = createTestSession(createTestAgent(askFirst(pay)), { replies: [payReply, 'Done.'] });
    await session.send('Pay 7.');
    session.restart();
    expect(await session.decide('pay', 'approve')).toMatchObject({ outcome: 'completed' });
    expect(paid).toEqual([7]);
  });
});

describe('a test session whose decision expires', () => {
  it.each([
    ['approve', 'completed', [7], ['Paid 7.']],
    ['reject', 'completed', [], ['Error: No.']],
    ['exit', 'cancelled', [], []],
  ] as const)('continues with the decision %s (AEA-12)', async (onExpiry, outcome, amounts, texts) => {
    const { pay, paid } = createPayer();
    const clock = createManualClock(1_000_000);
    const tool = askFirst(pay, { expires: 60_000, onExpiry });
    const session = createTestSession(createTestAgent(tool), { replies: [payReply, 'Done.'], clock });
    expect(await session.send('Pay 7.')).toMatchObject({ pending: [{ expiresAt: 1_060_000 }] });
    await clock.advance(59_999);
    expect([(await session.pending()).length, paid]).toEqual([1, []]);
    await clock.advance(1);
    expect(await session.settled()).toMatchObject({ outcome });
    expect([paid, getLastResults(session)]).toEqual([amounts, texts]);
    await expect(session.decide('pay', 'approve')).rejects.toThrow("No waiting call matches 'pay'");
  });

  it('does not expire after a decision', async () => {
    const { pay, paid } = createPayer();
    const clock = createManualClock();
    const tool = askFirst(pay, { expires: 60_000 });
    const session = createTestSession(createTestAgent(tool), { replies: [payReply, 'Done.'], clock });
    await session.send('Pay 7.');
    await session.decide('pay', 'approve');
    const events = (await session.events()).length;
    await clock.advance(120_000);
    expect([(await session.events()).length, paid]).toEqual([events, [7]]);
  });

  it('waits for the other calls of the batch', async () => {
    const { pay, paid } = createPayer();
    const clock = createManualClock();
    const patient = askFirst({ ...pay, name: 'pay_later' });
    const tools = [askFirst(pay, { expires: 1_000 }), patient];
    const both = { calls: [createCall('pay', { amount: 1 }), createCall('pay_later', { amount: 2 })] };
    const session = createTestSession(createTestAgent(...tools), { replies: [both, 'Done.'], clock });
    await session.send('Pay.');
    await clock.advance(1_000);
    expect(await session.settled()).toMatchObject({ outcome: 'suspended', pending: [{ tool: 'pay_later' }] });
    await session.decide('pay_later', 'approve');
    expect([paid, getLastResults(session)]).toEqual([[2], ['Error: No.', 'Paid 2.']]);
  });
});

describe('a test session with a tool that the caller runs', () => {
  const lookUp = defineManualTool({
    name: 'look_up',
    description: 'Looks up.',
    input: v.object({ id: v.string() }),
    expires: 60_000,
  });
  const looks = { calls: [createCall('look_up', { id: 'o1' })] };

  it('waits for a result only if the tool has no `run` (SPM-17, SPA-02)', async () => {
    const { pay, paid } = createPayer();
    const both = { calls: [createCall('look_up', { id: 'o1' }), createCall('pay', { amount: 7 })] };
    const session = createTestSession(createTestAgent(lookUp, pay), { replies: [both, 'Done.'] });
    const answer = await session.send('Look.');
    expect(answer).toMatchObject({
      outcome: 'suspended',
      pending: [
        {
          call: `${answer.turn}.3.0`,
          question: 1,
          tool: 'look_up',
          input: { id: 'o1' },
          for: 'result',
          message: "Run 'look_up' and send its result.",
          expiresAt: expect.any(Number),
        },
      ],
    });
    expect(paid).toEqual([7]);
    const done = await session.result('look_up', { result: { total: 12.5 } });
    expect(done).toMatchObject({
      outcome: 'completed',
      artifacts: [{ call: `${answer.turn}.3.0`, tool: 'look_up', value: { total: 12.5 } }],
    });
    expect([getLastResults(session), paid]).toEqual([['{"total":12.5}', 'Paid 7.'], [7]]);
  });

  it.each([
    [{ text: 'Found.' }, 'Found.'],
    [{ error: 'Not found.' }, 'Error: Not found.'],
    [{ result: 'Found.' }, 'Found.'],
    [{ result: null }, ''],
    [{ result: 12 }, '12'],
    [{ result: [1, 2] }, '[1,2]'],
    [{ result: { type: 'error', message: 'A row.' } }, '{"type":"error","message":"A row."}'],
  ])('shows the sent result to the model: %j (SPM-17)', async (sent, text) => {
    const session = createTestSession(createTestAgent(lookUp), { replies: [looks, 'Done.'] });
    await session.send('Look.');
    await session.result('look_up', sent);
    expect(getLastResults(session)).toEqual([text]);
  });

  it.each<[string, unknown, string]>([
    ['no value', {}, 'it must have exactly one of result, text and error'],
    ['two', { text: 'a', error: 'b' }, 'it must have exactly one of result, text and error'],
    ['text that is not a string', { text: 1 }, 'text: must be text'],
    ['an additional property', { text: 'a', by: 'eve' }, 'by: is not known here'],
    ['a value that is not an object', 'Found.', 'it must be a JSON object'],
    ['a bigint', { result: { at: 1n } }, 'the value at `$.result.at` is a bigint'],
  ])('throws for a result that the HTTP API also refuses: %s (SPM-17)', async (_, sent, problem) => {
    const session = createTestSession(createTestAgent(lookUp), { replies: [looks, 'Done.'] });
    await session.send('Look.');
    await expect(session.result('look_up', sent as never)).rejects.toThrow(
      new Error(`The answer is not valid: ${problem}.`),
    );
    expect((await session.pending()).map(({ tool }) => tool)).toEqual(['look_up']);
  });

  it('throws for a result if the call waits for a decision', async () => {
    const { pay, paid } = createPayer();
    const session = createTestSession(createTestAgent(askFirst(pay)), { replies: [payReply, 'Done.'] });
    const { turn } = await session.send('Pay 7.');
    await expect(session.result('pay', { text: 'Paid.' })).rejects.toThrow(
      new Error(`The answer is not valid: call ${turn}.3.0 waits for a decision. Use decide.`),
    );
    expect([(await session.pending()).length, paid]).toEqual([1, []]);
  });

  it('reports an unknown outcome if no result arrives in time', async () => {
    const clock = createManualClock();
    const session = createTestSession(createTestAgent(lookUp), { replies: [looks, 'Done.'], clock });
    await session.send('Look.');
    await clock.advance(60_000);
    expect(await session.settled()).toMatchObject({ outcome: 'completed' });
    expect(getLastResults(session)).toEqual([
      "Error: No result of 'look_up' was sent in time. It may have run or not.",
    ]);
  });

  it('returns an error for invalid input before a reviewer is asked', async () => {
    const bad = { calls: [createCall('look_up', { id: 1 })] };
    const session = createTestSession(createTestAgent(lookUp), { replies: [bad, 'Done.'] });
    expect(await session.send('Look.')).toMatchObject({ outcome: 'completed' });
    expect(getLastResults(session)).toEqual([expect.stringContaining('is not valid')]);
  });
});
