import type { Agent } from '../agent/define-agent.ts';
import { toPrincipal } from '../journal/event-rows.ts';
import type { Principal } from '../journal/events.ts';
import type { SessionPort } from '../journal/session-port.ts';
import { findModelProblem } from '../loop/loop-seams.ts';
import type { ChatModel, ModelOfEnv } from '../model/chat-model.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { type DeploymentCheck, DeploymentError } from '../session/deployment.ts';
import { Meter } from '../session/meter.ts';
import { DEFAULT_PLATFORM } from '../session/read-platform.ts';
import { SESSION_ID, SESSION_ID_RULE, toSessionName } from '../session/read-secrets.ts';
import type { TurnHost } from '../session/turn-host.ts';
import { memoize } from '../tool/async.ts';
import type { CallOrigin, Owner } from '../tool/call-origin.ts';
import { literals } from '../tool/literals.ts';
import type { MessageFiles } from './app-files.ts';
import type { Caller, Env, Host, HostedApp, InvokedHost, OwnRequest } from './host.ts';
import { SessionError } from './problem.ts';

/** A session, on behalf of its caller. */
export interface Target {
  readonly agent: Agent;
  readonly session: string;
  readonly owner: Owner;
  readonly caller: Caller;
  readonly port: SessionPort;
  /** The name of its object. */
  readonly name: string;
  /** The session's own path. */
  readonly path: string;
}

export interface SessionNames {
  readonly agent: string;
  readonly session: string;
}

/** Returns the owner of the caller's sessions. */
export const getOwner = ({ id, tenant }: Pick<Caller, 'id' | 'tenant'>): Owner =>
  tenant === undefined ? { id } : { tenant };

/** Returns the path of one turn of the session. */
export const getTurnPath = ({ path }: Pick<Target, 'path'>, turn: string): string =>
  `${path}/turns/${encodeURIComponent(turn)}`;

/** Returns the path of a session. The routes are served below `base`. */
export const getSessionPath = ({ agent, session }: SessionNames, base = ''): string =>
  `${base}/agents/${agent}/sessions/${encodeURIComponent(session)}`;

/** A session, with its owner if that is not the caller. */
export interface OwnedSessionNames extends SessionNames {
  readonly owner?: Owner | undefined;
}

/**
 * Returns the target of a session. `isUnknownTarget` recognizes its errors.
 *
 * @throws SessionError if the agent does not exist, or the session's id is invalid.
 */
export function createTarget(
  { host, env, base = '' }: HostedApp,
  caller: Caller,
  { owner = getOwner(caller), ...named }: OwnedSessionNames,
): Target {
  const agent = host.agents.get(named.agent);
  if (!agent) {
    throw new SessionError(
      'unknown-agent',
      `There is no agent '${named.agent.slice(0, 64)}'. GET ${base}/agents lists the agents.`,
    );
  }
  const { session } = named;
  if (!SESSION_ID.test(session)) {
    throw new SessionError('invalid-session-id', `A session id must be ${SESSION_ID_RULE}`);
  }
  const name = toSessionName({ owner, agent: agent.name, session });
  const port = host.session(env, name);
  const path = getSessionPath({ agent: agent.name, session }, base);
  return { agent, session, owner, caller, port, name, path };
}

/** Returns whether an error shows that the session cannot exist. */
export const isUnknownTarget = (thrown: unknown): thrown is SessionError =>
  thrown instanceof SessionError && (thrown.type === 'unknown-agent' || thrown.type === 'invalid-session-id');

/**
 * Returns the app for one invocation. Invalid limits throw only when an agent is needed, like other problems
 * of the deployment. A message is then refused, and an accepted turn fails.
 */
export function toInvokedHost<App extends Host>(
  host: App,
  env: Env,
  execution: Pick<InvokedHost, 'waitUntil'>,
): App & InvokedHost {
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

/** The app in this invocation of its Worker. */
interface HostedInvocation extends HostedApp {
  readonly host: InvokedHost;
  /** The id of the request that started this invocation, if any. */
  readonly requestId?: string | undefined;
}

/**
 * The access to a session in one invocation, on behalf of a caller. All session functions for requests and
 * code use it.
 */
export interface SessionAccess extends HostedInvocation {
  readonly target: Target;
  /** The request on whose behalf the session is accessed, if any. */
  readonly request?: Request | undefined;
  /** The call of another turn on whose behalf the session is accessed, if any. */
  readonly origin?: CallOrigin | undefined;
  /** Aborts when the caller no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/**
 * The turn of the request that started this invocation. Other turns that run here belong to other requests.
 */
interface OwnTurn {
  readonly turn: string;
  readonly caller: Caller;
  /** Absent if code of the app starts the turn without a request. */
  readonly request?: Request | undefined;
}

const toOwnRequest = ({ request, caller: { claims } }: OwnTurn): OwnRequest => ({ request, claims });

/** A session, its id, its owner, and the name of its agent. */
interface SessionRef extends SessionNames {
  readonly owner: Owner;
  readonly port: SessionPort;
}

/**
 * Returns the services of this deployment for the turns of a session. Each part is created when it is read,
 * and throws a ConfigurationError if the deployment lacks it. To refuse a message in that case, copy the
 * services first; under a lease, let the turn read them, so that it ends as failed.
 */
export const createTurnServices = (
  { host, env, requestId }: HostedInvocation,
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
    const declared = getAgent(host, agent);
    return host.resolve?.(declared, env) ?? declared;
  },
  get model() {
    return getAgentModel({ host, env }, getAgent(host, agent));
  },
  get context() {
    const ofOwn = own && host.context(env, { principal: toPrincipal(own.caller), request: own.request });
    return (principal: Principal, turn: string) =>
      (own?.turn === turn && ofOwn) || host.context(env, { principal });
  },
  agents: createAgentLookup(host, env),
  secrets: host.secrets && toTurnSecrets(host.secrets, env, own),
});

