import type { Agent } from '../agent/define-agent.ts';
import { toPrincipal } from '../journal/event-rows.ts';
import type { Principal } from '../journal/events.ts';
import type { SessionPort } from '../journal/session-port.ts';
import { refusedModel } from '../loop/loop-seams.ts';
import type { ChatModel, ModelOfEnv } from '../model/chat-model.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { type Check, DeploymentError } from '../session/deployment.ts';
import { Meter } from '../session/meter.ts';
import { DEFAULT_PLATFORM } from '../session/read-platform.ts';
import { SESSION_ID, SESSION_ID_RULE, toSessionName } from '../session/read-secrets.ts';
import type { TurnHost } from '../session/turn-host.ts';
import { memoized } from '../tool/async.ts';
import type { CallOrigin, Owner } from '../tool/call-origin.ts';
import { literals } from '../tool/literals.ts';
import type { MessageFiles } from './app-files.ts';
import type { Caller, Env, Host, HostedApp, Invoked, OwnRequest } from './host.ts';
import { SessionError } from './problem.ts';

/** A session, on behalf of its caller. */
export interface Target {
  readonly agent: Agent;
  readonly session: string;
  readonly owner: Owner;
  readonly caller: Caller;
  readonly port: SessionPort;
  /** Of its object. */
  readonly name: string;
  /** The session's own path. */
  readonly path: string;
}

/** A session as a path names it. */
export interface Named {
  readonly agent: string;
  readonly session: string;
}

/** Returns the owner of the caller's sessions. */
export const ownerOf = ({ id, tenant }: Pick<Caller, 'id' | 'tenant'>): Owner =>
  tenant === undefined ? { id } : { tenant };

/** Answers the path where one turn of the session is found. */
export const turnPath = ({ path }: Pick<Target, 'path'>, turn: string): string =>
  `${path}/turns/${encodeURIComponent(turn)}`;

/** Answers the path where a session is found; the routes are served below `base`. */
export const sessionPath = ({ agent, session }: Named, base = ''): string =>
  `${base}/agents/${agent}/sessions/${encodeURIComponent(session)}`;

/** Where a session is, and whose, unless it is the caller's. */
export interface OwnedName extends Named {
  readonly owner?: Owner | undefined;
}

/** @throws SessionError if there is no such agent, or the session's id cannot be one. `isUnknownTarget` tells it from others. */
export function targetOf(
  { host, env, base = '' }: HostedApp,
  caller: Caller,
  { owner = ownerOf(caller), ...named }: OwnedName,
): Target {
  const agent = host.agents.get(named.agent);
  if (!agent) {
    throw new SessionError(
      'unknown-agent',
      `There is no agent '${named.agent.slice(0, 64)}'. GET ${base}/agents lists them.`,
    );
  }
  const { session } = named;
  if (!SESSION_ID.test(session)) {
    throw new SessionError('invalid-session-id', `A session id is ${SESSION_ID_RULE}`);
  }
  const name = toSessionName({ owner, agent: agent.name, session });
  const port = host.session(env, name);
  const path = sessionPath({ agent: agent.name, session }, base);
  return { agent, session, owner, caller, port, name, path };
}

/** Returns whether an error says that there is no such session, and cannot be. */
export const isUnknownTarget = (thrown: unknown): thrown is SessionError =>
  thrown instanceof SessionError && (thrown.type === 'unknown-agent' || thrown.type === 'invalid-session-id');

/**
 * The app for one invocation. Limits that cannot be read are found out where an agent is needed, as anything is that a
 * deployment lacks: so a message is refused for them, and a turn that was taken ends as failed.
 */
export function invoked<App extends Host>(
  host: App,
  env: Env,
  execution: Pick<Invoked, 'waitUntil'>,
): App & Invoked {
  let platform = DEFAULT_PLATFORM;
  let { resolve } = host;
  try {
    platform = host.platform(env);
  } catch (failure) {
    if (!(failure instanceof ConfigurationError)) throw failure;
    resolve = () => {
      throw failure;
    };
  }
  const meter = new Meter(platform, host.clock.now);
  return {
    ...host,
    meter,
    waitUntil: (work) => execution.waitUntil(work),
    session: (of, name) => host.session(of, name, () => meter.spendInternal()),
    resolve,
  };
}

/** The app, as this invocation of its Worker has it. */
interface HostedHere extends HostedApp {
  readonly host: Invoked;
  /** Of the request that began this invocation, if one did. */
  readonly requestId?: string | undefined;
}

