/**
 * Uses the output of `npm run build` in a user's project: its types, its exports, and its code in plain Node.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { asInstalled } from './as-installed.ts';
import { installPackage, type Manifest } from './installed-package.ts';
import { PACK_TEST_TIMEOUT_MS } from './packed.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../../..');
const tsc = join(root, 'node_modules/.bin/tsc');

let temp: string;
let manifest: Manifest;
const read = (file: string): Promise<string> => readFile(join(root, file), 'utf8');

beforeAll(async () => {
  ({ path: temp, manifest } = await installPackage(['@types/node'])); // the test's program uses the types of Node
}, PACK_TEST_TIMEOUT_MS);
afterAll(() => rm(temp, { recursive: true, force: true }));

/** Returns the errors of `tsc` for the user's files. They are compiled into the folder `name`. */
async function compileFiles(
  name: string,
  files: Readonly<Record<string, string>>,
  options: object,
): Promise<string> {
  for (const [file, text] of Object.entries(files)) await writeFile(join(temp, file), text);
  const compilerOptions = {
    strict: true,
    target: 'es2024',
    lib: ['es2024'],
    declaration: true,
    outDir: name,
    skipLibCheck: false,
    ...options,
  };
  const config = JSON.stringify({ compilerOptions, files: Object.keys(files) });
  await writeFile(join(temp, `${name}.json`), config);
  const { stdout } = await run(tsc, ['-p', `${name}.json`], { cwd: temp }).catch(
    (failure: { stdout: string }) => failure,
  );
  return stdout;
}

it('every target of the exports map exists after a build', () => {
  const targets = Object.values(manifest.exports).flatMap((conditions) => Object.values(conditions));
  expect(targets.length).toBeGreaterThan(14);
  expect(targets.filter((target) => !existsSync(join(temp, 'package', target)))).toEqual([]);
});

it.each([
  { module: 'esnext', moduleResolution: 'bundler' },
  { module: 'nodenext', moduleResolution: 'nodenext' },
])(
  'a user’s program type-checks against the package and emits declarations with module resolution $moduleResolution',
  async (rules) => {
    const clerk = asInstalled(await read('src/examples/first/clerk.ts'));
    const worker = asInstalled(await read('src/examples/first/worker.ts'));
    expect(worker).toContain('export const { TurnRunner } = holdfast;');
    const options = { types: ['@cloudflare/workers-types'], rewriteRelativeImportExtensions: true, ...rules };
    expect(
      await compileFiles(
        rules.module,
        { 'clerk.ts': clerk, 'worker.ts': worker, 'own.ts': OWN_TYPES_SOURCE },
        options,
      ),
    ).toBe('');
    expect(existsSync(join(temp, rules.module, 'worker.d.ts'))).toBe(true);
  },
);

it('a user’s program can use a model of the AI SDK', async () => {
  // The SDK's types import `json-schema`, which the SDK does not install.
  const options = { types: ['@cloudflare/workers-types'], module: 'nodenext', skipLibCheck: true };
  expect(await compileFiles('with-sdk', { 'with-sdk.ts': SDK_SOURCE }, options)).toBe('');
});

it('a user’s program can use MCP', async () => {
  const worker = asInstalled(await read('src/examples/mcp/worker.ts'));
  expect(worker).toContain("from 'holdfast/mcp/client';");
  expect(worker).toContain("from 'holdfast/mcp/server';");
  // The declarations of the SDK use Node's `Buffer`, whose types a Worker project may not have.
  const options = { types: ['@cloudflare/workers-types'], module: 'nodenext', skipLibCheck: true };
  expect(await compileFiles('with-mcp', { 'with-mcp.ts': worker }, options)).toBe('');
});

it.each([
  ['client', 'server', 'src/examples/files/files.ts'],
  ['server', 'client', 'src/examples/mcp/order-desk.ts'],
])('a user’s program can be the MCP %s without the package of the %s', async (end, other, example) => {
  const program = asInstalled(await read(example));
  expect(program).toContain(`from 'holdfast/mcp/${end}';`);
  const packages = join(temp, 'node_modules/@modelcontextprotocol');
  await rename(join(packages, other), join(temp, other));
  onTestFinished(() => rename(join(temp, other), join(packages, other)));
  const options = { types: ['@cloudflare/workers-types'], module: 'nodenext', skipLibCheck: true };
  expect(await compileFiles(`with-${end}`, { [`with-${end}.ts`]: program }, options)).toBe('');
});

it('a user’s program can store files in R2', async () => {
  const store = asInstalled(await read('src/examples/files-in-r2/r2-files.ts'));
  expect(store).toContain("from 'holdfast/files';");
  const options = { types: ['@cloudflare/workers-types'], module: 'nodenext' };
  expect(await compileFiles('with-r2', { 'r2-files.ts': store }, options)).toBe('');
});

