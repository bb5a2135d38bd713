import type { Clock, SessionPort } from '../../../../src/testing/entry.ts';
import type {
  AppendData,
  DeferredTurn,
  LeaseGrant,
  NewRow,
  ResumeRefusal,
  StartRefusal,
} from '../../../doors/journal.ts';
import type { CrashableSession } from '../../../doors/testing.ts';

/** Removes a guard from a session, so that a test can check that the matrix detects its absence. */
type Sabotage = (session: CrashableSession) => CrashableSession;

export const SABOTAGES = {
  /** Acknowledges appends before they are stored, so a crash loses them. */
  'write-ahead': (session) => ({
    ...session,
    outgoing: (port) => withEarlyAcknowledgement(port, session.clock),
  }),
  /** Accepts every append without checking its epoch or sequence number. */
  fencing: (session) => ({ ...session, port: withoutFence(session.port) }),
  /** Stores replies without their first part. */
  'every-part': (session) => withChangedParts(session, ([, ...others]) => others),
  /** Swaps the first two parts of stored replies. */
  'part-order': (session) =>
    withChangedParts(session, ([first, second, ...others]) =>
      [second, first, ...others].filter((one) => one !== undefined),
    ),
  /** Removes a character from the provider's data of each stored part. */
  signatures: (session) =>
    withChangedParts(session, (parts) =>
      parts.map((part) => JSON.parse(JSON.stringify(part).replace(/("signature":"[^"]*)[^"]"/, '$1"'))),
    ),
} as const satisfies Readonly<Record<string, Sabotage>>;

export type Guard = keyof typeof SABOTAGES;

/** Changes the parts of stored replies. Only the invocation that received a reply knows its original parts. */
const withChangedParts = (
  session: CrashableSession,
  change: (parts: readonly unknown[]) => readonly unknown[],
): CrashableSession => ({
  ...session,
  outgoing: (port) => ({
    ...port,
    append: (epoch, from, { events, ...more }) =>
      port.append(epoch, from, { ...more, events: events.map((row) => withParts(row, change)) }),
  }),
});

function withParts(row: NewRow, change: (parts: readonly unknown[]) => readonly unknown[]): NewRow {
  const { parts, ...rest } = JSON.parse(row.body);
  return Array.isArray(parts) ? { ...row, body: JSON.stringify({ ...rest, parts: change(parts) }) } : row;
}

function withEarlyAcknowledgement(port: SessionPort, clock: Clock): SessionPort {
  const waiting: (() => Promise<unknown>)[] = [];
  const storeWaiting = async (): Promise<void> => {
    for (const append of waiting.splice(0)) await append();
  };
  return {
    ...port,
    async append(epoch: number, from: number, change: AppendData) {
      if (change.release !== undefined) {
        await storeWaiting();
        return port.append(epoch, from, change);
      }
      void storeWaiting().catch(() => {});
      waiting.push(() => port.append(epoch, from, change));
      const head = from + change.events.length - 1;
      return { status: 'appended', head, at: clock.now(), inbox: [] };
    },
  };
}

function withoutFence(port: SessionPort): SessionPort {
  let epoch = 0;
  const recordEpoch = <T extends LeaseGrant | DeferredTurn | StartRefusal | ResumeRefusal>(answer: T): T => {
    if (answer.status === 'leased') epoch = answer.epoch;
    return answer;
  };
  return {
    ...port,
    begin: async (request) => recordEpoch(await port.begin(request)),
    resume: async (request) => recordEpoch(await port.resume(request)),
    renew: () => port.renew(epoch),
    async append(own, from, change) {
      const answer = await port.append(own, from, change);
      if (answer.status === 'appended') return answer;
      const page = await port.read({ from: 1, limit: 1 });
      return port.append(epoch, (page?.head ?? 0) + 1, change);
    },
  };
}
