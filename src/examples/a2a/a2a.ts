/**
 * A2A 1.0 over JSON-RPC for `createHoldfast({ use: [a2a({ agents: ['refunds'] })] })`. It shows how to
 * implement a protocol outside the package.
 */
import { type Session, SessionError, type TurnStream } from '../../create-holdfast.ts';
import type { JsonObject } from '../../index.ts';
import {
  defineModule,
  defineRoute,
  type FileUrls,
  fileUrlsOf,
  type ModuleRequest,
  type PublicRequest,
  type RouteAgent,
  type RouteProblem,
  type Tell,
  type Teller,
  tellerOf,
} from '../../module.ts';
import type { SessionIndex } from '../../modules/index/entry.ts';
import { listTasks } from './list-tasks.ts';
import {
  createNoPushError,
  hasCall,
  type RpcCall,
  readAnswers,
  readCall,
  readHistoryLength,
  readId,
  readListing,
  readSending,
  readTaskIdParam,
  type SendRequest,
  toSentParts,
} from './read-params.ts';
import { isOver, readTaskId, type TurnView, toHistory, toTask } from './task.ts';
import { toA2a } from './translate.ts';
import { A2aError, createRpcError, createRpcResult, type Message, type RpcId, type Task } from './wire.ts';

/** The agents to offer over A2A. Their agent cards are public. */
export interface A2aConfig {
  /** The names of the agents. The first agent's card is also served as the host's card. */
  readonly agents: readonly [string, ...string[]];
  /** The accepted media types in the agent cards. Defaults to text only. */
  readonly inputModes?: readonly string[];
  /** Returns the index of the app, for `ListTasks`. Without it, tasks are not listed. */
  readonly index?: (() => SessionIndex) | undefined;
  /**
   * Rewrites problems for users. By default, short sentences replace the texts of providers, tools and the
   * Worker.
   */
  readonly tell?: Tell;
}

const A2A = defineModule({ name: 'a2a' });

/**
 * Adds `POST /a2a/{agent}` and the agent card of each agent. A context is a session, and a task is one of its
 * turns.
 */
export function a2a({ agents, inputModes = ['text/plain'], index, tell }: A2aConfig) {
  const toTeller = tellerOf('a2a', tell);
  const serveCard = ({ request, base, agents: known }: PublicRequest, name: string): Response => {
    const agent = agents.includes(name) ? known.find((one) => one.name === name) : undefined;
    if (!agent) return Response.json({ error: `There is no agent '${name}' here.` }, { status: 404 });
    return Response.json(createCard(agent, new URL(`${base}/a2a/${name}`, request.url).href, inputModes));
  };
  return A2A.use({
    routes: [
      defineRoute({
        method: 'GET',
        path: '/.well-known/agent-card.json',
        isPublic: true,
        handle: (asked) => serveCard(asked, agents[0]),
      }),
      defineRoute({
        method: 'GET',
        path: '/a2a/{agent}/.well-known/agent-card.json',
        isPublic: true,
        handle: (asked, { agent }) => serveCard(asked, agent),
      }),
      defineRoute({
        method: 'POST',
        path: '/a2a/{agent}',
        isCounted: true,
        streams: true,
        handle: (asked, { agent }) => {
          const named = agents.includes(agent) ? agent : '';
          return respond(new CallerSessions(asked, named, { teller: toTeller(asked.request), index }));
        },
        refuse: (given, request) => {
          const problem = toTeller(request).problem(given);
          const { status, headers } = problem;
          return Response.json(createRpcError(null, toError(problem)), { status, headers });
        },
      }),
    ],
  });
}

function toError({ type, status, detail }: RouteProblem): A2aError {
  if (type === 'bad-json') return new A2aError('parse-error', detail);
  if (type === 'turn-over') return new A2aError('task-not-cancelable', detail);
  if (status === 404) return new A2aError('task-not-found', detail);
  if (status === 409) return new A2aError('unsupported', detail);
  if (status === 415) return new A2aError('content-type-not-supported', detail);
  if (status >= 500) return new A2aError('internal', detail);
  return new A2aError(status === 400 || status === 422 ? 'invalid-params' : 'invalid-request', detail);
}

async function respond(desk: CallerSessions): Promise<Response> {
  const { asked, agent } = desk;
  const body = await asked.json();
  try {
    const { headers } = asked.request;
    const version = headers.get('a2a-version') ?? '';
    if (version !== '' && !/^1\.\d+$/.test(version))
      throw new A2aError('version-not-supported', `A2A ${version.slice(0, 20)} is not supported. Use 1.0.`);
    if (agent === '') throw new A2aError('invalid-params', 'This agent does not support A2A.');
    return await dispatchMethod(desk, readCall(body));
  } catch (failure) {
    if (failure instanceof A2aError) return Response.json(createRpcError(readId(body), failure));
    const problem = desk.problem(failure);
    // `refuse` also logs internal failures.
    if (problem.status >= 500) throw failure;
    return Response.json(createRpcError(readId(body), toError(problem)));
  }
}

