import type { Agent } from '../agent/define-agent.ts';
import { agentResolver, appModules } from '../agent/resolve-agent.ts';
import { askingOf } from '../journal/asking.ts';
import type { Principal } from '../journal/events.ts';
import type { ChatModel, ModelOfEnv } from '../model/chat-model.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import {
  type Check,
  checkDeployment,
  type Deployment,
  DeploymentError,
  deploymentWarnings,
} from '../session/deployment.ts';
import { objectSession } from '../session/object-session.ts';
import { checkPlatform, type PlatformConfig, readPlatform, systemClock } from '../session/read-platform.ts';
import { type AppContext, type MintedSecrets, readSecrets, toAppContext } from '../session/read-secrets.ts';
import { memoized } from '../tool/async.ts';
import { toLog } from '../tool/console-log.ts';
import { type Log, logOnce, warning } from '../tool/log.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import { type AppParts, appParts, gatesOf } from './app-seam.ts';
import { type Authenticate, defaultAuth } from './auth.ts';
import { byName } from './check-app.ts';
import type { ContextFor, Env, Host, OwnRequest } from './host.ts';
import { createOpenStreams } from './open-streams.ts';
import { parseContextHeaders } from './request-headers.ts';
import type { HttpHost } from './route.ts';

/** The literal that `createHoldfast` takes. `AppEnv`: the Worker's environment, such as the `Cloudflare.Env` of `wrangler types`. */
export interface HoldfastConfig<AppEnv extends object = Env> {
  readonly agents: readonly Agent[];
  /**
   * For agents without a model of their own; required if there is one. A function makes it from the environment, once for each,
   * such as `openaiCompatible()` of `holdfast/models/openai-compatible`. If the function throws, messages for such agents return 500
   * `misconfigured`; `GET /health` does so too if the function says that it may be checked, as `openaiCompatible()` does.
   */
  readonly model?: ChatModel | ModelOfEnv<NoInfer<AppEnv>> | undefined;
  /**
   * Authenticates each request. Defaults to the bearer token in `HOLDFAST_TOKEN`, or, if that is not set, to `openOnLocalhost()` where the
   * var `HOLDFAST_AUTH` is `localhost`. Without either, every request but `GET /health` is answered 401.
   */
  readonly auth?: Authenticate<AppEnv> | undefined;
  /**
   * Modules of the app: protocols that it speaks beside its own (`aiSdkUi()`, `openAi()`, `defineMcpEndpoint`), webhooks of both directions, schedules,
   * `toolGroups()`, `openApi()`, `files()`, `liveText()`, `cors()`, `onBehalfOf()`, `rateLimit()`, `logTo()`, `retain()`, `placeSessions()`, and modules of
   * your own, made by `defineModule`. Those that its agents and their tools bring along need not be named.
   */
  readonly use?: readonly ModuleUse[] | undefined;
  /**
   * Tool-call context of every turn, under the agent's own and the request's. No credentials: tools may pass it on. A function is called in
   * every invocation of a turn, and `request` is defined in the first one alone, as `OwnRequest` says: a value that is read from it is gone
   * where the turn resumes elsewhere. The headers that `http.contextHeaders` maps are kept.
   */
  readonly context?: AppContext | ((env: AppEnv, asked: ContextFor) => AppContext) | undefined;
  /**
   * Mints the credentials of a turn's tools (`call.secrets`) for the principal, once an invocation: a turn that is resumed
   * has them minted again, and they are neither stored nor shown. The caller's own request is defined only in the invocation that it
   * began: where `own.request` is undefined, mint by the principal. If it throws, or returns no answer within 30 seconds, the turn fails.
   */
  readonly secrets?:
    | ((
        env: AppEnv,
        principal: Principal,
        own: OwnRequest,
      ) => MintedSecrets | undefined | Promise<MintedSecrets | undefined>)
    | undefined;
  /**
   * What one invocation may use, over the vars `SUBREQUESTS`, `INTERNAL_SUBREQUESTS` and `WALL_MS`, over what the plan allows that
   * the var `PLAN` names, `free` or `paid`. Defaults to `free`. A turn that comes near a limit is handed over to a fresh invocation.
   */
  readonly limits?: PlatformConfig | ((env: AppEnv) => PlatformConfig) | undefined;
  /** What requests may bring, and where they come in. */
  readonly http?: HttpConfig | undefined;
}

