import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  type DecisionKind,
  defineAgent,
  defineTool,
  exitEarly,
} from '../../../../../src/index.ts';
import { definePipeline } from '../../../../../src/kinds/entry.ts';
import { answers } from '../../../../../src/modules/answers/entry.ts';
import {
  type ApprovalOptions,
  autoApprove,
  type Review,
  type ReviewHandler,
  requireApproval,
  serialized,
  withAwaiting,
  withConfirmation,
  withReview,
} from '../../../../../src/modules/decorators/entry.ts';
import { jsonSchema } from '../../../../../src/modules/json-schema/entry.ts';
import {
  createManualClock,
  createTestSession,
  type ScriptedReply,
  type TestSession,
} from '../../../../../src/testing/entry.ts';
import { createRefundTool } from './refund.ts';

const INPUT = { orderId: 1003, amount: 149 };
const REFUND_REPLY: ScriptedReply = { calls: [{ name: 'refund', input: INPUT }] };

const createDesk = (...tools: readonly AnyTool[]) =>
  defineAgent({ name: 'desk', description: 'A desk.', instructions: '', tools });

/** The call results in the last request to the model. */
const getLastResults = (session: TestSession): string[] =>
  (session.requests.at(-1)?.messages ?? []).flatMap((message) =>
    message.role === 'tool' ? [message.text] : [],
  );

/** A session with one tool that requires approval. */
function createApproving(options: ApprovalOptions = {}, replies: readonly ScriptedReply[] = []) {
  const { refund, refunds } = createRefundTool();
  const clock = createManualClock();
  const tool = requireApproval(refund, ({ amount }) => `Refund ${amount}?`, options);
  const session = createTestSession(createDesk(tool), {
    replies: [REFUND_REPLY, ...replies, 'Done.'],
    clock,
  });
  return { session, refunds, clock };
}

