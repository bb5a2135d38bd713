/** Tells clients how their tasks stand, on a stream to which they listen (tasks extension, Task Status Notifications). */
import { SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server';
import type { StoredEvent } from '../../journal/events.ts';
import { followedEvents, type Watch } from '../../session/watching/follow-session.ts';
import { isJsonObject, type Json } from '../../tool/json.ts';
import { eventStream } from '../../worker/sse.ts';
import { invalidParams, RpcError } from '../content/rpc.ts';
import { capabilitiesIn } from './caller.ts';
import type { Published, RpcRequest } from './rpc-request.ts';
import { LAST, stateOf, type Task, type TaskState, toTaskId, working } from './task-state.ts';
import { mustTakeTasks, taskNamed } from './tasks.ts';

/** A request to listen. */
interface Listening extends Pick<RpcRequest, 'within'> {
  readonly published: Published;
  /** The body of the request, parsed. */
  readonly body: unknown;
}

/** The most tasks of one stream: each is a line to the object of its session. */
const MAX_TASKS = 16;

/**
 * Answers a client that listens to tasks, in place of `response`, by which the SDK has taken its request and knows no tasks; any
 * other request with `response`. Of the tasks that it names those are told that are the caller's; the stream ends with the last of
 * them.
 */
export async function listenToTasks(listening: Listening, response: Response): Promise<Response> {
  const { published, within, body } = listening;
  if (!isJsonObject(body) || body.method !== 'subscriptions/listen' || !response.ok) return response;
  const { id = null, params } = body;
  const { notifications, _meta } = isJsonObject(params) ? params : {};
  const ids = isJsonObject(notifications) ? notifications.taskIds : undefined;
  if (ids === undefined || response.headers.get('content-type') !== 'text/event-stream') return response;
  await response.body?.cancel();
  try {
    const client = capabilitiesIn(_meta);
    mustTakeTasks(published, { era: 'modern', client });
    if (!Array.isArray(ids) || !ids.every((one) => typeof one === 'string') || ids.length > MAX_TASKS)
      throw invalidParams(
        `\`notifications.taskIds\` must be a list of ids of tasks, ${MAX_TASKS} at the most.`,
      );
    const named = [...new Set(ids)].map((one) => taskNamed(published, { within, client }, one));
    const tasks = (await Promise.all(named.map(found))).filter((task) => task !== undefined);
    const execution = { waitUntil: within.host.waitUntil };
    return eventStream({ host: within.host, request: within.request, execution }, (leave) =>
      framesOf(listening, { id, tasks, leave }),
    );
  } catch (failure) {
    if (!(failure instanceof RpcError)) throw failure;
    const { code, message, data } = failure;
    const error = { code, message, ...(data && { data }) };
    return Response.json({ jsonrpc: '2.0', id, error }, { status: 400 });
  }
}

/** The same task when there is such a turn. */
async function found(named: Promise<Task | undefined>): Promise<Task | undefined> {
  const task = await named;
  return task && (await stateOf(task)) ? task : undefined;
}

/** What a stream tells, and of which request it is. */
interface Told {
  readonly id: Json;
  readonly tasks: readonly Task[];
  /** Aborts when the client has gone. */
  readonly leave: AbortSignal;
}

/** The messages of a stream: which tasks it tells of, how each stands whenever that changes, and the end of the request. */
async function* framesOf({ within }: Listening, { id, tasks, leave }: Told): AsyncGenerator<string, void> {
  const { clock, meter } = within.host;
  const _meta = { [SUBSCRIPTION_ID_META_KEY]: id };
  const frame = (message: object): string =>
    `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
  const notification = (method: string, params: object): string =>
    frame({ method, params: { ...params, _meta } });
  const taskIds = tasks.map(toTaskId);
  yield notification('notifications/subscriptions/acknowledged', { notifications: { taskIds } });
  const views = merged(tasks, leave, (task, signal) => viewsOf(task, { clock, meter, signal }));
  for await (const view of views) {
    yield notification('notifications/tasks', view);
  }
  yield frame({ id, result: { resultType: 'complete', _meta } });
}

/** How a task stands, first and whenever that changes, until it is over, its session is erased, or this invocation has to end. */
async function* viewsOf(task: Task, watch: Omit<Watch, 'port'>): AsyncGenerator<TaskState['view'], void> {
  const { turn } = task;
  const { port } = task.target;
  const isNews = changes();
  for (;;) {
    const state = await stateOf(task);
    if (!state) return;
    const { view, isRunning } = state;
    if (isNews(view)) yield view;
    if (view.status === 'completed' || view.status === 'cancelled') return;
    let { events } = state;
    const from = (events.at(-1)?.seq ?? 0) + 1;
    // A turn that waits goes on with an event of its own; one that runs is followed until it stops.
    const more = followedEvents({ ...watch, port, from, ...(isRunning && { turn }) });
    try {
      let next = await more.next();
      for (; !next.done && (isRunning || !isOf(next.value, turn)); next = await more.next()) {
        if (!isRunning) continue;
        events = [...events, next.value].slice(-LAST);
        const lastUpdatedAt = new Date(next.value.at).toISOString();
        const now = { ...view, lastUpdatedAt, ...working(events) };
        if (isNews(now)) yield now;
      }
      if (next.done && next.value !== 'stopped') return;
    } finally {
      await more.return('left');
    }
  }
}

const isOf = (event: StoredEvent, turn: string): boolean => 'turn' in event && event.turn === turn;

/** Tells whether a view says something else than the one before it; that time has passed is no news. */
function changes(): (view: TaskState['view']) => boolean {
  let last = '';
  return ({ lastUpdatedAt: _, ...view }) => {
    const before = last;
    last = JSON.stringify(view);
    return last !== before;
  };
}

/**
 * The items that `follow` answers of all, as they come. What one of them throws ends all: their signal aborts, as it does when
 * nobody reads on.
 */
export async function* merged<One, Item>(
  all: readonly One[],
  leave: AbortSignal,
  follow: (one: One, signal: AbortSignal) => AsyncGenerator<Item, void>,
): AsyncGenerator<Item, void> {
  const over = new AbortController();
  const signal = AbortSignal.any([leave, over.signal]);
  const followed = all.map((one) => follow(one, signal));
  const steps = new Map(followed.map((items) => [items, stepOf(items)]));
  try {
    while (steps.size > 0) {
      const { items, next } = await Promise.race(steps.values());
      steps.delete(items);
      if (next.done) continue;
      steps.set(items, stepOf(items));
      yield next.value;
    }
  } finally {
    over.abort();
    await Promise.allSettled(followed.map((items) => items.return()));
  }
}

/** The next item, and whose it is. */
function stepOf<Item>(items: AsyncGenerator<Item, void>) {
  const step = items.next().then((next) => ({ items, next }));
  step.catch(() => {}); // when it fails before anybody reads on
  return step;
}
