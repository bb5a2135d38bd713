/**
 * Calls of published agents as tasks of MCP's extension `io.modelcontextprotocol/tasks`. A task is a turn.
 * Its state is read from the journal for each request, and no other data is stored.
 */
import type { CallToolResult, Result } from '@modelcontextprotocol/server';
import { SessionErasedError } from '../../session/send-again.ts';
import { shorten } from '../../tool/json.ts';
import { cancelTurn } from '../../worker/end-turn.ts';
import { SessionError } from '../../worker/problem.ts';
import { createTarget, isUnknownTarget } from '../../worker/target.ts';
import { createInvalidParamsError, RPC_CODE, RpcError } from '../content/rpc.ts';
import { toNotAcceptedResult } from './agent-tool.ts';
import { type AgentCall, acceptCall } from './call-agent.ts';
import { canAskPeople } from './caller.ts';
import { acceptInputs } from './input-required.ts';
import type { PublishedItems, RpcRequest } from './rpc-request.ts';
import {
  RUNNING_POLL_MS,
  readTaskId,
  readTaskState,
  type Task,
  type TaskStatus,
  type TaskView,
} from './task-state.ts';

/** The name with which clients and servers declare the extension. */
const EXTENSION = 'io.modelcontextprotocol/tasks';

/** The `extensions` entry of a server with tasks. */
export const TASKS = { [EXTENSION]: {} };

/** The methods of the extension. */
export const TASK_METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel'] as const;

/** The response to a call that continues as a task. */
type CreatedTask = TaskView & {
  readonly resultType: 'task';
  readonly status: TaskStatus['status'];
  readonly pollIntervalMs: number;
};

/** Returns whether a call can return a task. Its own request must declare support. */
export const supportsTasks = ({ era, client }: Pick<RpcRequest, 'era' | 'client'>): boolean =>
  era === 'modern' && client.extensions?.[EXTENSION] !== undefined;

/**
 * Returns whether calls to an endpoint can become tasks. Calls to tools cannot, because they have no session.
 */
export const hasTasks = ({ callable }: PublishedItems): boolean =>
  [...callable.values()].some(({ kind }) => kind === 'agent');

/**
 * Stores the turn of a call for the background, like `Prefer: respond-async`, and returns its task.
 *
 * @throws the same errors as `callAgent`.
 */
export const callAsTask = (
  { within, client }: Pick<RpcRequest, 'within' | 'client'>,
  call: AgentCall,
): Promise<CreatedTask | CallToolResult> =>
  acceptCall(within, call, async (asked) => {
    const { target, start } = asked;
    const taken = await target.port.accept(start);
    switch (taken.status) {
      case 'accepted':
      case 'known': {
        const state = await readTaskState({ ...asked, turn: taken.turn, asksPeople: canAskPeople(client) });
        if (!state) throw new SessionErasedError();
        const { taskId, status, createdAt, lastUpdatedAt, ttlMs } = state.view;
        return {
          resultType: 'task',
          taskId,
          status,
          createdAt,
          lastUpdatedAt,
          ttlMs,
          pollIntervalMs: RUNNING_POLL_MS,
        };
      }
      default:
        return toNotAcceptedResult(target, taken);
    }
  });

/**
 * Returns the state of a task.
 *
 * @throws RpcError if the client has not declared the extension, or the caller has no such task.
 */
export async function getTask(
  published: PublishedItems,
  request: RpcRequest,
): Promise<TaskView & TaskStatus> {
  const state = await readTaskState(await findTask(published, request));
  if (!state) throw createUnknownTaskError(request);
  return state.view;
}

/**
 * Stops the turn of a task, like the cancel route. A finished turn is left unchanged, which is not an error.
 *
 * @throws RpcError as `getTask` does, and if the turn waits for a person with a role that the caller lacks.
 */
