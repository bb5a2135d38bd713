import { describe, expect, it } from 'vitest';
import {
  type BareEvent,
  CALLS,
  callEnded,
  callStarted,
  createAnswer,
  createEffects,
  createExecution,
  createGoodJournal,
  createLedger,
  createOpeningEvents,
  createTurnEnded,
  getCallId,
  TURN,
  turnResumed,
  withJournal,
} from './hand-made.ts';
import { judge } from './oracle.ts';
import type { PlannedCall } from './worker/plan.ts';

const [read, idempotent, once, reconciled] = CALLS as readonly [
  PlannedCall,
  PlannedCall,
  PlannedCall,
  PlannedCall,
]; // the plan has four calls
const listOtherCalls = (call: PlannedCall): readonly PlannedCall[] => CALLS.filter((one) => one !== call);

/** Returns a run in which only this call has a different end. */
const withEnding = (
  call: PlannedCall,
  end: Parameters<typeof callEnded>[1],
  events: readonly BareEvent[] = [turnResumed],
) =>
  withJournal(
    ...createOpeningEvents(),
    ...CALLS.map(callStarted),
    ...events,
    ...listOtherCalls(call).map((one) => callEnded(one)),
    callEnded(call, end),
    createTurnEnded('completed'),
  );

const withoutCall = (call: PlannedCall) => ({
  executions: createEffects().filter((one) => one.call !== getCallId(call)),
});

