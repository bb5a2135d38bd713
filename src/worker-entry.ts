/** The entry `holdfast/worker`: makes a Worker of agents. */
import { WorkerEntrypoint } from 'cloudflare:workers';
import type { SessionObject } from '../durable-objects/session-object.ts';
import type { Agent } from './agent/define-agent.ts';
import { agentResolver } from './agent/tool-groups/resolve-agent.ts';
import { createApp } from './http/app.ts';
import { type Authenticate, defaultAuth } from './http/auth.ts';
import { parseContextHeaders } from './http/context-headers.ts';
import type { Env, Host } from './http/host.ts';
import { turnPart } from './http/turn-part.ts';
import type { Principal } from './journal/events.ts';
import type { HandOver, TurnRunner } from './journal/session-port.ts';
import type { ChatModel } from './model/chat-model.ts';
import { chooseModel } from './model/choose-model.ts';
import { ConfigurationError } from './model/configuration-error.ts';
import { systemClock } from './session/clock.ts';
import { READER } from './session/fold-session.ts';
import { type ObjectSessionOptions, objectSession } from './session/object-session.ts';
import { runTurn } from './session/run-turn.ts';
import { parseSessionName } from './session/session-name.ts';
import { type AppContext, toAppContext } from './session/to-app-context.ts';
import { type MintedSecrets, toSecrets } from './session/to-secrets.ts';
import { noPrices } from './tool-loop/budget.ts';
import type { ToolGroup } from './tools/groups/define-tool-group.ts';

export { type Authenticate, bearerToken, type Caller } from './http/auth.ts';
export type { Env } from './http/host.ts';
export type { Principal } from './journal/events.ts';
export type { HandOver, TurnRunner } from './journal/session-port.ts';
export { ConfigurationError } from './model/configuration-error.ts';
export type { ObjectSessionOptions } from './session/object-session.ts';
export type { AppContext } from './session/to-app-context.ts';
export type { MintedSecrets } from './session/to-secrets.ts';

export interface HoldfastConfig {
  readonly agents: readonly Agent[];
  /** For agents without a model of their own. Absent: chosen by `MODEL`, `OPENAI_BASE_URL` and `OPENAI_API_KEY`. */
  readonly model?: ChatModel | ((env: Env) => ChatModel) | undefined;
  /**
   * What agents may ask for by role. The var `TOOL_GROUPS` makes more of their tools, and takes tools away:
   * `{ "includes": { "web": { "tools": ["search"] } }, "excludes": ["delete_page"] }`, by the ends of names.
   */
  readonly toolGroups?: readonly ToolGroup[] | undefined;
  /** Tool-call context of every turn, under the agent's own and the request's. No credentials: tools may pass it on. */
  readonly context?: AppContext | ((env: Env) => AppContext) | undefined;
  /**
   * Mints the credentials of a turn's tools (`call.secrets`) for whoever asked, once an invocation: a turn that is resumed
   * has them minted again, and nothing of them is stored or shown. What it throws fails the turn.
   */
  readonly secrets?:
    | ((env: Env, principal: Principal) => MintedSecrets | undefined | Promise<MintedSecrets | undefined>)
    | undefined;
  /** Absent: the bearer token in `HOLDFAST_TOKEN`, or, when that is not set, localhost only. */
  readonly auth?: Authenticate | undefined;
  /** Request header -> key of the tool-call context. Headers that carry credentials cannot be mapped. */
  readonly contextHeaders?: Readonly<Record<string, string>> | undefined;
  /** What a request body may weigh; 1 MB unless given. */
  readonly maxBodyBytes?: number | undefined;
  /** Where sessions live; every append pays the way there. */
  readonly location?: ObjectSessionOptions | undefined;
}

/** What a Worker's module exports, beside `SessionObject`. */
export interface Holdfast {
  /** The default export. */
  readonly worker: ExportedHandler<Env> & Required<Pick<ExportedHandler<Env>, 'fetch'>>;
  /** The loopback entry point, exported under this name: it goes on with turns that nobody holds. */
  readonly TurnRunner: new (
    ctx: ExecutionContext,
    env: Env,
  ) => WorkerEntrypoint<Env> & TurnRunner;
}

/**
 * Makes the Worker of an app. The object's binding is called `SESSIONS`.
 *
 * @throws ConfigurationError when two agents share a name, the context is not JSON, or maps a header that carries
 *   credentials or cannot be one, or an agent has a cost limit and the app's model no prices (found out by its first
 *   turn when the environment chooses the model).
 */
export function createHoldfast(config: HoldfastConfig): Holdfast {
  checkPrices(config);
  const host = toHost(config);
  const app = createApp(host);

  class Runner extends WorkerEntrypoint<Env> implements TurnRunner {
    async run({ name, turn }: HandOver): Promise<void> {
      await resumeTurn(host, this.env, name, turn);
    }
  }

  return { worker: { fetch: (request, env, ctx) => app.fetch(request, env, ctx) }, TurnRunner: Runner };
}

/** What this deployment lacks for a turn is found out under its lease, so that even then the turn has an outcome. */
async function resumeTurn(host: Host, env: Env, name: string, turn: string): Promise<void> {
  const port = host.session(env, name);
  const sentAt = host.clock.now();
  const leased = await port.resume({ nonce: host.newId(), turn, reader: READER });
  if (leased.status !== 'leased') return;
  await runTurn(turnPart(host, env, { port, agent: parseSessionName(name).agent }), leased, sentAt);
}

function toHost(config: HoldfastConfig): Host {
  const {
    agents,
    model = chooseModel,
    auth = defaultAuth,
    contextHeaders = {},
    maxBodyBytes = 1_000_000,
    toolGroups: groups = [],
    context = {},
  } = config;
  return {
    agents: byName(agents),
    auth,
    contextHeaders: parseContextHeaders(contextHeaders),
    maxBodyBytes,
    clock: systemClock,
    newId: () => crypto.randomUUID().replaceAll('-', '').slice(0, 16),
    model: typeof model === 'function' ? model : () => model,
    resolve: agentResolver({ groups, agents }),
    context: contextIn(context),
    secrets: async (env, principal) => toSecrets(await config.secrets?.(env, principal)),
    session: (env, name) => objectSession(sessionsOf(env), name, config.location),
  };
}

/** What does not depend on the environment is checked at once. */
function contextIn(context: NonNullable<HoldfastConfig['context']>): Host['context'] {
  if (typeof context === 'function') return (env) => toAppContext(context(env));
  const ofApp = toAppContext(context);
  return () => ofApp;
}

function checkPrices({ agents, model }: HoldfastConfig): void {
  if (model === undefined || typeof model === 'function' || model.prices) return;
  const limited = agents.find((agent) => !agent.model && agent.limits.cost !== undefined);
  if (limited) throw new ConfigurationError(`Agent '${limited.name}' ${noPrices(model)}.`);
}

function byName(agents: readonly Agent[]): ReadonlyMap<string, Agent> {
  const named = new Map<string, Agent>();
  for (const agent of agents) {
    if (named.has(agent.name)) throw new ConfigurationError(`Two agents are called '${agent.name}'.`);
    named.set(agent.name, agent);
  }
  return named;
}

function sessionsOf(env: Env): DurableObjectNamespace<SessionObject> {
  const binding = env.SESSIONS;
  if (!binding) {
    throw new ConfigurationError(
      'The Worker has no Durable Object binding SESSIONS. Add it to wrangler.toml.',
    );
  }
  return binding as DurableObjectNamespace<SessionObject>; // what wrangler.toml binds under this name
}