async function dispatchMethod(desk: CallerSessions, { id, method, params }: RpcCall): Promise<Response> {
  const createResultResponse = (value: object): Response => Response.json(createRpcResult(id, value));
  switch (method) {
    case 'SendMessage':
      return createResultResponse({ task: await desk.send(readSending(params)) });
    case 'SendStreamingMessage':
      return desk.stream(id, await desk.begin(readSending(params)));
    case 'GetTask':
      return createResultResponse(await desk.get(params));
    case 'CancelTask':
      return createResultResponse(await desk.cancel(await desk.find(readTaskIdParam(params))));
    case 'SubscribeToTask':
      return desk.stream(id, await desk.follow(await desk.find(readTaskIdParam(params))));
    case 'ListTasks':
      return createResultResponse(await listTasks(desk, readListing(params)));
    case 'GetExtendedAgentCard':
      throw new A2aError('no-extended-card', 'This agent has no extended card.');
    default:
      if (method.endsWith('TaskPushNotificationConfig') || method.endsWith('TaskPushNotificationConfigs'))
        throw createNoPushError();
      throw new A2aError(
        'method-not-found',
        'This method is unknown. Use SendMessage, SendStreamingMessage, GetTask, ListTasks, CancelTask or SubscribeToTask of A2A 1.0.',
      );
  }
}

/**
 * Returns the context for a message without one. A message that the same user repeats gets the same context.
 * Clients choose message ids, so two users of a tenant can use the same id.
 */