describe('the chaos oracle for calls', () => {
  it.each<[string, Parameters<typeof createLedger>[0], string, PlannedCall, string]>([
    [
      'a `once` call that happened twice',
      { executions: [...createEffects(), createExecution(once)] },
      'doubled',
      once,
      'It happened 2 times, and was told as done.',
    ],
    [
      'a reconciling call that happened twice',
      { executions: [...createEffects(), createExecution(reconciled)] },
      'doubled',
      reconciled,
      'It happened 2 times, and was told as done.',
    ],
    [
      'a call with an unknown outcome that happened twice',
      { ...withEnding(once, 'unknown-outcome'), executions: [...createEffects(), createExecution(once)] },
      'doubled',
      once,
      'It happened 2 times, and was told as unknown.',
    ],
    [
      'a success without an effect',
      withoutCall(once),
      'told without effect',
      once,
      'Told as done, and it was not.',
    ],
    [
      'an effect of a call that is reported as not run',
      withEnding(reconciled, 'cancelled'),
      'effect untold',
      reconciled,
      'Told as not run, and it was.',
    ],
    [
      'a call that fails',
      { ...withEnding(idempotent, 'threw') },
      'failed',
      idempotent,
      'No call of this run fails.',
    ],
    [
      'a reconciling call with an unknown outcome',
      withEnding(reconciled, 'unknown-outcome'),
      'unknown',
      reconciled,
      'It could have been found out.',
    ],
    [
      'an idempotent call with an unknown outcome',
      withEnding(idempotent, 'unknown-outcome'),
      'unknown',
      idempotent,
      'It could have been found out.',
    ],
    [
      'a `once` call with an unknown outcome and no reason for it',
      withEnding(once, 'unknown-outcome', []),
      'unknown',
      once,
      'Nothing happened between its start and its end.',
    ],
    [
      'a read with an unknown outcome',
      withEnding(read, 'unknown-outcome'),
      'unknown',
      read,
      'A read is never in doubt.',
    ],
    [
      'a call with two results',
      withJournal(...createGoodJournal().slice(0, -1), callEnded(once), createTurnEnded('completed')),
      'told once',
      once,
      'The model was told 2 times: done, done.',
    ],
    [
      'a call without a result in an ended turn',
      withJournal(
        ...createOpeningEvents(),
        ...CALLS.map(callStarted),
        turnResumed,
        ...listOtherCalls(read).map((one) => callEnded(one)),
        createTurnEnded('completed'),
      ),
      'told once',
      read,
      'The model was told 0 times: .',
    ],
  ])('reports %s', (_, parts, rule, { label, tool }, what) => {
    expect(judge(createLedger(parts))).toEqual([{ rule, where: `${label} (${tool})`, what }]);
  });

  it('reports an effect of a call whose start is not in the journal', () => {
    const events = createGoodJournal().filter(
      (event) => event.type !== 'tool-call-started' || event.call !== getCallId(once),
    );
    expect(judge(createLedger(withJournal(...events)))).toEqual([
      {
        rule: 'write-ahead',
        where: `${once.label} ${getCallId(once)}`,
        what: 'It happened, and its start is not in the journal.',
      },
    ]);
  });

  it('reports a key that changes or that two calls share', () => {
    const createKeyFinding = (label: string, id: string) => ({
      rule: 'key',
      where: `${label} ${id}`,
      what: 'Its idempotency key is not its own.',
    });
    const again = createExecution(idempotent, { key: 'another' });
    expect(judge(createLedger({ executions: [...createEffects(), again] }))).toEqual([
      {
        rule: 'doubled',
        where: `${idempotent.label} (idempotent)`,
        what: 'It happened 2 times, and was told as done.',
      },
      createKeyFinding(idempotent.label, getCallId(idempotent)),
    ]);
    const shared = createEffects().map((one) =>
      one.call === getCallId(once) ? { ...one, key: `key of ${getCallId(reconciled)}` } : one,
    );
    expect(judge(createLedger({ executions: shared }))).toEqual([
      createKeyFinding(once.label, getCallId(once)),
    ]);
  });

  it('reports a planned call that a completed turn made twice', () => {
    const again = {
      id: `${TURN}.9.0`,
      providerId: 'p',
      name: 'read',
      input: JSON.stringify({ label: read.label }),
    };
    const events: BareEvent[] = [
      ...createGoodJournal().slice(0, -1),
      {
        type: 'model-replied',
        turn: TURN,
        model: 'planned',
        text: '',
        finish: 'tool-calls',
        toolCalls: [again],
      },
      { ...callEnded(read), call: again.id } as BareEvent, // a second call with the same end
      createTurnEnded('completed'),
    ];
    expect(judge(createLedger(withJournal(...events)))).toEqual([
      { rule: 'made twice', where: `${read.label} (read)`, what: 'Turn t1 has 2 calls of it.' },
    ]);
  });

  it('reports a planned call that a completed turn did not make', () => {
    const fewer = withJournal(
      ...createOpeningEvents(listOtherCalls(read)),
      ...listOtherCalls(read).flatMap((one) => [callStarted(one), callEnded(one)]),
      createTurnEnded('completed'),
    );
    expect(judge(createLedger(fewer))).toEqual([
      { rule: 'not made', where: `${read.label} (read)`, what: 'Turn t1 was completed without it.' },
    ]);
  });

  it('allows an idempotent call to run again under its key', () => {
    expect(judge(createLedger({ executions: [...createEffects(), createExecution(idempotent)] }))).toEqual(
      [],
    );
  });

  it('allows a `once` call to have an unknown outcome if its holder crashed during it, with or without an effect', () => {
    expect(judge(createLedger(withEnding(once, 'unknown-outcome')))).toEqual([]);
    expect(judge(createLedger({ ...withEnding(once, 'unknown-outcome'), ...withoutCall(once) }))).toEqual([]);
  });

  it('allows a cancelled idempotent call to have an effect if its error reports this possibility', () => {
    const createCancelled = (message: string): BareEvent => ({
      type: 'tool-call-ended',
      turn: TURN,
      call: getCallId(idempotent),
      result: { type: 'error', reason: 'cancelled', message },
    });
    const listRules = (message: string) => {
      const events = createGoodJournal().filter(
        (event) => event.type !== 'tool-call-ended' || event.call !== getCallId(idempotent),
      );
      const cancel: BareEvent = { type: 'cancel-requested', turn: TURN };
      const run = withJournal(
        ...events.slice(0, -1),
        cancel,
        createCancelled(message),
        createTurnEnded('cancelled'),
      );
      return judge(createLedger(run, { replies: [createAnswer('cancelled')] })).map(({ rule }) => rule);
    };
    expect(
      listRules("The call of 'idempotent' was cancelled while it ran. It may have taken effect."),
    ).toEqual([]);
    expect(listRules("The call of 'idempotent' was cancelled.")).toEqual(['effect untold']);
  });

  it('allows a call that did not run to have no effect', () => {
    expect(judge(createLedger({ ...withEnding(once, 'cancelled'), ...withoutCall(once) }))).toEqual([]);
  });
});
