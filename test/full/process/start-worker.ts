import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { Log, LogLevel, Miniflare } from 'miniflare';
import { type Edit, withEdits } from './with-edits.ts';

const root = resolve(import.meta.dirname, '../../..');

/** What `wrangler.toml` calls the Worker does not matter here; it is only told apart by it. */
const WORKER = 'holdfast';
const OBJECT = 'SessionObject';
const INDEX = 'IndexObject';
const LIMITS = 'OwnerLimits';
const QUEUE = 'turns';

/** What makes one build of an entry differ from another. */
export interface Build {
  /** Names of the entry's code that stand for a text. */
  readonly constants?: Readonly<Record<string, string>> | undefined;
  /** Other code than is in the checkout, as an older or a newer version has it. */
  readonly edits?: readonly Edit[] | undefined;
}

/** How a Worker is deployed, where that is not as `wrangler.toml` says. */
export interface DeployedAs {
  readonly compatibilityDate?: string | undefined;
  readonly compatibilityFlags?: readonly string[] | undefined;
  /** Absent: the class is bound as `SESSIONS`. */
  readonly isUnbound?: boolean | undefined;
  /** What a class keeps that `new_classes` names, or no migration. Absent: SQLite. */
  readonly storage?: 'legacy-kv' | undefined;
  /** The Worker has a queue as `TURNS`, and takes its messages. */
  readonly hasQueue?: boolean | undefined;
  /** The entry exports `IndexObject`, which is bound as `INDEX`. */
  readonly hasIndex?: boolean | undefined;
  /** Letters can be sent to it by `POST /cdn-cgi/local/email`, as to `wrangler dev`. */
  readonly takesMail?: boolean | undefined;
  /** Further bindings, as miniflare's configuration has them: `{ DB: { type: 'd1', id: 'db' } }`. */
  readonly bindings?: Readonly<Record<string, Binding>> | undefined;
  /** The entry exports `OwnerLimits`, which is bound as `OWNER_LIMITS`. */
  readonly hasLimits?: boolean | undefined;
}

/** A binding that a Worker has beside those of every Worker. */
export type Binding =
  | { readonly type: 'd1' | 'kv'; readonly id: string }
  | { readonly type: 'r2'; readonly name: string }
  | { readonly type: 'send-email' }
  | { readonly type: 'worker'; readonly worker: string };

export interface WorkerSettings {
  /** Absent: as the code is. */
  readonly build?: Build | undefined;
  /** A file that holds what {@link buildWorker} made of the entry before. Absent: it is built now. */
  readonly bundle?: string | undefined;
  readonly deployedAs?: DeployedAs | undefined;
  /** The Worker's vars, beside the one that lets this machine in. */
  readonly vars?: Readonly<Record<string, string>> | undefined;
  /** The folder that keeps its storage when it is started again. Absent: forgotten when it stops. */
  readonly storage?: string | undefined;
  /** An inspector can ask it what it holds. */
  readonly isInspected?: boolean | undefined;
}

/** A Worker in a workerd process of its own, reached as any client reaches one. */
export interface RunningWorker {
  readonly url: URL;
  /** What it wrote to its console, a message each. */
  readonly logs: readonly string[];
  /** Where its inspector is. @throws TypeError when it has none. */
  inspector(): Promise<URL>;
  /** Returns the further bindings, for a test that fills or reads them. */
  bindings<Bindings>(): Promise<Bindings>;
  /** Evicts a session's object, and resolves when it is not in memory. Work in flight is finished first. */
  evict(objectName: string): Promise<void>;
  /** Ends the process. */
  stop(): Promise<void>;
}

