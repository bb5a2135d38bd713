/** Checks that every export of the package has a docstring, and that docstring examples compile. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { collectEntries, type Manifest } from '../../measure/public-names.ts';
import { type Declaration, findDeclaration, parseExamples } from '../../source/docstrings.ts';
import { collectExports } from '../../source/imports.ts';
import { readLibrary, readSource } from '../../source/parse-source.ts';

const root = resolve(import.meta.dirname, '../../..');
const library = new Map(readLibrary(root).map((source) => [source.file, source]));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest; // this repository's manifest
// An entry that only re-exports other entries has no names of its own.
const entries = collectEntries(manifest, [...library.values()]).filter(
  ({ onlyReexports: gathers }) => !gathers,
);

/** Every exported name with its declaration, and the entry that exports it. */
const exportedDeclarations = entries.flatMap(({ entry, file, values, types }) => {
  const source = library.get(file);
  if (!source) throw new Error(`${file} is not a file of the library.`);
  const lookUpDeclaration = (name: string): Declaration => findDeclaration(name, source, library);
  return [
    ...values.map((name) => ({ entry, isType: false, ...lookUpDeclaration(name), as: name })),
    ...types.map((name) => ({ entry, isType: true, ...lookUpDeclaration(name), as: name })),
  ];
});

it('every exported name has a docstring that is a sentence', () => {
  expect(exportedDeclarations.length).toBeGreaterThan(500);
  const isSentence = (doc: string | undefined): boolean => doc !== undefined && /^[^@]{12,}[.:]/.test(doc);
  expect(
    exportedDeclarations.filter(({ doc }) => !isSentence(doc)).map(({ file, as }) => `${as} of ${file}`),
  ).toEqual([]);
});

/** Functions without their own example, each with the function whose example shows it. */
const EXAMPLE_OWNERS: Readonly<Record<string, string>> = {
  stringParameter: 'parameters',
  integerParameter: 'parameters',
  loopLoggingInspector: 'inspect',
  fromHex: 'isSigned',
  notSigned: 'isSigned',
  secretsOf: 'isSigned',
  verified: 'defineWebhook',
};

/** Functions that need no example, by the reason. */
const OBVIOUS_EXPORTS = {
  'goes into a list of tools, without options': [
    'readResult',
    'communicateTool',
    'progressTool',
    'scheduleMessage',
  ],
  'takes the same arguments as a function with an example': [
    'numberParameter',
    'booleanParameter',
    'arrayParameter',
    'objectParameter',
    'mergeTools',
    'mergeToolNames',
    'mergeToolContext',
    'toolsOfSafely',
    'unfoldingOfSafely',
    'fromBase64',
    'reply',
  ],
  'takes one value, and returns one': [
    'callOutcome',
    'fullLength',
    'charsShown',
    'hasTools',
    'isAnswered',
    'isInternalToolExecutionEnabled',
    'noOp',
    'openOnLocalhost',
    'partsOf',
    'passThrough',
    'retryLast',
    'unwrapAs',
    'validateTools',
  ],
  'is for authors of kinds of tools, models or hosts, which whole pages of the manual describe': [
    'createMemorySessions',
    'declareCallerWords',
    'discoveryIn',
    'exclusively',
    'factEvent',
    'nest',
    'showToolsChanges',
    'signPrefix',
    'uiChunks',
  ],
};

it('every exported function has an example, or is a listed exception', () => {
  const functions = exportedDeclarations.filter(
    ({ name, file, isType }) => !isType && isFunction(name, file),
  );
  expect(functions.length).toBeGreaterThan(220);
  const obvious = Object.values(OBVIOUS_EXPORTS).flat();
  const bare = functions.filter(({ doc = '' }) => parseExamples(doc).length === 0).map(({ as }) => as);
  expect(bare.toSorted()).toEqual([...obvious, ...Object.keys(EXAMPLE_OWNERS)].toSorted());
  const getExample = (name: string): string =>
    parseExamples(exportedDeclarations.find(({ as }) => as === name)?.doc ?? '').join();
  const unshown = Object.entries(EXAMPLE_OWNERS).filter(([name, by]) => !getExample(by).includes(`${name}(`));
  expect(unshown).toEqual([]);
});

