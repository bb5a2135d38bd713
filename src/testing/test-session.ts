import type { Agent } from '../agent/define-agent.ts';
import { collectAppModules, createAgentResolver } from '../agent/resolve-agent.ts';
import { createMemorySessions } from '../in-memory/memory-session.ts';
import { type StoppedRun, toRunAnswer } from '../in-memory/run-agent.ts';
import type { DeferredTurn } from '../journal/event-page.ts';
import type { Principal, StoredEvent } from '../journal/events.ts';
import { getMemoryValue } from '../journal/memories.ts';
import type { AcceptedTurn, LeaseGrant, SessionPort } from '../journal/session-port.ts';
import type { SessionState } from '../journal/state.ts';
import type { PendingCall } from '../journal/wait.ts';
import type { Modules } from '../loop/modules.ts';
import type { ChatModel, ModelRequest } from '../model/chat-model.ts';
import { type Clock, systemClock } from '../session/read-platform.ts';
import { type MintedSecrets, readSecrets, toSessionName } from '../session/read-secrets.ts';
import { foldAll } from '../session/read-session.ts';
import type { TurnHost } from '../session/turn-host.ts';
import { waitForStop } from '../session/watching/turn-outcome.ts';
import type { Answer, TurnPrincipal } from '../tool/call.ts';
import { findModelProblem } from '../tool/check-literal.ts';
import { toLog, writeProblems } from '../tool/console-log.ts';
import type { GivenEnv } from '../tool/env.ts';
import type { Json, JsonObject } from '../tool/json.ts';
import { type AnswerWithArtifacts, withArtifacts } from '../tool/kept-values.ts';
import type { LogOption } from '../tool/log.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import { ToolCallContext } from '../tool/tool-call-context.ts';
import type { ToolMemory } from '../tool/tool-memory.ts';
import { createSkippableClock } from './clocks.ts';
import {
  listPendingCalls,
  type PostOptions,
  postCancelTo,
  postMessageTo,
  ReceivedMessages,
  readFile,
  recordReceived,
  runMessageTurn,
  type SendOptions,
  sendAnswer,
  type TestDecision,
  type TestMessage,
  toSentDecision,
} from './post-to-session.ts';
import {
  createLeaveAfterReply,
  createStubsUse,
  recordRequests,
  type ScriptedReply,
  type Stub,
  scriptedModel,
} from './scripted-model.ts';
import {
  createKillableWorker,
  createTurnSteps,
  type KillableTurnWorker,
  TESTER,
  type TurnSteps,
} from './turn-steps.ts';

/** The script or model that replaces the agent's own model. */
export type TestModel =
  | { readonly replies: readonly ScriptedReply[]; readonly model?: undefined }
  | { readonly model: ChatModel; readonly replies?: undefined };

/** The options of a test session: a model or its replies, and settings of an app. */
export type TestSessionOptions = TestModel & {
  /** The default sender of messages. In an app, `auth` returns it. Defaults to `{ id: 'tester' }`. */
  readonly principal?: TurnPrincipal | undefined;
  /** The context of every message. In an app, mapped request headers set it. */
  readonly context?: JsonObject | ToolCallContext | undefined;
  /** Creates the tools' credentials for each invocation, and so after each reply unless `warm` is `true`. */
  readonly secrets?:
    | ((principal: Principal) => MintedSecrets | undefined | Promise<MintedSecrets | undefined>)
    | undefined;
  /** The modules of the app, as for `createHoldfast`. */
  readonly use?: readonly ModuleUse[] | undefined;
  /**
   * Other agents of the app, which subagents can refer to by name. If such an agent has no model, the script
   * replaces it.
   */
  readonly agents?: readonly Agent[] | undefined;
  /**
   * Functions that replace the effects of tools, by name, whatever their source. The tools' schemas,
   * decorators and approvals still apply. A stub's return value becomes a result, like that of `run`. The
   * `reconcile` of a stubbed tool is not called. Modules in `use` wrap stubs, but modules of an agent do not.
   */
  readonly stubs?: Readonly<Record<string, Stub>> | undefined;
  /**
   * The Worker's vars, secrets and bindings, or replacements for those that are used. Available in
   * `call.env`, and to modules that read a var such as `TOOL_GROUPS`.
   */
  readonly env?: GivenEnv | undefined;
  /**
   * `true` to run a whole turn in one invocation, for tests that count its connections or events. Defaults to
   * `false`: after each reply, including those of nested loops, another invocation resumes the turn, as after
   * an eviction.
   */
  readonly warm?: boolean | undefined;
  /** Defaults to the system's clock. */
  readonly clock?: Clock | undefined;
  /**
   * Receives the entries of the log, like `logTo` from `holdfast/app`. Defaults to the console, without the
   * entry for each turn; `false` disables the log.
   */
  readonly log?: LogOption | undefined;
  /** The term of a lease in milliseconds. Defaults to 20,000. */
  readonly leaseMs?: number | undefined;
};