export async function cancelTask(published: PublishedItems, request: RpcRequest): Promise<Result> {
  const task = await findTask(published, request);
  const { within, leave: signal } = request;
  try {
    await cancelTurn({ ...within, target: task.target, signal }, task.turn);
  } catch (failure) {
    if (!(failure instanceof SessionError)) throw failure;
    if (UNKNOWN_TASK_ERRORS.includes(failure.type)) throw createUnknownTaskError(request);
    if (failure.type !== 'turn-over') throw new RpcError(RPC_CODE.invalidRequest, failure.message);
  }
  return {};
}

/**
 * Decides a task's pending questions by its client's answers, like the route for approvals. The turn
 * continues in the background. Answers to unknown or closed questions are ignored.
 *
 * @throws RpcError as `getTask` does, and for an invalid answer. The valid ones are accepted.
 */
export async function updateTask(published: PublishedItems, request: RpcRequest): Promise<Result> {
  const { target, turn } = await findTask(published, request);
  const { within, leave: signal, answers: responses } = request;
  const at = { ...within, target, signal };
  const asked = Object.keys(responses);
  const taken = await acceptInputs(at, { turn, asked, responses, inBackground: true });
  if (!taken) throw createUnknownTaskError(request);
  const problems = [...taken.problems].map(([key, found]) => `the one to '${key}': ${found.join('; ')}`);
  if (problems.length > 0)
    throw createInvalidParamsError(`These answers were not accepted: ${problems.join('. ')}.`);
  return {};
}

/**
 * The errors for a turn that does not belong to a task: it does not exist, or its message was added to
 * another turn.
 */
const UNKNOWN_TASK_ERRORS: readonly string[] = ['unknown-session', 'unknown-turn', 'no-open-turn'];

/** Returns the task of a request. @throws RpcError as `getTask` does. */
async function findTask(published: PublishedItems, request: RpcRequest): Promise<Task> {
  assertTasksSupported(published, request);
  const { taskId } = request.params;
  if (typeof taskId !== 'string')
    throw createInvalidParamsError('`taskId` must be the id in the response to a call.');
  const task = await findNamedTask(published, request, taskId);
  if (!task) throw createUnknownTaskError(request);
  return task;
}

/** @throws RpcError if the endpoint has no tasks, or the client has not declared the extension. */
export function assertTasksSupported(
  published: PublishedItems,
  request: Pick<RpcRequest, 'era' | 'client'>,
): void {
  if (request.era !== 'modern' || !hasTasks(published))
    throw new RpcError(RPC_CODE.methodNotFound, 'Method not found');
  if (!supportsTasks(request)) throw createNotDeclaredError();
}

/**
 * Returns the turn in a task's id, as a turn of the caller, without checking that it exists. Returns
 * `undefined` for an id that cannot exist. Another caller's task is therefore indistinguishable from one that
 * never existed.
 */
export async function findNamedTask(
  { callable }: PublishedItems,
  { within, client }: Pick<RpcRequest, 'within' | 'client'>,
  id: string,
): Promise<Task | undefined> {
  const named = readTaskId(id);
  const found = named && callable.get(named.name);
  if (!named || found?.kind !== 'agent') return undefined;
  const { name, session, turn, isNew } = named;
  try {
    const target = createTarget(within, within.caller, { agent: found.agent, session });
    return { target, name, isNew, turn, asksPeople: canAskPeople(client) };
  } catch (failure) {
    if (isUnknownTarget(failure)) return undefined;
    throw failure;
  }
}

const createNotDeclaredError = (): RpcError =>
  new RpcError(
    RPC_CODE.missingCapability,
    `The request must declare the extension ${EXTENSION} in its client capabilities.`,
    { requiredCapabilities: { extensions: TASKS } },
  );

const createUnknownTaskError = ({ params }: RpcRequest): RpcError =>
  createInvalidParamsError(
    `There is no task '${shorten(String(params.taskId), 80)}'. A task is deleted with its session.`,
  );
