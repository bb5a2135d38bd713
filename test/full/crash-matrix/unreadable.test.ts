/**
 * Plays in which later invocations cannot read an event or an inbox message. Every message must still have
 * exactly one outcome.
 */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { SessionPort } from '../../../src/testing/entry.ts';
import type { InboxMessage, LeaseGrant } from '../../doors/journal.ts';
import {
  type CrashableSession,
  createCrashableMemorySession,
  listDisturbances,
  mapConcurrently,
  type PlayResult,
  playDisturbed,
} from '../../doors/testing.ts';
import { toSubject } from './lab/scenario.ts';
import { Trial } from './lab/trial.ts';
import { SCENARIOS } from './scenarios.ts';
import { listFailures } from './table.ts';

/** Scripts without questions. An abandoned turn does not wait for answers. */
const KINDS = ['once', 'read', 'parallel-batch', 'subagent', 'playbook', 'state-machine', 'reasoning'];

/** A session that changes the data of each granted lease. */
const createSessionWithLease = (change: (leased: LeaseGrant) => LeaseGrant): CrashableSession => {
  const session = createCrashableMemorySession();
  const changeLease = <T extends { readonly status: string }>(answer: T): T =>
    answer.status === 'leased' ? { ...answer, ...change(answer as T & LeaseGrant) } : answer;
  const port: SessionPort = {
    ...session.port,
    begin: async (request) => changeLease(await session.port.begin(request)),
    resume: async (request) => changeLease(await session.port.resume(request)),
  };
  return { ...session, port };
};

/** A session in which events of this type are unreadable for every lease holder. */
const withoutRowsOf = (type: string): CrashableSession => ({
  ...createSessionWithLease(({ page, ...leased }) => {
    const rows = page.rows.map((row) => (row.type === type ? { ...row, body: '{' } : row));
    return { ...leased, page: { ...page, rows } };
  }),
  isUnreadable: true,
});

/** A session in which the inbox of every turn contains a message of an unknown kind. */
const withUnknownMessage = (): CrashableSession =>
  createSessionWithLease((leased) => {
    const turn = leased.page.openTurn?.id ?? '';
    const praise = { id: 1_000_000, kind: 'praise', turn, body: '{}' } as unknown as InboxMessage; // as newer code would write it
    return { ...leased, inbox: [praise, ...leased.inbox] };
  });

/** Returns the accepted turns that do not have exactly one outcome. */
const withoutOutcome = ({ events, turns, broken }: PlayResult): readonly string[] => [
  ...(broken ? [broken.message] : []),
  ...turns.filter(
    (turn) => events.filter((event) => event.type === 'turn-ended' && event.turn === turn).length !== 1,
  ),
];

let trials: readonly Trial[];
beforeAll(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  trials = await Promise.all(
    SCENARIOS.filter(({ kind }) => KINDS.includes(kind)).map((one) => Trial.of(one)),
  );
});

/** The timeout of a matrix in ms, for a busy machine. */
const MINUTES = 5 * 60_000;

describe('an invocation that is lost at any event', () => {
  it(
    'ends every turn once, for every event type that the next invocations cannot read',
    async () => {
      expect(trials.map(({ scenario }) => scenario.kind).toSorted()).toEqual(KINDS.toSorted());
      const cells = trials.flatMap((trial) => {
        const types = [...new Set(trial.result.events.map(({ type }) => type))];
        // Tests each type at every third position, and each position with every third type.
        return types.flatMap((type, index) =>
          listDisturbances(trial.positions, 'hangs')
            .filter(({ at }) => (at + index) % 3 === 0)
            .map((disturbance) => ({ trial, type, disturbance })),
        );
      });
      const failures = await mapConcurrently(cells, async ({ trial, type, disturbance }) => {
        const subject = toSubject(trial.scenario);
        const seen = await playDisturbed(subject, () => withoutRowsOf(type), { disturbances: [disturbance] });
        return withoutOutcome(seen).map(
          (why) => `${trial.scenario.kind}, ${type}, ${disturbance.at}: ${why}`,
        );
      });
      expect(failures.flat().slice(0, 10)).toEqual([]);
      expect(cells.length).toBeGreaterThan(200);
    },
    MINUTES,
  );

  it(
    'does not affect the result of a turn whose inbox contains a message of an unknown kind',
    async () => {
      const cells = trials.flatMap((trial) =>
        listDisturbances(trial.positions, 'hangs').map((disturbance) => ({ trial, disturbance })),
      );
      const played = await mapConcurrently(cells, async ({ trial, disturbance }) => ({
        kind: trial.scenario.kind,
        disturbance,
        ...(await trial.find(withUnknownMessage, [disturbance])),
      }));
      expect(listFailures(played, 10)).toEqual([]);
    },
    MINUTES,
  );
});
