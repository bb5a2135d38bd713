/** The seam by which modules extend an app: its routes, and the entries of its Worker. */
import type { SessionPort, TurnStart } from '../journal/session-port.ts';
import type { Modules } from '../loop/modules.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import type { DeploymentCheck } from '../session/deployment.ts';
import type { LiveText } from '../session/live-feed.ts';
import type { SessionPlace } from '../session/read-platform.ts';
import type { ContentPart } from '../tool/content.ts';
import type { JsonObject } from '../tool/json.ts';
import type { LogOption } from '../tool/log.ts';
import { defineSeam, type ModuleIdentity, type ModuleUse } from '../tool/module-use.ts';
import type { AnswerAcceptor, AnsweringApp } from './answering.ts';
import type { AppFiles } from './app-files.ts';
import type { FollowUpMessage, ReplacementMessage } from './fork-views.ts';
import type { Env, ForkCopier, HostedApp, InvokedHost } from './host.ts';
import type { Gates, HttpHost, Route } from './route.ts';
import type { Session, TurnStream } from './session.ts';

/** A message that a client resends. */
export interface RepeatedMessage {
  readonly parts: readonly ContentPart[];
  /** The request that contains it. */
  readonly asked: { readonly request: Request; readonly signal: AbortSignal };
  /** The turn that it started, if known. The client has not shown any of the turn as an answer. */
  readonly turn?: string | undefined;
  /** The preceding turn, if `turn` is unknown. The message may have started the next turn. */
  readonly behind?: string | undefined;
  /** The context of this request. Replaces that of the first request. */
  readonly context: JsonObject;
}

/** The view of an app for its modules during construction. */
export interface MountingApp {
  readonly host: HttpHost;
  /**
   * The routes so far: those of every app, then those of earlier modules. By the time of a request, it
   * contains all routes.
   */
  readonly table: readonly Route[];
  /** For routes that accept answers. */
  readonly answering: AnsweringApp;
}

/** An app in one invocation of its Worker. */
export interface InvokedApp extends HostedApp {
  readonly host: HttpHost & InvokedHost;
}

/** The part of a cron event that modules receive. */
export interface CronTime {
  readonly cron: string;
  /** The time in milliseconds since the epoch. */
  readonly scheduledTime: number;
}

/** The view of an app for the code that stores its sessions. */
export interface RetentionApp {
  readonly agents: readonly { readonly name: string; readonly uses: readonly ModuleUse[] }[];
  readonly use: readonly ModuleUse[];
  readonly files: AppFiles | undefined;
}

/** Returns a session port that adds settings for the session of this name to its messages. */
export type SessionPortWrapper = (port: SessionPort, name: string, env: Env) => SessionPort;

/**
 * The parts that a module adds to an app. If several uses of a module share one object, the app gets it once.
 */
