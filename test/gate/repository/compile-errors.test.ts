/** Tests compile errors that show the fix in their first line, as an editor displays it. Runs `tsc`. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);

/** The code before each mistake. */
const HEAD = `
  import * as v from 'valibot';
  import { defineAgent, defineTool } from '${root}/src/index.ts';
  import { after, allOf, definePlaybook } from '${root}/src/kinds/entry.ts';
  import { defineManualTool } from '${root}/src/modules/answers/entry.ts';
  const named = { name: 'pay', description: 'Pays.' } as const;
  const run = () => 'ok';
  const find = defineTool({ name: 'find', description: 'Finds.', effect: 'read', run });
  const pay = defineTool({ ...named, run });
  const book = { name: 'by_the_book', description: 'Pays by the book.', tools: [find] } as const;
`;

type CompileError = readonly [mistake: string, code: string, message: string];

const PLAYBOOK_MESSAGE = 'is not assignable to type \'NameToolsOfThisPlaybook<"find" | "pay">\'.' as const;

const MISTAKES: readonly CompileError[] = [
  [
    '`execute` beside `run`',
    'defineTool({ ...named, run, execute: run });',
    "Type '() => string' is not assignable to type 'WriteInstead<\"run\">'.",
  ],
  [
    '`execute` in place of `run`',
    'defineTool({ ...named, execute: run });',
    "Type '() => string' is not assignable to type 'WriteInstead<\"run\">'.",
  ],
  [
    '`inputSchema` that is a schema',
    'defineTool({ ...named, run, inputSchema: v.object({}) });',
    "Property '[instead]' is missing in type 'ObjectSchema<{}, undefined>' but required in type 'WriteInstead<\"input\">'.",
  ],
  [
    '`inputSchema` that is JSON',
    'defineTool({ ...named, run, inputSchema: { type: "object" } });',
    "Object literal may only specify known properties, and 'type' does not exist in type 'WriteInstead<\"input\">'.",
  ],
  [
    '`system` in place of `instructions`',
    "defineAgent({ ...named, system: 'Pay.' });",
    "Type 'string' is not assignable to type 'WriteInstead<\"instructions\">'.",
  ],
  [
    '`maxSteps` of an agent',
    "defineAgent({ ...named, instructions: 'Pay.', maxSteps: 3 });",
    "Type 'number' is not assignable to type 'WriteInstead<\"limits: { iterations }\">'.",
  ],
  [
    'an effect of a tool that its caller runs',
    "defineManualTool({ ...named, effect: 'read' });",
    "Type 'string' is not assignable to type 'LeaveOut<\"its caller runs it\">'.",
  ],
  [
    'a function of a tool that its caller runs',
    'defineManualTool({ ...named, run });',
    "Type '() => string' is not assignable to type 'LeaveOut<\"its caller runs it\">'.",
  ],
  [
    'an unlock condition on a tool that is not in the playbook',
    "definePlaybook({ ...book, locked: [{ tool: pay, unlockedBy: after('x') }] });",
    `Type 'UnlockCondition<"x">' ${PLAYBOOK_MESSAGE}`,
  ],
  [
    'such a condition beside one on a tool of the playbook',
    "definePlaybook({ ...book, locked: [{ tool: pay, unlockedBy: allOf(after(find), after('x')) }] });",
    `Type 'UnlockCondition<"find" | "x">' ${PLAYBOOK_MESSAGE}`,
  ],
];

/** The first line of each mistake's error, or one line for each error. */
let messages: readonly string[] = [];

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'compile-errors-'));
  const files = MISTAKES.map((_, at) => `mistake${at}.ts`);
  await Promise.all(MISTAKES.map(([, code], at) => writeFile(join(folder, files[at] ?? ''), HEAD + code)));
  const compilerOptions = {
    types: [join(root, 'node_modules/@cloudflare/workers-types')],
    paths: { valibot: [join(root, 'node_modules/valibot/dist/index.d.mts')] },
    noUnusedLocals: false,
    rewriteRelativeImportExtensions: false,
  };
  const project = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const compiled = run(process.execPath, [tsc, '--pretty', 'false', '-p', folder]);
  const { stdout } = await compiled.catch((failure) => failure);
  await rm(folder, { recursive: true });
  const lines = [...String(stdout).matchAll(/mistake(\d+)\.ts\(\d+,\d+\): error TS\d+: (.*)$/gm)];
  messages = MISTAKES.map((_, at) =>
    lines.flatMap(([, of, line = '']) => (Number(of) === at ? [line] : [])).join('\n'),
  );
}, 60_000);

describe('a compile error suggests a correction', () => {
  it.each(MISTAKES.map(([mistake, , message], at) => [mistake, at, message] as const))(
    'for %s',
    (_, at, message) => {
      expect(messages[at]).toBe(message);
    },
  );
});
