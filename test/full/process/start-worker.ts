import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { Log, LogLevel, Miniflare } from 'miniflare';
import { type Edit, withEdits } from './with-edits.ts';

const root = resolve(import.meta.dirname, '../../..');

/** The name of the Worker in the test, which is independent of `wrangler.toml`. */
const WORKER_NAME = 'holdfast';
const SESSION_CLASS = 'SessionObject';
const INDEX_CLASS = 'IndexObject';
const LIMITS_CLASS = 'OwnerLimits';
const QUEUE_NAME = 'turns';

/** How a build differs from the code in the checkout. */
export interface BuildOptions {
  /** Texts that replace these names in the entry's code. */
  readonly constants?: Readonly<Record<string, string>> | undefined;
  /** Edits that turn the code into an older or newer version. */
  readonly edits?: readonly Edit[] | undefined;
}

/** How a deployment differs from `wrangler.toml`. */
export interface Deployment {
  readonly compatibilityDate?: string | undefined;
  readonly compatibilityFlags?: readonly string[] | undefined;
  /** If `true`, `SESSIONS` is not bound. Defaults to `false`. */
  readonly isUnbound?: boolean | undefined;
  /** Uses the storage of a class that is in `new_classes` or has no migration. Defaults to SQLite. */
  readonly storage?: 'legacy-kv' | undefined;
  /** Binds a queue as `TURNS`, and delivers its messages to the Worker. */
  readonly hasQueue?: boolean | undefined;
  /** Binds the class `IndexObject`, which the entry must export, as `INDEX`. */
  readonly hasIndex?: boolean | undefined;
  /** Lets the Worker receive emails at `POST /cdn-cgi/local/email`, as in `wrangler dev`. */
  readonly takesMail?: boolean | undefined;
  /** Additional bindings in Miniflare's format, such as `{ DB: { type: 'd1', id: 'db' } }`. */
  readonly bindings?: Readonly<Record<string, Binding>> | undefined;
  /** Binds the class `OwnerLimits`, which the entry must export, as `OWNER_LIMITS`. */
  readonly hasLimits?: boolean | undefined;
}

/** An additional binding of a Worker. */
export type Binding =
  | { readonly type: 'd1' | 'kv'; readonly id: string }
  | { readonly type: 'r2'; readonly name: string }
  | { readonly type: 'send-email' }
  | { readonly type: 'worker'; readonly worker: string };

export interface WorkerSettings {
  /** Defaults to the code in the checkout. */
  readonly build?: BuildOptions | undefined;
  /** The path of an earlier result of {@link buildWorker}. By default, the entry is built. */
  readonly bundle?: string | undefined;
  readonly deployedAs?: Deployment | undefined;
  /** The vars of the Worker, in addition to the var that enables local mode. */
  readonly vars?: Readonly<Record<string, string>> | undefined;
  /**
   * The folder of its storage, which restarts can reuse. By default, the storage is discarded when the Worker
   * stops.
   */
  readonly storage?: string | undefined;
  /** Enables the inspector. */
  readonly isInspected?: boolean | undefined;
}

