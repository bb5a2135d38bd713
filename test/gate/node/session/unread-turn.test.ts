import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SessionEvent, StoredEvent } from '../../../../src/journal/entry.ts';
import type { InboxMessageKind } from '../../../doors/journal.ts';
import { BUILT_IN_KINDS } from '../../../doors/kinds.ts';
import { foldStoppedTurn } from '../../../doors/session.ts';
import { createTurnStart } from '../../../fixtures/session-contract/harness.ts';
import {
  advanceUntilSettled,
  callEvents,
  LEASE_MS,
  LONGEST_PAUSE,
  leaveHolderSilent,
} from './former-holder.ts';
import { type ClockedApp, createClockedApp } from './memory-app.ts';

/** The event type that the code cannot fold, and the number of folds. */
const brokenFold = { at: '', folds: 0 };
/** The type of the next event to be folded, because each event is parsed directly before its fold. */
let parsedBodies: unknown;

type ToolMemory = (typeof BUILT_IN_KINDS.memories)[number];

/** The kinds of an app. Their fold throws at the broken event type. */
class BreakingMemories extends Array<ToolMemory> {
  override [Symbol.iterator](): ArrayIterator<ToolMemory> {
    brokenFold.folds += 1;
    if (parsedBodies === brokenFold.at) throw new TypeError(`The event ${brokenFold.at} cannot be folded.`);
    return super[Symbol.iterator]();
  }
}
const kinds = { ...BUILT_IN_KINDS, memories: BreakingMemories.from(BUILT_IN_KINDS.memories) };

let loggedLines: unknown[][];
beforeEach(() => {
  Object.assign(brokenFold, { at: '', folds: 0 });
  loggedLines = [];
  vi.spyOn(console, 'error').mockImplementation((...words) => void loggedLines.push(words));
  const { parse } = JSON;
  vi.spyOn(JSON, 'parse').mockImplementation((...args) => {
    const value: unknown = parse(...args);
    if (typeof value === 'object' && value !== null && 'type' in value) parsedBodies = value.type;
    return value;
  });
});
afterEach(() => vi.restoreAllMocks());

/** A record, so that the compiler requires every type. */
const EVENT_TYPES: Readonly<Record<SessionEvent['type'], true>> = {
  'session-opened': true,
  'session-forked': true,
  'turn-started': true,
  'turn-resumed': true,
  'model-refused': true,
  'model-replied': true,
  'tool-call-started': true,
  'tool-call-ended': true,
  'tool-call-suspended': true,
  'tool-call-answered': true,
  'message-sent': true,
  'frame-started': true,
  'tools-changed': true,
  'tools-listed': true,
  'answer-rejected': true,
  'turn-steered': true,
  'late-result-received': true,
  'module-event': true,
  'conversation-cut': true,
  'cancel-requested': true,
  'turn-yielded': true,
  'turn-ended': true,
};
const isType = (type: string): type is SessionEvent['type'] => Object.hasOwn(EVENT_TYPES, type);

/** A turn whose holder stored one event of this type, and then stopped. */
async function openTurn(app: ClockedApp, type: string): Promise<string> {
  const { epoch, page } = await app.lease('Go.');
  const turn = page.openTurn?.id ?? '';
  const body = JSON.stringify({ v: 1, type, turn });
  const isThere = type === 'session-opened' || type === 'turn-started';
  await app.port.append(epoch, page.head + 1, { events: isThere ? [] : [{ type, turn, body }] });
  return turn;
}

/**
 * Runs the turns that the alarm hands over until none is open. Returns the number of runs, and the last
 * event.
 */