/** One session of one agent, in memory, with the real tool loop and the rules of the Durable Object. */
export interface TestSession<Output = unknown> {
  /**
   * Runs a turn and returns the answer, like `POST .../messages`. A failed turn has the outcome `failed`. A
   * turn that waits for a person has the outcome `suspended` and the `pending` calls.
   *
   * @throws Error if an earlier turn runs or waits (over HTTP: 409), or a file of the message is empty or too
   * large. Does not check which media types the agent accepts.
   */
  send(message: TestMessage, options?: SendOptions): Promise<TestAnswer<Output>>;
  /**
   * Sends a message as with `Prefer: respond-async`. Can be called from a tool or a reply. The message starts
   * a turn in the background, is queued, or joins the running turn. `answer` returns the outcome.
   *
   * @throws Error if a turn is open, and `whenBusy` is not set.
   */
  post(message: TestMessage, options?: PostOptions): Promise<AcceptedTurn | DeferredTurn>;
  /** Returns the outcome of the turn of a posted message. @throws Error if there is no such turn. */
  answer(turn: string): Promise<TestAnswer<Output>>;
  /** Stops a running or waiting turn. Defaults to the open turn. @throws Error if the turn is not open. */
  cancel(turn?: string): Promise<void>;
  /** Returns the calls that the open turn waits for. */
  pending(): Promise<readonly PendingCall[]>;
  /**
   * Decides a waiting call by its id or by the name of its tool, and resumes the turn like `send`. By
   * default, the person who decides has every role.
   *
   * @throws Error if no call or several calls with that name wait, if the decision does not fit the call, or
   * if the person in `by` may not decide. With `notBy: 'requester'`, a sender of a message to the turn may
   * not decide.
   */
  decide(callOrTool: string, decision: TestDecision): Promise<TestAnswer<Output>>;
  /**
   * Sends the result of a client tool, in the body format of `POST .../results/{callId}`, and resumes the
   * turn. Finds the call and throws like `decide`.
   */
  result(callOrTool: string, result: Answer<'result'>): Promise<TestAnswer<Output>>;
  /**
   * Returns the outcome of the last turn once it stops. For turns that resume by themselves, such as after a
   * deadline.
   */
  settled(): Promise<TestAnswer<Output>>;
  /** The requests to the model, oldest first. */
  readonly requests: readonly ModelRequest[];
  /** Returns the bytes of a file that the session stores, or `null` if it has no file with this id. */
  file(id: string): Promise<Uint8Array | null>;
  /**
   * Returns the current state of a module. For a nested loop or another agent, pass the path. @throws Error
   * before the first `send`.
   */
  memory<Value extends Json, Fact extends Json>(
    module: { readonly memory: ToolMemory<Value, Fact> },
    path?: string,
  ): Promise<Value>;
  /** Returns the journal so far. */
  events(): Promise<readonly StoredEvent[]>;
  /** Returns the fold of the journal. @throws Error before the first `send`. */
  state(): Promise<SessionState>;
  /** Simulates a crash of the object. It keeps its rows, but loses its memory. A running turn continues. */
  restart(): void;
  /**
   * Simulates a crash of the Worker. Call it from a tool or a reply. Further operations of the running
   * invocation are lost, its lease expires at once, and another invocation resumes the turn. `send` returns
   * the outcome. A reply that is not stored yet is requested again, so include it twice in the script.
   */
  kill(): void;
}

