import type { Chance } from '../process/chance.ts';
import type { Plan, PlannedCall, ToolName } from './worker/plan.ts';

/** A user's decision about a call that waits for approval. */
export type Verdict = 'approve' | 'reject' | 'leave';

/** A message, and the behavior of its sender. All times are in ms. */
export interface PlannedMessage {
  readonly session: string;
  readonly plan: Plan;
  /** The requested form of the first answer. */
  readonly way: 'json' | 'stream' | 'background';
  /**
   * If `true`, the message has an `Idempotency-Key` and is repeated until it is answered. Otherwise, it is
   * repeated only if it cannot have arrived.
   */
  readonly keyed: boolean;
  readonly whenBusy: 'reject' | 'queue' | 'steer';
  /** The number of identical requests that are sent at the same time. */
  readonly copies: number;
  /** If `true`, the sender waits for the answer by repeating the message. Otherwise, it reads the turn. */
  readonly rejoins: boolean;
  readonly startAfter: number;
  readonly hangUpAfter?: number | undefined;
  readonly cancelAfter?: number | undefined;
  readonly verdict: Verdict;
}

/**
 * Messages that are sent to a session at the same time. The next round starts after all of them are answered.
 */
export interface Round {
  readonly errands: readonly PlannedMessage[];
  readonly rest: number;
}

/** The kinds of users. */
export const HABITS = ['plain', 'rival', 'approver', 'canceller', 'queuer', 'steerer'] as const;
export type UserKind = (typeof HABITS)[number];

/** Yields the messages of a user without end. The same seed yields the same messages. */
export function* drawRounds(chance: Chance, session: string, habit: UserKind): Generator<Round, never> {
  for (let number = 1; ; number += 1) {
    const name = `${session}-m${number}`;
    const errands = [drawErrand(chance, session, name, habit), ...drawOthers(chance, session, name, habit)];
    yield { errands, rest: chance.between(0, 3_000) };
  }
}

/** Draws messages that arrive while the session is busy. */
function drawOthers(chance: Chance, session: string, name: string, habit: UserKind): PlannedMessage[] {
  const whenBusy = BUSY[habit];
  if (whenBusy === undefined) return [];
  const count = whenBusy === 'queue' ? chance.between(1, 2) : chance.between(0, 1);
  return Array.from({ length: count }, (_, at) => ({
    ...drawErrand(chance, session, `${name}${'bc'[at]}`, habit),
    whenBusy,
    startAfter: chance.between(0, 1_200),
  }));
}

const BUSY: Readonly<Partial<Record<UserKind, PlannedMessage['whenBusy']>>> = {
  rival: 'reject',
  queuer: 'queue',
  steerer: 'steer',
};

function drawErrand(chance: Chance, session: string, name: string, habit: UserKind): PlannedMessage {
  const keyed = chance.between(1, 10) > 1;
  const way = pickOne(chance, ['json', 'stream', 'background'] as const);
  const plan = drawPlan(chance, name, habit);
  const oddity = chance.between(1, 12);
  const verdict = pickOne(chance, ['approve', 'approve', 'reject', 'leave'] as const);
  const cancelAfter = chance.between(0, 1_500);
  return {
    session,
    plan,
    way,
    keyed,
    whenBusy: 'reject',
    copies: keyed && oddity === 1 ? 2 : 1,
    rejoins: keyed && chance.between(1, 2) === 1,
    startAfter: 0,
    verdict,
    ...(keyed && oddity === 2 && { hangUpAfter: chance.between(50, 900) }),
    ...(habit === 'canceller' && oddity % 2 === 1 && { cancelAfter }),
  };
}

function drawPlan(chance: Chance, message: string, habit: UserKind): Plan {
  const steps = Array.from({ length: chance.between(1, 4) }, (_, step) =>
    Array.from({ length: chance.between(1, 4) }, (_, index) =>
      drawCall(chance, `${message}.${step + 1}.${index + 1}`),
    ),
  );
  const think = chance.between(20, 400);
  const isAsking = habit === 'approver' && chance.between(1, 3) === 1;
  const asked: PlannedCall = { ...drawCall(chance, `${message}.a`), tool: 'approved' };
  return {
    message,
    ...(habit === 'steerer' && { steers: true }),
    think,
    steps: isAsking ? [...steps.slice(0, -1), [...(steps.at(-1) ?? []), asked]] : steps,
  };
}

const CARES: readonly ToolName[] = ['read', 'idempotent', 'once', 'once', 'reconciled', 'reconciled'];

const drawCall = (chance: Chance, label: string): PlannedCall => ({
  tool: pickOne(chance, CARES),
  label,
  // About half of the values are 0, so that the effect immediately follows the recorded start.
  before: Math.max(0, chance.between(-400, 400)),
  after: chance.between(0, 400),
});

function pickOne<T>(chance: Chance, list: readonly T[]): T {
  const one = list[chance.between(0, list.length - 1)];
  if (one === undefined) throw new Error('Cannot draw from an empty list.');
  return one;
}
