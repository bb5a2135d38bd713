/** Where modules plug into an app: its routes, and the entries of its Worker. */
import type { SessionPort, TurnStart } from '../journal/session-port.ts';
import type { Modules } from '../loop/modules.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import type { Check } from '../session/deployment.ts';
import type { LiveText } from '../session/live-feed.ts';
import type { SessionPlace } from '../session/read-platform.ts';
import type { ContentPart } from '../tool/content.ts';
import type { JsonObject } from '../tool/json.ts';
import type { LogOption } from '../tool/log.ts';
import { defineSeam, type ModuleIdentity, type ModuleUse } from '../tool/module-use.ts';
import type { AnsweringApp, TakesAnswers } from './answering.ts';
import type { AppFiles } from './app-files.ts';
import type { SentBehind, SentInstead } from './fork-views.ts';
import type { CopyOn, Env, HostedApp, Invoked } from './host.ts';
import type { Gates, HttpHost, Route } from './route.ts';
import type { Session, TurnStream } from './session.ts';

/** A message that a client sends again. */
export interface SentAgain {
  readonly parts: readonly ContentPart[];
  /** The request by which it is sent. */
  readonly asked: { readonly request: Request; readonly signal: AbortSignal };
  /** The turn that it has begun, if that is known: its client has shown none of it as an answer. */
  readonly turn?: string | undefined;
  /** The turn behind which it is sent, if `turn` is not known: it may have begun the next one. */
  readonly behind?: string | undefined;
  /** What its request asks for beside it, in place of what the first one asked for. */
  readonly context: JsonObject;
}

/** An app, as its modules see it while it is made. */
export interface MountingApp {
  readonly host: HttpHost;
  /** The routes so far: those of every app, then those of the modules before this one. Requests see all routes in it. */
  readonly table: readonly Route[];
  /** For routes that take answers. */
  readonly answering: AnsweringApp;
}

/** An app, as one invocation of its Worker has it. */
export interface InvokedApp extends HostedApp {
  readonly host: HttpHost & Invoked;
}

/** What is used of a cron event. */
export interface CronTime {
  readonly cron: string;
  /** In milliseconds since the epoch. */
  readonly scheduledTime: number;
}

/** An app, as what keeps its sessions sees it. */
export interface KeptApp {
  readonly agents: readonly { readonly name: string; readonly uses: readonly ModuleUse[] }[];
  readonly use: readonly ModuleUse[];
  readonly files: AppFiles | undefined;
}

/** Changes what the messages to a session of this name say of it, in an environment. */
export type SessionKeeping = (port: SessionPort, name: string, env: Env) => SessionPort;