/** An answer whose `object` has the type of the agent's output. `artifactsOf` reads its artifacts. */
export type TestAnswer<Output = unknown> = AnswerWithArtifacts<StoppedRun<Output>>;

/** The default term of a lease, in milliseconds. */
const LEASE_MS = 20_000;

const ADDRESS = { owner: { id: TESTER }, session: 'test' };

/**
 * Creates a session for a test of an agent. It needs no Worker, network or clean-up. After each reply, a new
 * invocation resumes the turn. It recreates the secrets and the tools of each `toolFactory`, and its only
 * state is the journal. Pass a function that creates the agent to give each invocation its own agent, so that
 * tests detect state in closures. With `warm: true`, one invocation runs the whole turn.
 *
 * @example
 * ```ts
 * const session = createTestSession(() => clerk(), { replies: [{ calls: [{ name: 'look_up' }] }, 'Found.'] });
 * expect(await session.send('Where is my order?')).toMatchObject({ outcome: 'completed', text: 'Found.' });
 * ```
 *
 * @throws ConfigurationError if a tool group of the agent is unavailable, or two modules share a name.
 */
export function createTestSession<Output>(
  given: Agent<string, Output> | (() => Agent<string, Output>),
  options: TestSessionOptions,
): TestSession<Output> {
  const { model, requests } = recordRequests(getTestModel(Object(options)));
  const make = typeof given === 'function' ? given : () => given;
  const declared = make();
  const { leaseMs = LEASE_MS, context = {} } = options;
  const env = { ...options.env };
  const app: readonly Agent[] = [declared, ...(options.agents ?? [])];
  const log = toLog(options.log ?? writeProblems);
  const { use: ownUse = [], stubs } = options;
  const use = stubs ? [...ownUse, createStubsUse(stubs)] : ownUse;
  const collectModules = (one: Agent): Modules =>
    collectAppModules({ use, agents: [one, ...(options.agents ?? [])] });
  const modules = collectModules(declared);
  const inEnv = createAgentResolver({ modules, agents: app, log });
  const resolve = (one: Agent): Agent => inEnv?.(one, env) ?? one;
  const agent: Agent = resolve(declared);
  const clock = createSkippableClock(options.clock ?? systemClock);
  const name = toSessionName({ ...ADDRESS, agent: agent.name });
  const sessions = createMemorySessions({
    clock,
    leaseMs,
    dispatch: ({ turn }) => worker.resumeAndRun(turn),
  });
  const heard = new ReceivedMessages();
  const port = recordReceived(sessions.session(name), heard);
  const loadSecrets = async (principal: Principal) => readSecrets(await options.secrets?.(principal));
  const agents: TurnHost['agents'] = {
    names: app.map(({ name: one }) => one).toSorted(),
    model,
    find: (sought) => app.map(resolve).find(({ name: one }) => one === sought),
    resolve,
  };
  const host = { port, agent: { ...agent, model }, model, clock, secrets: loadSecrets, env, agents, modules };
  const place = { ...ADDRESS, agent: agent.name };
  const rebuildParts = () => {
    const made = make();
    const own = made === declared ? modules : collectModules(made);
    const changed = { agent: { ...resolve(made), model }, modules: own };
    if (options.warm) return changed;
    const { use: leaving, leave } = createLeaveAfterReply();
    return { ...changed, leave, modules: { ...own, appWide: [...own.appWide, leaving] } };
  };
  let invocation: Partial<TurnHost> & { readonly modules: Modules } = { modules };
  const leasing = createTurnSteps({ ...host, log, place }, () => invocation.modules);
  // The invocation that leases a turn runs it with the code at that time.
  const steps: TurnSteps = {
    ...leasing,
    begin(start) {
      invocation = rebuildParts();
      return leasing.begin(start);
    },
    resume(turn) {
      invocation = rebuildParts();
      return leasing.resume(turn);
    },
  };
  const cold = { resume: steps.resume, run: (leased: LeaseGrant) => steps.run(leased, invocation) };
  const worker = createKillableWorker(cold, (more) => clock.skip(2 * leaseMs + more));
  // A lease holder receives new messages when it renews its lease, after a third of the term.
  const receiveNow = () => clock.pass(leaseMs / 3);
  const ofMessages = {
    receiveNow,
    heard,
    principal: options.principal,
    context: ToolCallContext.of(context),
  };
  return {
    requests,
    ...createConversation<Output>({ agent, modules, clock, port, steps, worker, ...ofMessages }),
    file: (id) => readFile(port, id),
    events: steps.events,
    state: steps.state,
    memory: async ({ memory }, path = agent.name) =>
      getMemoryValue((await steps.state()).memories, memory, path),
    restart: () => sessions.restart(name),
    kill: worker.kill,
  };
}

