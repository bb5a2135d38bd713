/** The entry `holdfast/worker`: makes a Worker of agents. */
import { WorkerEntrypoint } from 'cloudflare:workers';
import type { SessionObject } from '../durable-objects/session-object.ts';
import type { Agent } from './agent/define-agent.ts';
import { createApp } from './http/app.ts';
import { type Authenticate, defaultAuth } from './http/auth.ts';
import type { Env, Host } from './http/host.ts';
import { isCredential } from './http/start-turn.ts';
import type { ChatModel } from './model/chat-model.ts';
import { chooseModel } from './model/choose-model.ts';
import { ConfigurationError } from './model/configuration-error.ts';
import { systemClock } from './session/clock.ts';
import { READER } from './session/fold-session.ts';
import { type ObjectSessionOptions, objectSession } from './session/object-session.ts';
import { runTurn } from './session/run-turn.ts';
import { parseSessionName } from './session/session-name.ts';

export { type Authenticate, bearerToken, type Caller } from './http/auth.ts';

export interface HoldfastConfig {
  readonly agents: readonly Agent[];
  /** For agents without a model of their own. Absent: chosen by `MODEL`, `OPENAI_BASE_URL` and `OPENAI_API_KEY`. */
  readonly model?: ChatModel | ((env: Env) => ChatModel) | undefined;
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
  ) => TurnRunner;
}

/** Goes on with an unfinished turn, if nobody else does. Called by the object's alarm, which does not await it. */
interface TurnRunner extends WorkerEntrypoint<Env> {
  run(handOver: { readonly name: string; readonly turn: string }): Promise<void>;
}

/**
 * Makes the Worker of an app. The object's binding is called `SESSIONS`.
 *
 * @throws Error when two agents share a name, or the context maps a header that carries credentials or cannot be one.
 */
export function createHoldfast(config: HoldfastConfig): Holdfast {
  const host = toHost(config);
  const app = createApp(host);

  class Runner extends WorkerEntrypoint<Env> implements TurnRunner {
    async run({ name, turn }: { readonly name: string; readonly turn: string }): Promise<void> {
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
  const part = {
    port,
    clock: host.clock,
    get agent() {
      return agentOf(host, name);
    },
    get model() {
      return host.model(env);
    },
  };
  await runTurn(part, leased, sentAt);
}

function agentOf(host: Host, name: string): Agent {
  const named = parseSessionName(name).agent;
  const agent = host.agents.get(named);
  if (!agent) throw new ConfigurationError(`This deployment has no agent '${named}'.`);
  return agent;
}

function toHost(config: HoldfastConfig): Host {
  const {
    agents,
    model = chooseModel,
    auth = defaultAuth,
    contextHeaders = {},
    maxBodyBytes = 1_000_000,
  } = config;
  const byName = new Map(agents.map((agent) => [agent.name, agent]));
  if (byName.size < agents.length) throw new Error('Two agents share a name.');
  const headers = new Map(Object.entries(contextHeaders).map(([header, key]) => [header.toLowerCase(), key]));
  for (const header of headers.keys()) {
    if (isCredential(header))
      throw new Error(`The header '${header}' carries credentials; it is never journaled.`);
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(header))
      throw new Error(`'${header}' is not the name of a header.`);
  }
  return {
    agents: byName,
    auth,
    contextHeaders: headers,
    maxBodyBytes,
    clock: systemClock,
    newId: () => crypto.randomUUID().replaceAll('-', '').slice(0, 16),
    model: typeof model === 'function' ? model : () => model,
    session: (env, name) => objectSession(sessionsOf(env), name, config.location),
  };
}

function sessionsOf(env: Env): DurableObjectNamespace<SessionObject> {
  const binding = env.SESSIONS;
  if (!binding) {
    throw new Error('The Worker has no Durable Object binding SESSIONS. Add it to wrangler.toml.');
  }
  return binding as DurableObjectNamespace<SessionObject>; // what wrangler.toml binds under this name
}