export interface AppParts extends Gates {
  /**
   * Returns its routes. Called when the app is created. @throws ConfigurationError if the app cannot have
   * them.
   */
  routes?(app: MountingApp): readonly Route[];
  /**
   * Runs at each time of the `crons` in wrangler.toml. If it throws, the platform shows the event as failed.
   */
  scheduled?(app: InvokedApp, time: CronTime): Promise<void>;
  /** Accepts files in messages. */
  readonly files?: AppFiles | undefined;
  /** Shows data that is not journaled to readers outside of the invocation that runs a turn. */
  readonly liveText?: LiveText | undefined;
  /** Accepts the answers to waiting calls. */
  readonly answers?: AnswerAcceptor | undefined;
  /**
   * Creates a fork that ends with a turn of the session, if other turns follow it, and returns its id.
   * Returns `undefined` if the session itself can accept a message after the turn, including a repeat of the
   * next message under its key.
   */
  forkBehind?(session: Session, sent: FollowUpMessage): Promise<string | undefined>;
  /**
   * Makes a fork for a message that replaces a turn, and returns its id.
   *
   * @throws SessionError `would-repeat-effects`, worded for people, if the removed part contains calls that
   * had effects.
   */
  forkInstead?(session: Session, sent: ReplacementMessage): Promise<string>;
  /**
   * Starts a turn for a message that a person resends from a protocol's client. The message must be the last
   * of its session. Its turn must be `turn`, or the one after `behind`, and must have failed, been cancelled,
   * or stopped at a limit. Follows a retry that is already running. Returns `undefined` for an ordinary
   * message: it has files or an idempotency key, or its client does not mark automatic retries.
   */
  retry?(session: Session, sent: RepeatedMessage): Promise<TurnStream | undefined>;
  /** Resumes interrupted copies of forks. */
  readonly copyOn?: ForkCopier | undefined;
  /** Receives the entries of the app's log instead of the console. For the whole app. */
  readonly log?: LogOption | undefined;
  /** The location of sessions. For the whole app. */
  readonly location?: SessionPlace | undefined;
  /**
   * The retention of sessions: those of the agent with this module, or of all agents without their own
   * retention.
   */
  readonly keeps?: Pick<TurnStart, 'retainMs' | 'blobRetainMs'> | undefined;
  /**
   * Returns the code behind `keeps`, `wraps` and a file store. @throws ConfigurationError if the app cannot
   * store its sessions like this.
   */
  keeping?(app: RetentionApp): SessionPortWrapper;
  /** Returns a wrapper around the port of each session. For the whole app. Requires `keeping`. */
  wraps?(app: RetentionApp): SessionPortWrapper;
  /**
   * Checks an environment. Called once for each environment. @throws DeploymentError if a session cannot work
   * in it.
   */
  check?(env: Env): void;
  /** Returns checks of the module's own needs, for `GET /health`. Sessions work even if these fail. */
  checks?(app: HostedApp & { readonly host: HttpHost }): readonly DeploymentCheck[];
}

export const APP = defineSeam<AppParts>();

/** Returns the parts that the modules of an app add, each once. */
export const collectAppParts = ({ modules }: Pick<HttpHost, 'modules'>): readonly AppParts[] =>
  listAppParts(modules.uses);

/** Returns the parts that these uses add, each once. */
export const listAppParts = (uses: readonly ModuleUse[]): readonly AppParts[] => [
  ...new Set(uses.flatMap((use) => APP.of(use) ?? [])),
];

/**
 * Composes the gates of modules around the routes of an app. A gate is absent unless a module provides it.
 *
 * @throws ConfigurationError if an agent or a tool brings a gate, since it would apply to the whole app.
 */
export function composeGates({ uses, appWide }: Modules): Gates {
  const misplaced = uses.find((use) => !appWide.includes(use) && isGate(APP.of(use)));
  if (misplaced) throw new ConfigurationError(describeMisplacedModule(misplaced.module));
  const parts = listAppParts(appWide);
  return {
    http: composeGate(parts, 'http', nestHttpGates),
    caller: composeGate(parts, 'caller', chainCallerGates),
    owner: composeGate(parts, 'owner', (first) => first),
    admit: composeGate(parts, 'admit', (first, second) => async (owner, app) => {
      await first(owner, app);
      await second(owner, app);
    }),
  };
}

/** Composes the modules' functions for this key, or returns `undefined` if there are none. */
const composeGate = <Key extends keyof Gates>(
  parts: readonly Gates[],
  key: Key,
  join: (first: NonNullable<Gates[Key]>, second: NonNullable<Gates[Key]>) => Gates[Key],
): Gates[Key] =>
  parts.reduce<Gates[Key]>(
    (one, { [key]: other }) => (one && other ? join(one, other) : (one ?? other)),
    undefined,
  );

const GATES = ['http', 'caller', 'owner', 'admit', 'log', 'location'] as const;

const isGate = (parts: AppParts = {}): boolean => GATES.some((key) => parts[key] !== undefined);

const describeMisplacedModule = ({ name }: ModuleIdentity): string =>
  `The module '${name}' is for the whole app. Add it to \`use\` of createHoldfast.`;

type HttpGate = NonNullable<Gates['http']>;
type CallerGate = NonNullable<Gates['caller']>;

const nestHttpGates =
  (outer: HttpGate, inner: HttpGate): HttpGate =>
  (asked, next) =>
    outer(asked, (given) => inner(given, next));

const chainCallerGates =
  (first: CallerGate, second: CallerGate): CallerGate =>
  async (caller, request) =>
    second(await first(caller, request), request);
