import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The parts of wrangler's configuration that are read, in wrangler's form. Bindings are those of the selected
 * environment.
 */
export interface Config {
  readonly main?: string | undefined;
  readonly compatibility_date?: string | undefined;
  readonly compatibility_flags?: readonly string[] | undefined;
  readonly minify?: boolean | undefined;
  readonly vars?: Readonly<Record<string, unknown>> | undefined;
  readonly durable_objects?: { readonly bindings?: readonly ObjectBinding[] | undefined } | undefined;
  readonly migrations?: readonly Migration[] | undefined;
  /** The newer form of migrations. */
  readonly exports?: Readonly<Record<string, { readonly storage?: unknown }>> | undefined;
  readonly queues?:
    | {
        readonly producers?: readonly { readonly binding: string; readonly queue?: string }[] | undefined;
        readonly consumers?: readonly QueueConsumer[] | undefined;
      }
    | undefined;
  readonly ratelimits?: readonly { readonly name: string }[] | undefined;
  readonly triggers?: { readonly crons?: readonly string[] | undefined } | undefined;
  readonly observability?: { readonly enabled?: boolean | undefined } | undefined;
  readonly secrets_store_secrets?: readonly { readonly binding: string }[] | undefined;
  readonly definedEnvironments?: readonly string[] | undefined;
}

export interface ObjectBinding {
  readonly name: string;
  readonly class_name: string;
  /** Set if the class belongs to another Worker. */
  readonly script_name?: string | undefined;
}

interface Migration {
  readonly tag?: string | undefined;
  readonly new_classes?: readonly string[] | undefined;
  readonly new_sqlite_classes?: readonly string[] | undefined;
  readonly renamed_classes?: readonly { readonly to: string }[] | undefined;
}

interface QueueConsumer {
  readonly queue: string;
  readonly max_batch_size?: number | undefined;
}

/** The parts of a project that the checks read. */
export interface Project {
  readonly folder: string;
  /** The path relative to the folder. */
  readonly configFile: string;
  /** The value of `--env`. */
  readonly environment: string | undefined;
  readonly config: Config;
  /**
   * The top-level settings, from which an environment inherits. Equal to `config` if there is no
   * `environment`.
   */
  readonly top: Config;
  /** The main module by its path relative to the folder, with its text. Absent if there is no such file. */
  readonly entry: { readonly file: string; readonly text: string } | undefined;
  /** The installed Holdfast, with the versions that it requires. */
  readonly holdfast: InstalledHoldfast;
  /** Returns the version of an installed package, or `undefined`. */
  readonly installed: (name: string) => string | undefined;
  readonly devVars: DevVars | undefined;
  /**
   * The file for variables of this machine. A new `.dev.vars` would make wrangler ignore an existing `.env`.
   */
  readonly localFile: string;
  /** `undefined` if no bundle was made. */
  readonly bundle: Bundle | FailedBundle | undefined;
}

/** The reason why wrangler cannot bundle the project. */
export interface FailedBundle {
  readonly failure: string;
  /** The Worker's own bound classes that its main module does not export, if that is the reason. */
  readonly unexported: readonly string[];
}

/** The upload of `wrangler deploy`. */
export interface Bundle {
  /** The exports of its main module. */
  readonly exports: readonly string[];
  /** The size of its scripts in bytes. */
  readonly bytes: number;
  readonly gzipped: number;
  /** The bytes of every file in the bundle, by its full path. */
  readonly files: ReadonlyMap<string, number>;
  /** The same bytes by module, the largest first. */
  readonly modules: readonly { readonly module: string; readonly bytes: number }[];
}

export interface InstalledHoldfast {
  readonly folder: string;
  readonly peers: readonly { readonly name: string; readonly range: string; readonly isOptional: boolean }[];
}

/** The file that `wrangler dev` reads secrets from. */
export interface DevVars {
  readonly file: string;
  readonly values: ReadonlyMap<string, string>;
  readonly isIgnored: boolean;
}

/** Thrown if the project cannot be checked. The message is shown as a problem. */
export class UnreadableProjectError extends Error {
  override readonly name = 'UnreadableProjectError';
  readonly id: string;
  readonly why: string;
  readonly fix: string;

  constructor(problem: { id: string; what: string; why: string; fix: string }) {
    super(problem.what);
    this.id = problem.id;
    this.why = problem.why;
    this.fix = problem.fix;
  }
}

export interface ProjectSelector {
  readonly folder: string;
  /** The value of `--config`, relative to the folder. */
  readonly config: string | undefined;
  readonly environment: string | undefined;
}

/**
 * Reads a project without its bundle. @throws UnreadableProjectError if it has no configuration, wrangler or
 * Holdfast.
 */
