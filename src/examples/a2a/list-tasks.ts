/**
 * Implements `ListTasks`: the last task of each context from the app's index, or all tasks of one context.
 */
import { SessionError } from '../../create-holdfast.ts';
import type { SessionIndex } from '../../modules/index/entry.ts';
import type { CallerSessions } from './a2a.ts';
import { createInvalidParamsError, type ListRequest } from './read-params.ts';
import { toTaskId } from './task.ts';
import { A2aError, type Task, type TaskState } from './wire.ts';

interface TaskList {
  readonly tasks: readonly Task[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
  readonly pageSize: number;
  /** The number of tasks on all pages, up to 1,000. */
  readonly totalSize: number;
}

/** A task on a page. */
interface ListedTask {
  readonly id: string;
  /** The time of its last status change, in milliseconds since the epoch. */
  readonly at: number;
}

/**
 * Returns one page of tasks.
 *
 * @throws A2aError if the app has no index, or a page token is invalid.
 */
export async function listTasks(desk: CallerSessions, listing: ListRequest): Promise<TaskList> {
  const index = desk.index?.();
  if (!index)
    throw new A2aError('unsupported', 'This agent does not list tasks. Store their ids, and use GetTask.');
  const { contextId } = listing;
  const page =
    contextId === undefined
      ? await listAcrossContexts(desk, index, listing)
      : await listInContext(desk, contextId, listing);
  const tasks = await Promise.all(page.named.map((one) => findTask(desk, one, listing)));
  const { next, total } = page;
  const shown = tasks.flatMap((task) => task ?? []);
  return { tasks: shown, nextPageToken: next, pageSize: listing.pageSize, totalSize: total };
}

interface NamedPage {
  readonly named: readonly ListedTask[];
  readonly next: string;
  readonly total: number;
}

/** The index's name for each A2A state. Omits the states that the index does not have. */
const STATUS_BY_STATE = {
  TASK_STATE_WORKING: 'running',
  TASK_STATE_INPUT_REQUIRED: 'waiting',
  TASK_STATE_FAILED: 'failed',
  TASK_STATE_COMPLETED: 'idle',
  TASK_STATE_CANCELED: 'idle',
} as const satisfies { readonly [State in TaskState]?: string };

const isListed = (state: string): state is keyof typeof STATUS_BY_STATE =>
  Object.hasOwn(STATUS_BY_STATE, state);

/** The maximum number of index pages that `totalSize` counts. */
const COUNTED_PAGES = 10;

async function listAcrossContexts(
  { asked, agent }: CallerSessions,
  index: SessionIndex,
  listing: ListRequest,
): Promise<NamedPage> {
  const { status: state, since, pageSize, pageToken } = listing;
  if (state !== undefined && !isListed(state)) return { named: [], next: '', total: 0 };
  const { id, tenant } = asked.caller;
  const query = {
    owner: tenant === undefined ? { id } : { tenant },
    agent,
    ...(state && { status: STATUS_BY_STATE[state] }),
    ...(since !== undefined && { since }),
  };
  const readSessions = (cursor: string | undefined, limit: number) =>
    index.sessions({ ...query, limit, cursor }).catch(toQueryError);
  const isIdle = state !== undefined && STATUS_BY_STATE[state] === 'idle';
  const isWanted = ({
    outcome,
    turn,
  }: Awaited<ReturnType<typeof readSessions>>['sessions'][number]): boolean =>
    turn !== undefined && (!isIdle || (outcome === 'cancelled') === (state === 'TASK_STATE_CANCELED'));
  const page = await readSessions(pageToken, pageSize);
  let total = 0;
  let cursor: string | null | undefined;
  for (let pages = 0; pages < COUNTED_PAGES && cursor !== null; pages += 1) {
    const counted = await readSessions(cursor, 100);
    total += counted.sessions.filter(isWanted).length;
    cursor = counted.next;
  }
  const named = page.sessions.filter(isWanted).map(({ session, turn = '', lastActivity }) => ({
    id: toTaskId({ session, turn }),
    at: lastActivity,
  }));
  return { named, next: page.next ?? '', total };
}

/** Lists all turns of one session, the latest first. A page token is the last task of the previous page. */
async function listInContext(
  desk: CallerSessions,
  context: string,
  listing: ListRequest,
): Promise<NamedPage> {
  const { since, pageSize, pageToken } = listing;
  const least = since === undefined ? 0 : Date.parse(since);
  if (Number.isNaN(least)) throw createInvalidParamsError(['statusTimestampAfter must be an ISO 8601 time']);
  const last = new Map<string, number>();
  try {
    for await (const event of desk.session(context).events()) {
      if (!('turn' in event) || event.type === 'module-event') continue;
      last.delete(event.turn);
      last.set(event.turn, event.at);
    }
  } catch (failure) {
    if (!isUnknown(failure)) throw failure;
  }
  const all = Array.from(last, ([turn, at]) => ({ id: toTaskId({ session: context, turn }), at }))
    .filter(({ at }) => at >= least)
    .reverse();
  const from = pageToken === undefined ? 0 : all.findIndex(({ id }) => id === pageToken) + 1;
  if (pageToken !== undefined && from === 0) throw createBadTokenError();
  const named = all.slice(from, from + pageSize);
  return { named, next: from + pageSize < all.length ? (named.at(-1)?.id ?? '') : '', total: all.length };
}

/**
 * Returns the task with its current status, or `undefined` if it no longer exists or is not in the requested
 * state.
 */
async function findTask(
  desk: CallerSessions,
  { id, at }: ListedTask,
  listing: ListRequest,
): Promise<Task | undefined> {
  try {
    const { artifacts, ...task } = await desk.task(await desk.find(id), listing.historyLength);
    if (listing.status !== undefined && task.status.state !== listing.status) return undefined;
    const status = { ...task.status, timestamp: new Date(at).toISOString() };
    return { ...task, status, ...(listing.includesArtifacts && { artifacts }) };
  } catch (failure) {
    if (isUnknown(failure)) return undefined;
    throw failure;
  }
}

const isUnknown = (failure: unknown): boolean =>
  failure instanceof SessionError && failure.type.startsWith('unknown-');

const createBadTokenError = (): A2aError =>
  createInvalidParamsError(['pageToken must be the nextPageToken of the previous page']);

function toQueryError(failure: unknown): never {
  if (!(failure instanceof SessionError) || failure.type !== 'invalid-query') throw failure;
  throw failure.message.startsWith('cursor')
    ? createBadTokenError()
    : createInvalidParamsError(['statusTimestampAfter must be an ISO 8601 time']);
}
