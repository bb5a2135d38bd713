import type { Effect } from '../../../../src/index.ts';
import type { SessionEvent } from '../../../../src/journal/entry.ts';
import type { ManualClock, SessionPort } from '../../../../src/testing/entry.ts';
import { type LeaseGrant, type Message, toRow } from '../../../doors/journal.ts';
import type { TurnEnd, TurnHost } from '../../../doors/session.ts';
import { withOrderedHashes } from '../../../doors/testing.ts';
import { getModelText } from '../../../doors/tools.ts';
import type { MemoryApp } from './memory-app.ts';

export const LEASE_MS = 20_000;

/** The longest pause between two take-overs of a turn, in ms. */
export const LONGEST_PAUSE = 5 * 60_000;

/**
 * A session whose object receives no pings once `isCutOff` returns true, although the connection stays open.
 */
export const withoutPings = (
  port: SessionPort,
  isCutOff = (): boolean => true,
): Pick<SessionPort, 'watch'> => ({
  async watch(watcher) {
    const line = await port.watch(watcher);
    const ping = (): void => {
      if (!isCutOff()) line.ping();
    };
    return { ...line, ping };
  },
});

export interface FormerHolder {
  readonly turn: string;
  readonly leased: LeaseGrant;
}

/** An event without its turn. */
type OpenEvent<T> = T extends { readonly turn: string } ? Omit<T, 'turn'> : never;

/** A holder that stores these events and then falls silent. */
export async function leaveHolderSilent(
  app: MemoryApp,
  events: readonly OpenEvent<SessionEvent>[],
): Promise<FormerHolder> {
  const leased = await app.lease('Go.');
  const turn = leased.page.openTurn?.id ?? '';
  const rows = events.map((event) => toRow({ ...event, turn } as SessionEvent)); // `Open` omits the turn.
  await app.port.append(leased.epoch, leased.page.head + 1, { events: rows });
  return { turn, leased };
}

/**
 * A reply with one call of each tool, and the start of each call with an effect. The ids are `c0`, `c1`, ...
 */
export function callEvents(
  ...calls: readonly (readonly [tool: string, started?: Effect])[]
): OpenEvent<SessionEvent>[] {
  const reply: OpenEvent<SessionEvent> = {
    type: 'model-replied',
    model: 'scripted',
    text: '',
    toolCalls: calls.map(([name], i) => ({ id: `c${i}`, providerId: `p${i}`, name, input: '{}' })),
    finish: 'tool-calls',
  };
  const starts = calls.flatMap(([, effect], i): OpenEvent<SessionEvent>[] =>
    effect ? [{ type: 'tool-call-started', call: `c${i}`, effect }] : [],
  );
  return [reply, ...starts];
}

/** Takes over a turn after its lease has expired, and advances the clock until the turn has stopped. */
export async function takeOver(
  app: MemoryApp,
  clock: ManualClock,
  { turn }: FormerHolder,
  options?: Partial<TurnHost>,
): Promise<TurnEnd> {
  await clock.advance(LEASE_MS + 1);
  const end = app.run(await app.resume(turn), options);
  return advanceUntilSettled(clock, end);
}

/** Advances the clock until a promise settles, and returns its value. Hashing never advances this clock. */
export const advanceUntilSettled = <T>(clock: ManualClock, promise: Promise<T>, ms = 60_000): Promise<T> =>
  withOrderedHashes(() => passTime(clock, promise, ms));

async function passTime<T>(clock: ManualClock, promise: Promise<T>, ms: number): Promise<T> {
  let isSettled = false;
  const markSettled = (): void => {
    isSettled = true;
  };
  promise.then(markSettled, markSettled);
  await clock.advance(0);
  for (let passed = 0; passed < ms && !isSettled; passed += 500) await clock.advance(500);
  if (!isSettled) throw new Error(`The promise has not settled after ${ms} ms.`);
  return promise;
}

/** The call results that the model reads, by tool. */
export function callResults(
  messages: readonly Message[],
): readonly (readonly [tool: string, text: string])[] {
  return messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.calls.map(
          ({ name, ended }) => [name, ended ? getModelText(ended.result) : 'no answer'] as const,
        )
      : [],
  );
}