/**
 * Builds a Worker's entry (a path from the root of the checkout) and starts it with the compatibility settings of
 * `wrangler.toml`, unless told otherwise. The entry exports `SessionObject`, which is bound as `SESSIONS`. Nothing outside
 * this machine is asked for anything.
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
          name: WORKER,
          ...compatibility(deployedAs),
          manifest: {
            mainModule: 'worker.js',
            modules: { 'worker.js': { type: 'esm', contents: await moduleOf(entry, settings) } },
          },
          env: {
            ...(!deployedAs.isUnbound && {
              SESSIONS: { type: 'durable-object', worker: WORKER, exportName: OBJECT },
            }),
            ...(deployedAs.hasIndex && {
              INDEX: { type: 'durable-object', worker: WORKER, exportName: INDEX },
            }),
            ...(deployedAs.hasLimits && {
              OWNER_LIMITS: { type: 'durable-object', worker: WORKER, exportName: LIMITS },
            }),
            ...(deployedAs.hasQueue && { TURNS: { type: 'queue', name: QUEUE } }),
            ...deployedAs.bindings,
            ...Object.fromEntries(
              Object.entries(vars).map(([name, value]) => [name, { type: 'text', value }]),
            ),
          },
          exports: {
            [OBJECT]: { type: 'durable-object', storage: deployedAs.storage ?? 'sqlite' },
            ...(deployedAs.hasIndex && { [INDEX]: { type: 'durable-object', storage: 'sqlite' } }),
            ...(deployedAs.hasLimits && { [LIMITS]: { type: 'durable-object', storage: 'sqlite' } }),
          },
          ...(deployedAs.hasQueue && { triggers: [{ type: 'queue', name: QUEUE, maxBatchTimeout: 0 }] }),
        },
      },
    ],
  });
  return {
    url: await miniflare.ready,
    logs,
    inspector: () => miniflare.getInspectorURL(),
    bindings: <Bindings>() => miniflare.getBindings<Bindings & Record<string, unknown>>(WORKER),
    evict: (name) => evict(miniflare, name),
    stop: () => miniflare.dispose(),
  };
}

async function evict(miniflare: Miniflare, name: string): Promise<void> {
  try {
    await miniflare.unsafeEvictDurableObject(WORKER, OBJECT, { name });
  } catch (failure) {
    if (!String(failure).includes('it is not currently running')) throw failure;
  }
}

const moduleOf = async (
  entry: string,
  { bundle, build: differences = {} }: WorkerSettings,
): Promise<string> => (bundle === undefined ? buildWorker(entry, differences) : readFileSync(bundle, 'utf8'));

const bundles = new Map<string, Promise<string>>();

/** The entry as one module; built once, however often it is started. */
export function buildWorker(entry: string, differences: Build = {}): Promise<string> {
  const name = JSON.stringify([entry, differences]);
  const known = bundles.get(name);
  if (known !== undefined) return known;
  const bundle = bundled(entry, differences);
  bundles.set(name, bundle);
  return bundle;
}

const bundled = (entry: string, { constants = {}, edits = [] }: Build): Promise<string> =>
  bundleWorker(entry, { constants, plugins: [withEdits(edits)] });

/** Bundles an entry as wrangler does, through these plugins of esbuild. */
export async function bundleWorker(
  entry: string,
  { constants = {}, plugins }: Pick<Build, 'constants'> & { readonly plugins: Plugin[] },
): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    // As wrangler resolves packages.
    conditions: ['workerd', 'worker', 'browser'],
    mainFields: ['browser', 'module', 'main'],
    external: ['cloudflare:*', 'node:*'],
    define: Object.fromEntries(
      Object.entries(constants).map(([name, value]) => [name, JSON.stringify(value)]),
    ),
    plugins,
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error(`Building ${entry} gave no output.`);
  return output.text;
}

/** Importing wrangler to read two lines takes longer than starting the Worker. */
function compatibility({ compatibilityDate, compatibilityFlags }: DeployedAs): {
  compatibilityDate: string;
  compatibilityFlags: string[];
} {
  const toml = readFileSync(resolve(root, 'wrangler.toml'), 'utf8');
  const date = /^compatibility_date = "(.+)"$/m.exec(toml)?.[1];
  const flags = /^compatibility_flags = (\[.*\])$/m.exec(toml)?.[1];
  if (date === undefined || flags === undefined)
    throw new Error('wrangler.toml does not set its compatibility.');
  return {
    compatibilityDate: compatibilityDate ?? date,
    compatibilityFlags: [...(compatibilityFlags ?? JSON.parse(flags))],
  };
}
