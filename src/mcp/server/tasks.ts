/**
 * Calls of published agents as tasks of MCP's extension `io.modelcontextprotocol/tasks`. A task is a turn: how it stands is read
 * from the journal whenever somebody asks, and nothing more is kept of it.
 */
import type { CallToolResult, Result } from '@modelcontextprotocol/server';
import { SessionErasedError } from '../../session/send-again.ts';
import { shorten } from '../../tool/json.ts';
import { cancelTurn } from '../../worker/end-turn.ts';
import { SessionError } from '../../worker/problem.ts';
import { isUnknownTarget, targetOf } from '../../worker/target.ts';
import { invalidParams, RPC_CODE, RpcError } from '../content/rpc.ts';
import { notTaken } from './agent-tool.ts';
import { type AgentCall, takeCall } from './call-agent.ts';
import { asksPeople } from './caller.ts';
import { takeInputs } from './input-required.ts';
import type { Published, RpcRequest } from './rpc-request.ts';
import { readTaskId, SOON, type Standing, stateOf, type Task, type TaskView } from './task-state.ts';

/** The name under which clients and servers declare the extension. */
const EXTENSION = 'io.modelcontextprotocol/tasks';

/** What a server declares among its `extensions` that answers tasks. */
export const TASKS = { [EXTENSION]: {} };

/** The methods of the extension. */
export const TASK_METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel'] as const;

/** The answer of a call that goes on as a task. */
type CreatedTask = TaskView & {
  readonly resultType: 'task';
  readonly status: Standing['status'];
  readonly pollIntervalMs: number;
};

/** Tells whether a call may be answered by a task: its own request has to declare that. */
export const takesTasks = ({ era, client }: Pick<RpcRequest, 'era' | 'client'>): boolean =>
  era === 'modern' && client.extensions?.[EXTENSION] !== undefined;

/** Tells whether calls of an endpoint can become tasks: those of tools, which have no session, cannot. */
export const hasTasks = ({ callable }: Published): boolean =>
  [...callable.values()].some(({ kind }) => kind === 'agent');

/**
 * Stores the turn of a call for the background, as `Prefer: respond-async` does, and answers its task.
 *
 * @throws what `callAgent` does.
 */
export const callAsTask = (
  { within, client }: Pick<RpcRequest, 'within' | 'client'>,
  call: AgentCall,
): Promise<CreatedTask | CallToolResult> =>
  takeCall(within, call, async (asked) => {
    const { target, start } = asked;
    const taken = await target.port.accept(start);
    switch (taken.status) {
      case 'accepted':
      case 'known': {
        const state = await stateOf({ ...asked, turn: taken.turn, asksPeople: asksPeople(client) });
        if (!state) throw new SessionErasedError();
        const { taskId, status, createdAt, lastUpdatedAt, ttlMs } = state.view;
        return { resultType: 'task', taskId, status, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs: SOON };
      }
      default:
        return notTaken(target, taken);
    }
  });

/**
 * Answers how a task stands.
 *
 * @throws RpcError for a client that has not declared the extension, and for what is no task of the caller's.
 */
export async function getTask(published: Published, request: RpcRequest): Promise<TaskView & Standing> {
  const state = await stateOf(await findTask(published, request));
  if (!state) throw unknownTask(request);
  return state.view;
}

/**
 * Stops the turn of a task, as the cancel route does; one that has ended stays as it is, which is no error.
 *
 * @throws RpcError as `getTask` does, and when the turn waits for somebody with a role that the caller lacks.
 */
export async function cancelTask(published: Published, request: RpcRequest): Promise<Result> {
  const task = await findTask(published, request);
  const { within, leave: signal } = request;
  try {
    await cancelTurn({ ...within, target: task.target, signal }, task.turn);
  } catch (failure) {
    if (!(failure instanceof SessionError)) throw failure;
    if (IS_NO_TASK.includes(failure.type)) throw unknownTask(request);
    if (failure.type !== 'turn-over') throw new RpcError(RPC_CODE.invalidRequest, failure.message);
  }
  return {};
}

/**
 * Decides what the turn of a task waits for, by what its client answers, as the route for approvals does; the turn goes on in the
 * background. What is not asked, or is not any more, is not looked at.
 *
 * @throws RpcError as `getTask` does, and when an answer is none that could be taken; the others were.
 */
export async function updateTask(published: Published, request: RpcRequest): Promise<Result> {
  const { target, turn } = await findTask(published, request);
  const { within, leave: signal, answers: responses } = request;
  const at = { ...within, target, signal };
  const asked = Object.keys(responses);
  const taken = await takeInputs(at, { turn, asked, responses, inBackground: true });
  if (!taken) throw unknownTask(request);
  const problems = [...taken.problems].map(([key, found]) => `the one to '${key}': ${found.join('; ')}`);
  if (problems.length > 0)
    throw invalidParams(`Of the answers, these could not be taken: ${problems.join('. ')}.`);
  return {};
}

/** What is said of a turn that no call was answered with: there is none, or its message went into another one. */
const IS_NO_TASK: readonly string[] = ['unknown-session', 'unknown-turn', 'no-open-turn'];

/** Finds the task that a request names. @throws RpcError as `getTask` does. */
async function findTask(published: Published, request: RpcRequest): Promise<Task> {
  mustTakeTasks(published, request);
  const { taskId } = request.params;
  if (typeof taskId !== 'string')
    throw invalidParams('`taskId` must be text: the one that a call was answered with.');
  const task = await taskNamed(published, request, taskId);
  if (!task) throw unknownTask(request);
  return task;
}

/** @throws RpcError where there are no tasks, and for a client that has not declared the extension. */
export function mustTakeTasks(published: Published, request: Pick<RpcRequest, 'era' | 'client'>): void {
  if (request.era !== 'modern' || !hasTasks(published))
    throw new RpcError(RPC_CODE.methodNotFound, 'Method not found');
  if (!takesTasks(request)) throw notDeclared();
}

/**
 * Answers the turn that the id of a task names, as a turn of the caller's own, whether there is one or not; `undefined` when there
 * cannot be: so another caller's task is as unknown as one that never was.
 */
export async function taskNamed(
  { callable }: Published,
  { within, client }: Pick<RpcRequest, 'within' | 'client'>,
  id: string,
): Promise<Task | undefined> {
  const named = readTaskId(id);
  const found = named && callable.get(named.name);
  if (!named || found?.kind !== 'agent') return undefined;
  const { name, session, turn, isNew } = named;
  try {
    const target = targetOf(within, within.caller, { agent: found.agent, session });
    return { target, name, isNew, turn, asksPeople: asksPeople(client) };
  } catch (failure) {
    if (isUnknownTarget(failure)) return undefined;
    throw failure;
  }
}

const notDeclared = (): RpcError =>
  new RpcError(
    RPC_CODE.missingCapability,
    `The request has to declare the extension ${EXTENSION} among the capabilities of its client.`,
    { requiredCapabilities: { extensions: TASKS } },
  );

const unknownTask = ({ params }: RpcRequest): RpcError =>
  invalidParams(`There is no task '${shorten(String(params.taskId), 80)}'. A task is gone with its session.`);