async function resumeUntilEnd(app: ClockedApp, most: number) {
  let runs = 0;
  for (; runs < most; runs += 1) {
    const page = await app.port.read({ from: 1 });
    const { openTurn } = page ?? {};
    if (!openTurn) return { runs, end: JSON.parse(page?.rows.at(-1)?.body ?? '{}') };
    const before = app.dispatched.length;
    for (let waited = 0; app.dispatched.length === before; waited += 1) {
      if (waited > 600) throw new Error('No alarm has handed over the turn.');
      await app.clock.advance(1_000);
    }
    const leased = await app.resume(openTurn.id);
    await advanceUntilSettled(app.clock, app.run(leased, { modules: kinds })).catch(() => 'thrown');
  }
  throw new Error(`The turn is still open after ${most} take-overs.`);
}

const STUCK_ERROR = {
  type: 'stuck',
  message:
    'The turn was taken over 8 times without progress, and could not be read. Deploy code that can read it, or begin another session.',
};

describe('an unreadable turn', () => {
  it.each(Object.keys(EVENT_TYPES).filter(isType))(
    'ends as stuck after eight take-overs if the fold throws at %s',
    async (type) => {
      const app = createClockedApp({ replies: [], leaseMs: LEASE_MS });
      const turn = await openTurn(app, type);
      brokenFold.at = type;
      const { runs, end } = await resumeUntilEnd(app, 10);
      expect(end).toEqual({ v: 1, type: 'turn-ended', turn, outcome: 'failed', error: STUCK_ERROR });
      expect(runs).toBe(8);
      expect((await app.lease('Again.')).page.openTurn?.id).not.toBe(turn);
    },
  );

  it.each(['model-replied', 'turn-resumed', 'turn-ended'] as const)(
    'ends even if its holder cannot fold the %s that it emits',
    async (type) => {
      const app = createClockedApp({ replies: ['One.', 'Two.', 'Three.', 'Four.'], leaseMs: LEASE_MS });
      const leased = await app.lease('Go.');
      brokenFold.at = type;
      await advanceUntilSettled(app.clock, app.run(leased, { modules: kinds })).catch(() => 'thrown');
      expect((await resumeUntilEnd(app, 10)).end).toMatchObject({ type: 'turn-ended' });
    },
  );

  it('ends at once when it is cancelled', async () => {
    const app = createClockedApp({ replies: [], leaseMs: LEASE_MS });
    const turn = await openTurn(app, 'model-replied');
    brokenFold.at = 'model-replied';
    await app.clock.advance(LEASE_MS + 1);
    await app.run(await app.resume(turn), { modules: kinds }).catch(() => 'given back');
    expect(await app.port.post({ kind: 'cancel', turn, body: '{}' })).toBe('posted');
    await app.clock.advance(1);
    expect(app.dispatched).toEqual([turn, turn]);
    expect(await app.run(await app.resume(turn), { modules: kinds })).toEqual({ status: 'lost', seq: 3 });
    const page = await app.port.read({ from: 4 });
    expect(page?.rows.map(({ body }) => JSON.parse(body))).toEqual([
      { v: 1, type: 'turn-ended', turn, outcome: 'cancelled' },
    ]);
    expect(page?.openTurn).toBe(null);
    const why = expect.any(TypeError);
    expect(loggedLines).toEqual([
      ['holdfast: a turn that cannot be read is tried again', why],
      ['holdfast: a turn that cannot be read has ended', why],
    ]);
  });

  it('reports its end to clients that wait for its answer', async () => {
    const app = createClockedApp({ replies: [], leaseMs: LEASE_MS });
    const turn = await openTurn(app, 'model-replied');
    brokenFold.at = 'model-replied';
    await resumeUntilEnd(app, 10);
    expect(foldStoppedTurn('s1', 'tester', await app.events(turn))).toEqual({
      turn,
      loopId: turn,
      session: 's1',
      agent: 'tester',
      outcome: 'failed',
      text: '',
      artifacts: [],
      usage: { inputTokens: 0, outputTokens: 0 },
      iterations: 0,
      toolCalls: 0,
      model: null,
      error: STUCK_ERROR,
    });
  });

  it('causes an error that names the routes to read its events and to cancel it', async () => {
    const app = createClockedApp({ replies: [], leaseMs: LEASE_MS });
    const turn = await openTurn(app, 'model-replied');
    const ended: StoredEvent = { seq: 9, at: 0, type: 'turn-ended', turn, outcome: 'completed' };
    const events = await app.events(turn);
    const answered = [...events, ended];
    expect(() => foldStoppedTurn('s1', 'tester', answered)).toThrow(
      'This deployment cannot read the session. GET .../events shows its events, POST .../cancel ends its open turn.',
    );
  });

  it('is ended without another read if the invocation that had to abandon it also fell silent', async () => {
    const app = createClockedApp({ replies: [], leaseMs: LEASE_MS });
    const { turn } = await leaveHolderSilent(app, callEvents(['pay', 'once']));
    for (let holder = 0; holder < 8; holder += 1) {
      await app.clock.advance(LEASE_MS + LONGEST_PAUSE);
      await app.resume(turn);
    }
    await app.clock.advance(LEASE_MS + LONGEST_PAUSE);
    const leased = await app.resume(turn);
    brokenFold.folds = 0;
    expect(await app.run(leased, { modules: kinds })).toMatchObject({ status: 'lost' });
    expect(brokenFold.folds).toBe(0);
    expect(foldStoppedTurn('s1', 'tester', await app.events(turn))).toMatchObject({
      outcome: 'failed',
      error: { type: 'stuck', message: STUCK_ERROR.message.replace('8', '9') },
    });
    // Its call has the result that the holder would have recorded.
    expect((await app.state()).messages.at(-1)).toMatchObject({
      calls: [{ name: 'pay', ended: { result: { reason: 'unknown-outcome' } } }],
    });
  });
});

