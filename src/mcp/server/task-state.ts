/** The state of a call's turn as a task for clients (tasks extension of MCP). */
import type { CallToolResult, InputRequests } from '@modelcontextprotocol/server';
import { parseEvent } from '../../journal/event-rows.ts';
import type { StoredEvent } from '../../journal/events.ts';
import type { SessionPort } from '../../journal/session-port.ts';
import { listPendingViews } from '../../modules/answers/questions.ts';
import { readTurn } from '../../session/read-session.ts';
import { foldStoppedTurn } from '../../session/watching/turn-outcome.ts';
import { attempt } from '../../tool/async.ts';
import { toOneLine } from '../content/words.ts';
import { toInputRequests } from './input-required.ts';
import { createTurnNotifier } from './stream-position.ts';
import { formatWaiting, type PublishedAgentCall, toAgentResult } from './to-call-result.ts';

/** The data of a task that does not depend on its status. */
export type TaskView = {
  readonly taskId: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number | null;
};

/**
 * The status of a task. `failed` is not used, because it means a protocol error. A failed turn is a result
 * that gives the client's model the reason.
 */
export type TaskStatus =
  | { readonly status: 'working'; readonly statusMessage?: string; readonly pollIntervalMs: number }
  | {
      readonly status: 'input_required';
      readonly statusMessage: string;
      readonly inputRequests: InputRequests;
      readonly pollIntervalMs: number;
    }
  | { readonly status: 'completed'; readonly result: CallToolResult & { readonly resultType: 'complete' } }
  | { readonly status: 'cancelled'; readonly statusMessage: string };

/** The turn of a call that has a task, whose id a client has received. */
export interface Task extends PublishedAgentCall {
  readonly turn: string;
  /** `true` if the requesting client can ask a person the turn's questions. */
  readonly asksPeople: boolean;
}

/** The state of a task, with the events behind it. */
export interface TaskState {
  readonly view: TaskView & TaskStatus;
  /**
   * `true` if the turn is running. `events` then contains only the last events, and otherwise all of them.
   */
  readonly isRunning: boolean;
  readonly events: readonly StoredEvent[];
}

/** Reads the state of a task's turn. Returns `undefined` if the session has no such turn. */
export async function readTaskState(task: Task): Promise<TaskState | undefined> {
  const { turn } = task;
  const { port } = task.target;
  const first = await port.read({ from: 1, limit: 1, turn });
  const [started] = first?.rows.map(parseEvent) ?? [];
  if (!first || started?.type !== 'turn-started') return undefined;
  const isRunning = first.openTurn?.id === turn && first.openTurn.state === 'running';
  const events = isRunning
    ? await readLastEvents(port, { turn, head: first.head })
    : await readTurn(port, turn);
  const view = {
    taskId: toTaskId(task),
    createdAt: new Date(started.at).toISOString(),
    lastUpdatedAt: new Date((events.at(-1) ?? started).at).toISOString(),
    // A task exists as long as its session.
    ttlMs: null,
    ...(isRunning ? toWorkingStatus(events) : toTaskStatus(task, events)),
  };
  return { view, isRunning, events };
}

/**
 * The number of last events that determine a running turn's status. A client can poll every second, even for
 * a long turn.
 */
export const MAX_LAST_EVENTS = 32;

async function readLastEvents(
  port: Pick<SessionPort, 'read'>,
  { turn, head }: { readonly turn: string; readonly head: number },
): Promise<readonly StoredEvent[]> {
  const page = await port.read({ from: Math.max(1, head - MAX_LAST_EVENTS), turn });
  return page?.rows.map(parseEvent) ?? [];
}

/**
 * Returns the status of a running turn from its last events, with the same wording as for a client that waits
 * for the answer.
 */
export function toWorkingStatus(events: readonly StoredEvent[]): TaskStatus {
  let last: string | undefined;
  const recordStatus = (message: string): void => {
    last = toOneLine(message, MAX_STATUS);
  };
  const show = createTurnNotifier({ progress: recordStatus, say: recordStatus });
  for (const stored of events) show({ type: 'event', stored });
  return {
    status: 'working',
    ...(last !== undefined && { statusMessage: last }),
    pollIntervalMs: RUNNING_POLL_MS,
  };
}

/** The maximum length of a status text. */
const MAX_STATUS = 500;

/** Returns the status of a turn that is not running, from all its events. */
function toTaskStatus(task: Task, events: readonly StoredEvent[]): TaskStatus {
  const { target } = task;
  if (!events.some(({ type }) => type === 'turn-ended')) {
    const pending = listPendingViews(target, events);
    if (pending.length === 0) return toWorkingStatus(events);
    const statusMessage = formatWaiting(pending);
    const inputRequests = task.asksPeople ? toInputRequests(target.caller, events) : {};
    return Object.keys(inputRequests).length === 0
      ? { status: 'working', statusMessage, pollIntervalMs: WAITING_POLL_MS }
      : { status: 'input_required', statusMessage, inputRequests, pollIntervalMs: WAITING_POLL_MS };
  }
  const answer = foldStoppedTurn(target.session, target.agent.name, events);
  const { outcome } = answer;
  if (outcome === 'suspended') throw new Error('A turn cannot be both ended and suspended.');
  // A turn that a tool ended has a reason, which only a result can contain.
  if (outcome === 'cancelled' && !answer.signal)
    return { status: 'cancelled', statusMessage: 'The turn was cancelled.' };
  const result = toAgentResult(task, { status: 'ended', answer: { ...answer, outcome } });
  return { status: 'completed', result: { resultType: 'complete', ...result } };
}

/** The poll intervals in ms for a running task, and for one that waits for a person. */
export const RUNNING_POLL_MS = 1_000;
const WAITING_POLL_MS = 5_000;

/** The content of a task's id. It is not a secret: the caller must own the session, as on every route. */
interface TaskIdParts {
  /** The agent's name for clients. */
  readonly name: string;
  readonly session: string;
  readonly turn: string;
  readonly isNew: boolean;
}

export const toTaskId = ({ name, target, turn, isNew }: Task): string =>
  btoa([name, target.session, turn, isNew ? 'new' : 'known'].join('/'))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');

/** Decodes an id. Returns `undefined` for an invalid id. */
export function readTaskId(id: string): TaskIdParts | undefined {
  if (id.length > MAX_ID) return undefined;
  const decoded = attempt(() => atob(id.replaceAll('-', '+').replaceAll('_', '/')));
  const parts = decoded.ok ? /^([^/]+)\/([^/]+)\/([^/]+)\/(new|known)$/.exec(decoded.value) : null;
  const [, name, session, turn, kind] = parts ?? [];
  if (name === undefined || session === undefined || turn === undefined) return undefined;
  return { name, session, turn, isNew: kind === 'new' };
}

/** The maximum length of an id, with the longest name, session and turn. */
const MAX_ID = 1_000;
