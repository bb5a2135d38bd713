/**
 * Makes sessions report to the index. An agenda row, stored with the events to report, requests a refresh.
 */
import type { AgendaOwner, AgendaRow } from '../../journal/agenda.ts';
import type { AppendData, SessionPort, TurnStart } from '../../journal/session-port.ts';
import { systemClock } from '../../session/read-platform.ts';
import { parseSessionName } from '../../session/read-secrets.ts';
import { withTimeout } from '../../tool/async.ts';
import type { DueHandler } from '../../worker/background.ts';
import { SessionError } from '../../worker/problem.ts';
import { refreshIndex } from './look.ts';
import { createOwnerIndex, getIndexPlace, type IndexPlace } from './owner-index.ts';
import { TITLE_SLICE } from './titles.ts';

/** The owner of the agenda rows, as sessions store it. An app uses the module at most once. */
const REPORTER_OWNER: AgendaOwner = { module: TITLE_SLICE.module, key: '' };

/**
 * Milliseconds from the start of a turn to the refresh. Most turns stop earlier, which refreshes the index
 * immediately.
 */
const LOOK_DELAY_MS = 1_000;

/** All rows have the same name, because a refresh covers the whole session, not one turn. */
export const LOOK_REF = 'look';

const REFRESH_ROW: AgendaRow = { ...REPORTER_OWNER, ref: LOOK_REF, after: LOOK_DELAY_MS };

/** The timeout in milliseconds for the index, if a request can succeed without it. */
const INDEX_TIMEOUT_MS = 2_000;

/**
 * Returns a session that adds an agenda row at the start of each turn, and when another invocation resumes a
 * turn.
 */
export function withReporting(port: SessionPort, name: string, place: IndexPlace): SessionPort {
  const { owner, ...key } = parseSessionName(name);
  const index = createOwnerIndex(place, owner);
  /** The leases of turns that this invocation resumed and has not appended to. */
  const resumed = new Set<number>();
  const withReporter = (start: TurnStart): TurnStart => ({
    ...start,
    keepsOutside: [...(start.keepsOutside ?? []), REPORTER_OWNER],
    agenda: [...(start.agenda ?? []), REFRESH_ROW],
  });
  /** Sends a message, and checks in parallel whether the owner is being erased. If so, it throws. */
  const runUnlessErasing = async <Answer>(take: () => Promise<Answer>): Promise<Answer> => {
    const asked = withIndexTimeout(index.ask(async (object) => object.isErasing()));
    const answer = await take();
    if ((await asked) && (await index.ask(async (object) => object.eraseToo(key))))
      throw createErasingError();
    return answer;
  };
  const lookNow = (): Promise<void> => withIndexTimeout(refreshIndex(index, port, key)).then(() => {});
  return {
    ...port,
    accept: (start) => runUnlessErasing(() => port.accept(withReporter(start))),
    begin: (request) =>
      runUnlessErasing(() => port.begin({ ...request, start: withReporter(request.start) })),
    async resume(request) {
      const answer = await port.resume(request);
      if (answer.status === 'leased') resumed.add(answer.epoch);
      return answer;
    },
    append(epoch, from, change) {
      return port.append(epoch, from, resumed.delete(epoch) ? withRow(change) : change);
    },
    async erase() {
      // Counts the usage since the last refresh.
      await lookNow();
      const existed = await port.erase();
      // The session's object also reports it later.
      await lookNow();
      return existed;
    },
  };
}

const withRow = (change: AppendData): AppendData => ({
  ...change,
  agenda: [...(change.agenda ?? []), REFRESH_ROW],
});

/** Resolves with `undefined` if the index fails or takes too long. */
const withIndexTimeout = <T>(work: Promise<T>): Promise<T | undefined> =>
  withTimeout(systemClock, work, {
    ms: INDEX_TIMEOUT_MS,
    late: () => new Error('the index timed out'),
  }).catch(() => undefined);

const createErasingError = (): SessionError =>
  new SessionError('erasing', 'All sessions of this owner are being erased. Try again later.', {
    retryAfter: 5,
  });

/**
 * Refreshes the index for a session with a due row. Ignores rows that only mark copies of files as stale,
 * which belong to the file store.
 */
export const refreshDueSession: DueHandler = async ({ name, stale }, { env, host }) => {
  if (stale?.copies) return { again: Infinity };
  const { owner, ...key } = parseSessionName(name);
  await refreshIndex(
    createOwnerIndex(getIndexPlace(env, host.modules.uses), owner),
    host.session(env, name),
    key,
  );
  return 'done';
};