export async function readProject({ folder, config: named, environment }: ProjectSelector): Promise<Project> {
  const configFile =
    named ??
    ['wrangler.json', 'wrangler.jsonc', 'wrangler.toml'].find((name) => existsSync(join(folder, name)));
  if (configFile === undefined || !existsSync(resolve(folder, configFile))) {
    throw new UnreadableProjectError({
      id: 'config-missing',
      what: `There is no ${configFile ?? 'wrangler.toml, wrangler.json or wrangler.jsonc'} in ${folder}.`,
      why: 'It has the main module of the Worker and its bindings.',
      fix: 'Run this in the folder of the Worker, or name its configuration with --config.',
    });
  }
  const place = dirname(resolve(folder, configFile));
  const config = await readConfig(place, resolve(folder, configFile), environment);
  if (environment !== undefined && config.definedEnvironments?.includes(environment) === false) {
    throw new UnreadableProjectError({
      id: 'environment-missing',
      what: `There is no environment ${environment} in ${configFile}.`,
      why: 'For an unknown environment, wrangler uses the settings at the top of the file, and another name.',
      fix: `Omit --env, or use one of: ${config.definedEnvironments.join(', ') || 'none'}.`,
    });
  }
  const top =
    environment === undefined ? config : await readConfig(place, resolve(folder, configFile), undefined);
  const devVars = readDevVars(place, environment);
  const main = config.main === undefined ? undefined : resolve(place, config.main);
  return {
    folder: place,
    configFile: relative(place, resolve(folder, configFile)),
    environment,
    config,
    top,
    entry:
      main !== undefined && existsSync(main)
        ? { file: relative(place, main), text: readFileSync(main, 'utf8') }
        : undefined,
    holdfast: readHoldfast(place),
    installed: (name) => findManifest(place, name)?.version,
    devVars,
    localFile: devVars?.file ?? (existsSync(join(place, '.env')) ? '.env.local' : '.dev.vars'),
    bundle: undefined,
  };
}

/** The parts of a package's manifest that are read. */
interface Manifest {
  readonly version?: string;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly folder: string;
}

/** Finds a package like Node does, even if its exports do not include its manifest. */
function findManifest(from: string, name: string): Manifest | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name);
    try {
      const manifest: unknown = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
      return { ...(manifest as object), folder: realpathSync(path) }; // the installed package's folder
    } catch {
      if (dirname(folder) === folder) return undefined;
    }
  }
}

function readHoldfast(folder: string): InstalledHoldfast {
  const manifest = findManifest(folder, 'holdfast');
  if (!manifest) {
    throw new UnreadableProjectError({
      id: 'holdfast-missing',
      what: 'The package holdfast is not installed here.',
      why: 'The Worker imports it, and this command compares the project with what its version needs.',
      fix: 'npm install holdfast valibot',
    });
  }
  const { peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  const peers = Object.entries(peerDependencies).map(([name, range]) => ({
    name,
    range,
    isOptional: peerDependenciesMeta[name]?.optional === true,
  }));
  return { folder: manifest.folder, peers };
}

/** The functions of wrangler that are called. */
interface WranglerModule {
  readonly unstable_readConfig?: (args: object, options: object) => Config;
}

/**
 * Returns the path of a file of the project's own wrangler. @throws UnreadableProjectError if it is not
 * installed.
 */
export function findWranglerFile(folder: string, file: string): string {
  const manifest = findManifest(folder, 'wrangler');
  if (manifest) return join(manifest.folder, file);
  throw new UnreadableProjectError({
    id: 'wrangler-missing',
    what: 'wrangler is not installed here.',
    why: 'It reads the configuration, and bundles the Worker.',
    fix: 'npm install --save-dev wrangler',
  });
}

async function readConfig(folder: string, file: string, environment: string | undefined): Promise<Config> {
  findWranglerFile(folder, '.');
  const main = createRequire(join(folder, 'package.json')).resolve('wrangler');
  const wrangler: { default?: WranglerModule } & WranglerModule = await import(pathToFileURL(main).href);
  const read = wrangler.unstable_readConfig ?? wrangler.default?.unstable_readConfig;
  if (!read) {
    throw new UnreadableProjectError({
      id: 'wrangler-unknown',
      what: 'The installed wrangler cannot read a configuration for other programs.',
      why: 'This command uses it, so that both read a file in the same way.',
      fix: 'npm install --save-dev wrangler@latest',
    });
  }
  try {
    return read({ config: file, env: environment }, { hideWarnings: true });
  } catch (failure) {
    throw new UnreadableProjectError({
      id: 'config-unreadable',
      what: `wrangler cannot read ${relative(folder, file)}: ${getFirstLines(failure)}`,
      why: 'It cannot run or deploy the Worker.',
      fix: 'Fix the file at the place that wrangler names.',
    });
  }
}

const getFirstLines = (failure: unknown): string =>
  String(Object(failure).message ?? failure)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, 3)
    .join(' ');

function readDevVars(folder: string, environment: string | undefined): DevVars | undefined {
  const names = environment === undefined ? ['.dev.vars'] : [`.dev.vars.${environment}`, '.dev.vars'];
  const file = names.find((name) => existsSync(join(folder, name)));
  if (file === undefined) return undefined;
  const values = new Map<string, string>();
  for (const line of readFileSync(join(folder, file), 'utf8').split(/\r?\n/)) {
    const [, name, value = ''] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined) values.set(name, value.replace(/^(["'])(.*)\1$/, '$2'));
  }
  return { file, values, isIgnored: isIgnored(folder, file) };
}

/** Returns whether Git ignores a file. Outside of a repository, reads `.gitignore` instead. */
function isIgnored(folder: string, file: string): boolean {
  try {
    execFileSync('git', ['check-ignore', '--quiet', file], { cwd: folder, stdio: 'ignore' });
    return true;
  } catch (failure) {
    if (Object(failure).status === 1) return false;
  }
  const ignore = join(folder, '.gitignore');
  const lines = existsSync(ignore) ? readFileSync(ignore, 'utf8').split(/\r?\n/) : [];
  return lines.some((line) => ['.dev.vars', '.dev.vars*', '/.dev.vars', '/.dev.vars*'].includes(line.trim()));
}
