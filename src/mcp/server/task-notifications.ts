/**
 * Sends the status of tasks to clients, on a stream to which they listen (tasks extension, Task Status
 * Notifications).
 */
import { SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server';
import type { StoredEvent } from '../../journal/events.ts';
import { followJournal, type WatchOptions } from '../../session/watching/follow-session.ts';
import { isJsonObject, type Json } from '../../tool/json.ts';
import { createEventStream } from '../../worker/sse.ts';
import { createInvalidParamsError, RpcError } from '../content/rpc.ts';
import { readCapabilities } from './caller.ts';
import type { PublishedItems, RpcRequest } from './rpc-request.ts';
import {
  MAX_LAST_EVENTS,
  readTaskState,
  type Task,
  type TaskState,
  toTaskId,
  toWorkingStatus,
} from './task-state.ts';
import { assertTasksSupported, findNamedTask } from './tasks.ts';

interface ListenRequest extends Pick<RpcRequest, 'within'> {
  readonly published: PublishedItems;
  readonly body: unknown;
}

/** The maximum number of tasks in one stream. Each needs a connection to the object of its session. */
const MAX_TASKS = 16;

/**
 * Returns a stream with the status of the caller's tasks, for a request to listen. It replaces `response`, in
 * which the SDK has accepted the request without support for tasks. The stream ends with the last task. For
 * any other request, returns `response`.
 */
export async function listenToTasks(listening: ListenRequest, response: Response): Promise<Response> {
  const { published, within, body } = listening;
  if (!isJsonObject(body) || body.method !== 'subscriptions/listen' || !response.ok) return response;
  const { id = null, params } = body;
  const { notifications, _meta } = isJsonObject(params) ? params : {};
  const ids = isJsonObject(notifications) ? notifications.taskIds : undefined;
  if (ids === undefined || response.headers.get('content-type') !== 'text/event-stream') return response;
  await response.body?.cancel();
  try {
    const client = readCapabilities(_meta);
    assertTasksSupported(published, { era: 'modern', client });
    if (!Array.isArray(ids) || !ids.every((one) => typeof one === 'string') || ids.length > MAX_TASKS)
      throw createInvalidParamsError(
        `\`notifications.taskIds\` must be a list of at most ${MAX_TASKS} ids of tasks.`,
      );
    const named = [...new Set(ids)].map((one) => findNamedTask(published, { within, client }, one));
    const tasks = (await Promise.all(named.map(findExisting))).filter((task) => task !== undefined);
    const execution = { waitUntil: within.host.waitUntil };
    return createEventStream({ host: within.host, request: within.request, execution }, (leave) =>
      yieldFrames(listening, { id, tasks, leave }),
    );
  } catch (failure) {
    if (!(failure instanceof RpcError)) throw failure;
    const { code, message, data } = failure;
    const error = { code, message, ...(data && { data }) };
    return Response.json({ jsonrpc: '2.0', id, error }, { status: 400 });
  }
}

/** Returns the same task if its turn exists. */
async function findExisting(named: Promise<Task | undefined>): Promise<Task | undefined> {
  const task = await named;
  return task && (await readTaskState(task)) ? task : undefined;
}

interface TaskStream {
  readonly id: Json;
  readonly tasks: readonly Task[];
  /** Aborts when the client disconnects. */
  readonly leave: AbortSignal;
}

/**
 * Yields the messages of a stream: its list of tasks, the status of each after every change, and the end of
 * the request.
 */
async function* yieldFrames(
  { within }: ListenRequest,
  { id, tasks, leave }: TaskStream,
): AsyncGenerator<string, void> {
  const { clock, meter } = within.host;
  const _meta = { [SUBSCRIPTION_ID_META_KEY]: id };
  const formatFrame = (message: object): string =>
    `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
  const formatNotification = (method: string, params: object): string =>
    formatFrame({ method, params: { ...params, _meta } });
  const taskIds = tasks.map(toTaskId);
  yield formatNotification('notifications/subscriptions/acknowledged', { notifications: { taskIds } });
  const views = mergeGenerators(tasks, leave, (task, signal) => yieldViews(task, { clock, meter, signal }));
  for await (const view of views) {
    yield formatNotification('notifications/tasks', view);
  }
  yield formatFrame({ id, result: { resultType: 'complete', _meta } });
}

/**
 * Yields the status of a task, first and after every change. Ends when the task is over, its session is
 * erased, or this invocation must end.
 */
async function* yieldViews(
  task: Task,
  watch: Omit<WatchOptions, 'port'>,
): AsyncGenerator<TaskState['view'], void> {
  const { turn } = task;
  const { port } = task.target;
  const isNews = createChangeDetector();
  for (;;) {
    const state = await readTaskState(task);
    if (!state) return;
    const { view, isRunning } = state;
    if (isNews(view)) yield view;
    if (view.status === 'completed' || view.status === 'cancelled') return;
    let { events } = state;
    const from = (events.at(-1)?.seq ?? 0) + 1;
    // A suspended turn continues with a later event. A running one is followed until it stops.
    const more = followJournal({ ...watch, port, from, ...(isRunning && { turn }) });
    try {
      let next = await more.next();
      for (; !next.done && (isRunning || !isEventOf(next.value, turn)); next = await more.next()) {
        if (!isRunning) continue;
        events = [...events, next.value].slice(-MAX_LAST_EVENTS);
        const lastUpdatedAt = new Date(next.value.at).toISOString();
        const now = { ...view, lastUpdatedAt, ...toWorkingStatus(events) };
        if (isNews(now)) yield now;
      }
      if (next.done && next.value !== 'stopped') return;
    } finally {
      await more.return('left');
    }
  }
}

const isEventOf = (event: StoredEvent, turn: string): boolean => 'turn' in event && event.turn === turn;

/** Creates a function that returns whether a view differs from the previous one, ignoring its time. */
function createChangeDetector(): (view: TaskState['view']) => boolean {
  let last = '';
  return ({ lastUpdatedAt: _, ...view }) => {
    const before = last;
    last = JSON.stringify(view);
    return last !== before;
  };
}

/**
 * Yields the items of all generators as they arrive. All of them end, by an abort of their signal, if one
 * throws or the reader stops.
 */
export async function* mergeGenerators<One, Item>(
  all: readonly One[],
  leave: AbortSignal,
  follow: (one: One, signal: AbortSignal) => AsyncGenerator<Item, void>,
): AsyncGenerator<Item, void> {
  const over = new AbortController();
  const signal = AbortSignal.any([leave, over.signal]);
  const followed = all.map((one) => follow(one, signal));
  const steps = new Map(followed.map((items) => [items, takeNextStep(items)]));
  try {
    while (steps.size > 0) {
      const { items, next } = await Promise.race(steps.values());
      steps.delete(items);
      if (next.done) continue;
      steps.set(items, takeNextStep(items));
      yield next.value;
    }
  } finally {
    over.abort();
    await Promise.allSettled(followed.map((items) => items.return()));
  }
}

/** Returns the next item and its generator. */
function takeNextStep<Item>(items: AsyncGenerator<Item, void>) {
  const step = items.next().then((next) => ({ items, next }));
  step.catch(() => {}); // in case it fails before it is read
  return step;
}