describe('a turn that waits for an approval', () => {
  it('is suspended, and lists the waiting call, who can decide and how long (AEA-11, AEA-12)', async () => {
    const { session, refunds } = createApproving({ by: 'supervisor', expires: 60_000 });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'suspended' });
    const [pending] = await session.pending();
    expect(pending).toMatchObject({
      tool: 'refund',
      input: INPUT,
      message: 'Refund 149?',
      allows: ['approve', 'edit', 'reject', 'exit'],
      by: 'supervisor',
    });
    expect(refunds).toEqual([]);
  });

  it('never resumes by itself: without a decision no call is approved (AEA-01)', async () => {
    const { session, refunds, clock } = createApproving();
    await session.send('Go.');
    await clock.advance(1_000 * 24 * 60 * 60_000);
    expect(await session.pending()).toHaveLength(1);
    expect(refunds).toEqual([]);
  });

  it.each<[DecisionKind, object | undefined, unknown[], string[], string]>([
    ['approve', undefined, [INPUT], ['{"refunded":1003,"amount":149}'], 'completed'],
    [
      'edit',
      { orderId: 1003, amount: 100 },
      [{ orderId: 1003, amount: 100 }],
      [
        '{"refunded":1003,"amount":100}\nNote: whoever approved this call changed its input to {"orderId":1003,"amount":100}.',
      ],
      'completed',
    ],
    [
      'reject',
      undefined,
      [],
      [
        "Error: This call of 'refund' was declined and did not run. Do not repeat it unchanged. Reason: Because.",
      ],
      'completed',
    ],
    ['exit', undefined, [], [], 'cancelled'],
  ])(
    'resumes after the decision %s, even after a restart (AEA-03, AEA-13)',
    async (decision, input, effects, texts, outcome) => {
      const { session, refunds } = createApproving();
      await session.send('Go.');
      session.restart();
      const reason = decision === 'reject' ? { reason: 'Because.' } : {};
      const answer = await session.decide('refund', {
        decision,
        ...(input && { input: { ...input } }),
        ...reason,
      });
      expect(answer.outcome).toBe(outcome);
      expect(refunds).toEqual(effects);
      expect(getLastResults(session)).toEqual(texts);
    },
  );

  it('ends as cancelled on an exit signal, and the model is not called again (AEA-06)', async () => {
    const { session } = createApproving();
    await session.send('Go.');
    const answer = await session.decide('refund', 'exit');
    const reason = 'Rejected by reviewer: {"orderId":1003,"amount":149}';
    expect(answer).toMatchObject({ outcome: 'cancelled', signal: { type: 'exit', reason } });
    expect(session.requests).toHaveLength(1);
  });

  it.each<[DecisionKind | undefined, unknown[], string, string[]]>([
    [
      undefined,
      [],
      'completed',
      ["Error: Nobody decided about this call of 'refund' in time, so it did not run."],
    ],
    ['approve', [INPUT], 'completed', ['{"refunded":1003,"amount":149}']],
    ['exit', [], 'cancelled', []],
  ])(
    'resumes at the expiry with the decision of `onExpiry`: %s (AEA-12)',
    async (onExpiry, effects, outcome, texts) => {
      const { session, refunds, clock } = createApproving({
        expires: 60_000,
        onExpiry: onExpiry as 'approve',
      });
      await session.send('Go.');
      await clock.advance(59_999);
      expect(await session.pending()).toHaveLength(1);
      await clock.advance(1);
      expect((await session.settled()).outcome).toBe(outcome);
      expect(refunds).toEqual(effects);
      expect(getLastResults(session)).toEqual(texts);
    },
  );

  it('uses a decision once: the next call with the same input asks again (AEA-12, DEC-18)', async () => {
    const { session, refunds } = createApproving({}, [REFUND_REPLY]);
    await session.send('Go.');
    const [first] = await session.pending();
    expect(await session.decide('refund', 'approve')).toMatchObject({ outcome: 'suspended' });
    expect(refunds).toHaveLength(1);
    await expect(session.decide(first?.call ?? '', 'approve')).rejects.toThrow('No waiting call matches');
    await session.decide('refund', 'reject');
    expect(refunds).toHaveLength(1);
  });

  it('runs the call once if the Worker is killed between the decision and the run', async () => {
    const { refund, refunds } = createRefundTool();
    let kills = 0;
    let begun = 0;
    const tool = requireApproval(refund, () => {
      begun += 1;
      if (begun > 1 && kills < 2) {
        kills += 1;
        session.kill();
      }
      return 'May it?';
    });
    const session = createTestSession(createDesk(tool), {
      replies: [REFUND_REPLY, 'Done.'],
      clock: createManualClock(),
    });
    await session.send('Go.');
    expect(await session.decide('refund', 'approve')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect([kills, refunds]).toEqual([2, [INPUT]]);
    const events = await session.events();
    expect(events.filter((event) => event.type === 'tool-call-answered')).toHaveLength(1);
  });

  it('runs no call of a batch before every call of it is decided', async () => {
    const { refund, refunds } = createRefundTool();
    const calls = [1, 2].map((orderId) => ({ name: 'refund', input: { orderId } }));
    const session = createTestSession(createDesk(requireApproval(refund, 'May it?')), {
      replies: [{ calls }, 'Done.'],
    });
    await session.send('Go.');
    const [first, second] = await session.pending();
    expect(await session.decide(first?.call ?? '', 'approve')).toMatchObject({ outcome: 'suspended' });
    expect(refunds).toEqual([]);
    await session.decide(second?.call ?? '', 'reject');
    expect(refunds).toEqual([{ orderId: 1, amount: 10 }]);
  });

  it('can wait inside a nested loop, whose earlier calls do not run again', async () => {
    const { refund, refunds } = createRefundTool();
    let looks = 0;
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      effect: 'read',
      run: () => {
        looks += 1;
        return { ...INPUT };
      },
    });
    const both = definePipeline({ name: 'both', steps: [look, requireApproval(refund, 'May it?')] });
    const session = createTestSession(createDesk(both), {
      replies: [{ calls: [{ name: 'both' }] }, 'Done.'],
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'suspended' });
    session.restart();
    await session.decide('refund', 'approve');
    expect([looks, refunds, getLastResults(session)]).toEqual([
      1,
      [INPUT],
      ['{"refunded":1003,"amount":149}'],
    ]);
  });

  it('resumes if the approved tool fails, and shows the error to the model (AEA-05)', async () => {
    const broken = defineTool({
      name: 'refund',
      description: 'Refunds.',
      run: () => {
        throw new Error('The till is locked.');
      },
    });
    const session = createTestSession(createDesk(requireApproval(broken, 'May it?')), {
      replies: [{ calls: [{ name: 'refund' }] }, 'Too bad.'],
    });
    await session.send('Go.');
    expect(await session.decide('refund', 'approve')).toMatchObject({
      outcome: 'completed',
      text: 'Too bad.',
    });
    expect(getLastResults(session)).toEqual(['Error: The till is locked.']);
  });

  it('ends if the approved tool throws an exit signal (AEA-06)', async () => {
    const leaving = defineTool({
      name: 'refund',
      description: 'Refunds.',
      run: () => {
        throw exitEarly('The shop has closed.');
      },
    });
    const session = createTestSession(createDesk(requireApproval(leaving, 'May it?')), {
      replies: [{ calls: [{ name: 'refund' }] }],
    });
    await session.send('Go.');
    expect(await session.decide('refund', 'approve')).toMatchObject({
      outcome: 'cancelled',
      signal: { type: 'exit', reason: 'The shop has closed.' },
    });
  });
});

