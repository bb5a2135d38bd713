/**
 * `npx holdfast doctor` on projects that each have one defect. The command reports the defect, and `--fix`
 * repairs it. Wrangler reads the configuration. Most tests bundle with wrangler's bundler, and the last ones with
 * wrangler itself.
 */
import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  applyFixes,
  checkProject,
  findNeededSecrets,
  type Project,
  readBundle,
  readProject,
} from '../../doors/doctor.ts';
import { createBundleOptions } from '../../measure/bundles.ts';
import { installPackage } from './installed-package.ts';
import { PACK_TEST_TIMEOUT_MS } from './packed.ts';

/** A valid configuration. */
const CONFIG = `name = "clerk" # ours
main = "src/worker.ts"
compatibility_date = "2026-11-01"
compatibility_flags = ["enable_request_signal", "global_fetch_strictly_public"]
minify = true

# Not secret.
[vars]
MODEL = "gpt-5-mini"

[[durable_objects.bindings]]
name = "SESSIONS"
class_name = "SessionObject"

[[migrations]]
tag = "v1"
new_sqlite_classes = ["SessionObject"]

[observability]
enabled = true
`;

const WORKER = `import { createHoldfast, consumeTurns } from 'holdfast/worker';
import { rateLimit } from 'holdfast/http';
import { sessionIndex } from 'holdfast/index';
import { ownerLimits } from 'holdfast/owner-limits';
import { openaiCompatible } from 'holdfast/models/openai-compatible';
import { defineSchedule } from 'holdfast/schedules';
import { defineAgent } from 'holdfast';

const clerk = defineAgent({ name: 'clerk', description: 'Pays.', instructions: 'Pay.', tools: [] });
const holdfast = createHoldfast({ agents: [clerk], model: openaiCompatible(), use: [] });
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from 'holdfast/durable-objects';
`;

const TOKEN = '8f1c0a5be7d2943f6b08c1d7e4a29f35';
const FILES = {
  'wrangler.toml': CONFIG,
  'src/worker.ts': WORKER,
  '.dev.vars': `HOLDFAST_TOKEN=${TOKEN}\n`,
  '.gitignore': 'node_modules\n.dev.vars*\n',
};
type FileName = keyof typeof FILES;

