import type { Agent } from '../agent/define-agent.ts';
import type { Principal } from '../journal/events.ts';
import type { Leased, SessionPort } from '../journal/session-port.ts';
import type { Modules } from '../loop/modules.ts';
import type { ChatModel, ModelOfEnv } from '../model/chat-model.ts';
import type { LiveText } from '../session/live-feed.ts';
import type { Meter } from '../session/meter.ts';
import type { Clock, Platform } from '../session/read-platform.ts';
import type { Log } from '../tool/log.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import type { Secrets } from '../tool/secrets.ts';
import type { ToolCallContext } from '../tool/tool-call-context.ts';
import type { AppFiles } from './app-files.ts';
import type { ShowsPending } from './turn-view.ts';

/** Who a request comes from. Its sessions are those of its tenant, or, without one, its own. */
export interface Caller {
  readonly id: string;
  readonly tenant?: string | undefined;
  /** Journaled with the caller's messages, as `call.principal.roles`. */
  readonly roles?: readonly string[] | undefined;
  /** The caller operates the deployment, and may see and erase the sessions of any owner by `sessionIndex()`. Kept nowhere. */
  readonly operator?: boolean | undefined;
  /** What else `auth` has read of the credentials, for `secrets`; kept nowhere. */
  readonly claims?: Claims | undefined;
  /**
   * `true`: the caller sends requests for several persons, whom `onBehalfOf` of `holdfast/http` names. `false`: the caller is one person.
   * Absent: it is not known, so that its chats with the same words may be those of different persons. Kept nowhere.
   */
  readonly delegates?: boolean | undefined;
}

/** Returns the caller for whom a request is handled, in place of the one that `auth` returned. @throws Problem or SessionError to refuse it. */
export type SpeakerOf = (caller: Caller, request: Request) => Caller | Promise<Caller>;

/** What credentials say of whoever sends them, by name. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * The request that asked for a turn, while the invocation that it began runs that turn: then alone it is there. Nothing of it is
 * kept, so that a turn which goes on elsewhere, waits in line or runs in the background has none.
 */
export interface OwnRequest {
  /** Its body has been read. */
  readonly request?: Request | undefined;
  readonly claims?: Claims | undefined;
}

/** For whom the app's context is made. */
export interface ContextFor extends Pick<OwnRequest, 'request'> {
  readonly principal: Principal;
}

/** The Worker's vars, secrets and bindings. */
export type Env = Readonly<Record<string, unknown>>;

/** What turns need of an app, however they start; the Worker's entry makes it, and a test can. */
export interface Host {
  readonly agents: ReadonlyMap<string, Agent>;
  /** All modules of the app, put together. */
  readonly modules: Modules;
  /** The uses among them that hold for every agent. */
  readonly appUses: readonly ModuleUse[];
  readonly clock: Clock;
  /** Takes the lines of the app's log. */
  readonly log: Log;
  /** A short random id, unlike any other. */
  readonly newId: () => string;
  /** For agents without a model of their own. */
  readonly model: ChatModel | ModelOfEnv | undefined;
  /** Returns the agent with what it asks the app for; absent: agents are as they are. @throws ConfigurationError when something is not to be had. */
  readonly resolve?: ((agent: Agent, env: Env) => Agent) | undefined;
  /** The app's tool-call context, under the agent's and the request's. @throws ConfigurationError when it is not JSON. */
  context(env: Env, asked: ContextFor): ToolCallContext;
  /** Mints the credentials of one invocation; absent where the app has none. Rejects with what the app's hook throws. */
  readonly secrets?: ((env: Env, principal: Principal, own: OwnRequest) => Promise<Secrets>) | undefined;
  /** How messages hold files; absent: they hold none. */
  readonly files?: AppFiles | undefined;
  /** Shows what is not journaled to readers elsewhere than where a turn runs; absent: they have the journal alone. */
  readonly liveText?: LiveText | undefined;
  /** What calls wait for; absent: none can ask. */
  readonly answers?: ShowsPending | undefined;
  /** As of the module that makes forks; absent: this deployment makes none. */
  readonly copyOn?: CopyOn | undefined;
  /** What one invocation may use. @throws ConfigurationError when the settings say something impossible. */
  platform(env: Env): Platform;
  /** The path below which the app is served, as it says. */
  readonly basePath?: string | undefined;
  /**
   * Returns a session. `onSend` is called before each message to its object, also before one that is sent again.
   *
   * @throws DeploymentError when the Worker is deployed so that no session can work.
   */
  session(env: Env, name: string, onSend?: () => void): SessionPort;
}

/** An app, with the vars, secrets and bindings that its Worker has. */
export interface HostedApp {
  readonly host: Host;
  readonly env: Env;
  /** What stands before every path in a link; nothing unless given. */
  readonly base?: string | undefined;
}

/**
 * Copies further events into a session that is a fork, which is leased and lacks some. Resolves with `true` when the lease is given back, or
 * is lost.
 */
export type CopyOn = (
  app: Pick<HostedApp, 'env'> & { readonly host: Invoked },
  leased: Leased,
) => Promise<boolean>;

/** The app as one invocation of its Worker has it. */
export interface Invoked extends Host {
  /** Counts what the invocation uses: its messages to any session, and the work of all its turns. */
  readonly meter: Meter;
  /** Keeps the invocation alive for what comes after its answer. */
  readonly waitUntil: (work: Promise<unknown>) => void;
}