/**
 * Creates credentials for the principal of a turn. Passes on the caller's request if the turn belongs to the
 * caller.
 */
const toTurnSecrets =
  (mint: NonNullable<Host['secrets']>, env: Env, own: OwnTurn | undefined): TurnHost['secrets'] =>
  (principal, turn) =>
    mint(env, principal, own?.turn === turn ? toOwnRequest(own) : {});

/** Returns all agents of the app, each with the parts it requests from the app. */
const createAgentLookup = (host: InvokedHost, env: Env): NonNullable<TurnHost['agents']> => ({
  get names() {
    return [...host.agents.keys()].toSorted();
  },
  get model() {
    return getAppModel({ host, env });
  },
  modelOf: (make) => getModel({ env }, make),
  find(name) {
    const agent = host.agents.get(name);
    return agent && resolveAgent(host, env, agent);
  },
  resolve: (agent: Agent) => resolveAgent(host, env, agent),
});

const resolveAgent = (host: InvokedHost, env: Env, agent: Agent): Agent =>
  withModel({ host, env }, host.resolve?.(agent, env) ?? agent);

function getAgent(host: Host, name: string): Agent {
  const agent = host.agents.get(name);
  if (!agent) throw new ConfigurationError(`This deployment has no agent '${name}'.`);
  return agent;
}

const getModels = memoize((make: ModelOfEnv) => memoize((env: Env) => createModel(env, make)));

/**
 * Returns the model that a function creates from the environment: the same object for the same environment. A
 * function that failed is called again the next time.
 *
 * @throws DeploymentError if the function throws a ConfigurationError, and ConfigurationError if it throws
 * anything else or
 *   does not return a model.
 */
export const getModel = ({ env }: Pick<HostedApp, 'env'>, make: ModelOfEnv): ChatModel =>
  getModels(make)(env);

function createModel(env: Env, make: ModelOfEnv): ChatModel {
  let model: ChatModel;
  try {
    model = make(env);
  } catch (thrown) {
    // The same problem occurs in every request, and is logged once.
    if (thrown instanceof ConfigurationError)
      throw new DeploymentError(thrown.message, { cause: thrown.cause });
    // The message may contain secrets of the environment, so it goes only to the log.
    throw new ConfigurationError('A `model` function threw. The log of the Worker shows why.', {
      cause: thrown,
    });
  }
  if (typeof Object(model).ask === 'function') return model;
  throw new ConfigurationError('A `model` function must return the model of an adapter.');
}

/** Returns the model of an agent. Throws a ConfigurationError if it cannot be created. */
export const getAgentModel = (here: HostedApp, { model, modelOf: make }: Agent): ChatModel =>
  make ? getModel(here, make) : (model ?? getAppModel(here));

interface ReadingApp extends HostedApp {
  readonly host: Host & { readonly maxBodyBytes: number };
}

/**
 * Returns the rules for files in messages to an agent, or `undefined` if the app accepts none. Throws as
 * `getAgentModel` does.
 */
export const findAgentFiles = (here: ReadingApp, agent: Agent): MessageFiles | undefined =>
  here.host.files?.takenBy(agent, getAgentModel(here, agent), here.host.maxBodyBytes);

/**
 * Returns the model for agents without their own. Throws a ConfigurationError if the app has none or it
 * cannot be created.
 */
export function getAppModel(here: HostedApp): ChatModel {
  const { model } = here.host;
  if (model === undefined)
    throw new ConfigurationError(
      `This app has no model. ${literals?.mending.model ?? 'See docs/models.md.'}`,
    );
  return typeof model === 'function' ? getModel(here, model) : model;
}

/**
 * Returns the checks of the agents' requirements in an environment: their tool groups, and a model that fits
 * their modules. Creates a model only if its function is marked as one that only reads settings, since other
 * functions may do work.
 */
export const listAgentChecks = ({ host, env }: HostedApp): readonly DeploymentCheck[] =>
  Array.from(host.agents.values(), (agent) => () => {
    host.resolve?.(agent, env);
    const make = agent.modelOf ?? agent.model ?? host.model;
    if (typeof make !== 'function' || !make.isChecked) return;
    const problem = findModelProblem([...host.modules.appWide, ...agent.uses], getModel({ env }, make));
    if (problem !== undefined) throw new ConfigurationError(`Agent '${agent.name}' ${problem}.`);
  });

/**
 * Returns the agent with its model in this environment. @throws ConfigurationError if the model cannot be
 * created.
 */
export const withModel = (here: HostedApp, agent: Agent): Agent =>
  agent.modelOf ? { ...agent, model: getModel(here, agent.modelOf) } : agent;
