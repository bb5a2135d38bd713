import type { Agent } from '../agent/define-agent.ts';
import { agentResolver, appModules } from '../agent/resolve-agent.ts';
import { createMemorySessions } from '../in-memory/memory-session.ts';
import { type StoppedRun, stopShown } from '../in-memory/run-agent.ts';
import type { Deferred } from '../journal/event-page.ts';
import type { Principal, StoredEvent } from '../journal/events.ts';
import { valueIn } from '../journal/memories.ts';
import type { Accepted, Leased, SessionPort } from '../journal/session-port.ts';
import type { SessionState } from '../journal/state.ts';
import type { PendingCall } from '../journal/wait.ts';
import type { Modules } from '../loop/modules.ts';
import type { ChatModel, ModelRequest } from '../model/chat-model.ts';
import { type Clock, systemClock } from '../session/read-platform.ts';
import { type MintedSecrets, readSecrets, toSessionName } from '../session/read-secrets.ts';
import { foldAll } from '../session/read-session.ts';
import type { TurnHost } from '../session/turn-host.ts';
import { turnStopped } from '../session/watching/turn-outcome.ts';
import type { Answer, TurnPrincipal } from '../tool/call.ts';
import { modelProblem } from '../tool/check-literal.ts';
import { toLog, writeProblems } from '../tool/console-log.ts';
import type { GivenEnv } from '../tool/env.ts';
import type { Json, JsonObject } from '../tool/json.ts';
import { type WithArtifacts, withArtifacts } from '../tool/kept-values.ts';
import type { LogOption } from '../tool/log.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import { ToolCallContext } from '../tool/tool-call-context.ts';
import type { ToolMemory } from '../tool/tool-memory.ts';
import { skippableClock } from './clocks.ts';
import {
  cancelIn,
  HeardMessages,
  hearing,
  type PostOptions,
  pendingIn,
  postTo,
  readFile,
  runTurnOf,
  type SendOptions,
  sendAnswer,
  type TestDecision,
  type TestMessage,
  toSentDecision,
} from './post-to-session.ts';
import {
  leavingAfterReply,
  recorded,
  type ScriptedReply,
  type Stub,
  scriptedModel,
  stubbing,
} from './scripted-model.ts';
import { type MortalWorker, mortalWorker, TESTER, type TurnSteps, turnSteps } from './turn-steps.ts';

/** Who answers: a script, or a model. It takes the place of the agent's own. */
export type TestModel =
  | { readonly replies: readonly ScriptedReply[]; readonly model?: undefined }
  | { readonly model: ChatModel; readonly replies?: undefined };

/** What a test session is made with: a model or its replies, and what an app would give to its turns. */
export type TestSessionOptions = TestModel & {
  /** Who sends every message, as `auth` of an app would answer it: `{ id: 'tester' }` unless given. */
  readonly principal?: TurnPrincipal | undefined;
  /** Of every message, as request headers that the app maps would give it. */
  readonly context?: JsonObject | ToolCallContext | undefined;
  /** Mints the credentials of the tools, once an invocation: after each reply they are minted again, unless `warm`. */
  readonly secrets?:
    | ((principal: Principal) => MintedSecrets | undefined | Promise<MintedSecrets | undefined>)
    | undefined;
  /** Modules of the app, as `createHoldfast` takes them. */
  readonly use?: readonly ModuleUse[] | undefined;
  /** Other agents of the app, for subagents that are given by name. One without a model is asked by the same script. */
  readonly agents?: readonly Agent[] | undefined;
  /**
   * What runs in place of the effects of tools, by their names, wherever they come from: the tool's schema, decorators and approvals stay.
   * What a stub answers is a result as that of `run`. The `reconcile` of a stubbed tool is not asked. Modules of `use` wrap a stub, modules of
   * an agent do not.
   */
  readonly stubs?: Readonly<Record<string, Stub>> | undefined;
  /** The Worker's vars, secrets and bindings, or what stands in for those that are used: for `call.env`, and for modules that read a var, such as `TOOL_GROUPS`. */
  readonly env?: GivenEnv | undefined;
  /**
   * One invocation runs a whole turn. Defaults to `false`: after each reply, of a nested loop too, another invocation resumes the turn,
   * as after an eviction. For tests that count what one invocation does, such as its connections or its events.
   */
  readonly warm?: boolean | undefined;
  /** The system's unless given. */
  readonly clock?: Clock | undefined;
  /**
   * Takes the lines of the log, as `logTo` of `holdfast/app` does. Unless given, problems are written to the console, and no line for
   * each turn; `false`: nothing is.
   */
  readonly log?: LogOption | undefined;
  /** The term of a lease, 20 s unless given. */
  readonly leaseMs?: number | undefined;
};

