/** Has sessions report to the index: rows of their agendas, stored with what they report, say that somebody is to look. */
import type { AgendaOwner, AgendaRow } from '../../journal/agenda.ts';
import type { Change, SessionPort, TurnStart } from '../../journal/session-port.ts';
import { systemClock } from '../../session/read-platform.ts';
import { addressOfSession } from '../../session/read-secrets.ts';
import { inTime } from '../../tool/async.ts';
import type { DoWork } from '../../worker/background.ts';
import { SessionError } from '../../worker/problem.ts';
import { look } from './look.ts';
import { type IndexPlace, indexOfOwner, indexPlaceIn } from './owner-index.ts';
import { TITLES } from './titles.ts';

/** The use of this module, as sessions remember it. There is one in an app. */
const REPORTER: AgendaOwner = { module: TITLES.module, key: '' };

/**
 * A turn that starts is looked at after this time, in ms: most have stopped by then, and are looked at once.
 */
const SOON = 1_000;

/** All rows are alike, however many turns there are: a look is at the session. */
export const LOOK = 'look';

const ROW: AgendaRow = { ...REPORTER, ref: LOOK, after: SOON };

/** The index is waited for no longer than this where a request could do without it, in ms. */
const PATIENCE = 2_000;

/** Returns a session whose messages put a row on its agenda with the start of each turn, and as a turn goes on elsewhere. */
export function reportingSession(port: SessionPort, name: string, place: IndexPlace): SessionPort {
  const { owner, ...key } = addressOfSession(name);
  const index = indexOfOwner(place, owner);
  /** Leases by which this invocation goes on with a turn, of which it has appended nothing yet. */
  const resumed = new Set<number>();
  const told = (start: TurnStart): TurnStart => ({
    ...start,
    keepsOutside: [...(start.keepsOutside ?? []), REPORTER],
    agenda: [...(start.agenda ?? []), ROW],
  });
  /** Takes a message, unless the owner is being erased: the index is asked meanwhile. */
  const unlessErasing = async <Answer>(take: () => Promise<Answer>): Promise<Answer> => {
    const asked = patiently(index.ask(async (object) => object.isErasing()));
    const answer = await take();
    if ((await asked) && (await index.ask(async (object) => object.eraseToo(key)))) throw erasing();
    return answer;
  };
  const lookNow = (): Promise<void> => patiently(look(index, port, key)).then(() => {});
  return {
    ...port,
    accept: (start) => unlessErasing(() => port.accept(told(start))),
    begin: (request) => unlessErasing(() => port.begin({ ...request, start: told(request.start) })),
    async resume(request) {
      const answer = await port.resume(request);
      if (answer.status === 'leased') resumed.add(answer.epoch);
      return answer;
    },
    append(epoch, from, change) {
      return port.append(epoch, from, resumed.delete(epoch) ? withRow(change) : change);
    },
    async erase() {
      // What it has used since the last look is counted.
      await lookNow();
      const existed = await port.erase();
      // Its object has it reported later, too.
      await lookNow();
      return existed;
    },
  };
}

const withRow = (change: Change): Change => ({ ...change, agenda: [...(change.agenda ?? []), ROW] });

/** Resolves with `undefined` where the index fails, or takes long. */
const patiently = <T>(work: Promise<T>): Promise<T | undefined> =>
  inTime(systemClock, work, { ms: PATIENCE, late: () => new Error('the index is late') }).catch(
    () => undefined,
  );

const erasing = (): SessionError =>
  new SessionError(
    'erasing',
    'All sessions of this owner are being erased. Begin another when that is done.',
    {
      retryAfter: 5,
    },
  );

/** Looks at a session that has reported. A row that only says that copies of files are stale is for the store that has them. */
export const lookAtDue: DoWork = async ({ name, stale }, { env, host }) => {
  if (stale?.copies) return { again: Infinity };
  const { owner, ...key } = addressOfSession(name);
  await look(indexOfOwner(indexPlaceIn(env, host.modules.uses), owner), host.session(env, name), key);
  return 'done';
};
