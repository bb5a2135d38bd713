/** A small run that is built by hand. The tests of the oracle modify it. */

import type { TimelineEvent } from '../../../src/examples/demo/client.ts';
import type { Execution } from '../../../src/examples/demo/counted-effects.ts';
import type { SessionEvent } from '../../../src/journal/entry.ts';
import type { SentMessage, SentReply } from './deliver.ts';
import type { PlannedMessage } from './draw.ts';
import type { Ledger } from './ledger.ts';
import { type PlannedCall, planText, SERVICES, type ToolName } from './worker/plan.ts';

/** The time of the kill, in ms since the epoch. The turn starts 100 ms before. */
export const KILLED_AT = 1_000;
const STARTED_AT = KILLED_AT - 100;
/** The ids of the turn and its session. */
export const TURN = 't1';
export const SESSION = 's00';

/** The planned calls: one of each kind of tool, in one step. */
export const CALLS: readonly PlannedCall[] = (['read', 'idempotent', 'once', 'reconciled'] as const).map(
  (tool, index) => ({ tool, label: `m1.1.${index + 1}`, before: 0, after: 0 }),
);

export const errand: PlannedMessage = {
  session: SESSION,
  plan: { message: 'm1', think: 0, steps: [CALLS] },
  way: 'json',
  keyed: true,
  whenBusy: 'reject',
  copies: 1,
  rejoins: false,
  startAfter: 0,
  verdict: 'approve',
};

/** Returns the id of a call in the journal. */
export const getCallId = ({ label }: Pick<PlannedCall, 'label'>): string =>
  `${TURN}.3.${Number(label.slice(-1)) - 1}`;

/** The way in which a call ends in the journal. */
export type CallEnd = 'done' | 'unknown-outcome' | 'cancelled' | 'threw';

/** An event of the turn without its sequence number. */
export type BareEvent = SessionEvent;

export const callStarted = (call: PlannedCall): BareEvent => ({
  type: 'tool-call-started',
  turn: TURN,
  call: getCallId(call),
  effect: EFFECTS[call.tool],
});

const EFFECTS = {
  read: 'read',
  idempotent: 'idempotent',
  once: 'once',
  reconciled: 'once',
  approved: 'once',
} as const satisfies Readonly<Record<ToolName, string>>;

export const callEnded = (call: PlannedCall, end: CallEnd = 'done'): BareEvent => ({
  type: 'tool-call-ended',
  turn: TURN,
  call: getCallId(call),
  result:
    end === 'done'
      ? { type: 'text', content: 'Done' }
      : { type: 'error', reason: end, message: 'It did not.' },
});

export const turnResumed: BareEvent = { type: 'turn-resumed', turn: TURN, cause: 'expired' };

export const createTurnEnded = (outcome: 'completed' | 'cancelled'): BareEvent => ({
  type: 'turn-ended',
  turn: TURN,
  outcome,
});

/** The events at the start of every journal: the message, and the reply that requests the calls. */
export const createOpeningEvents = (calls: readonly PlannedCall[] = CALLS): readonly BareEvent[] => [
  { type: 'session-opened', incarnation: 'i', agent: 'chaos' },
  {
    type: 'turn-started',
    turn: TURN,
    loopId: 'l',
    message: planText(errand.plan),
    context: {},
    principal: { id: 'local' },
  },
  {
    type: 'model-replied',
    turn: TURN,
    model: 'planned',
    text: '',
    finish: 'tool-calls',
    toolCalls: calls.map(({ tool, ...input }) => ({
      id: getCallId(input),
      providerId: input.label,
      name: tool,
      input: JSON.stringify(input),
    })),
  },
];

/** Adds sequence numbers and times to the events, with 50 ms between them. */
export const createJournal = (...events: readonly BareEvent[]): readonly TimelineEvent[] =>
  events.map((event, index) => ({ ...event, seq: index + 1, at: STARTED_AT + 50 * index }));

/** Returns the journal of a correct run in which one process died. */
export const createGoodJournal = (): readonly BareEvent[] => [
  ...createOpeningEvents(),
  ...CALLS.map(callStarted),
  turnResumed,
  ...CALLS.map((call) => callEnded(call)),
  createTurnEnded('completed'),
];

/** Returns the counter's record of one execution of a call. */
export function createExecution({ tool, label }: PlannedCall, more: Partial<Execution> = {}): Execution {
  const service = tool === 'read' ? '' : SERVICES[tool];
  const call = getCallId({ label });
  return { service, call, key: `key of ${call}`, what: JSON.stringify({ label }), ...more };
}

export const createEffects = (): readonly Execution[] =>
  CALLS.filter(({ tool }) => tool !== 'read').map((call) => createExecution(call));

export const createAnswer = (outcome = 'completed', turn = TURN): SentReply => ({
  came: 'answer',
  turn,
  outcome,
  sentAt: KILLED_AT + 10,
  to: 'message',
});

/** The ledger of a run whose sender lost its connection once and was answered on the next request. */
export function createLedger(more: Partial<Ledger> = {}, sent: Partial<SentMessage> = {}): Ledger {
  const broken: SentReply = { came: 'broken', sentAt: STARTED_AT - 1, to: 'message' };
  return {
    sent: [{ errand, replies: [broken, createAnswer()], shown: [{ seq: 2, type: 'turn-started' }], ...sent }],
    journals: new Map([[SESSION, createJournal(...createGoodJournal())]]),
    executions: createEffects(),
    kills: [KILLED_AT],
    restartedAt: KILLED_AT + 100,
    patience: 5_000,
    log: '[wrangler:info] Ready on http://127.0.0.1:1\n',
    ...more,
  };
}

/** The journals of a run whose only session has these events. */
export const withJournal = (...events: readonly BareEvent[]) => ({
  journals: new Map([[SESSION, createJournal(...events)]]),
});