/** One session of one agent, in memory, with the real tool loop and the rules of the Durable Object. */
export interface TestSession<Output = unknown> {
  /**
   * Runs a turn and answers as `POST .../messages` does. A turn that fails is an answer too, with the outcome `failed`,
   * and so is one that comes to wait for somebody: `suspended`, with the `pending` calls.
   *
   * @throws Error when an earlier turn runs or waits (over HTTP: 409), and when a file of the message is empty or too large. Which
   *   media types the agent accepts is not asked.
   */
  send(message: TestMessage, options?: SendOptions): Promise<TestAnswer<Output>>;
  /**
   * Sends a message as one with `Prefer: respond-async`, from a tool or a reply too: its turn runs in the background, waits, or
   * is not to be, when the message has been taken into the turn that runs. `answer` tells what came of it.
   *
   * @throws Error when a turn is open, and nothing is said for that.
   */
  post(message: TestMessage, options?: PostOptions): Promise<Accepted | Deferred>;
  /** What a turn comes to: of a message that was posted. @throws Error when it is not a turn. */
  answer(turn: string): Promise<TestAnswer<Output>>;
  /** Asks whoever runs the turn to stop it, or ends one that waits; the open one unless given. @throws Error when there is none. */
  cancel(turn?: string): Promise<void>;
  /** What the open turn waits for. */
  pending(): Promise<readonly PendingCall[]>;
  /**
   * Decides about the call that waits, by its id or by the name of its tool, as somebody who has every role, and goes on
   * with the turn as `send` does.
   *
   * @throws Error when no call or more than one waits under that name, and when this cannot be decided about it, or not by the one
   *   whom the decision names: of a call with `notBy: 'requester'`, whoever sent a message to the turn.
   */
  decide(callOrTool: string, decision: TestDecision): Promise<TestAnswer<Output>>;
  /** Sends the result of a tool that the caller runs: what the body of `POST .../results/{callId}` takes. Otherwise as `decide`. */
  result(callOrTool: string, result: Answer<'result'>): Promise<TestAnswer<Output>>;
  /** The last turn once it has stopped: for one that goes on by itself, since its time to be answered is over. */
  settled(): Promise<TestAnswer<Output>>;
  /** What the model was shown, oldest first. */
  readonly requests: readonly ModelRequest[];
  /** The bytes of a file that the session keeps, by its id; `null` when it keeps none of this id. */
  file(id: string): Promise<Uint8Array | null>;
  /** The state of a module now; of a nested loop, or another agent, by its path. @throws Error before the first `send`. */
  memory<Value extends Json, Fact extends Json>(
    module: { readonly memory: ToolMemory<Value, Fact> },
    path?: string,
  ): Promise<Value>;
  /** The journal so far. */
  events(): Promise<readonly StoredEvent[]>;
  /** The fold of the journal. @throws Error before the first `send`. */
  state(): Promise<SessionState>;
  /** What a crash of the object does: its rows stay, its memory goes. A turn that runs goes on. */
  restart(): void;
  /**
   * What a crash of the Worker does, to be called from a tool or a reply: whatever the invocation that runs the turn
   * still does is lost. Its lease expires at once, and another invocation goes on; `send` answers what that one comes to.
   * A reply that was not stored yet is asked for again, so a script then needs it twice.
   */
  kill(): void;
}