it('no file of the package imports a package of the AI SDK at run time', async () => {
  const built = await readdir(join(temp, 'package/dist'), { recursive: true });
  const scripts = built.filter((file) => file.endsWith('.js'));
  const texts = await Promise.all(scripts.map((file) => readFile(join(temp, 'package/dist', file), 'utf8')));
  expect(scripts.length).toBeGreaterThan(50);
  expect(scripts.filter((_, at) => texts[at]?.includes('@ai-sdk/'))).toEqual([]);
});

it('a user’s test needs no Workers types and runs in plain Node', async () => {
  const options = { types: ['node'], module: 'nodenext' };
  expect(await compileFiles('tested', { 'tested.ts': TESTED_SOURCE }, options)).toBe('');
  const { stdout } = await run(process.execPath, ['tested/tested.js'], { cwd: temp });
  expect(JSON.parse(stdout)).toMatchObject({ outcome: 'completed', text: 'Three.', toolCalls: 1 });
});

it('a user’s own kind of tool has types, counts failures and subagents, and passes the crash matrix', async () => {
  const options = { types: ['node'], module: 'nodenext' };
  const files = {
    'with-rate-limit.ts': asInstalled(await read('src/examples/rate-limited/with-rate-limit.ts')),
    'courier.ts': asInstalled(await read('src/examples/rate-limited/courier.ts')),
    'kind.ts': KIND_SOURCE,
  };
  const local = Object.entries(files).map(([file, text]) => [
    file,
    text.replace(/'\.\/([a-z-]+)\.ts'/g, "'./$1.js'"),
  ]);
  expect(await compileFiles('kind', Object.fromEntries(local), options)).toBe('');
  const { stdout } = await run(process.execPath, ['kind/kind.js'], { cwd: temp });
  const { told, carried, positions, failures } = JSON.parse(stdout);
  expect(told).toEqual([
    "Error: No such address.\n\n2 of 3 calls an hour are left for 'ada'.",
    "Letter L is on its way to ada.\n\n1 of 3 calls an hour are left for 'ada'.",
    "Letter L is on its way to ada.\n\n0 of 3 calls an hour are left for 'ada'.",
    "Error: Not run: all 3 calls an hour for 'ada' are used up. The next one is possible in 60 min.",
  ]);
  expect(carried).toBe(3);
  expect(positions).toBeGreaterThan(30);
  expect(failures).toEqual([]);
});

/** Uses every type that a user needs to declare a decorator of tools, a model adapter or a host. */
const OWN_TYPES_SOURCE = `
import { type AnyTool, type CallContext, type ChatModel, type ErrorReason, type InputDeclaration, type JsonSchema, type Principal, type ResultData, type ToolGroup, type TurnAnswer, defineAgent, defineTool } from 'holdfast';
import type { CallChanges, JournaledCall, StoredEvent, TurnArtifact, TurnError } from 'holdfast/events';
import type { LoopLimits, ParsedAnswer } from 'holdfast/kinds';
import type { ModelReply } from 'holdfast/models';
import { placeSessions } from 'holdfast/app';
import { CORE_ROLES, defineToolGroup, toolGroup, toolGroups, type ToolGroupOptions } from 'holdfast/tool-groups';
import { nest } from 'holdfast/kinds';
import type { CallRun, Frame, FrameOutcome, ToolEffect } from 'holdfast/kinds';
import { offlineModel, orOffline } from 'holdfast/models/offline';
import { openaiCompatible } from 'holdfast/models/openai-compatible';
import { type AiBinding, workersAi, type WorkersAiOptions } from 'holdfast/models/workers-ai';
import { type Clock, createMemorySessions, type SessionPort } from 'holdfast/testing';
import { createToolCallingManager, defineToolCallingOptions, type ToolExecutionResult } from 'holdfast/tool-calling';
import {
  createHoldfast, type Env, type HandOver, type MintedSecrets, type SessionPlace, type TurnRunner,
} from 'holdfast/worker';
import { mathTools } from 'holdfast/tools/math';
import * as v from 'valibot';

export const logged = (tool: AnyTool, log: (id: string) => void): AnyTool => ({
  ...tool,
  call(input, invocation: CallRun) {
    const { id }: CallContext = invocation;
    log(id);
    return tool.call(input, { ...invocation, execute: (leaf: ToolEffect) => invocation.execute({ ...leaf, timeout: 5 }) });
  },
});
export const look = defineTool({
  name: 'look', description: 'Looks.', input: v.object({ at: v.optional(v.string(), 'me') }), run: ({ at }) => [at],
});
export const one = (input: InputDeclaration, schema: JsonSchema) => [input, schema] as const;
export const nested = (frame: Frame, invocation: CallRun): Promise<FrameOutcome> => nest(invocation, frame);
export const told = ({ artifacts, error }: TurnAnswer): readonly [readonly TurnArtifact[], TurnError | undefined] => [artifacts, error];
export const reasonOf = (result: ResultData): ErrorReason | undefined => result.type === 'error' ? result.reason : undefined;
export const changesOf = (event: StoredEvent): CallChanges | undefined => event.type === 'tool-call-ended' ? event.changes : undefined;
export const callsOf = (event: StoredEvent): readonly JournaledCall[] => event.type === 'model-replied' ? event.toolCalls : [];
export const most = (limits: LoopLimits) => limits.iterations;
export const executed = (reply: ModelReply): Promise<ToolExecutionResult> =>
  createToolCallingManager().executeToolCalls([], reply, defineToolCallingOptions({ tools: [look] }));
export const models: readonly ChatModel[] = [offlineModel(), openaiCompatible({ baseURL: 'http://localhost/v1', model: 'm' })];
export const atCloudflare = (ai: Ai, options: WorkersAiOptions): ChatModel => workersAi(ai, options);
export const wrapped = (ai: Ai): AiBinding => ({ run: (model, inputs) => ai.run(model, inputs, { gateway: { id: 'g' } }) });
export const sessions = (clock: Clock, dispatch: (handOver: HandOver) => void): SessionPort =>
  createMemorySessions({ clock, leaseMs: 20_000, dispatch }).session('s');
export const at = (env: Env, place: SessionPlace) => [env, createHoldfast({ agents: [], use: [placeSessions(place)] })] as const;
export const runner = (handOver: HandOver, { run }: TurnRunner) => run(handOver);
export const counting = defineAgent({
  name: 'counting', description: 'Counts.', instructions: 'Count.', output: v.object({ sum: v.number() }),
  tools: [toolGroup('web'), toolGroup(CORE_ROLES.math, { required: ['add'] } satisfies ToolGroupOptions), mathTools],
});
export const more: readonly ToolGroup[] = [mathTools, defineToolGroup({ role: 'web', description: 'The web.', tools: [look] })];
export const parsed = (answer: string): Promise<ParsedAnswer> | undefined => counting.output?.parse(answer);
export const minted = (env: Env, { id }: Principal): MintedSecrets => ({ key: id + env.KEY });
export const holdfast = createHoldfast({ agents: [counting], model: orOffline(openaiCompatible()), use: [toolGroups(more)], secrets: minted, context: { plan: 'free' } });
export const { worker, TurnRunner: Runner } = holdfast;
// What tests of the package give it beside its options is not for users.
export const parameters = (given: Parameters<typeof openaiCompatible>): 1 => given.length;
`;