async function deriveContext({ caller }: ModuleRequest, messageId: string): Promise<string> {
  const named = new TextEncoder().encode(JSON.stringify([caller.id, messageId]));
  const hash = await crypto.subtle.digest('SHA-256', named);
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export interface FoundTask {
  readonly session: Session;
  readonly standing: TurnView;
}

interface StartedTask {
  readonly task: Task;
  readonly items: TurnStream;
}

/** Gives one request access to its caller's sessions. */
export class CallerSessions {
  readonly asked: ModuleRequest;
  /** The agent's name, or `''` if the agent is not offered over A2A. */
  readonly agent: string;
  /** Returns the app's index. Absent if the app has no index. */
  readonly index: A2aConfig['index'];
  readonly #teller: Teller;

  constructor(
    asked: ModuleRequest,
    agent: string,
    { teller, index }: { teller: Teller } & Pick<A2aConfig, 'index'>,
  ) {
    this.asked = asked;
    this.agent = agent;
    this.index = index;
    this.#teller = teller;
  }

  /** Converts a failure to the problem shown to the client. */
  problem(failure: unknown): RouteProblem {
    return this.#teller.problem(this.asked.problem(failure));
  }

  session(context: string): Session {
    return this.asked.session({ agent: this.agent, session: context });
  }

  #files(context: string): FileUrls {
    return fileUrlsOf(this.asked, { agent: this.agent, session: context });
  }

  /** Finds a task. @throws A2aError if it does not exist. */
  async find(id: string): Promise<FoundTask & { readonly turn: string }> {
    const named = readTaskId(id);
    if (!named) throw new A2aError('task-not-found', `There is no task '${id.slice(0, 80)}'.`);
    const session = this.session(named.session);
    return { session, turn: named.turn, standing: await session.turn(named.turn) };
  }

  async get(params: JsonObject): Promise<Task> {
    const historyLength = readHistoryLength(params);
    return this.task(await this.find(readTaskIdParam(params)), historyLength);
  }

  async task({ session, standing }: FoundTask, historyLength?: number): Promise<Task> {
    const events = [];
    if (historyLength !== 0)
      for await (const event of session.events({ turn: standing.turn })) events.push(event);
    const history = toHistory(events, standing.session, historyLength);
    return this.#shown(standing, history);
  }

  async #shown(standing: TurnView, history?: readonly Message[]): Promise<Task> {
    const files = this.#files(standing.session);
    if (standing.outcome === undefined) return toTask(standing, files.url, history);
    await files.make((standing.files ?? []).map(({ id }) => id));
    if (standing.outcome === 'suspended') return toTask(standing, files.url, history);
    return toTask(this.#teller.item({ type: 'answer', answer: standing }).answer, files.url, history);
  }

  async send(sending: SendRequest): Promise<Task> {
    const { session, answers, context } = await this.#wanted(sending);
    const { messageId: idempotencyKey, parts, returnsAtOnce: background, historyLength } = sending;
    const options = { background, idempotencyKey, signal: this.asked.signal };
    const standing = answers
      ? await session.answer(answers, options)
      : await session.send(toSentParts(parts), options).catch(rethrowInTask(context));
    return this.task({ session, standing }, historyLength);
  }

  async begin(sending: SendRequest): Promise<StartedTask> {
    const { session, answers, context } = await this.#wanted(sending);
    const { messageId: idempotencyKey, parts } = sending;
    const { signal } = this.asked;
    const items = answers
      ? await session.streamAnswers(answers, { signal, idempotencyKey })
      : await session.stream(toSentParts(parts), { signal, idempotencyKey }).catch(rethrowInTask(context));
    const { turn } = items;
    const task = await this.#shown(toRunning({ session: context, turn, agent: this.agent }));
    return { task, items };
  }

  /**
   * Returns the session of a message, and its answers if it answers a task. Without a context, the message id
   * determines a new one.
   */
  async #wanted({ contextId, taskId, messageId, parts }: SendRequest) {
    if (taskId === undefined) {
      const context = contextId ?? (await deriveContext(this.asked, messageId));
      return { context, session: this.session(context), answers: undefined };
    }
    const { session, standing } = await this.find(taskId);
    const context = standing.session;
    if (contextId !== undefined && contextId !== context)
      throw new A2aError('invalid-params', `Task '${taskId}' does not belong to the context '${contextId}'.`);
    // The session recognizes a repeated answer to a call.
    const pending = standing.outcome === 'suspended' ? standing.pending : [];
    if (pending.length === 0 && !parts.some(hasCall)) {
      const why = isOver(standing) ? 'has ended' : 'is running';
      throw new A2aError(
        'unsupported',
        `Task '${taskId}' ${why} and is not waiting for an answer. Send the message without a task id.`,
      );
    }
    return { context, session, answers: readAnswers(parts, pending) };
  }

  async cancel({ session, standing, turn }: FoundTask & { readonly turn: string }): Promise<Task> {
    if (isOver(standing))
      throw new A2aError('task-not-cancelable', 'The task has ended, so it cannot be cancelled.');
    await session.cancel(turn);
    // The task ends only after its lease holder has received the cancellation.
    for await (const _ of await session.follow(turn, { signal: this.asked.signal }));
    return this.task({ session, standing: await session.turn(turn) });
  }

  async follow({ session, standing, turn }: FoundTask & { readonly turn: string }): Promise<StartedTask> {
    if (isOver(standing))
      throw new A2aError('unsupported', 'The task has ended. GetTask returns its outcome.');
    const { signal } = this.asked;
    const items = await session.follow(turn, { signal });
    const task = await this.#shown(standing);
    return { task, items };
  }

  /**
   * Streams each event as a JSON-RPC response. A stream that breaks off ends with an error, which is also
   * logged.
   */
  stream(id: RpcId, { task, items }: StartedTask): Response {
    const { contextId: session } = task;
    const files = this.#files(session);
    const run = { session, turn: items.turn, task, files: files.url };
    const shown = toA2a(files.items(this.#teller.items(items)), run);
    const toErrorReply = (failure: unknown) => createRpcError(id, toError(this.problem(failure)));
    const formatFrame = (said: object): string => `data: ${JSON.stringify(said)}\n\n`;
    return this.asked.stream(async function* () {
      try {
        for await (const event of shown) yield formatFrame(createRpcResult(id, event));
      } catch (failure) {
        yield formatFrame(toErrorReply(failure));
        throw failure;
      }
    });
  }
}

const toRunning = (of: {
  readonly session: string;
  readonly turn: string;
  readonly agent: string;
}): TurnView => ({
  ...of,
  status: 'running',
});

/** A context accepts no other message while its task waits for an answer. The error names that task. */
const rethrowInTask =
  (context: string) =>
  (failure: unknown): never => {
    if (!(failure instanceof SessionError) || failure.type !== 'turn-suspended') throw failure;
    const turn = String(Object(failure.more).turn);
    throw new A2aError(
      'unsupported',
      `Task '${context}~${turn}' waits for an answer. Answer it, or cancel the task.`,
    );
  };

const createCard = ({ name, description }: RouteAgent, url: string, inputModes: readonly string[]) => ({
  name,
  description,
  version: '1',
  supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
  capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false, extensions: [] },
  securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
  securityRequirements: [{ schemes: { bearer: { list: [] } } }],
  defaultInputModes: inputModes,
  defaultOutputModes: ['text/plain', 'application/json'],
  skills: [{ id: name, name, description, tags: [name] }],
});