/** An answer whose `object` has the type of the agent's output, and whose artifacts are read by `artifactsOf`. */
export type TestAnswer<Output = unknown> = WithArtifacts<StoppedRun<Output>>;

/** The lease of a turn unless a test says otherwise, in ms. */
const LEASE_MS = 20_000;

const ADDRESS = { owner: { id: TESTER }, session: 'test' };

/**
 * Makes a session for a test of an agent. It needs no Worker, no network and no clean-up. After each reply a new invocation resumes the
 * turn: it mints the secrets again, makes the tools of each `toolFactory` again, and knows only what is journaled. Given a function that makes the
 * agent, each invocation has an agent of its own, so that a closure that remembers fails in the test, and not after the next eviction.
 * `warm: true` has one invocation run a turn.
 *
 * @example
 * ```ts
 * const session = createTestSession(() => clerk(), { replies: [{ calls: [{ name: 'look_up' }] }, 'Found.'] });
 * expect(await session.send('Where is my order?')).toMatchObject({ outcome: 'completed', text: 'Found.' });
 * ```
 *
 * @throws ConfigurationError when a tool group that the agent asks for is not to be had, or two modules share a name.
 */
export function createTestSession<Output>(
  given: Agent<string, Output> | (() => Agent<string, Output>),
  options: TestSessionOptions,
): TestSession<Output> {
  const { model, requests } = recorded(modelOfTest(Object(options)));
  const make = typeof given === 'function' ? given : () => given;
  const declared = make();
  const { leaseMs = LEASE_MS, context = {} } = options;
  const env = { ...options.env };
  const app: readonly Agent[] = [declared, ...(options.agents ?? [])];
  const log = toLog(options.log ?? writeProblems);
  const { use: ownUse = [], stubs } = options;
  const use = stubs ? [...ownUse, stubbing(stubs)] : ownUse;
  const modulesOf = (one: Agent): Modules => appModules({ use, agents: [one, ...(options.agents ?? [])] });
  const modules = modulesOf(declared);
  const inEnv = agentResolver({ modules, agents: app, log });
  const resolve = (one: Agent): Agent => inEnv?.(one, env) ?? one;
  const agent: Agent = resolve(declared);
  const clock = skippableClock(options.clock ?? systemClock);
  const name = toSessionName({ ...ADDRESS, agent: agent.name });
  const sessions = createMemorySessions({ clock, leaseMs, dispatch: ({ turn }) => worker.goOn(turn) });
  const heard = new HeardMessages();
  const port = hearing(sessions.session(name), heard);
  const secrets = async (principal: Principal) => readSecrets(await options.secrets?.(principal));
  const agents: TurnHost['agents'] = {
    names: app.map(({ name: one }) => one).toSorted(),
    model,
    find: (sought) => app.map(resolve).find(({ name: one }) => one === sought),
    resolve,
  };
  const host = { port, agent: { ...agent, model }, model, clock, secrets, env, agents, modules };
  const place = { ...ADDRESS, agent: agent.name };
  const fresh = () => {
    const made = make();
    const own = made === declared ? modules : modulesOf(made);
    const changed = { agent: { ...resolve(made), model }, modules: own };
    if (options.warm) return changed;
    const { use: leaving, leave } = leavingAfterReply();
    return { ...changed, leave, modules: { ...own, appWide: [...own.appWide, leaving] } };
  };
  let invocation: Partial<TurnHost> & { readonly modules: Modules } = { modules };
  const leasing = turnSteps({ ...host, log, place }, () => invocation.modules);
  // Who leases a turn runs it: with the code of then.
  const steps: TurnSteps = {
    ...leasing,
    begin(start) {
      invocation = fresh();
      return leasing.begin(start);
    },
    resume(turn) {
      invocation = fresh();
      return leasing.resume(turn);
    },
  };
  const cold = { resume: steps.resume, run: (leased: Leased) => steps.run(leased, invocation) };
  const worker = mortalWorker(cold, (more) => clock.skip(2 * leaseMs + more));
  // Whoever runs a turn hears of what is left for it when it renews its lease: after a third of the term.
  const hear = () => clock.pass(leaseMs / 3);
  const ofMessages = { hear, heard, principal: options.principal, context: ToolCallContext.of(context) };
  return {
    requests,
    ...talkTo<Output>({ agent, modules, clock, port, steps, worker, ...ofMessages }),
    file: (id) => readFile(port, id),
    events: steps.events,
    state: steps.state,
    memory: async ({ memory }, path = agent.name) => valueIn((await steps.state()).memories, memory, path),
    restart: () => sessions.restart(name),
    kill: worker.kill,
  };
}