/** A Worker in a separate workerd process, which clients reach over HTTP. */
export interface RunningWorker {
  readonly url: URL;
  /** Its console output, by message. */
  readonly logs: readonly string[];
  /** Returns the URL of its inspector. @throws TypeError if the inspector is not enabled. */
  inspector(): Promise<URL>;
  /** Returns the additional bindings, so that a test can fill or read them. */
  bindings<Bindings>(): Promise<Bindings>;
  /** Evicts a session's object. Resolves when it is not in memory. Work in progress is finished first. */
  evict(objectName: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Builds a Worker's entry (a path from the root of the checkout) and starts it. The compatibility settings
 * default to those of `wrangler.toml`. The entry must export `SessionObject`, which is bound as `SESSIONS`. No
 * request leaves this machine.
 */
export async function startWorker(entry: string, settings: WorkerSettings = {}): Promise<RunningWorker> {
  const { storage, isInspected, deployedAs = {} } = settings;
  const vars = { HOLDFAST_AUTH: 'localhost', ...settings.vars };
  const logs: string[] = [];
  const miniflare = new Miniflare({
    host: '127.0.0.1',
    cf: false,
    log: new Log(LogLevel.NONE),
    handleStructuredLogs: ({ message }) => logs.push(message),
    ...(storage !== undefined && { resourcePersistencePath: storage }),
    ...(isInspected && { inspectorPort: 0 }),
    ...(deployedAs.takesMail && { unsafeTriggerHandlers: true }),
    workers: [
      {
        config: {
          name: WORKER_NAME,
          ...getCompatibility(deployedAs),
          manifest: {
            mainModule: 'worker.js',
            modules: { 'worker.js': { type: 'esm', contents: await bundleModule(entry, settings) } },
          },
          env: {
            ...(!deployedAs.isUnbound && {
              SESSIONS: { type: 'durable-object', worker: WORKER_NAME, exportName: SESSION_CLASS },
            }),
            ...(deployedAs.hasIndex && {
              INDEX: { type: 'durable-object', worker: WORKER_NAME, exportName: INDEX_CLASS },
            }),
            ...(deployedAs.hasLimits && {
              OWNER_LIMITS: { type: 'durable-object', worker: WORKER_NAME, exportName: LIMITS_CLASS },
            }),
            ...(deployedAs.hasQueue && { TURNS: { type: 'queue', name: QUEUE_NAME } }),
            ...deployedAs.bindings,
            ...Object.fromEntries(
              Object.entries(vars).map(([name, value]) => [name, { type: 'text', value }]),
            ),
          },
          exports: {
            [SESSION_CLASS]: { type: 'durable-object', storage: deployedAs.storage ?? 'sqlite' },
            ...(deployedAs.hasIndex && { [INDEX_CLASS]: { type: 'durable-object', storage: 'sqlite' } }),
            ...(deployedAs.hasLimits && { [LIMITS_CLASS]: { type: 'durable-object', storage: 'sqlite' } }),
          },
          ...(deployedAs.hasQueue && { triggers: [{ type: 'queue', name: QUEUE_NAME, maxBatchTimeout: 0 }] }),
        },
      },
    ],
  });
  return {
    url: await miniflare.ready,
    logs,
    inspector: () => miniflare.getInspectorURL(),
    bindings: <Bindings>() => miniflare.getBindings<Bindings & Record<string, unknown>>(WORKER_NAME),
    evict: (name) => evict(miniflare, name),
    stop: () => miniflare.dispose(),
  };
}

async function evict(miniflare: Miniflare, name: string): Promise<void> {
  try {
    await miniflare.unsafeEvictDurableObject(WORKER_NAME, SESSION_CLASS, { name });
  } catch (failure) {
    if (!String(failure).includes('it is not currently running')) throw failure;
  }
}

const bundleModule = async (
  entry: string,
  { bundle, build: differences = {} }: WorkerSettings,
): Promise<string> => (bundle === undefined ? buildWorker(entry, differences) : readFileSync(bundle, 'utf8'));

const bundles = new Map<string, Promise<string>>();

/** Builds the entry as one module. Repeated calls return the same build. */
export function buildWorker(entry: string, differences: BuildOptions = {}): Promise<string> {
  const name = JSON.stringify([entry, differences]);
  const known = bundles.get(name);
  if (known !== undefined) return known;
  const bundle = bundleOnce(entry, differences);
  bundles.set(name, bundle);
  return bundle;
}

const bundleOnce = (entry: string, { constants = {}, edits = [] }: BuildOptions): Promise<string> =>
  bundleWorker(entry, { constants, plugins: [withEdits(edits)] });

/** Bundles an entry like wrangler, with additional esbuild plugins. */
export async function bundleWorker(
  entry: string,
  { constants = {}, plugins }: Pick<BuildOptions, 'constants'> & { readonly plugins: Plugin[] },
): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    // Packages are resolved as in wrangler.
    conditions: ['workerd', 'worker', 'browser'],
    mainFields: ['browser', 'module', 'main'],
    external: ['cloudflare:*', 'node:*'],
    define: Object.fromEntries(
      Object.entries(constants).map(([name, value]) => [name, JSON.stringify(value)]),
    ),
    plugins,
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error(`The build of ${entry} has no output.`);
  return output.text;
}

/** Reads the two settings with a pattern, because importing wrangler takes longer than starting the Worker. */
function getCompatibility({ compatibilityDate, compatibilityFlags }: Deployment): {
  compatibilityDate: string;
  compatibilityFlags: string[];
} {
  const toml = readFileSync(resolve(root, 'wrangler.toml'), 'utf8');
  const date = /^compatibility_date = "(.+)"$/m.exec(toml)?.[1];
  const flags = /^compatibility_flags = (\[.*\])$/m.exec(toml)?.[1];
  if (date === undefined || flags === undefined)
    throw new Error('wrangler.toml must set compatibility_date and compatibility_flags.');
  return {
    compatibilityDate: compatibilityDate ?? date,
    compatibilityFlags: [...(compatibilityFlags ?? JSON.parse(flags))],
  };
}
