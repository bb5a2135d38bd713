import type { Agent } from '../agent/define-agent.ts';
import { collectAppModules, createAgentResolver } from '../agent/resolve-agent.ts';
import { findAskingSeam } from '../journal/asking.ts';
import type { Principal } from '../journal/events.ts';
import type { ChatModel, ModelOfEnv } from '../model/chat-model.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import {
  checkDeployment,
  type Deployment,
  type DeploymentCheck,
  DeploymentError,
  listDeploymentWarnings,
} from '../session/deployment.ts';
import { createObjectSession } from '../session/object-session.ts';
import { checkPlatform, type PlatformConfig, readPlatform, systemClock } from '../session/read-platform.ts';
import { type AppContext, type MintedSecrets, readSecrets, toAppContext } from '../session/read-secrets.ts';
import { memoize } from '../tool/async.ts';
import { toLog } from '../tool/console-log.ts';
import { createWarningEntry, type Log, logOnce } from '../tool/log.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import { type AppParts, collectAppParts, composeGates } from './app-seam.ts';
import { type Authenticate, defaultAuth } from './auth.ts';
import { mapAgentsByName } from './check-app.ts';
import type { ContextFor, Env, Host, OwnRequest } from './host.ts';
import { createOpenStreams } from './open-streams.ts';
import { parseContextHeaders } from './request-headers.ts';
import type { HttpHost } from './route.ts';

/**
 * The options of `createHoldfast`. `AppEnv` is the Worker's environment, such as the `Cloudflare.Env` of
 * `wrangler types`.
 */
export interface HoldfastConfig<AppEnv extends object = Env> {
  readonly agents: readonly Agent[];
  /**
   * The model for agents without their own; required if there are such agents. A function creates it from the
   * environment, once for each, such as `openaiCompatible()` from `holdfast/models/openai-compatible`. If the
   * function throws, messages for these agents return 500 `misconfigured`. `GET /health` reports this too if
   * the function allows the check, as `openaiCompatible()` does.
   */
  readonly model?: ChatModel | ModelOfEnv<NoInfer<AppEnv>> | undefined;
  /**
   * Authenticates each request. Defaults to the bearer token in `HOLDFAST_TOKEN`. If that is not set and the
   * var `HOLDFAST_AUTH` is `localhost`, defaults to `openOnLocalhost()`. Otherwise, all requests except `GET
   * /health` receive a 401 response.
   */
  readonly auth?: Authenticate<AppEnv> | undefined;
  /**
   * Modules of the app: additional protocols (`aiSdkUi()`, `openAi()`, `defineMcpEndpoint`), incoming and
   * outgoing webhooks, schedules, `toolGroups()`, `openApi()`, `files()`, `liveText()`, `cors()`,
   * `onBehalfOf()`, `rateLimit()`, `logTo()`, `retain()`, `placeSessions()`, and your own modules from
   * `defineModule`. Modules that agents and their tools use need not be listed.
   */
  readonly use?: readonly ModuleUse[] | undefined;
  /**
   * The tool-call context of every turn. The context of the agent and that of the request override it. Must
   * not contain credentials, since tools may pass it on. A function runs in every invocation of a turn, but
   * `request` is defined only in the first (see `OwnRequest`), so its values are lost if the turn resumes
   * elsewhere. Values of headers that `http.contextHeaders` maps are kept.
   */
  readonly context?: AppContext | ((env: AppEnv, asked: ContextFor) => AppContext) | undefined;
  /**
   * Creates the credentials of a turn's tools (`call.secrets`) for the principal, once for each invocation.
   * They are not stored or shown, so a resumed turn receives new ones. `own.request` is defined only in the
   * invocation that the caller's request started. If it is absent, use the principal. If the function throws,
   * or does not return within 30 seconds, the turn fails.
   */
  readonly secrets?:
    | ((
        env: AppEnv,
        principal: Principal,
        own: OwnRequest,
      ) => MintedSecrets | undefined | Promise<MintedSecrets | undefined>)
    | undefined;
  /**
   * Limits of one invocation. They override the vars `SUBREQUESTS`, `INTERNAL_SUBREQUESTS` and `WALL_MS`,
   * which override the limits of the plan in the var `PLAN` (`free` or `paid`). `PLAN` defaults to `free`. A
   * turn that approaches a limit is handed over to a fresh invocation.
   */
  readonly limits?: PlatformConfig | ((env: AppEnv) => PlatformConfig) | undefined;
  /** Settings of HTTP requests. */
  readonly http?: HttpConfig | undefined;
}

/**
 * Settings of an app's HTTP requests. For access from pages of other origins, use `cors()` of
 * `holdfast/http`.
 */
