import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type Bundle, type FailedBundle, findWranglerFile, type Project } from './project.ts';

/** The parts of esbuild's metafile that are read. */
export interface Metafile {
  readonly outputs: Readonly<
    Record<
      string,
      {
        readonly entryPoint?: string;
        readonly exports: readonly string[];
        readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>;
      }
    >
  >;
}

/** Bundles the Worker with the project's own wrangler, like a deployment, without uploading. */
export async function bundleProject(project: Project): Promise<Bundle | FailedBundle> {
  const out = mkdtempSync(join(tmpdir(), 'holdfast-doctor-'));
  const meta = join(out, 'meta.json');
  const { folder, configFile, environment } = project;
  const args = [
    ...[findWranglerFile(folder, 'bin/wrangler.js'), 'deploy', '--dry-run', '--config', configFile],
    ...['--outdir', join(out, 'scripts'), '--metafile', meta, '--env', environment ?? ''],
  ];
  const { NODE_ENV: _, ...env } = process.env;
  const settings = {
    CI: '1',
    NO_COLOR: '1',
    FORCE_COLOR: '0',
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_LOG_PATH: out,
  };
  try {
    const failure = await new Promise<FailedBundle | undefined>((resolved) => {
      execFile(
        process.execPath,
        args,
        { cwd: folder, env: { ...env, ...settings } },
        (error, stdout, stderr) => resolved(error ? parseFailure(`${stderr}\n${stdout}`) : undefined),
      );
    });
    if (failure !== undefined) return failure;
    return readBundle(project, JSON.parse(readFileSync(meta, 'utf8')), join(out, 'scripts'));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/**
 * Returns the errors in wrangler's output, in one line. The output has colors whatever the environment says.
 */
export function parseFailure(output: string): FailedBundle {
  const plain = stripVTControlCharacters(output);
  const errors = plain.split('\n').filter((line) => /\[ERROR\]|^\s*(✘|×|Error:)/.test(line));
  const lines = errors.length > 0 ? errors : plain.split('\n').filter((line) => line.trim() !== '');
  const failure = lines
    .slice(0, 3)
    .map((line) => line.replace(/^.*\[ERROR\]\s*/, '').trim())
    .join(' ');
  const [, classes = ''] = /not exported in your entrypoint file: ([\w$, ]+)\./.exec(failure) ?? [];
  return { failure, unexported: classes.split(', ').filter((name) => name !== '') };
}

/** Reads a metafile and the scripts beside it. */
export function readBundle({ folder, holdfast }: Project, { outputs }: Metafile, scripts: string): Bundle {
  const files = new Map<string, number>();
  for (const { inputs } of Object.values(outputs)) {
    for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
      const path = resolve(folder, input);
      if (bytesInOutput > 0) files.set(path, (files.get(path) ?? 0) + bytesInOutput);
    }
  }
  const modules = new Map<string, number>();
  for (const [file, bytes] of files) {
    const module = getModuleName(realpathSync(folder), holdfast.folder, file);
    modules.set(module, (modules.get(module) ?? 0) + bytes);
  }
  const texts = readdirSync(scripts)
    .filter((name) => /\.m?js$/.test(name))
    .map((name) => readFileSync(join(scripts, name)));
  return {
    exports: Object.values(outputs).find(({ entryPoint }) => entryPoint !== undefined)?.exports ?? [],
    bytes: texts.reduce((sum, { length }) => sum + length, 0),
    gzipped: texts.reduce((sum, text) => sum + gzipSync(text).length, 0),
    files,
    modules: [...modules]
      .map(([module, bytes]) => ({ module, bytes }))
      .toSorted((one, other) => other.bytes - one.bytes),
  };
}

/** Returns the module of a file: a package, a part of Holdfast, or the project's own code. */
function getModuleName(folder: string, holdfast: string, file: string): string {
  if (file.startsWith(`${holdfast}/`)) {
    const parts = relative(holdfast, file)
      .replace(/^dist\/(src\/)?/, '')
      .split('/');
    const depth = ['modules', 'surfaces', 'mcp', 'model'].includes(parts[0] ?? '') ? 2 : 1;
    return `holdfast: ${parts.slice(0, Math.min(depth, Math.max(1, parts.length - 1))).join('/')}`;
  }
  const [, name] = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file) ?? [];
  if (name !== undefined) return name.replaceAll('\\', '/');
  return file.startsWith(folder) ? 'this project' : 'wrangler';
}

/**
 * Returns whether a bundle contains a file of Holdfast, by its path without extension, such as
 * `modules/http/rate-limit`.
 */
export const hasFile = ({ holdfast }: Project, { files }: Bundle, path: string): boolean =>
  files.has(join(holdfast.folder, 'dist/src', `${path}.js`));
