/** Makes every turn of a session draw an allowance from the limits of its owner. */
import type { AgendaOwner } from '../../journal/agenda.ts';
import type { SessionPort, TurnStart } from '../../journal/session-port.ts';
import { parseSessionName } from '../../session/read-secrets.ts';
import type { ObjectLocation } from '../../worker/asking-object.ts';
import type { Account } from './ask-account.ts';
import { createAccount, withDrawTimeout } from './ask-account.ts';
import { dropGrant, holdGrant } from './held-grants.ts';
import type { LimitPolicy } from './limiting.ts';

/** Returns a session whose turns draw an allowance before they start. */
export function withOwnerLimits(
  port: SessionPort,
  name: string,
  { place, limiting, user }: { place: ObjectLocation; limiting: LimitPolicy; user: AgendaOwner },
): SessionPort {
  const { owner, ...session } = parseSessionName(name);
  // Data that surfaces store beside sessions has no agent and calls no model.
  if (session.agent === '') return port;
  const account = createAccount(place, owner, limiting);
  /** The turns of the leases that this invocation holds. */
  const turns = new Map<number, string>();
  const withReporter = (start: TurnStart): TurnStart => ({
    ...start,
    keepsOutside: [...(start.keepsOutside ?? []), user],
  });
  const take = createDrawAndStore(account, session);
  const endLease = (epoch: number): void => {
    const turn = turns.get(epoch);
    if (turn !== undefined) dropGrant(turn, epoch);
    turns.delete(epoch);
  };
  return {
    ...port,
    accept: async (start) => (await take(start, () => port.accept(withReporter(start)))).answer,
    async begin(request) {
      const { start } = request;
      const { answer, grant } = await take(start, () =>
        port.begin({ ...request, start: withReporter(start) }),
      );
      if (answer.status === 'leased' && grant) {
        turns.set(answer.epoch, start.turn);
        holdGrant(start.turn, { epoch: answer.epoch, grant: async () => grant });
      }
      return answer;
    },
    async resume(request) {
      const { turn } = request;
      const answer = await port.resume(request);
      // The lease of a fork in progress has no turn.
      if (answer.status !== 'leased' || answer.page.incarnation === turn) return answer;
      turns.set(answer.epoch, turn);
      holdGrant(turn, { epoch: answer.epoch, grant: () => account.draw({ ...session, turn, for: 'late' }) });
      return answer;
    },
    async append(epoch, from, change) {
      const answer = await port.append(epoch, from, change);
      if (change.release !== undefined || answer.status === 'stale') endLease(epoch);
      return answer;
    },
    async renew(epoch, inboxHeld) {
      const answer = await port.renew(epoch, inboxHeld);
      if (answer.status === 'stale') endLease(epoch);
      return answer;
    },
    async erase() {
      // Settles the usage of the session's turns before it is erased.
      await withDrawTimeout(account.ask(async (object) => object.look(session)));
      const existed = await port.erase();
      await withDrawTimeout(account.ask(async (object) => object.look(session)));
      return existed;
    },
  };
}

/**
 * Draws for a turn, stores the turn, and returns the allowance if it was not stored. @throws SessionError if
 * a limit refuses the turn.
 */
const createDrawAndStore =
  (account: Account, session: { readonly agent: string; readonly session: string }) =>
  async <Answer extends { readonly status: string }>(start: TurnStart, store: () => Promise<Answer>) => {
    const { turn, request, opening } = start;
    const isFork = opening.type === 'session-forked';
    const grant = await account.drawOrRefuse({
      ...{ ...session, turn, request, for: isFork ? 'session' : 'turn' },
    });
    const answer = await store();
    if (STORED_STATUSES.has(answer.status) || !grant) return { answer, grant };
    if (isFork) await withDrawTimeout(account.ask(async (object) => object.look(session)));
    else if (grant.isNew && !isSameTurn(answer, turn))
      await withDrawTimeout(account.ask(async (object) => object.release(turn)));
    return { answer, grant };
  };

/** The statuses with which the session has stored the turn. */
const STORED_STATUSES: ReadonlySet<string> = new Set([
  'accepted',
  'leased',
  'queued',
  'steering',
  'scheduled',
]);

/** Returns `true` if the session already had this turn. */
const isSameTurn = (answer: { readonly status: string; readonly turn?: string }, turn: string): boolean =>
  answer.status === 'known' && answer.turn === turn;