/** What an app says of its HTTP requests. Which pages of other origins may read its answers, `cors()` of `holdfast/http` says. */
export interface HttpConfig {
  /**
   * The path below which the Worker is served, such as `/ai`: every link begins with it. Routes that `app.route` mounts find theirs out
   * by themselves; it is for what a request does not show: `worker.fetch` below a part of a site, `mount` of Hono, and proxies that
   * rewrite paths.
   */
  readonly basePath?: string | undefined;
  /** Request header -> key of the tool-call context, over what a body says. Headers that carry credentials cannot be mapped. */
  readonly contextHeaders?: Readonly<Record<string, string>> | undefined;
  /** The keys of the tool-call context that a body may have. Any other key is refused. Defaults to no keys. */
  readonly bodyContext?: readonly string[] | undefined;
  /** The largest request body. A webhook has a limit of its own. Defaults to 1 MB. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * How many event streams a caller, by id and tenant, may have open in one isolate of the Worker: one more is answered 429
   * `rate-limited`. Raise it where one token serves many people. Defaults to 16.
   */
  readonly maxStreams?: number | undefined;
}

/** What the entry of a Worker knows, and its code does not. */
interface Platform {
  deployed(env: Env): Deployment;
  /** Takes the secrets of the Worker's vars out of the lines of a log. */
  hide(log: Log): Log;
}

/** Returns what the first module brings that has this part. */
type PartOf = <Key extends keyof AppParts>(key: Key) => AppParts[Key];

/** Makes of an app whose literal was checked what its routes and its turns need. @throws ConfigurationError for what its declaration alone tells. */
export function toHost(config: HoldfastConfig, { deployed, hide }: Platform): HttpHost {
  const agents = byName(config.agents);
  const { auth = defaultAuth, context = {}, http = {} } = config;
  const modules = appModules(config);
  const parts = appParts({ modules });
  const part: PartOf = (key) => parts.find((one) => one[key] !== undefined)?.[key];
  const gates = gatesOf(modules);
  const log = hide(toLog(part('log')));
  const checks = (env: Env): readonly Check[] => [
    () => checkDeployment(deployed(env)),
    ...parts.map((part) => () => part.check?.(env)),
  ];
  // An environment does not change: it is checked once.
  const warnings = memoized((env: Env): readonly string[] => {
    for (const check of checks(env)) check();
    return deploymentWarnings(deployed(env));
  });
  return {
    agents,
    modules,
    appUses: config.use ?? [],
    auth,
    gates,
    contextHeaders: parseContextHeaders(http.contextHeaders ?? {}),
    bodyContext: new Set(http.bodyContext),
    maxBodyBytes: http.maxBodyBytes ?? 1_000_000,
    streams: createOpenStreams(http.maxStreams ?? 16),
    basePath: http.basePath,
    clock: systemClock,
    log,
    newId: () => crypto.randomUUID().replaceAll('-', '').slice(0, 16),
    model: config.model,
    resolve: agentResolver({ modules, agents: config.agents, log }),
    context: contextIn(context),
    secrets: mintingIn(config.secrets),
    platform: platformIn(config.limits ?? {}),
    files: part('files'),
    liveText: part('liveText'),
    answers: askingOf(modules.uses),
    copyOn: part('copyOn'),
    checks,
    warnings,
    session: sessionIn(config, { log, part, warnings }),
  };
}

/** What is wrong with vars is found out by every request alike, and logged once. */
function readingVars<T>(read: () => T): T {
  try {
    return read();
  } catch (failure) {
    throw failure instanceof ConfigurationError ? new DeploymentError(failure.message) : failure;
  }
}

/** An app without the function mints nothing, and nothing waits for it. */
const mintingIn = (mint: HoldfastConfig['secrets']): Host['secrets'] =>
  mint && (async (env, principal, own) => readSecrets(await mint(env, principal, own)));

/** What wrangler.toml binds as `SESSIONS`. */
type Sessions = Parameters<typeof objectSession>[0];

/** Every message that starts a turn, from wherever it comes, goes through here. */
function sessionIn(
  { agents, use = [] }: HoldfastConfig,
  { log, part, warnings }: Pick<HttpHost, 'log' | 'warnings'> & { readonly part: PartOf },
): Host['session'] {
  const location = part('location');
  const kept = part('keeping')?.({ agents, use, files: part('files') });
  return (env, name, onSend) => {
    const messages = warnings(env);
    const object = objectSession(env.SESSIONS as Sessions, name, { ...location, pauses: { onSend } });
    for (const message of messages) logOnce(log, warning(message));
    return kept ? kept(object, name, env) : object;
  };
}

/** What does not depend on the environment is checked at once. */
function contextIn(context: NonNullable<HoldfastConfig['context']>): Host['context'] {
  if (typeof context === 'function') return (env, asked) => toAppContext(context(env, asked));
  const ofApp = toAppContext(context);
  return () => ofApp;
}

/** Limits in the code are checked at once. */
function platformIn(declared: NonNullable<HoldfastConfig['limits']>): Host['platform'] {
  if (typeof declared === 'function') return (env) => readingVars(() => readPlatform(env, declared(env)));
  checkPlatform(declared);
  return memoized((env: Env) => readingVars(() => readPlatform(env, declared)));
}
