import { appModules } from '../agent/app-modules.ts';
import { fileRetainMs, type Retention, retainMs, retentionProblem } from '../agent/check-settings.ts';
import type { Agent } from '../agent/define-agent.ts';
import { agentResolver } from '../agent/resolve-agent.ts';
import type { Principal } from '../journal/events.ts';
import type { ChatModel, ModelOfEnv } from '../model/chat-model.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import {
  checkDeployment,
  type Deployment,
  DeploymentError,
  deploymentWarnings,
} from '../session/deployment.ts';
import type { Steering } from '../session/new-message.ts';
import { type ObjectSessionOptions, objectSession } from '../session/object-session.ts';
import { checkPlatform, type PlatformConfig, readPlatform, systemClock } from '../session/read-platform.ts';
import {
  type AppContext,
  agentOfSession,
  type Keeping,
  type MintedSecrets,
  readSecrets,
  toAppContext,
  withKeeping,
} from '../session/read-secrets.ts';
import { memoized } from '../tool/async.ts';
import { type LogOption, logOnce, toLog, warning } from '../tool/log.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import type { AppFiles } from './app-files.ts';
import { type AppParts, appParts, gatesOf } from './app-seam.ts';
import { type Authenticate, defaultAuth } from './auth.ts';
import { byName, checkModel, checkModels, checkSubagents } from './check-app.ts';
import type { ContextFor, Env, Host, OwnRequest } from './host.ts';
import { createOpenStreams } from './open-streams.ts';
import { parseContextHeaders } from './request-headers.ts';
import type { HttpHost } from './route.ts';

/** The literal that `createHoldfast` takes. `AppEnv`: the Worker's environment, such as the `Cloudflare.Env` of `wrangler types`. */
export interface HoldfastConfig<AppEnv extends object = Env> {
  readonly agents: readonly Agent[];
  /**
   * Modules of the app: protocols that it speaks beside its own (`aiSdkUi()`, `openAi()`, `defineMcpEndpoint`), webhooks of both directions, schedules,
   * `toolGroups()`, `openApi()`, `files()`, `cors()`, `onBehalfOf()`, `rateLimit()`, and modules of your own, made by `defineModule`. Those that its agents and their tools bring along need not be named.
   */
  readonly use?: readonly ModuleUse[] | undefined;
  /**
   * For agents without a model of their own; required if there is one. A function makes it from the environment, once for each,
   * such as `openaiCompatible()` of `holdfast/models/openai-compatible`. If the function throws, messages for such agents return 500
   * `misconfigured`; `GET /health` does so too if the function says that it may be checked, as `openaiCompatible()` does.
   */
  readonly model?: ChatModel | ModelOfEnv<NoInfer<AppEnv>> | undefined;
  /**
   * Tool-call context of every turn, under the agent's own and the request's. No credentials: tools may pass it on. A function is asked in every invocation of a turn, and `request` is there in the first one alone, as `OwnRequest` says: what is
   * read of it is gone where the turn goes on elsewhere. `contextHeaders` are kept.
   */
  readonly context?: AppContext | ((env: AppEnv, asked: ContextFor) => AppContext) | undefined;
  /** What of the tool-call context a client may send in a body: nothing unless given, and any other key is refused. */
  readonly bodyContext?: readonly string[] | undefined;
  /**
   * Mints the credentials of a turn's tools (`call.secrets`) for whoever asked, once an invocation: a turn that is resumed
   * has them minted again, and nothing of them is stored or shown. The caller's own request is there only in the invocation that it
   * began: where `own.request` is undefined, mint by the principal. What it throws fails the turn, as does no answer within 30
   * seconds.
   */
  readonly secrets?:
    | ((
        env: AppEnv,
        principal: Principal,
        own: OwnRequest,
      ) => MintedSecrets | undefined | Promise<MintedSecrets | undefined>)
    | undefined;
  /**
   * Absent: the bearer token in `HOLDFAST_TOKEN`, or, when that is not set, `openOnLocalhost()` where the var `HOLDFAST_AUTH` is
   * `localhost`. Where neither says who may come in, everything but `GET /health` is answered 401.
   */
  readonly auth?: Authenticate<AppEnv> | undefined;
  /**
   * Whose messages steer a turn (`?whenBusy=steer`, and webhooks that steer): those of whoever asked for it, by id and tenant, unless
   * this is `anyone`: then all who may send to its session. Any other message waits in line, as a turn of its sender's own.
   */
  readonly steering?: Steering | undefined;
  /** Request header -> key of the tool-call context, over what a body says. Headers that carry credentials cannot be mapped. */
  readonly contextHeaders?: Readonly<Record<string, string>> | undefined;
  /**
   * The path below which the Worker is served, such as `/ai`: every link begins with it. Routes that `app.route` mounts find theirs out
   * by themselves; it is for what a request does not show: `worker.fetch` below a part of a site, `mount` of Hono, and proxies that
   * rewrite paths.
   */
  readonly basePath?: string | undefined;
  /** What a request body may weigh; 1 MB unless given. A webhook has a limit of its own. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * How many event streams a caller, by id and tenant, may have open in one isolate of the Worker: one more is answered 429
   * `rate-limited`. Raise it where one token serves many people. Defaults to 16.
   */
  readonly maxStreams?: number | undefined;
  /**
   * What one invocation may use, over the vars `SUBREQUESTS`, `INTERNAL_SUBREQUESTS` and `WALL_MS`, over what the plan allows that
   * the var `PLAN` names: `free` unless set, or `paid`. A turn that comes near a limit is handed over to a fresh invocation.
   */
  readonly platform?: PlatformConfig | ((env: AppEnv) => PlatformConfig) | undefined;
  /** How long sessions and their files are kept, unless their agent says otherwise. Defaults to forever. */
  readonly retention?: Retention | undefined;
  /**
   * Takes the lines of the log, each as data: what tools threw, failed turns and models, refused webhooks, and one line for each turn
   * that has ended. Unless given, they are written to the console; `false`: nobody is told. The secrets of a turn are taken out of its
   * lines. What the function throws is lost.
   */
  readonly log?: LogOption | undefined;
  /** Where sessions live; every append pays the way there. */
  readonly location?: ObjectSessionOptions | undefined;
}