/** @throws TypeError if there are neither replies nor a model: callers without types may give anything. */
function modelOfTest({ model, replies }: TestSessionOptions): ChatModel {
  const problem = modelProblem(model);
  if (problem !== undefined || typeof model === 'function')
    throw new TypeError(`createTestSession ${problem ?? 'has a function as its model: call it'}.`);
  if (!model && !replies)
    throw new TypeError(
      "createTestSession has neither 'replies' nor 'model': use replies, as in { replies: ['Hello.'] }.",
    );
  return model ?? scriptedModel(replies ?? []);
}

/** What a conversation with a session needs. */
interface Stage {
  readonly agent: Agent;
  readonly modules: Modules;
  readonly clock: Clock;
  readonly port: SessionPort;
  readonly steps: TurnSteps;
  readonly worker: MortalWorker;
  /** Lets so much time pass that the turn that runs hears of what was left for it. */
  readonly hear: () => void;
  readonly heard: HeardMessages;
  /** Of every message. */
  readonly principal: TurnPrincipal | undefined;
  readonly context: ToolCallContext;
}

/** Everything that is sent to a session, each with what it is answered. */
function talkTo<Output>(
  stage: Stage,
): Omit<TestSession<Output>, 'requests' | 'file' | 'events' | 'state' | 'memory' | 'restart' | 'kill'> {
  const { agent, modules, port, steps, worker } = stage;
  const lastTurn = async (): Promise<readonly StoredEvent[]> =>
    (await foldAll(port, modules.memories))?.turnEvents ?? [];
  const answer = (turn: string): Promise<TestAnswer<Output>> => answerOf(stage, turn);
  async function answerCall(
    callOrTool: string,
    sent: Parameters<typeof sendAnswer>[2],
  ): Promise<TestAnswer<Output>> {
    const turn = await sendAnswer({ port, agent, modules, events: await lastTurn() }, callOrTool, sent);
    await worker.goOn(turn);
    return answer(turn);
  }
  return {
    send: async (message, options = {}) => answer(await runTurnOf(stage, message, options)),
    post: (message, options = {}) => postTo(stage, message, options),
    answer,
    cancel: (turn) => cancelIn(stage, turn),
    pending: async () => pendingIn({ modules, events: await lastTurn() }),
    decide: (callOrTool, decision) => answerCall(callOrTool, toSentDecision(decision)),
    result: (callOrTool, body) => answerCall(callOrTool, { for: 'result', body }),
    settled: async () => answer((await steps.state()).turn?.id ?? ''),
  };
}

/** What a turn came to, once it has stopped. */
async function answerOf<Output>(
  { agent, modules, clock, port }: Stage,
  turn: string,
): Promise<TestAnswer<Output>> {
  const events = await turnStopped({ port, clock, turn, signal: new AbortController().signal });
  const stopped = stopShown({ agent, modules }, ADDRESS.session, events);
  return withArtifacts(stopped) as TestAnswer<Output>; // its object has passed the agent's own schema
}