describe('other tools that wait', () => {
  it('put the confirmed input on the blackboard only if the call succeeds (DEC-15, DEC-19)', async () => {
    let fails = true;
    const refund = defineTool({
      name: 'refund',
      description: 'Refunds.',
      input: jsonSchema({ type: 'object', properties: { orderId: { type: 'number' } } }),
      run: () => {
        if (!fails) return 'Refunded.';
        throw new Error('The till is locked.');
      },
    });
    const session = createTestSession(createDesk(withConfirmation(refund, 'Sure?')), {
      replies: [REFUND_REPLY, REFUND_REPLY, REFUND_REPLY, 'Done.'],
    });
    await session.send('Go.');
    expect(await session.pending()).toMatchObject([{ input: INPUT, message: 'Sure?' }]);
    await session.decide('refund', 'approve');
    expect((await session.state()).blackboard).toEqual([]);
    await session.decide('refund', 'reject');
    expect((await session.state()).blackboard).toEqual([]);
    fails = false;
    await session.decide('refund', 'approve');
    expect((await session.state()).blackboard).toEqual([{ value: INPUT }]);
  });

  it('wait only for calls that their decider asks about (DEC-16)', async () => {
    const { refund, refunds } = createRefundTool();
    const tool = withAwaiting(refund, ({ amount }) =>
      amount > 100 ? { message: `${amount}?`, allows: ['approve', 'reject'] } : undefined,
    );
    const calls = [50, 149].map((amount) => ({ name: 'refund', input: { orderId: 1, amount } }));
    const session = createTestSession(createDesk(tool), { replies: [{ calls }, 'Done.'] });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'suspended' });
    expect(await session.pending()).toMatchObject([{ message: '149?', allows: ['approve', 'reject'] }]);
    expect(refunds).toEqual([{ orderId: 1, amount: 50 }]);
    await session.decide('refund', 'approve');
    expect(refunds).toHaveLength(2);
  });

  it('can ask inside `run` if their effect is read, and run again with the answer (DEC-20)', async () => {
    let runs = 0;
    const peek = defineTool({
      name: 'peek',
      description: 'Peeks.',
      effect: 'read',
      async run(_, call) {
        runs += 1;
        const { decision, reason } = await call.ask({
          for: 'decision',
          message: 'May I look?',
          allows: ['approve', 'reject'],
        });
        return decision === 'approve' ? 'Seen.' : `Not seen: ${reason}`;
      },
    });
    const session = createTestSession(createDesk(peek), {
      use: [answers],
      replies: [{ calls: [{ name: 'peek' }] }, 'Done.'],
    });
    await session.send('Go.');
    await session.decide('peek', { decision: 'reject', reason: 'private' });
    expect([runs, getLastResults(session)]).toEqual([2, ['Not seen: private']]);
  });
});