let folder: string;
beforeAll(async () => {
  ({ path: folder } = await installPackage(['wrangler']));
  mkdirSync(join(folder, 'src'));
}, PACK_TEST_TIMEOUT_MS);
beforeEach(() => {
  for (const [file, text] of Object.entries(FILES)) writeFileSync(join(folder, file), text);
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

const read = (file: string): string => readFileSync(join(folder, file), 'utf8');

function editFile(file: FileName, from: string, to: string): void {
  expect(read(file)).toContain(from);
  writeFileSync(
    join(folder, file),
    read(file).replace(from, () => to),
  );
}

const bundles = new Map<string, Project['bundle']>();

/** Reads the project and bundles its main module as wrangler does. */
async function readBundledProject(environment?: string): Promise<Project> {
  const project = await readProject({ folder, config: undefined, environment });
  const { entry } = project;
  if (!entry) return project;
  if (!bundles.has(entry.text)) {
    const out = mkdtempSync(join(tmpdir(), 'holdfast-doctored-'));
    onTestFinished(() => rmSync(out, { recursive: true, force: true }));
    const { stdin: _, ...options } = createBundleOptions('');
    const { metafile } = await build({
      ...options,
      entryPoints: [join(folder, entry.file)],
      absWorkingDir: folder,
      outdir: out,
      write: true,
    });
    bundles.set(entry.text, readBundle(project, metafile, out));
  }
  return { ...project, bundle: bundles.get(entry.text) };
}

const getFindingIds = (project: Project): string[] => checkProject(project).map(({ id }) => id);

it('the doctor reports no problem for a correct project', async () => {
  const project = await readBundledProject();
  expect(checkProject(project)).toEqual([]);
  expect(findNeededSecrets(project).map(({ name }) => name)).toEqual(['HOLDFAST_TOKEN', 'OPENAI_API_KEY']);
});

const queue = '[[queues.producers]]\nbinding = "TURNS"\nqueue = "turns"\n';
const consumer = '\n[[queues.consumers]]\nqueue = "turns"\nmax_batch_size = 1\n';
const withTurnedExport = (text: string): string =>
  text.replace(
    'export default holdfast.worker;',
    'export default { ...holdfast.worker, queue: consumeTurns(holdfast) };',
  );

/** Changes to a file that cause a problem. `fix` is a part of the suggested fix. */
const BROKEN_PROJECTS: readonly (readonly [
  id: string,
  file: FileName,
  from: string,
  to: string,
  fix: string,
])[] = [
  [
    'compatibility-date',
    'wrangler.toml',
    '2026-11-01',
    '2025-11-16',
    'Set compatibility_date = "2026-10-01" or later.',
  ],
  [
    'compatibility-date',
    'wrangler.toml',
    'compatibility_date = "2026-11-01"\n',
    '',
    'Set compatibility_date = "2026-10-01" or later.',
  ],
  [
    'stays-awake',
    'wrangler.toml',
    '2026-11-01',
    '2025-11-17',
    'Set compatibility_date = "2026-10-01" or later, or bind a queue.',
  ],
  [
    'ctx-exports',
    'wrangler.toml',
    '["enable',
    '["disable_ctx_exports", "enable',
    'Remove it from compatibility_flags.',
  ],
  [
    'enable-request-signal',
    'wrangler.toml',
    '"enable_request_signal", ',
    '',
    'Add "enable_request_signal" to compatibility_flags.',
  ],
  [
    'global-fetch-strictly-public',
    'wrangler.toml',
    ', "global_fetch_strictly_public"',
    '',
    'Add "global_fetch_strictly_public" to compatibility_flags.',
  ],
  ['sessions-binding', 'wrangler.toml', '"SESSIONS"', '"SESSION"', 'Bind it: name = "SESSIONS"'],
  ['sessions-sqlite', 'wrangler.toml', 'new_sqlite_classes', 'new_classes', 'Move it to new_sqlite_classes.'],
  [
    'sessions-migration',
    'wrangler.toml',
    '[[migrations]]\ntag = "v1"\nnew_sqlite_classes = ["SessionObject"]\n',
    '',
    'Add [[migrations]] with a tag and new_sqlite_classes = ["SessionObject"].',
  ],
  [
    'entry-missing',
    'wrangler.toml',
    'src/worker.ts',
    'src/none.ts',
    'Set main to the file that exports the Worker',
  ],
  [
    'export-default',
    'src/worker.ts',
    'export default holdfast.worker;\n',
    '',
    'export default holdfast.worker;',
  ],
  [
    'export-turn-runner',
    'src/worker.ts',
    'export const { TurnRunner } = holdfast;\n',
    '',
    'export const { TurnRunner } = holdfast;',
  ],
  [
    'export-session-object',
    'src/worker.ts',
    "export { SessionObject } from 'holdfast/durable-objects';\n",
    '',
    "export { SessionObject } from 'holdfast/durable-objects';",
  ],
  ['minify', 'wrangler.toml', 'minify = true\n', '', 'Set minify = true.'],
  [
    'observability',
    'wrangler.toml',
    'enabled = true',
    'enabled = false',
    'Set enabled = true in [observability].',
  ],
  [
    'secret-in-vars',
    'wrangler.toml',
    '[vars]',
    `[vars]\nOPENAI_API_KEY = "${TOKEN}"`,
    'wrangler secret put OPENAI_API_KEY',
  ],
  [
    'local-auth-deployed',
    'wrangler.toml',
    '[vars]',
    '[vars]\nHOLDFAST_AUTH = "localhost"',
    'Move it to .dev.vars',
  ],
  ['model-offline', 'wrangler.toml', '"gpt-5-mini"', '"offline"', 'set MODEL to the name of a model'],
  [
    'dev-vars-not-ignored',
    '.gitignore',
    '.dev.vars*\n',
    '',
    'Add the lines .dev.vars* and !.dev.vars.example to .gitignore.',
  ],
  ['weak-token', '.dev.vars', TOKEN, 'secret', 'openssl rand -hex 32'],
  ['files-key', '.dev.vars', TOKEN, `${TOKEN}\nHOLDFAST_FILES_KEY=${TOKEN}`, 'Generate a separate key'],
  ['base-url', '.dev.vars', '\n', '\nOPENAI_BASE_URL=localhost:11434\n', 'such as https://api.openai.com/v1'],
  [
    'base-url-without-v1',
    '.dev.vars',
    '\n',
    '\nOPENAI_BASE_URL="http://localhost:11434"\n',
    'End it with /v1.',
  ],
  [
    'base-url-without-v1',
    'wrangler.toml',
    '[vars]',
    '[vars]\nOPENAI_BASE_URL = "https://models.example/"',
    'End it with /v1.',
  ],
  [
    'schedule-without-trigger',
    'src/worker.ts',
    'use: []',
    "use: [defineSchedule({ name: 'nightly', cron: '0 6 * * *', agent: 'clerk', session: () => 's', message: 'Count.' })]",
    'crons = ["0 6 * * *"]',
  ],
  [
    'rate-limit-binding',
    'src/worker.ts',
    'use: []',
    'use: [rateLimit()]',
    'Add [[ratelimits]] with name = "RATE_LIMIT"',
  ],
  [
    'module-object-binding',
    'src/worker.ts',
    'use: []',
    'use: [sessionIndex()]',
    "Export IndexObject from 'holdfast/index', and bind it",
  ],
  [
    'module-object-binding',
    'src/worker.ts',
    'use: []',
    'use: [ownerLimits({ running: 4 })]',
    "Export OwnerLimits from 'holdfast/owner-limits', and bind it",
  ],
  [
    'migration-tag',
    'wrangler.toml',
    '[observability]',
    '[[migrations]]\ntag = "v1"\nnew_sqlite_classes = ["Other"]\n\n[observability]',
    'Give each migration a tag of its own.',
  ],
  [
    'queue-handler',
    'wrangler.toml',
    '# Not secret.\n',
    `${queue}${consumer}`,
    'queue: consumeTurns(holdfast)',
  ],
  ['var-value', 'wrangler.toml', '[vars]', '[vars]\nLEASE_MS = "5"', 'remove LEASE_MS: it has a default.'],
  ['var-value', 'wrangler.toml', '[vars]', '[vars]\nPLAN = "gold"', 'Set it to the plan of your account.'],
];

describe('the doctor in a broken project', () => {
  it('reports a module’s object without a migration, and adds the migration', async () => {
    editFile('src/worker.ts', 'use: []', 'use: [sessionIndex()]');
    editFile(
      'src/worker.ts',
      'export default',
      "export { IndexObject } from 'holdfast/index';\nexport default",
    );
    const bound =
      '[[durable_objects.bindings]]\nname = "INDEX"\nclass_name = "IndexObject"\n\n[[migrations]]';
    editFile('wrangler.toml', '[[migrations]]', bound);
    const project = await readBundledProject();
    const problems = checkProject(project);
    expect(problems.map(({ id, what }) => [id, what])).toEqual([
      ['module-object-migration', 'No migration creates the class IndexObject.'],
    ]);
    applyFixes(project, problems);
    expect(getFindingIds(await readBundledProject())).toEqual([]);
  });

  it.each(BROKEN_PROJECTS)(
    'reports the problem %s with its fix if %s is changed at %j',
    async (id, file, from, to, fix) => {
      editFile(file, from, to);
      const project = await readBundledProject();
      const problems = checkProject(project);
      expect(problems.map((one) => one.id)).toEqual([id]);
      const [problem] = problems;
      expect(problem?.fix).toContain(fix);
      // A problem must not contain the value of a secret.
      expect(JSON.stringify(problem)).not.toContain(TOKEN);
      if (!problem?.edits) return;
      expect(applyFixes(project, problems)).toEqual({ done: problems, refused: [] });
      expect(getFindingIds(await readBundledProject())).toEqual([]);
      expect(read('wrangler.toml')).toContain('name = "clerk" # ours\n');
    },
  );

  it('is tested with more than twenty problems', () => {
    expect(new Set(BROKEN_PROJECTS.map(([id]) => id)).size).toBeGreaterThan(20);
  });

  it('reports a queue without a consumer or with batches', async () => {
    writeFileSync(join(folder, 'src/worker.ts'), withTurnedExport(WORKER));
    editFile('wrangler.toml', '# Not secret.\n', queue);
    const project = await readBundledProject();
    expect(getFindingIds(project)).toEqual(['queue-without-consumer']);
    applyFixes(project, checkProject(project));
    expect(getFindingIds(await readBundledProject())).toEqual([]);
    editFile('wrangler.toml', 'max_batch_size = 1', 'max_batch_size = 10');
    expect(getFindingIds(await readBundledProject())).toEqual(['queue-batch']);
  });

  it('reports an environment without bindings, and `--fix` adds them', async () => {
    editFile('wrangler.toml', '[observability]', '[env.production]\nname = "clerk-p"\n\n[observability]');
    expect(getFindingIds(await readBundledProject())).toEqual([]);
    const project = await readBundledProject('production');
    expect(getFindingIds(project)).toEqual(['sessions-binding']);
    applyFixes(project, checkProject(project));
    expect(read('wrangler.toml')).toContain(
      '[[env.production.durable_objects.bindings]]\nname = "SESSIONS"\n',
    );
    expect(getFindingIds(await readBundledProject('production'))).toEqual([]);
  });

  it('reports an environment with its own flags and dates, and `--fix` changes them there', async () => {
    const own = '[env.production]\ncompatibility_flags = ["nodejs_compat", "enable_request_signal"]\n';
    editFile('wrangler.toml', '[observability]', `${own}minify = false\n\n[observability]`);
    editFile('wrangler.toml', 'enabled = true', 'enabled = false');
    const project = await readBundledProject('production');
    applyFixes(project, checkProject(project));
    expect(getFindingIds(await readBundledProject('production'))).toEqual([]);
    expect(read('wrangler.toml')).toContain(
      '\n[env.production]\ncompatibility_flags = ["nodejs_compat", "enable_request_signal", "global_fetch_strictly_public"]\nminify = true\n',
    );
    expect(getFindingIds(await readBundledProject())).toEqual([]);
  });

  it('reports a .env file, and does not create a .dev.vars that would hide it', async () => {
    writeFileSync(join(folder, '.env'), 'OPENAI_API_KEY=sk-1\n');
    onTestFinished(() => {
      for (const file of ['.env', '.env.local']) rmSync(join(folder, file), { force: true });
    });
    rmSync(join(folder, '.dev.vars'), { force: true });
    editFile('wrangler.toml', '[vars]', '[vars]\nHOLDFAST_AUTH = "localhost"');
    const project = await readBundledProject();
    expect(applyFixes(project, checkProject(project)).refused).toEqual([]);
    expect(read('.env.local')).toBe('HOLDFAST_AUTH=localhost\n');
    expect(() => read('.dev.vars')).toThrow('ENOENT');
  });

  it('adds a migration whose tag follows the highest existing tag', async () => {
    editFile(
      'wrangler.toml',
      'tag = "v1"\nnew_sqlite_classes = ["SessionObject"]',
      'tag = "v2"\nnew_sqlite_classes = ["Room"]',
    );
    const project = await readBundledProject();
    applyFixes(project, checkProject(project));
    expect(read('wrangler.toml')).toContain('tag = "v3"\nnew_sqlite_classes = ["SessionObject"]\n');
  });

  it('reports a session class with another name or without SQLite', async () => {
    editFile('wrangler.toml', '"SESSIONS"', '"SESSION"');
    editFile('wrangler.toml', 'new_sqlite_classes', 'new_classes');
    const project = await readBundledProject();
    const problems = checkProject(project);
    expect(problems).toMatchObject([
      {
        id: 'sessions-binding',
        what: 'No Durable Object is bound as SESSIONS; SessionObject is bound as SESSION.',
      },
    ]);
    applyFixes(project, problems);
    // `--fix` does not add a migration that creates the existing class again, because wrangler would refuse it.
    expect(read('wrangler.toml')).not.toContain('new_sqlite_classes');
    expect(getFindingIds(await readBundledProject())).toEqual(['sessions-sqlite']);
  });

  it('reports a peer dependency that is missing or has a wrong version', async () => {
    const modules = join(folder, 'node_modules');
    renameSync(join(modules, 'valibot'), join(folder, 'valibot'));
    onTestFinished(() => {
      rmSync(join(modules, 'valibot'), { recursive: true, force: true });
      renameSync(join(folder, 'valibot'), join(modules, 'valibot'));
    });
    const project = await readProject({ folder, config: undefined, environment: undefined });
    expect(checkProject(project)).toMatchObject([
      { id: 'peer-missing', fix: 'npm install valibot@"^1.5.0"' },
    ]);
    mkdirSync(join(modules, 'valibot'));
    writeFileSync(join(modules, 'valibot/package.json'), '{ "version": "1.4.0" }');
    expect(checkProject(project)).toMatchObject([{ id: 'peer-version', level: 'error' }]);
  });

  it('reports two copies of a package', async () => {
    const other = join(folder, 'other/node_modules/hono');
    mkdirSync(resolve(other, '..'), { recursive: true });
    mkdirSync(other);
    writeFileSync(join(other, 'index.js'), 'export const hono = Date.now();');
    writeFileSync(join(other, 'package.json'), '{ "name": "hono", "main": "index.js" }');
    writeFileSync(join(folder, 'other/entry.ts'), "export { hono } from 'hono';");
    onTestFinished(() => rmSync(join(folder, 'other'), { recursive: true }));
    editFile('src/worker.ts', 'export default', "export { hono } from '../other/entry.ts';\nexport default");
    expect(checkProject(await readBundledProject())).toMatchObject([
      { id: 'two-copies', what: 'The bundle has 2 copies of hono.' },
    ]);
  });

  it('does not change a configuration that is written in one line', async () => {
    editFile('wrangler.toml', '[observability]\nenabled = true\n', '');
    editFile('wrangler.toml', 'minify = true\n', 'minify = true\nobservability = { enabled = false }\n');
    const project = await readBundledProject();
    const before = read('wrangler.toml');
    const { done, refused } = applyFixes(project, checkProject(project));
    expect(done).toEqual([]);
    expect(refused).toMatchObject([{ because: "'observability' is an inline table on line 6." }]);
    expect(read('wrangler.toml')).toBe(before);
  });
});

/** Runs the program as `npx holdfast` does. */
const run = (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolved) => {
    const program = join(folder, 'node_modules/holdfast/dist/cli/holdfast.js');
    execFile(process.execPath, [program, ...args], { cwd: folder }, (failure, stdout, stderr) =>
      resolved({ code: Number(failure?.code ?? 0), stdout, stderr }),
    );
  });

describe('the doctor command', () => {
  it('fixes the problems that it can fix, and prints the others and the bundle size', async () => {
    rmSync(join(folder, 'wrangler.toml'));
    onTestFinished(() => rmSync(join(folder, 'wrangler.jsonc')));
    writeFileSync(
      join(folder, 'wrangler.jsonc'),
      `{
  // ours
  "name": "clerk",
  "main": "src/worker.ts",
  "compatibility_date": "2025-01-01",
  "vars": { "MODEL": "offline" }
}
`,
    );
    editFile('src/worker.ts', 'export const { TurnRunner } = holdfast;\n', '');
    // Wrangler does not bundle a Worker with a missing bound class, so only the second check reports this
    // problem.
    editFile('src/worker.ts', "export { SessionObject } from 'holdfast/durable-objects';\n", '');
    const { code, stdout } = await run('doctor', '--fix');
    const fixed = [...stdout.matchAll(/^fixed +([a-z-]+):/gm)].map(([, id]) => id);
    expect(fixed).toEqual([
      ...['compatibility-date', 'sessions-binding', 'export-turn-runner'],
      ...['enable-request-signal', 'global-fetch-strictly-public', 'minify', 'observability'],
      'export-session-object',
    ]);
    expect(stdout).toMatch(/^warning +model-offline$/m);
    expect(stdout).toMatch(/^The bundle: \d+\.\d KiB, gzipped \d+\.\d KiB$/m);
    expect(stdout).toMatch(/^ +\d+\.\d KiB {2}holdfast: session$/m);
    expect(stdout).toMatch(/0 errors, 1 warning\n$/);
    expect(read('wrangler.jsonc')).toContain('{\n  // ours\n  "name": "clerk",\n');
    expect(code).toBe(0);
  }, 120_000);

  it('exits with 1 and prints JSON for a Worker that wrangler cannot bundle', async () => {
    editFile('src/worker.ts', 'export default', "export { cors } from 'holdfast/htp';\nexport default");
    const { code, stdout } = await run('doctor', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      problems: [{ id: 'bundle-fails', level: 'error', what: expect.stringContaining('holdfast/htp') }],
    });
    expect(stdout).not.toContain('\\u001b'); // wrangler uses color codes
    expect(code).toBe(1);
  }, 120_000);

  it.each([
    [[], 2, /^Usage: npx holdfast COMMAND/],
    [['--version'], 0, /^\d+\.\d+\.\d+\n$/],
    [['cure'], 2, /^holdfast has no command 'cure'\.\n\nUsage/],
    [['doctor', '--help'], 0, /^Usage: npx holdfast doctor \[OPTIONS\]/],
    [['doctor', '--fx'], 2, /^holdfast doctor: Unknown option '--fx'/],
    [['doctor', '--config', 'none.toml'], 1, /config-missing\n {2}There is no none\.toml in /],
    [
      ['doctor', '--no-bundle', '--env', 'none'],
      1,
      /environment-missing\n {2}There is no environment none in wrangler\.toml\./,
    ],
  ])('with the arguments %j exits with %i', async (args, code, text) => {
    const result = await run(...args);
    expect(result.stdout + result.stderr).toMatch(text);
    expect(result.code).toBe(code);
  });

  it('reports a configuration that wrangler cannot read, and packages that are not installed', async () => {
    writeFileSync(join(folder, 'wrangler.toml'), 'name = "a\n');
    expect((await run('doctor')).stdout).toMatch(
      /^error +config-unreadable\n {2}wrangler cannot read wrangler\.toml: /,
    );
    const empty = mkdtempSync(join(tmpdir(), 'holdfast-empty-'));
    onTestFinished(() => rmSync(empty, { recursive: true }));
    writeFileSync(join(empty, 'wrangler.toml'), CONFIG);
    const of = readProject({ folder: empty, config: undefined, environment: undefined });
    await expect(of).rejects.toMatchObject({
      id: 'wrangler-missing',
      fix: 'npm install --save-dev wrangler',
    });
    mkdirSync(join(empty, 'node_modules'));
    symlinkSync(join(folder, 'node_modules/wrangler'), join(empty, 'node_modules/wrangler'), 'dir');
    const without = readProject({ folder: empty, config: undefined, environment: undefined });
    await expect(without).rejects.toMatchObject({ id: 'holdfast-missing' });
  });
});