/** What a module brings to an app. Several uses of a module that share one object bring it once. */
export interface AppParts extends Gates {
  /** Returns its routes, when the app is made. @throws ConfigurationError if the app cannot have them. */
  routes?(app: MountingApp): readonly Route[];
  /** Runs at each time of the `crons` of wrangler.toml. What it throws shows the event as failed. */
  scheduled?(app: InvokedApp, time: CronTime): Promise<void>;
  /** How messages hold files. */
  readonly files?: AppFiles | undefined;
  /** Shows what is not journaled to readers elsewhere than where a turn runs. */
  readonly liveText?: LiveText | undefined;
  /** Takes the answers of calls that wait. */
  readonly answers?: TakesAnswers | undefined;
  /**
   * Makes a fork that ends with a turn of the session, and returns its id, if other turns came behind that. `undefined`: what is sent
   * behind the turn is for the session itself, also if it is sent again under its key, and was the next one.
   */
  forkBehind?(session: Session, sent: SentBehind): Promise<string | undefined>;
  /**
   * Makes a fork for a message that is sent in the place of a turn, and returns its id.
   *
   * @throws SessionError `would-repeat-effects`, in words for people, if the part that is cut off holds calls that had effects.
   */
  forkInstead?(session: Session, sent: SentInstead): Promise<string>;
  /**
   * Begins a turn for a message that a person sends again by a client of a protocol, if it is the last one of its session and its turn failed, or is
   * `turn`, or the next one behind `behind`, and was cancelled or reached a limit; a retry that is under way is followed. `undefined`: it is a message as any
   * other, as one with files or an idempotency key is, and one of a client that does not say that it is no retry of its own.
   */
  retry?(session: Session, sent: SentAgain): Promise<TurnStream | undefined>;
  /** Goes on with forks whose copying was cut short. */
  readonly copyOn?: CopyOn | undefined;
  /** Takes the lines of the app's log, in place of the console. Of the app. */
  readonly log?: LogOption | undefined;
  /** Where sessions live. Of the app. */
  readonly location?: SessionPlace | undefined;
  /** How long sessions are kept: those of the agent that brings it, or of all agents that bring none. */
  readonly keeps?: Pick<TurnStart, 'retainMs' | 'blobRetainMs'> | undefined;
  /** The code behind `keeps`, `wraps` and a store of files. @throws ConfigurationError if the app cannot keep its sessions so. */
  keeping?(app: KeptApp): SessionKeeping;
  /** Returns what stands between the app and each of its sessions. Of the app. Goes with `keeping`. */
  wraps?(app: KeptApp): SessionKeeping;
  /** Checks what it needs of an environment, once for each. @throws DeploymentError if a session cannot work without it. */
  check?(env: Env): void;
  /** Returns checks of what it needs for itself, while sessions work without it: for `GET /health`. */
  checks?(app: HostedApp & { readonly host: HttpHost }): readonly Check[];
}

/** What uses of modules bring to an app. */
export const APP = defineSeam<AppParts>();

/** Returns what the modules of an app bring to it, each once. */
export const appParts = ({ modules }: Pick<HttpHost, 'modules'>): readonly AppParts[] =>
  partsOf(modules.uses);

/** Returns what these uses bring, each once. */
export const partsOf = (uses: readonly ModuleUse[]): readonly AppParts[] => [
  ...new Set(uses.flatMap((use) => APP.of(use) ?? [])),
];

/**
 * Composes what modules put around the routes of an app. A member that no module brings is absent.
 *
 * @throws ConfigurationError if an agent or a tool brings one: it would hold for the whole app.
 */
export function gatesOf({ uses, appWide }: Modules): Gates {
  const misplaced = uses.find((use) => !appWide.includes(use) && isGate(APP.of(use)));
  if (misplaced) throw new ConfigurationError(ofTheApp(misplaced.module));
  const parts = partsOf(appWide);
  return {
    http: composed(parts, 'http', around),
    caller: composed(parts, 'caller', after),
    owner: composed(parts, 'owner', (first) => first),
    admit: composed(parts, 'admit', (first, second) => async (owner, app) => {
      await first(owner, app);
      await second(owner, app);
    }),
  };
}

/** Joins what modules bring by this key, or returns `undefined` if they bring none. */
const composed = <Key extends keyof Gates>(
  parts: readonly Gates[],
  key: Key,
  join: (first: NonNullable<Gates[Key]>, second: NonNullable<Gates[Key]>) => Gates[Key],
): Gates[Key] =>
  parts.reduce<Gates[Key]>(
    (one, { [key]: other }) => (one && other ? join(one, other) : (one ?? other)),
    undefined,
  );

const GATES = ['http', 'caller', 'owner', 'admit', 'log', 'location'] as const;

const isGate = (parts: AppParts = {}): boolean => GATES.some((key) => parts[key]);

const ofTheApp = ({ name }: ModuleIdentity): string =>
  `The module '${name}' is of the whole app: add it to \`use\` of createHoldfast.`;

type Layer = NonNullable<Gates['http']>;
type Speaker = NonNullable<Gates['caller']>;

const around =
  (outer: Layer, inner: Layer): Layer =>
  (asked, next) =>
    outer(asked, (given) => inner(given, next));

const after =
  (first: Speaker, second: Speaker): Speaker =>
  async (caller, request) =>
    second(await first(caller, request), request);