const KIND_SOURCE = `
import { createManualClock, createTestSession } from 'holdfast/testing';
import { crashMatrix } from 'holdfast/testing/crash-matrix';
import { defineCourier } from './courier.ts';

const letter = { name: 'send_letter', input: { to: 'ada', text: 'Hello.' } };
let carried = 0;
const courier = defineCourier(async () => {
  carried += 1;
  if (carried === 1) throw new Error('No such address.');
  return 'L';
});
const session = createTestSession(courier, {
  clock: createManualClock(0),
  replies: [
    { calls: [letter] },
    { calls: [{ name: 'assistant', input: { message: 'Write to Ada twice.' } }] },
    { calls: [letter] }, { calls: [letter] }, 'Written.',
    { calls: [letter] }, 'Done.',
  ],
});
await session.send('Write to Ada.');
const told = session.requests.flatMap(({ messages }) =>
  messages.flatMap((message) => message.role === 'tool' ? [message.text] : []));

const script = {
  steps: [{ send: 'Write to Ada.', replies: [{ calls: [letter] }, { calls: [letter] }, { calls: [letter] }, { calls: [letter] }, 'Done.'] }],
};
const report = await crashMatrix((kit) => defineCourier(async ({ idempotencyKey }) => {
  await kit.effect('letter', idempotencyKey);
  return 'L';
}), script);
console.log(JSON.stringify({ told: [...new Set(told)].filter((text) => text.includes('an hour')), carried, ...report }));
`;

const SDK_SOURCE = `
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ChatModel } from 'holdfast';
import { type FromAiSdkOptions, fromAiSdk } from 'holdfast/models/ai-sdk';

export const from = (model: LanguageModelV4, options: FromAiSdkOptions): ChatModel => fromAiSdk(model, options);
export const parameters = (given: Parameters<typeof fromAiSdk>): 1 | 2 => given.length;
`;

const TESTED_SOURCE = `
import { defineAgent, defineTool } from 'holdfast';
import { createManualClock, createTestSession } from 'holdfast/testing';
import * as v from 'valibot';

const add = defineTool({
  name: 'add', description: 'Adds.', effect: 'read', input: v.object({ a: v.number(), b: v.number() }), run: ({ a, b }) => a + b,
});
export const agent = defineAgent({ name: 'adder', description: 'Adds.', instructions: '', tools: [add] });
export const session = createTestSession(agent, {
  replies: [{ calls: [{ name: 'add', input: { a: 1, b: 2 } }] }, 'Three.'],
  clock: createManualClock(),
});
console.log(JSON.stringify(await session.send('What is 1 + 2?')));
`;