/** A session as one invocation has it, on behalf of a caller: what requests and code of the app ask of sessions begins with it. */
export interface SessionAccess extends HostedHere {
  readonly target: Target;
  /** The request for which something is asked, if there is one. */
  readonly request?: Request | undefined;
  /** The call of another turn that asks, if one does. */
  readonly origin?: CallOrigin | undefined;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** The turn that the request asks for which began this invocation. Any other turn that runs here is somebody else's. */
interface OwnTurn {
  readonly turn: string;
  readonly caller: Caller;
  /** Absent when code of the app asks for it without one. */
  readonly request?: Request | undefined;
}

const ownRequest = ({ request, caller: { claims } }: OwnTurn): OwnRequest => ({ request, claims });

/** A session, its id, its owner, and the name of its agent. */
interface SessionRef extends Named {
  readonly owner: Owner;
  readonly port: SessionPort;
}

/**
 * Answers what any invocation of this deployment brings to the turns of a session. Each part is made when it is read, and
 * throws a ConfigurationError when the deployment lacks it: to refuse a message for that, copy it first; under a lease,
 * leave it to the turn, which then ends as failed.
 */
export const turnServices = (
  { host, env, requestId }: HostedHere,
  { port, owner, agent, session }: SessionRef,
  own?: OwnTurn,
): TurnHost => ({
  port,
  clock: host.clock,
  modules: host.modules,
  uses: [...new Set([...host.appUses, ...(host.agents.get(agent)?.uses ?? [])])],
  meter: host.meter,
  liveText: host.liveText,
  waitUntil: host.waitUntil,
  log: host.log,
  place: { owner, agent, session, requestId },
  env,
  copyOn: async (leased) => host.copyOn?.({ host, env }, leased),
  get agent() {
    const declared = agentOf(host, agent);
    return host.resolve?.(declared, env) ?? declared;
  },
  get model() {
    return modelOfAgent({ host, env }, agentOf(host, agent));
  },
  get context() {
    const ofOwn = own && host.context(env, { principal: toPrincipal(own.caller), request: own.request });
    return (principal: Principal, turn: string) =>
      (own?.turn === turn && ofOwn) || host.context(env, { principal });
  },
  agents: agentsIn(host, env),
  secrets: host.secrets && mintingFor(host.secrets, env, own),
});

/** Mints for the principal of a turn, with the caller's own request where the turn is theirs. */
const mintingFor =
  (mint: NonNullable<Host['secrets']>, env: Env, own: OwnTurn | undefined): TurnHost['secrets'] =>
  (principal, turn) =>
    mint(env, principal, own?.turn === turn ? ownRequest(own) : {});

/** All agents of the app, each with what it asks the app for. */
const agentsIn = (host: Invoked, env: Env): NonNullable<TurnHost['agents']> => ({
  get names() {
    return [...host.agents.keys()].toSorted();
  },
  get model() {
    return modelOfApp({ host, env });
  },
  modelOf: (make) => modelOf({ env }, make),
  find(name) {
    const agent = host.agents.get(name);
    return agent && resolved(host, env, agent);
  },
  resolve: (agent: Agent) => resolved(host, env, agent),
});

const resolved = (host: Invoked, env: Env, agent: Agent): Agent =>
  withModel({ host, env }, host.resolve?.(agent, env) ?? agent);

function agentOf(host: Host, name: string): Agent {
  const agent = host.agents.get(name);
  if (!agent) throw new ConfigurationError(`This deployment has no agent '${name}'.`);
  return agent;
}

const modelsOf = memoized((make: ModelOfEnv) => memoized((env: Env) => makeModel(env, make)));

/**
 * Returns the model that a function makes of the environment: the same object for the same environment. A function that failed
 * is called again the next time.
 *
 * @throws DeploymentError if the function throws a ConfigurationError, and ConfigurationError if it throws anything else or
 *   returns something that is no model.
 */
export const modelOf = ({ env }: Pick<HostedApp, 'env'>, make: ModelOfEnv): ChatModel => modelsOf(make)(env);

function makeModel(env: Env, make: ModelOfEnv): ChatModel {
  let model: ChatModel;
  try {
    model = make(env);
  } catch (thrown) {
    // Every request finds out alike what the environment lacks, and it is logged once.
    if (thrown instanceof ConfigurationError)
      throw new DeploymentError(thrown.message, { cause: thrown.cause });
    // Its words may hold what only the environment should know, so they are for the log.
    throw new ConfigurationError('A `model` function threw: the log of the Worker shows what.', {
      cause: thrown,
    });
  }
  if (typeof Object(model).ask === 'function') return model;
  throw new ConfigurationError('A `model` function returned no model: return what an adapter makes.');
}

/** Returns the model that an agent is run with. Throws a ConfigurationError if it cannot be made. */
export const modelOfAgent = (here: HostedApp, { model, modelOf: make }: Agent): ChatModel =>
  make ? modelOf(here, make) : (model ?? modelOfApp(here));

/** An app whose messages are read. */
interface ReadingApp extends HostedApp {
  readonly host: Host & { readonly maxBodyBytes: number };
}

/** Returns how messages to an agent hold files, or `undefined` if the app takes none. Throws as `modelOfAgent` does. */
export const filesOfAgent = (here: ReadingApp, agent: Agent): MessageFiles | undefined =>
  here.host.files?.takenBy(agent, modelOfAgent(here, agent), here.host.maxBodyBytes);

/** Returns the model for agents without one of their own. Throws a ConfigurationError if the app has none or it cannot be made. */
export function modelOfApp(here: HostedApp): ChatModel {
  const { model } = here.host;
  if (model === undefined)
    throw new ConfigurationError(
      `This app has no model. ${literals?.mending.model ?? 'See docs/models.md.'}`,
    );
  return typeof model === 'function' ? modelOf(here, model) : model;
}

/**
 * Returns the checks of what the agents need of an environment: their tool groups, and a model that their modules can be used with. A
 * model is made only if its function says that it reads nothing but settings: any other may be work.
 */
export const agentChecks = ({ host, env }: HostedApp): readonly Check[] =>
  Array.from(host.agents.values(), (agent) => () => {
    host.resolve?.(agent, env);
    const make = agent.modelOf ?? agent.model ?? host.model;
    if (typeof make !== 'function' || !make.isChecked) return;
    const problem = refusedModel([...host.modules.appWide, ...agent.uses], modelOf({ env }, make));
    if (problem !== undefined) throw new ConfigurationError(`Agent '${agent.name}' ${problem}.`);
  });

/** The agent, with the model that it has in this environment. @throws ConfigurationError when that cannot be made. */
export const withModel = (here: HostedApp, agent: Agent): Agent =>
  agent.modelOf ? { ...agent, model: modelOf(here, agent.modelOf) } : agent;
