import { type Answer, type Decision, openSession, type PendingCall } from './client.ts';
import { withTimeLimit } from './ports.ts';
import type { Stage } from './stage.ts';

/** A decision on an approval that was pending when the Worker was killed, and the expected effects. */
export interface ApprovalCase {
  readonly title: string;
  readonly session: string;
  /** The vars of the Worker that asks for the approval. */
  readonly vars?: Readonly<Record<string, string>>;
  /** The number of SIGKILLs, including the one between the question and the decision. */
  readonly kills: number;
  /**
   * Sends the decision, and returns the outcome of the turn. @throws Error if something unexpected happened.
   */
  readonly decide: (stage: Stage, session: string, pending: PendingCall) => Promise<string>;
  readonly outcome: string;
  /** Every refund of the turn. */
  readonly effects: readonly object[];
}

const open = ({ url }: Stage, session: string) => openSession(url, session, 'refunds');

const decideOnce =
  (decision: Decision): ApprovalCase['decide'] =>
  async (stage, session, pending) =>
    (await open(stage, session).decide(pending, decision)).outcome;

/** Sends three decisions at once and one later. The first is accepted, and the others are refused. */
const decideSeveralTimes: ApprovalCase['decide'] = async (stage, session, pending) => {
  const approve = (): Promise<Answer> => open(stage, session).decide(pending, { decision: 'approve' });
  const settled = await Promise.allSettled([approve(), approve(), approve()]);
  settled.push(...(await Promise.allSettled([approve()])));
  const taken = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value.outcome : []));
  if (taken.length !== 1)
    throw new Error(`${taken.length} of ${settled.length} decisions were accepted, not 1.`);
  return taken.join();
};

/** Kills the Worker after the refund has happened, but before the Worker receives the response. */
const killAfterRefund: ApprovalCase['decide'] = async (stage, session, pending) => {
  const hold = await stage.effects.hold('refunds');
  const answer = open(stage, session).decide(pending, { decision: 'approve' });
  answer.catch(() => {});
  await withTimeLimit(20_000, 'the refund reaches the shop', hold.reached);
  await stage.end('kill');
  hold.release();
  await stage.start();
  return findOutcome(stage, session);
};

/** Lets the deadline pass without a decision. A later decision is refused. */
const decideTooLate: ApprovalCase['decide'] = async (stage, session, pending) => {
  const outcome = await findOutcome(stage, session);
  const late = await open(stage, session)
    .decide(pending, { decision: 'approve' })
    .catch((error: unknown) => String(error));
  if (typeof late === 'string' && late.includes('POST returned 409')) return outcome;
  throw new Error('A decision was accepted after its approval had expired.');
};

async function findOutcome(stage: Stage, session: string): Promise<string> {
  const events = await open(stage, session).turnEnded(0);
  const end = events.findLast((event) => event.type === 'turn-ended');
  return end?.outcome ?? 'never';
}

const refund = { orderId: 1002, amount: 118.5 };
const smallerRefund = { orderId: 1002, amount: 100 };

export const approvalCases: readonly ApprovalCase[] = [
  {
    title: 'approved',
    session: 'approve',
    kills: 1,
    decide: decideOnce({ decision: 'approve' }),
    outcome: 'completed',
    effects: [refund],
  },
  {
    title: 'edited: 100.00 euro',
    session: 'edit',
    kills: 1,
    decide: decideOnce({ decision: 'edit', input: smallerRefund }),
    outcome: 'completed',
    effects: [smallerRefund],
  },
  {
    title: 'rejected',
    session: 'reject',
    kills: 1,
    decide: decideOnce({ decision: 'reject', reason: 'The lantern was lit.' }),
    outcome: 'completed',
    effects: [],
  },
  {
    title: 'exit',
    session: 'exit',
    kills: 1,
    decide: decideOnce({ decision: 'exit' }),
    outcome: 'cancelled',
    effects: [],
  },
  {
    title: 'approved four times, three at once',
    session: 'twice',
    kills: 1,
    decide: decideSeveralTimes,
    outcome: 'completed',
    effects: [refund],
  },
  {
    title: 'approved, killed while it is done',
    session: 'again',
    kills: 2,
    decide: killAfterRefund,
    outcome: 'completed',
    effects: [refund],
  },
  {
    title: 'not decided in time',
    session: 'expiry',
    vars: { REFUND_EXPIRES_MS: '8000' },
    kills: 1,
    decide: decideTooLate,
    outcome: 'completed',
    effects: [],
  },
];