describe('a synchronous reviewer in a session', () => {
  it('approves without a pause, and only for the agent that has it (AEA-01, AEA-13)', async () => {
    const { refund, refunds } = createRefundTool();
    const session = createTestSession(createDesk(withReview(refund, autoApprove())), {
      replies: [REFUND_REPLY, 'Done.'],
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
    expect(refunds).toEqual([INPUT]);
    expect((await session.events()).map(({ type }) => type)).not.toContain('tool-call-suspended');
  });

  it('is asked again about a call that a crash interrupted before it started', async () => {
    const { refund, refunds } = createRefundTool();
    let reviews = 0;
    const reviewThenKill = (): Review => {
      reviews += 1;
      if (reviews === 1) session.kill();
      return { decision: 'approve' };
    };
    const session = createTestSession(createDesk(withReview(refund, reviewThenKill)), {
      replies: [REFUND_REPLY, 'Done.'],
      clock: createManualClock(),
    });
    await session.send('Go.');
    expect([reviews, refunds]).toEqual([2, [INPUT]]);
  });

  it('fails the call if it throws, and the call does not run (AEA-05)', async () => {
    const { refund, refunds } = createRefundTool();
    const throwInReview = (): Review => {
      throw new Error('The reviewer is out.');
    };
    const session = createTestSession(createDesk(withReview(refund, throwInReview)), {
      replies: [REFUND_REPLY, 'Done.'],
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
    expect([refunds, getLastResults(session)]).toEqual([[], ['Error: The reviewer is out.']]);
  });

  it.each([
    ['one after another if it is serialized (AEA-07)', serialized, 1],
    ['in parallel if it is not (AEA-07)', (handler: ReviewHandler) => handler, 2],
  ])('is asked about the tools of a batch %s', async (_, kind, most) => {
    let open = 0;
    let atOnce = 0;
    const enough = Promise.withResolvers<void>();
    const handler = kind(async () => {
      open += 1;
      atOnce = Math.max(atOnce, open);
      if (open === most) enough.resolve();
      await enough.promise;
      await looked.promise; // A third call must run before any question is answered.
      open -= 1;
      return { decision: 'approve' };
    });
    const looked = Promise.withResolvers<void>();
    const tools = ['one', 'two'].map((name) =>
      withReview(defineTool({ name, description: 'Does.', run: () => name }), handler),
    );
    const beside = defineTool({
      name: 'beside',
      description: 'Runs beside them.',
      effect: 'read',
      run: () => looked.resolve(),
    });
    const calls = [...tools, beside].map(({ name }) => ({ name }));
    const session = createTestSession(createDesk(...tools, beside), { replies: [{ calls }, 'Done.'] });
    await session.send('Go.');
    expect([atOnce, getLastResults(session)]).toEqual([most, ['one', 'two', 'Done']]);
  });

  const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'Seen.' });
  const BATCH: ScriptedReply = {
    calls: [{ name: 'look' }, { name: 'refund', input: INPUT }, { name: 'look' }],
  };

  it('ends a parallel batch as cancelled if it decides on an exit (AEA-06, AEA-10)', async () => {
    const { refund, refunds } = createRefundTool();
    const leaving = withReview(refund, () => ({ decision: 'exit', reason: 'Enough.' }));
    const session = createTestSession(createDesk(leaving, look), { replies: [BATCH] });
    expect(await session.send('Go.')).toMatchObject({
      outcome: 'cancelled',
      signal: { type: 'exit', reason: 'Enough.' },
    });
    expect(refunds).toEqual([]);
  });

  it('fails a turn with a parallel batch if it is misconfigured, with its own message (AEA-05, AEA-10)', async () => {
    const { refund, refunds } = createRefundTool();
    // Plain JavaScript can pass this.
    const nothing = (() => undefined) as unknown as () => Review;
    const session = createTestSession(createDesk(withReview(refund, nothing), look), { replies: [BATCH] });
    expect(await session.send('Go.')).toMatchObject({
      outcome: 'failed',
      error: {
        type: 'misconfigured',
        message:
          "The ReviewHandler of tool 'refund' returned an invalid review. It must return " +
          "{ decision: 'approve' | 'reject' | 'exit' } or { decision: 'edit', input: { ... } }.",
      },
    });
    expect(refunds).toEqual([]);
  });
});