/**
 * Returns the model of a test session. @throws TypeError without replies and a model, as is possible in plain
 * JavaScript.
 */
function getTestModel({ model, replies }: TestSessionOptions): ChatModel {
  const problem = findModelProblem(model);
  if (problem !== undefined || typeof model === 'function')
    throw new TypeError(`createTestSession ${problem ?? 'has a function as its model. Call it'}.`);
  if (!model && !replies)
    throw new TypeError(
      "createTestSession has neither 'replies' nor 'model'. Use replies, as in { replies: ['Hello.'] }.",
    );
  return model ?? scriptedModel(replies ?? []);
}

interface SessionParts {
  readonly agent: Agent;
  readonly modules: Modules;
  readonly clock: Clock;
  readonly port: SessionPort;
  readonly steps: TurnSteps;
  readonly worker: KillableTurnWorker;
  /** Advances the time so that the running turn receives new messages. */
  readonly receiveNow: () => void;
  readonly heard: ReceivedMessages;
  readonly principal: TurnPrincipal | undefined;
  readonly context: ToolCallContext;
}

/** Returns the methods that send to a session. */
function createConversation<Output>(
  stage: SessionParts,
): Omit<TestSession<Output>, 'requests' | 'file' | 'events' | 'state' | 'memory' | 'restart' | 'kill'> {
  const { agent, modules, port, steps, worker } = stage;
  const readLastTurn = async (): Promise<readonly StoredEvent[]> =>
    (await foldAll(port, modules.memories))?.turnEvents ?? [];
  const answer = (turn: string): Promise<TestAnswer<Output>> => readAnswer(stage, turn);
  async function answerCall(
    callOrTool: string,
    sent: Parameters<typeof sendAnswer>[2],
  ): Promise<TestAnswer<Output>> {
    const turn = await sendAnswer({ port, agent, modules, events: await readLastTurn() }, callOrTool, sent);
    await worker.resumeAndRun(turn);
    return answer(turn);
  }
  return {
    send: async (message, options = {}) => answer(await runMessageTurn(stage, message, options)),
    post: (message, options = {}) => postMessageTo(stage, message, options),
    answer,
    cancel: (turn) => postCancelTo(stage, turn),
    pending: async () => listPendingCalls({ modules, events: await readLastTurn() }),
    decide: (callOrTool, decision) => answerCall(callOrTool, toSentDecision(decision)),
    result: (callOrTool, body) => answerCall(callOrTool, { for: 'result', body }),
    settled: async () => answer((await steps.state()).turn?.id ?? ''),
  };
}

/** Waits until a turn stops, and returns its outcome. */
async function readAnswer<Output>(
  { agent, modules, clock, port }: SessionParts,
  turn: string,
): Promise<TestAnswer<Output>> {
  const events = await waitForStop({ port, clock, turn, signal: new AbortController().signal });
  const stopped = toRunAnswer({ agent, modules }, ADDRESS.session, events);
  return withArtifacts(stopped) as TestAnswer<Output>; // the agent's schema has validated `object`
}
