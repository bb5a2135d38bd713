import { describe, expect, it } from 'vitest';
import type { TimelineEvent } from '../../../src/examples/demo/client.ts';
import {
  type BareEvent,
  CALLS,
  callEnded,
  callStarted,
  createAnswer,
  createEffects,
  createGoodJournal,
  createJournal,
  createLedger,
  createOpeningEvents,
  createTurnEnded,
  errand,
  getCallId,
  KILLED_AT,
  SESSION,
  TURN,
  turnResumed,
  withJournal,
} from './hand-made.ts';
import { judge } from './oracle.ts';
import { type PlannedCall, planText } from './worker/plan.ts';

const [read, , once] = CALLS as readonly [PlannedCall, PlannedCall, PlannedCall, PlannedCall]; // the plan has four calls

describe('the chaos oracle for messages', () => {
  it('reports no findings for a correct run in which a process was killed', () => {
    expect(judge(createLedger())).toEqual([]);
  });

  it.each<[string, Parameters<typeof createLedger>, { rule: string; where: string; what: string }]>([
    [
      'an accepted message that is in no turn',
      [{ journals: new Map(), executions: [] }, { shown: [] }],
      { rule: 'lost', where: 'm1', what: 'It was accepted, and no turn took it in.' },
    ],
    [
      'a message that is in two turns',
      [
        withJournal(
          ...createGoodJournal(),
          ...createOpeningEvents([])
            .filter(({ type }) => type === 'turn-started')
            .map((event) => ({ ...event, turn: 't2' })),
          { ...createTurnEnded('completed'), turn: 't2' } as BareEvent,
        ),
      ],
      { rule: 'taken twice', where: 'm1', what: 'It is in the turns t1, t2.' },
    ],
    [
      'a turn with two outcomes',
      [withJournal(...createGoodJournal(), createTurnEnded('cancelled'))],
      { rule: 'ended twice', where: 'm1', what: 'Turn t1: completed, cancelled.' },
    ],
    [
      'a turn that never ended',
      [
        withJournal(...createGoodJournal().slice(0, -1)),
        { replies: [], errand: { ...errand, keyed: false } },
      ],
      { rule: 'stuck', where: 'm1', what: 'Turn t1 has not ended.' },
    ],
    [
      'a turn that ended too late',
      [{ patience: 10 }],
      { rule: 'late', where: 'm1', what: 'It ended 400 ms after it could go on.' },
    ],
    [
      'a cancelled turn without a request to cancel it',
      [
        withJournal(...createGoodJournal().slice(0, -1), createTurnEnded('cancelled')),
        { replies: [createAnswer('cancelled')] },
      ],
      { rule: 'outcome', where: 'm1', what: 'It was cancelled by nobody.' },
    ],
    [
      'a sender who receives another outcome',
      [{}, { replies: [createAnswer('cancelled')] }],
      { rule: 'told wrongly', where: 'm1', what: 'Told cancelled in turn t1; it is completed in turn t1.' },
    ],
    [
      'a retry that receives another turn',
      [{}, { replies: [createAnswer('completed', 't9'), createAnswer()] }],
      { rule: 'told wrongly', where: 'm1', what: 'Told completed in turn t9; it is completed in turn t1.' },
    ],
    [
      'a sender who never receives an answer',
      [{}, { replies: [{ came: 'accepted', turn: TURN, status: 'accepted', sentAt: 1, to: 'message' }] }],
      { rule: 'not answered', where: 'm1', what: 'It was sent 1 times, and nobody told how it ended.' },
    ],
    [
      'a server error',
      [
        {},
        {
          replies: [
            createAnswer(),
            { came: 'unexpected', status: 500, body: 'Oh', sentAt: 1, to: 'message' },
          ],
        },
      ],
      { rule: 'unexpected answer', where: 'm1', what: '500 Oh' },
    ],
    [
      'a shown event that is not in the journal',
      [{}, { shown: [{ seq: 4, type: 'turn-ended' }] }],
      { rule: 'shown and lost', where: 'm1', what: 'turn-ended at 4, where there is tool-call-started.' },
    ],
    [
      'a message that was never sent',
      [{ sent: [], executions: createEffects() }],
      { rule: 'stranger', where: 'm1', what: 'A turn has it, and nobody sent it.' },
    ],
    [
      'a journal with a gap',
      [
        { journals: new Map([[SESSION, withoutEvents(createJournal(...createGoodJournal()))]]) },
        { shown: [] },
      ],
      { rule: 'gap', where: SESSION, what: 'Event 2 is 3.' },
    ],
    [
      'an error in the log',
      [{ log: '✘ [ERROR] Uncaught (in promise) Error: what' }],
      { rule: 'log', where: 'wrangler', what: '✘ [ERROR] Uncaught (in promise) Error: what' },
    ],
  ])('reports %s', (_, parts, finding) => {
    expect(judge(createLedger(...parts))).toEqual([finding]);
  });
  it('allows a turn to wait only if its sender makes no decision', () => {
    const wait: BareEvent = {
      type: 'tool-call-suspended',
      turn: TURN,
      call: getCallId(once),
      wait: {
        for: 'decision',
        message: 'Do it?',
        binding: '',
        allows: ['approve'],
        schema: {},
        onExpiry: 'reject',
      },
    };
    const waiting = withJournal(...createOpeningEvents(), callStarted(read), callEnded(read), wait);
    const told = { came: 'suspended', turn: TURN, pending: [], sentAt: 1, to: 'message' } as const;
    const left = { errand: { ...errand, verdict: 'leave' as const }, replies: [told] };
    expect(judge(createLedger({ ...waiting, executions: [] }, left))).toEqual([]);
    expect(
      judge(createLedger({ ...waiting, executions: [] }, { replies: [told] })).map(({ rule }) => rule),
    ).toEqual(['stuck', 'not answered']);
  });

  it('allows a message without a key to start a turn or no turn if its connection broke', () => {
    const sent = { errand: { ...errand, keyed: false }, replies: [], shown: [] };
    expect(judge(createLedger({}, sent))).toEqual([]);
    expect(judge(createLedger({ journals: new Map(), executions: [] }, sent))).toEqual([]);
  });

  it('measures the time of a queued turn from the end of the previous turn', () => {
    const second = { ...errand, plan: { ...errand.plan, message: 'm2', steps: [] } };
    const begun = createOpeningEvents([]).flatMap((event): BareEvent[] =>
      event.type === 'turn-started' ? [{ ...event, turn: 't2', message: planText(second.plan) }] : [],
    );
    const events = [
      ...createGoodJournal(),
      ...begun,
      turnResumed,
      turnResumed,
      { ...createTurnEnded('completed'), turn: 't2' } as BareEvent,
    ];
    const run = createLedger({ ...withJournal(...events), patience: 400 });
    const sent = [...run.sent, { errand: second, replies: [createAnswer('completed', 't2')], shown: [] }];
    // The second turn ends 600 ms after the restart, but only 200 ms after the first one.
    expect(judge({ ...run, sent })).toEqual([]);
    expect(judge({ ...run, sent, patience: 190 }).map(({ rule, where }) => `${rule} ${where}`)).toEqual([
      'late m1',
      'late m2',
    ]);
  });

  it('allows a message to be refused until the end of the run', () => {
    const refused = {
      came: 'refused',
      why: 'session-busy',
      retryAfter: 1_000,
      sentAt: 1,
      to: 'message',
    } as const;
    const run = { journals: new Map(), executions: [] };
    expect(judge(createLedger(run, { replies: [refused, refused], shown: [] }))).toEqual([]);
    const broken = { came: 'broken', sentAt: 2, to: 'message' } as const;
    expect(judge(createLedger(run, { replies: [refused, broken], shown: [] }))).toEqual([
      { rule: 'not answered', where: 'm1', what: 'It was sent 2 times, and nobody told how it ended.' },
    ]);
  });

  it('allows a turn to be abandoned only after eight take-overs without progress or eight kills', () => {
    const error = { type: 'stuck', message: 'Eight times.' } as const;
    const events = createGoodJournal().slice(0, -1);
    const turnFailed: BareEvent = { type: 'turn-ended', turn: TURN, outcome: 'failed', error };
    const failed = withJournal(...events, turnFailed);
    const sent = { replies: [createAnswer('failed')] };
    expect(
      judge(createLedger({ ...failed, kills: Array.from({ length: 8 }, (_, i) => KILLED_AT + i) }, sent)),
    ).toEqual([]);
    const inVain = withJournal(...events, ...Array.from({ length: 8 }, () => turnResumed), turnFailed);
    expect(judge(createLedger(inVain, sent))).toEqual([]);
    expect(judge(createLedger(failed, sent))).toEqual([
      { rule: 'outcome', where: 'm1', what: 'It failed: stuck: Eight times.' },
    ]);
  });
});
function withoutEvents(events: readonly TimelineEvent[]): readonly TimelineEvent[] {
  return events.map((event, index) => (index === 0 ? event : { ...event, seq: event.seq + 1 }));
}