/** Makes of an app whose literal was checked what its routes and its turns need. @throws ConfigurationError for what its declaration alone tells. */
export function toHost(config: HoldfastConfig, deployed: (env: Env) => Deployment): HttpHost {
  checkSubagents(config);
  checkModel(config, config.use ?? []);
  checkModels(config);
  const {
    agents,
    auth = defaultAuth,
    steering = 'requester',
    contextHeaders = {},
    maxBodyBytes = 1_000_000,
    maxStreams = 16,
    context = {},
  } = config;
  const modules = appModules(config);
  const parts = appParts({ modules });
  const files = parts.find((part) => part.files)?.files;
  return {
    agents: byName(agents),
    modules,
    appUses: config.use ?? [],
    auth,
    gates: gatesOf(modules),
    steering,
    contextHeaders: parseContextHeaders(contextHeaders),
    bodyContext: new Set(config.bodyContext),
    maxBodyBytes,
    streams: createOpenStreams(maxStreams),
    basePath: config.basePath,
    clock: systemClock,
    log: toLog(config.log),
    newId: () => crypto.randomUUID().replaceAll('-', '').slice(0, 16),
    model: config.model,
    resolve: agentResolver({ modules, agents, log: toLog(config.log) }),
    context: contextIn(context),
    secrets: mintingIn(config.secrets),
    platform: platformIn(config.platform ?? {}),
    files,
    answers: parts.find((part) => part.answers)?.answers,
    session: sessionIn(config, deployed, { files, parts }),
    warnings: (env) => deploymentWarnings(deployed(env)),
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

/** Every message that starts a turn, from wherever it comes, goes through here, and says how long its session is kept. */
function sessionIn(
  config: HoldfastConfig,
  deployed: (env: Env) => Deployment,
  { files, parts }: { readonly files: AppFiles | undefined; readonly parts: readonly AppParts[] },
): Host['session'] {
  const { agents, retention = 'forever', location, log: option } = config;
  const keepingOf = (kept: Retention): Keeping | undefined => {
    if (kept === 'forever' && !files?.store) return undefined; // what a message says that says nothing
    const keepsOutside = files?.store?.owner;
    return { retainMs: retainMs(kept), blobRetainMs: fileRetainMs(kept), keepsOutside };
  };
  const ofApp = checkedRetention(retention);
  const keeping = new Map(agents.map((agent) => [agent.name, keepingOf(agent.retention ?? ofApp)]));
  const ofOthers = keepingOf(ofApp);
  const isForever = [ofOthers, ...keeping.values()].every((kept) => kept === undefined);
  const log = toLog(option);
  // An environment does not change: it is checked once.
  const warningsOf = memoized((env: Env): readonly string[] => {
    const deployment = deployed(env);
    checkDeployment(deployment);
    files?.store?.check(env);
    for (const part of parts) part.check?.(env);
    return deploymentWarnings(deployment);
  });
  return (env, name, onSend) => {
    const warnings = warningsOf(env);
    const object = objectSession(env.SESSIONS as Sessions, name, { ...location, pauses: { onSend } });
    for (const message of warnings) logOnce(log, warning(message));
    if (isForever) return object;
    const agent = agentOfSession(name);
    const kept = keeping.has(agent) ? keeping.get(agent) : ofOthers;
    return kept ? withKeeping(object, kept) : object;
  };
}

function checkedRetention(retention: Retention): Retention {
  const problem = retentionProblem(retention);
  if (problem) throw new ConfigurationError(`The retention is ${problem.value}: use ${problem.use}.`);
  return retention;
}

/** What does not depend on the environment is checked at once. */
function contextIn(context: NonNullable<HoldfastConfig['context']>): Host['context'] {
  if (typeof context === 'function') return (env, asked) => toAppContext(context(env, asked));
  const ofApp = toAppContext(context);
  return () => ofApp;
}

/** Limits in the code are checked at once. */
function platformIn(declared: NonNullable<HoldfastConfig['platform']>): Host['platform'] {
  if (typeof declared === 'function') return (env) => readingVars(() => readPlatform(env, declared(env)));
  checkPlatform(declared);
  return memoized((env: Env) => readingVars(() => readPlatform(env, declared)));
}