it('every @example is a code block', () => {
  const tags = [...library.values()].map(({ text }) => text.match(/^\s*\* @example\b/gm)?.length ?? 0);
  const blocks = [...library.values()].map(({ text }) => parseExamples(withoutStars(text)).length);
  expect(blocks).toEqual(tags);
});

it('every example compiles', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-examples-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  const examples = [...library.values()].flatMap(({ file, text }) =>
    parseExamples(withoutStars(text)).map((code) => ({ file, code })),
  );
  expect(examples.length).toBeGreaterThan(40);
  for (const [at, { file, code }] of examples.entries()) {
    writeFileSync(join(folder, `${at}-${file.replaceAll('/', '-')}`), asModule(code));
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG));
  const tsc = join(root, 'node_modules/.bin/tsc');
  const { stdout } = await promisify(execFile)(tsc, ['-p', folder], { cwd: folder }).catch(
    (failure: { stdout: string }) => failure,
  );
  // `npm run check` reports errors in the library itself.
  expect(stdout.split('\n').filter((line) => line !== '' && !/^(\.\.\/|\s)/.test(line))).toEqual([]);
}, 120_000);

it('no text for users contains a term that only users of another language know', () => {
  // The excluded page compares Holdfast with other libraries, like those in docs/coming-from.
  const pages = readdirSync(join(root, 'docs')).filter(
    (file) => file.endsWith('.md') && file !== 'when-not-to-use-it.md',
  );
  const files = ['README.md', 'CHANGELOG.md', ...pages.map((file) => `docs/${file}`), ...library.keys()];
  const foreign =
    /embabel|\bspring\b|kotlin|\bjvm\b|\bjava\b|\bbeans?\b|@LlmTool|@UnfoldingTools|matryoshka|ToolCallback|annotated with/i;
  const found = files.filter((file) => foreign.test(readFileSync(join(root, file), 'utf8')));
  expect(found).toEqual([]);
});

/** Returns whether a name is declared as a function, or as a constant whose value is a function. */
function isFunction(name: string, file: string): boolean {
  const text = library.get(file)?.text ?? '';
  return new RegExp(
    `^export (?:async )?(?:function\\*? ${name}\\b|const ${name} =\\s*(?:<|\\(|async \\()|const ${name}: [A-Za-z<>]+ = (?:\\(|async \\())`,
    'm',
  ).test(text);
}

/** Returns the text of comments in the form that `parseExamples` reads. */
const withoutStars = (text: string): string => text.replace(/^\s*\* ?/gm, '');

const WORLD = 'test/fixtures/example-world.ts';
const worldNames = collectExports(readSource(root, WORLD)).map(({ name }) => name);

/**
 * Returns an example as a module, with imports for the names that it uses. The code is in a function, because
 * it may contain `return`.
 */
function asModule(code: string): string {
  // `console.log` uses the global; `console()` uses the module.
  const words = new Set(code.replaceAll('console.', '').match(/[A-Za-z]\w*/g));
  const imports = entries.map(({ entry, values, types }) => {
    const used = [...values, ...types].filter((name) => words.has(name) && !worldNames.includes(name));
    return `import { ${used.join(', ')} } from '${entry}';`;
  });
  const world = `import { ${worldNames.filter((name) => words.has(name)).join(', ')} } from '${join(root, WORLD)}';`;
  return `import * as v from 'valibot';\n${imports.join('\n')}\n${world}\nexport async function example() {\n${code}}\n`;
}

const CONFIG = {
  extends: join(root, 'tsconfig.json'),
  compilerOptions: {
    types: ['@cloudflare/workers-types'],
    verbatimModuleSyntax: false,
    rewriteRelativeImportExtensions: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
    paths: Object.fromEntries(entries.map(({ entry, file }) => [entry, [join(root, file)]])),
  },
  include: ['*.ts'],
  exclude: [],
};
