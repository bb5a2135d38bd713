/** How the turn of a call stands, as the task that a client knows it by (tasks extension of MCP). */
import type { CallToolResult, InputRequests } from '@modelcontextprotocol/server';
import { parseEvent } from '../../journal/event-rows.ts';
import type { StoredEvent } from '../../journal/events.ts';
import type { SessionPort } from '../../journal/session-port.ts';
import { pendingViews } from '../../modules/answers/questions.ts';
import { readTurn } from '../../session/read-session.ts';
import { stoppedTurn } from '../../session/watching/turn-outcome.ts';
import { attempt } from '../../tool/async.ts';
import { oneLine } from '../content/words.ts';
import { inputRequestsOf } from './input-required.ts';
import { notifyOf } from './stream-position.ts';
import { type AnsweredCall, toAgentResult, waitingWords } from './to-call-result.ts';

/** What a client is told of a task, however that stands. */
export type TaskView = {
  readonly taskId: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number | null;
};

/**
 * How a task stands. None is `failed`, which is for errors of the protocol: a turn that failed is an answer in which the client's
 * model reads why.
 */
export type Standing =
  | { readonly status: 'working'; readonly statusMessage?: string; readonly pollIntervalMs: number }
  | {
      readonly status: 'input_required';
      readonly statusMessage: string;
      readonly inputRequests: InputRequests;
      readonly pollIntervalMs: number;
    }
  | { readonly status: 'completed'; readonly result: CallToolResult & { readonly resultType: 'complete' } }
  | { readonly status: 'cancelled'; readonly statusMessage: string };

/** The turn of a call, of which a client has been given the id. */
export interface Task extends AnsweredCall {
  readonly turn: string;
  /** The client that asks for it can be asked what the turn waits for. */
  readonly asksPeople: boolean;
}

/** How a task stands, and by which events. */
export interface TaskState {
  readonly view: TaskView & Standing;
  /** It goes on by itself: these are its last events. Else they are all. */
  readonly isRunning: boolean;
  readonly events: readonly StoredEvent[];
}

/** Reads how the turn of a task stands; `undefined` when the session has no such turn. */
export async function stateOf(task: Task): Promise<TaskState | undefined> {
  const { turn } = task;
  const { port } = task.target;
  const first = await port.read({ from: 1, limit: 1, turn });
  const [started] = first?.rows.map(parseEvent) ?? [];
  if (!first || started?.type !== 'turn-started') return undefined;
  const isRunning = first.openTurn?.id === turn && first.openTurn.state === 'running';
  const events = isRunning ? await lastEvents(port, { turn, head: first.head }) : await readTurn(port, turn);
  const view = {
    taskId: toTaskId(task),
    createdAt: new Date(started.at).toISOString(),
    lastUpdatedAt: new Date((events.at(-1) ?? started).at).toISOString(),
    // It is there as long as its session.
    ttlMs: null,
    ...(isRunning ? working(events) : standingOf(task, events)),
  };
  return { view, isRunning, events };
}

/** So many events behind which a client that asks how a turn stands is told what it is at: it may ask every second, of a long turn. */
export const LAST = 32;

async function lastEvents(
  port: Pick<SessionPort, 'read'>,
  { turn, head }: { readonly turn: string; readonly head: number },
): Promise<readonly StoredEvent[]> {
  const page = await port.read({ from: Math.max(1, head - LAST), turn });
  return page?.rows.map(parseEvent) ?? [];
}

/** Tells by the last events what the turn is at, in the words in which a client is told that waits for the answer of its call. */
export function working(events: readonly StoredEvent[]): Standing {
  let last: string | undefined;
  const hear = (message: string): void => {
    last = oneLine(message, MAX_STATUS);
  };
  const show = notifyOf({ progress: hear, say: hear });
  for (const stored of events) show({ type: 'event', stored });
  return {
    status: 'working',
    ...(last !== undefined && { statusMessage: last }),
    pollIntervalMs: SOON,
  };
}

/** The most characters of what a turn is at. */
const MAX_STATUS = 500;

/** How a turn stands that does not run, by all its events. */
function standingOf(task: Task, events: readonly StoredEvent[]): Standing {
  const { target } = task;
  if (!events.some(({ type }) => type === 'turn-ended')) {
    const pending = pendingViews(target, events);
    if (pending.length === 0) return working(events);
    const statusMessage = waitingWords(pending);
    const inputRequests = task.asksPeople ? inputRequestsOf(target.caller, events) : {};
    return Object.keys(inputRequests).length === 0
      ? { status: 'working', statusMessage, pollIntervalMs: LATER }
      : { status: 'input_required', statusMessage, inputRequests, pollIntervalMs: LATER };
  }
  const answer = stoppedTurn(target.session, target.agent.name, events);
  const { outcome } = answer;
  if (outcome === 'suspended') throw new Error('A turn that has ended is suspended.');
  // A tool that ends its turn says why, which only an answer tells.
  if (outcome === 'cancelled' && !answer.signal)
    return { status: 'cancelled', statusMessage: 'The turn was cancelled.' };
  const result = toAgentResult(task, { status: 'ended', answer: { ...answer, outcome } });
  return { status: 'completed', result: { resultType: 'complete', ...result } };
}

/** When to ask again for a task that goes on by itself, and for one that waits for somebody, in ms. */
export const SOON = 1_000;
const LATER = 5_000;

/** What the id of a task says. It is no secret: whoever sends it must own the session, as on every route. */
interface TaskName {
  /** Of the agent, as clients know it. */
  readonly name: string;
  readonly session: string;
  readonly turn: string;
  readonly isNew: boolean;
}

/** Writes the id of a task. */
export const toTaskId = ({ name, target, turn, isNew }: Task): string =>
  btoa([name, target.session, turn, isNew ? 'new' : 'known'].join('/'))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');

/** Reads an id back; `undefined` when it is none of ours. */
export function readTaskId(id: string): TaskName | undefined {
  if (id.length > MAX_ID) return undefined;
  const decoded = attempt(() => atob(id.replaceAll('-', '+').replaceAll('_', '/')));
  const parts = decoded.ok ? /^([^/]+)\/([^/]+)\/([^/]+)\/(new|known)$/.exec(decoded.value) : null;
  const [, name, session, turn, kind] = parts ?? [];
  if (name === undefined || session === undefined || turn === undefined) return undefined;
  return { name, session, turn, isNew: kind === 'new' };
}

/** The most characters of an id: of the longest name, session and turn. */
const MAX_ID = 1_000;