export interface HttpConfig {
  /**
   * The path prefix of the Worker, such as `/ai`: all links begin with it. Routes that `app.route` mounts
   * detect their prefix. Set it if requests do not show the prefix: for `worker.fetch` below a path of a
   * site, Hono's `mount`, and proxies that rewrite paths.
   */
  readonly basePath?: string | undefined;
  /**
   * Maps request headers to keys of the tool-call context. They override the body. Headers with credentials
   * cannot be mapped.
   */
  readonly contextHeaders?: Readonly<Record<string, string>> | undefined;
  /**
   * The keys of the tool-call context that a body may have. Any other key is refused. Defaults to no keys.
   */
  readonly bodyContext?: readonly string[] | undefined;
  /** The maximum number of bytes of a request body. Webhooks have their own limits. Defaults to 1 MB. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * The maximum number of event streams that a caller, by id and tenant, can have open in one isolate of the
   * Worker. Further streams receive a 429 response, `rate-limited`. Increase it if many people share one
   * token. Defaults to 16.
   */
  readonly maxStreams?: number | undefined;
}

/** Values that the entry of a Worker passes in. */
interface WorkerPlatform {
  deployed(env: Env): Deployment;
  /** Removes the secrets of the Worker's vars from the entries of a log. */
  hide(log: Log): Log;
}

/** Returns this part of the first module that has it. */
type PartLookup = <Key extends keyof AppParts>(key: Key) => AppParts[Key];

/**
 * Builds the host for routes and turns from checked options. @throws ConfigurationError for mistakes that can
 * be detected without an environment.
 */
export function toHost(config: HoldfastConfig, { deployed, hide }: WorkerPlatform): HttpHost {
  const agents = mapAgentsByName(config.agents);
  const { auth = defaultAuth, context = {}, http = {} } = config;
  const modules = collectAppModules(config);
  const parts = collectAppParts({ modules });
  const findPart: PartLookup = (key) => parts.find((one) => one[key] !== undefined)?.[key];
  const gates = composeGates(modules);
  const log = hide(toLog(findPart('log')));
  const listChecks = (env: Env): readonly DeploymentCheck[] => [
    () => checkDeployment(deployed(env)),
    ...parts.map((part) => () => part.check?.(env)),
  ];
  // An environment does not change, so it is checked once.
  const warnings = memoize((env: Env): readonly string[] => {
    for (const check of listChecks(env)) check();
    return listDeploymentWarnings(deployed(env));
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
    resolve: createAgentResolver({ modules, agents: config.agents, log }),
    context: toContextHook(context),
    secrets: toSecretsHook(config.secrets),
    platform: toPlatformHook(config.limits ?? {}),
    files: findPart('files'),
    liveText: findPart('liveText'),
    answers: findAskingSeam(modules.uses),
    copyOn: findPart('copyOn'),
    checks: listChecks,
    warnings,
    session: toSessionHook(config, { log, part: findPart, warnings }),
  };
}

/** Converts problems with vars, which occur in every request, to errors that are logged once. */
function withDeploymentErrors<T>(read: () => T): T {
  try {
    return read();
  } catch (failure) {
    throw failure instanceof ConfigurationError ? new DeploymentError(failure.message) : failure;
  }
}

/** Returns the hook, or `undefined` if the app has no function. Turns then do not wait for it. */
const toSecretsHook = (mint: HoldfastConfig['secrets']): Host['secrets'] =>
  mint && (async (env, principal, own) => readSecrets(await mint(env, principal, own)));

/** The binding `SESSIONS` of wrangler.toml. */
type SessionNamespace = Parameters<typeof createObjectSession>[0];

/**
 * Returns the hook that creates the port of a session. Every message that starts a turn passes through the
 * port.
 */
function toSessionHook(
  { agents, use = [] }: HoldfastConfig,
  { log, part, warnings }: Pick<HttpHost, 'log' | 'warnings'> & { readonly part: PartLookup },
): Host['session'] {
  const location = part('location');
  const kept = part('keeping')?.({ agents, use, files: part('files') });
  return (env, name, onSend) => {
    const messages = warnings(env);
    const object = createObjectSession(env.SESSIONS as SessionNamespace, name, {
      ...location,
      pauses: { onSend },
    });
    for (const message of messages) logOnce(log, createWarningEntry(message));
    return kept ? kept(object, name, env) : object;
  };
}

/** Returns the hook for the app's context. A context that is not a function is checked at once. */
function toContextHook(context: NonNullable<HoldfastConfig['context']>): Host['context'] {
  if (typeof context === 'function') return (env, asked) => toAppContext(context(env, asked));
  const ofApp = toAppContext(context);
  return () => ofApp;
}

/** Returns the hook for the limits. Limits that are not from a function are checked at once. */
function toPlatformHook(declared: NonNullable<HoldfastConfig['limits']>): Host['platform'] {
  if (typeof declared === 'function')
    return (env) => withDeploymentErrors(() => readPlatform(env, declared(env)));
  checkPlatform(declared);
  return memoize((env: Env) => withDeploymentErrors(() => readPlatform(env, declared)));
}
