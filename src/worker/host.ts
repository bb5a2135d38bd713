import type { Agent } from '../agent/define-agent.ts';
import type { Principal } from '../journal/events.ts';
import type { LeaseGrant, SessionPort } from '../journal/session-port.ts';
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
import type { PendingLister } from './turn-view.ts';

/** The sender of a request. Its sessions belong to its tenant, or, without a tenant, to itself. */
export interface Caller {
  readonly id: string;
  readonly tenant?: string | undefined;
  /** Journaled with the caller's messages, as `call.principal.roles`. */
  readonly roles?: readonly string[] | undefined;
  /**
   * `true` if the caller operates the deployment, and may list and erase the sessions of any owner with
   * `sessionIndex()`. Not stored.
   */
  readonly operator?: boolean | undefined;
  /** Other data from the credentials, for `secrets`. Not stored. */
  readonly claims?: Claims | undefined;
  /**
   * `true` if the caller sends requests for several persons, identified by `onBehalfOf` from `holdfast/http`.
   * `false` if the caller is one person. Absent if unknown: chats with the same text may then belong to
   * different persons. Not stored.
   */
  readonly delegates?: boolean | undefined;
}

/**
 * Returns the caller for a request instead of the one from `auth`. @throws Problem or SessionError to refuse
 * the request.
 */
export type CallerResolver = (caller: Caller, request: Request) => Caller | Promise<Caller>;

/** Claims in the caller's credentials, by name. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * The request that started a turn. Defined only while the invocation of the request runs that turn. It is not
 * stored, so a turn that resumes elsewhere, is queued or runs in the background does not have it.
 */
export interface OwnRequest {
  /** Its body has been read. */
  readonly request?: Request | undefined;
  readonly claims?: Claims | undefined;
}

/** The turn for which the app's context is created. */
export interface ContextFor extends Pick<OwnRequest, 'request'> {
  readonly principal: Principal;
}

/** The Worker's vars, secrets and bindings. */
export type Env = Readonly<Record<string, unknown>>;

/** The view of an app for turns of any origin. Created by the Worker's entry, or by tests. */
export interface Host {
  readonly agents: ReadonlyMap<string, Agent>;
  /** All modules of the app. */
  readonly modules: Modules;
  /** The uses that apply to every agent. */
  readonly appUses: readonly ModuleUse[];
  readonly clock: Clock;
  /** Receives the entries of the app's log. */
  readonly log: Log;
  /** Returns a short, unique, random id. */
  readonly newId: () => string;
  /** The model for agents without their own. */
  readonly model: ChatModel | ModelOfEnv | undefined;
  /**
   * Returns the agent with the parts it requests from the app. Absent if agents need no such parts. @throws
   * ConfigurationError if a part is unavailable.
   */
  readonly resolve?: ((agent: Agent, env: Env) => Agent) | undefined;
  /**
   * Returns the app's tool-call context, which the agent's and the request's override. @throws
   * ConfigurationError if it is not JSON.
   */
  context(env: Env, asked: ContextFor): ToolCallContext;
  /**
   * Creates the credentials of one invocation. Absent if the app has none. Rejects with errors of the app's
   * function.
   */
  readonly secrets?: ((env: Env, principal: Principal, own: OwnRequest) => Promise<Secrets>) | undefined;
  /** Accepts files in messages. Absent if the app accepts none. */
  readonly files?: AppFiles | undefined;
  /**
   * Shows data that is not journaled to readers outside of the invocation that runs a turn. Absent if they
   * see only the journal.
   */
  readonly liveText?: LiveText | undefined;
  /** Lists the questions of waiting calls. Absent if calls cannot ask. */
  readonly answers?: PendingLister | undefined;
  /** The function of the module that makes forks. Absent without that module. */
  readonly copyOn?: ForkCopier | undefined;
  /** Returns the limits of one invocation. @throws ConfigurationError if a setting is impossible. */
  platform(env: Env): Platform;
  /** The path prefix from the app's settings. */
  readonly basePath?: string | undefined;
  /**
   * Returns the port of a session. Calls `onSend` before each message to its object, including retries.
   *
   * @throws DeploymentError if the Worker's deployment is missing something that every session needs.
   */
  session(env: Env, name: string, onSend?: () => void): SessionPort;
}

/** An app with the environment of its Worker. */
export interface HostedApp {
  readonly host: Host;
  readonly env: Env;
  /** The prefix of the paths in links. Defaults to an empty string. */
  readonly base?: string | undefined;
}

/**
 * Copies more events into a leased session that is an incomplete fork. Resolves with `true` if the lease was
 * released or lost.
 */
export type ForkCopier = (
  app: Pick<HostedApp, 'env'> & { readonly host: InvokedHost },
  leased: LeaseGrant,
) => Promise<boolean>;

/** The app in one invocation of its Worker. */
export interface InvokedHost extends Host {
  /** Counts the usage of the invocation: its messages to all sessions, and the work of all its turns. */
  readonly meter: Meter;
  /** Keeps the invocation alive for work after its response. */
  readonly waitUntil: (work: Promise<unknown>) => void;
}