describe('an inbox message', () => {
  it('is ignored if its kind is unknown, and the turn continues', async () => {
    const app = createClockedApp({ replies: ['Done.'], leaseMs: LEASE_MS });
    const leased = await app.lease('Go.');
    const turn = leased.page.openTurn?.id ?? '';
    const kind = 'praise' as InboxMessageKind; // From a newer version.
    await app.port.post({ kind, turn, body: '{}' });
    await app.clock.advance(LEASE_MS + 1);
    expect(
      await advanceUntilSettled(app.clock, app.run(await app.resume(turn), { modules: kinds })),
    ).toMatchObject({
      status: 'ended',
      turn: { outcome: 'completed', text: 'Done.' },
    });
  });

  it('fails the turn and is logged if it is a steering message without the start of a turn', async () => {
    const app = createClockedApp({ replies: ['Done.'], leaseMs: LEASE_MS });
    const leased = await app.lease('Go.');
    const body = JSON.stringify({ v: 1, type: 'turn-ended', turn: 's1', outcome: 'completed' });
    const started = { type: 'turn-started', turn: 's1', body };
    await app.port.accept({ ...createTurnStart('s1'), started, whenBusy: 'steer' });
    await app.clock.advance(LEASE_MS + 1);
    const turn = leased.page.openTurn?.id ?? '';
    expect(await advanceUntilSettled(app.clock, app.run(await app.resume(turn)))).toMatchObject({
      status: 'ended',
      turn: { outcome: 'failed', error: { type: 'internal', message: 'The turn failed inside the Worker.' } },
    });
    expect(loggedLines).toEqual([
      [
        `holdfast: a turn failed (internal): The turn failed inside the Worker. (turn ${turn})`,
        new TypeError('A steered message must be stored as the start of a turn.'),
      ],
    ]);
  });

  it('ends the turn as stuck if the message cannot be read', async () => {
    const app = createClockedApp({ replies: ['Done.'], leaseMs: LEASE_MS });
    const turn = await openTurn(app, 'turn-yielded');
    await app.port.post({ kind: 'answer', turn, body: '{' });
    const { runs, end } = await resumeUntilEnd(app, 10);
    expect([runs, end.error]).toEqual([8, STUCK_ERROR]);
  });
});
