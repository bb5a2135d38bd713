/**
 * The example programs from the READMEs of other clients, against a Worker. Only the base URL and the key are
 * added.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningWorker, startWorker } from './start-worker.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** An example program of a package: the first code block of its README that contains `holds`. */
interface HelloWorld {
  readonly package: string;
  /** The file with the program. Defaults to the README. */
  readonly file?: string;
  /** Words in an earlier code block that the program needs. */
  readonly behind?: string;
  readonly holds: string;
  /** The question that the program asks. */
  readonly asks: string;
  /** The model that the program names. */
  readonly model: string;
  /** Code that prints the program's result, if the program does not. */
  readonly shows?: string;
}

const RECIPE = 'Write a vegetarian lasagna recipe for 4 people.';
const HELLO_WORLDS: readonly HelloWorld[] = [
  {
    package: 'openai',
    holds: 'responses.create',
    asks: 'Are semicolons optional in JavaScript?',
    model: 'gpt-5.5',
  },
  {
    package: 'openai',
    holds: 'completions.create',
    asks: 'Are semicolons optional in JavaScript?',
    model: 'gpt-5.5',
  },
  { package: '@ai-sdk/openai', holds: 'generateText', asks: RECIPE, model: 'gpt-6-luna', shows: 'text' },
  {
    package: '@ai-sdk/openai-compatible',
    holds: 'generateText',
    asks: RECIPE,
    model: 'meta-llama/Llama-3-70b-chat-hf',
    shows: 'text',
  },
  {
    package: '@openai/agents',
    holds: 'run(',
    asks: 'Write a haiku about recursion in programming.',
    model: 'gpt-5.6-luna',
  },
  {
    package: '@langchain/openai',
    file: 'dist/chat_models/index.d.ts',
    holds: 'llm.invoke',
    behind: 'new ChatOpenAI',
    asks: 'Translate "I love programming" into French.',
    model: 'gpt-4o-mini',
  },
];

let worker: RunningWorker;
let folder: string;

beforeAll(async () => {
  const MODELS = [...new Set(HELLO_WORLDS.map(({ model }) => model))].join(' ');
  worker = await startWorker('test/fixtures/hello-worker.ts', { build: { constants: { MODELS } } });
  folder = await mkdtemp(join(tmpdir(), 'holdfast-hello-'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(async () => {
  await worker?.stop();
  await rm(folder, { recursive: true, force: true });
});

it.each(HELLO_WORLDS)('the example of $package with `$holds` runs against a Worker', async (hello) => {
  const { package: name, file: page = 'README.md', holds, behind, asks, shows } = hello;
  const text = (await readFile(join(ROOT, 'node_modules', name, page), 'utf8')).replaceAll(/^ \* ?/gm, '');
  const blocks = [...text.matchAll(/```(?:ts|js|typescript)\n([\s\S]*?)```/g)].map(([, code = '']) => code);
  const findBlock = (words: string): string => blocks.find((code) => code.includes(words)) ?? '';
  const program = `${behind === undefined ? '' : findBlock(behind)}${findBlock(holds)}`;
  // The base URL in the code is replaced by that of the Worker.
  const code = program.replace("'https://api.example.com/v1'", 'process.env.OPENAI_BASE_URL');
  const file = join(folder, `${crypto.randomUUID()}.mts`);
  await writeFile(file, `${code}\n${shows === undefined ? '' : `console.log(${shows});`}`);
  const env = {
    ...process.env,
    OPENAI_BASE_URL: `${worker.url.origin}/v1`,
    OPENAI_API_KEY: 'none',
    MY_API_KEY: 'none',
    OPENAI_AGENTS_DISABLE_TRACING: '1',
  };
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env, cwd: folder });
  // Some programs print a message as JSON.
  expect(stdout.replaceAll('\\"', '"')).toContain(`You asked: ${asks}`);
  expect(await readFile(join(ROOT, 'docs/openai.md'), 'utf8')).toContain(`| \`${name}\` |`);
});
