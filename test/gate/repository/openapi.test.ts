/** Checks the description that an app serves with a linter and a client generator, in Node. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { build, type Plugin } from 'esbuild';
import { beforeAll, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');

/** An app with every library feature that has routes. */
const APP = `
  import { defineAgent } from './src/index.ts';
  import { createHoldfast } from './src/create-holdfast.ts';
  import { openaiCompatible } from './src/model/openai-compatible/entry.ts';
  import { defineMcpEndpoint, mcpDescription } from './src/mcp/server/entry.ts';
  import { answers } from './src/modules/answers/entry.ts';
  import { files } from './src/modules/files/entry.ts';
  import { openApi } from './src/modules/openapi/entry.ts';
  import { aiSdkUi, aiSdkUiDescription } from './src/surfaces/ai-sdk-ui/entry.ts';
  import { openAi, openAiDescription } from './src/surfaces/openai/entry.ts';
  import { retryDescription } from './src/modules/retry/entry.ts';
  import { defineModule } from './src/module.ts';
  import { agUi } from './src/examples/ag-ui/ag-ui.ts';
  import { agUiDescription } from './src/examples/ag-ui/describe.ts';
  import { githubWebhook, webhookDescription } from './src/modules/webhooks/entry.ts';
  const agent = defineAgent({ name: 'clerk', description: 'Looks.', instructions: 'Look.' });
  const mcp = defineMcpEndpoint({ agents: ['clerk'], authorization: { servers: ['https://login.example'] } });
  const handle = () => new Response();
  // It has no description, and its operations would have the names of others.
  const plain = defineModule({ name: 'plain' }).use({
    routes: ['/events', '/a/b', '/a-b', '/uploads/{file}'].map((path) => ({ method: 'GET', path, handle })),
  });
  const webhooks = [githubWebhook({ agent: 'clerk', secret: 'SECRET', events: ['issues.opened'], owner: { id: 'me' }, start: () => ({}) })];
  const app = { agents: [agent], model: openaiCompatible(), auth: () => ({ id: 'me' }) };
  const described = openApi({ descriptions: [aiSdkUiDescription, openAiDescription, agUiDescription, mcpDescription, webhookDescription, retryDescription] });
  export default createHoldfast({ ...app, use: [answers, files(), aiSdkUi(), openAi(), agUi(), plain, mcp, ...webhooks, described] }).worker;
`;

/** Stubs of platform modules, which the description does not need. */
const platform: Plugin = {
  name: 'platform',
  setup(building) {
    building.onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({ path, namespace: 'platform' }));
    building.onLoad({ filter: /.*/, namespace: 'platform' }, () => ({
      contents:
        'export class WorkerEntrypoint {} export const env = {}, exports = {}; export function waitUntil() {}',
    }));
  },
};

/** Returns the description that the app serves. */
async function buildAndServe(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: APP, resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'es2024',
    plugins: [platform],
  });
  const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
  const file = join(folder, 'worker.mjs');
  await writeFile(file, outputFiles[0]?.contents ?? '');
  const { default: worker } = await import(file);
  await rm(folder, { recursive: true });
  const asked = new Request('http://localhost/openapi.json');
  const response: Response = await worker.fetch(asked, {}, { waitUntil() {} });
  return response.text();
}

let source = '';
beforeAll(async () => {
  source = await buildAndServe();
});

it('Redocly reports no problems under its recommended rules', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, config });
  const found = problems.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`);
  expect(found).toEqual([]);
});

it('every response of a described route has a schema', async () => {
  const silent = listOperations().flatMap(([name, { responses }]) =>
    Object.entries(responses).flatMap(([status, { content = {} }]) =>
      Object.entries(content).flatMap(([type, { schema }]) =>
        schema === undefined || Object.keys(schema).length === 0 ? `${name} ${status} ${type}` : [],
      ),
    ),
  );
  const ofPlain = ['getEvents2', 'getAB', 'getAB2', 'getUploadsFile'];
  expect(silent).toEqual(ofPlain.map((name) => `${name} default */*`));
});

it('every operation accepts one media type, and a form has its own operation, so that generators create one function for each', () => {
  const bodies = listOperations().flatMap(([name, { requestBody }]) =>
    requestBody ? [[name, ...Object.keys(requestBody.content)]] : [],
  );
  expect(bodies.filter(([, ...types]) => types.join() !== 'application/json')).toEqual([
    ['sendForm', 'multipart/form-data'],
  ]);
  expect(bodies).toContainEqual(['sendMessage', 'application/json']);
});

it('the files of a form have a field name, because orval sends only named fields', () => {
  const form = listOperations().find(([name]) => name === 'sendForm')?.[1].requestBody?.content;
  const { files }: Record<string, object> = Object(form?.['multipart/form-data']?.schema).properties;
  expect(files).toEqual({
    type: 'array',
    items: { type: 'string', format: 'binary' },
    description: 'Files after the message.',
  });
});

it('the agent parameter of a surface lists the agents, and other parameters accept any string', () => {
  const { paths }: ApiDescription = JSON.parse(source);
  const getSchemas = (path: string) => paths[path]?.parameters?.map(({ schema }) => schema);
  expect(getSchemas('/uploads/{file}')).toEqual([{ type: 'string' }]);
  expect(getSchemas('/agents/{agent}/chat/{chat}/stream')).toEqual([
    { type: 'string', enum: ['clerk'] },
    { type: 'string' },
  ]);
});

interface ApiOperation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: object }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { schema?: object }>> }>
  >;
}

interface ApiDescription {
  readonly paths: Readonly<
    Record<
      string,
      { readonly parameters?: readonly { readonly schema: object }[] } & Record<string, ApiOperation>
    >
  >;
}

/** Returns all operations with their ids. */
function listOperations(): (readonly [name: string, operation: ApiOperation])[] {
  const { paths }: ApiDescription = JSON.parse(source);
  return Object.values(paths).flatMap(({ parameters: _, ...item }) =>
    Object.values(item).map((operation) => [operation.operationId, operation] as const),
  );
}

/** A client as users write it. `schema` is the generated file. */
const CLIENT = `
  import createClient from 'openapi-fetch';
  import type { components, paths } from './schema';

  const client = createClient<paths, 'application/json' | 'application/problem+json'>({ baseUrl: 'https://agents.example', headers: { authorization: 'Bearer t' } });
  const path = { agent: 'clerk', session: 's1' } as const;

  export async function ask(message: string): Promise<string> {
    const { data, error } = await client.POST('/agents/{agent}/sessions/{session}/messages', {
      params: { path, header: { 'Idempotency-Key': 'k1' }, query: { whenBusy: 'queue' } },
      body: { message, context: { tenant: 'acme' } },
    });
    if (error) {
      const type: components['schemas']['Problem']['type'] = error.type;
      return 'outcome' in error ? error.agent : \`\${type}: \${error.detail}\`;
    }
    if ('outcome' in data && data.outcome === 'suspended') {
      const [first] = data.pending;
      if (first) await decide(first.call, first.allows ?? []);
      return first?.message ?? '';
    }
    return 'text' in data ? data.text : data.status;
  }

  async function decide(callId: string, allows: readonly ('approve' | 'edit' | 'reject' | 'exit')[]): Promise<void> {
    const { data } = await client.POST('/agents/{agent}/sessions/{session}/approvals/{callId}', {
      params: { path: { ...path, callId } },
      body: { decision: allows.includes('approve') ? 'approve' : 'reject' },
    });
    if (data && 'artifacts' in data) for (const { tool, value } of data.artifacts) console.log(tool.length, value);
  }

  export async function approve(call: string): Promise<boolean> {
    const { response } = await client.POST('/agents/{agent}/sessions/{session}/answers', {
      params: { path },
      body: { answers: [{ call, decision: 'approve' }] },
    });
    return response.ok;
  }

  export async function spent(): Promise<number> {
    const { data } = await client.GET('/agents/{agent}/sessions/{session}', { params: { path } });
    const cost: number | undefined = data?.usage.cost;
    return cost ?? 0;
  }

  export async function calls(): Promise<readonly string[]> {
    const { data } = await client.GET('/agents/{agent}/sessions/{session}/events', { params: { path, query: { after: 3 } } });
    return (data?.events ?? []).flatMap((event) => {
      if (event.type === 'model-replied') return event.toolCalls.map(({ name }) => name);
      return event.type === 'tool-call-ended' && event.result.type === 'error' ? [event.result.message] : [];
    });
  }

  export async function file(id: string): Promise<Blob> {
    const { data, error } = await client.GET('/agents/{agent}/sessions/{session}/files/{file}', {
      params: { path: { ...path, file: id } },
      parseAs: 'blob',
    });
    if (error) throw new Error(error.detail);
    return data;
  }

  export async function said(): Promise<string> {
    const chat = await client.POST('/v1/chat/completions', { body: { model: 'clerk', messages: [{ role: 'user', content: 'Hi' }] } });
    if (chat.error) return chat.error.error.message;
    const { data, error } = await client.POST('/v1/responses', { body: { model: 'clerk', input: 'Hi', background: true } });
    if (error) return error.error.code ?? '';
    const words = data.output.flatMap((item) => (item.type === 'message' ? item.content.map(({ text }) => text) : []));
    return words.join('') + (chat.data.choices[0]?.message.content ?? '');
  }

  export async function listed(): Promise<readonly string[]> {
    const chats = createClient<paths, 'application/json' | 'text/plain'>();
    const { data, error } = await chats.GET('/agents/{agent}/chat/{chat}/messages', { params: { path: { agent: 'clerk', chat: 'c1' } } });
    await chats.POST('/agents/{agent}/chat', {
      params: { path: { agent: 'clerk' } },
      body: { id: 'c1', messages: [{ id: 'm1', role: 'user', parts: [] }], decisions: { a1: { decision: 'exit' } } },
      parseAs: 'stream',
    });
    return data ? data.flatMap(({ parts }) => parts.map(({ type }) => type)) : [error];
  }

  export function shown(event: components['schemas']['TurnStreamEvent']): string {
    switch (event.event) {
      case 'text-delta':
        return event.data.text;
      case 'answer':
        return event.data.text;
      default:
        return '';
    }
  }
`;

/** Code that contradicts the description. Each export is a compile error. */
const MISTAKES = `
  import type { components } from './schema';
  declare const answer: components['schemas']['TurnAnswer'];
  declare const event: components['schemas']['StoredEvent'];
  export const text: number = answer.text;
  export const outcome: 'done' = answer.outcome;
  export const calls = event.toolCalls;
`;

const run = promisify(execFile);

/**
 * Generates types from the description, and returns the compile errors of the clients, with file and line.
 */
async function compileClients(clients: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
  const resolveFile = (file: string): string => join(folder, file);
  await writeFile(resolveFile('openapi.json'), source);
  const bin = join(root, '.ci/codegen/node_modules/openapi-typescript/bin/cli.js');
  await run(process.execPath, [bin, resolveFile('openapi.json'), '--output', resolveFile('schema.d.ts')]);
  for (const [file, client] of Object.entries(clients)) await writeFile(resolveFile(file), client);
  const compilerOptions = {
    ...{ strict: true, noEmit: true, module: 'esnext', moduleResolution: 'bundler', target: 'es2024' },
    ...{ lib: ['es2024', 'dom', 'dom.iterable'], types: [] },
    paths: { 'openapi-fetch': [join(root, 'node_modules/openapi-fetch/dist/index.d.mts')] },
  };
  await writeFile(
    resolveFile('tsconfig.json'),
    JSON.stringify({ compilerOptions, files: Object.keys(clients) }),
  );
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const compiled = run(process.execPath, [tsc, '--pretty', 'false', '-p', folder]);
  const { stdout } = await compiled.catch((failure) => failure);
  await rm(folder, { recursive: true });
  const problems = [...String(stdout).matchAll(/^(?:.*\/)?(\w+\.ts)\((\d+),\d+\): error (.*)$/gm)];
  return problems.map(([, file, line, problem]) => `${file}:${line} ${problem}`);
}

it('openapi-typescript generates types that an openapi-fetch client compiles with, and that reject mistakes', async () => {
  const [, shown = ''] =
    /```typescript\n(import createClient[\s\S]*?)```/.exec(
      await readFile(join(root, 'docs/openapi.md'), 'utf8'),
    ) ?? [];
  expect(shown).toContain('data.text');
  const problems = await compileClients({ 'page.ts': shown, 'client.ts': CLIENT, 'mistakes.ts': MISTAKES });
  expect(problems.map((problem) => problem.slice(0, 'mistakes.ts:5 TS2322'.length))).toEqual([
    'mistakes.ts:5 TS2322',
    'mistakes.ts:6 TS2322',
    'mistakes.ts:7 TS2339',
  ]);
});

it('the page lists every operation of the app, and the operations of surfaces have different names', async () => {
  const page = await readFile(join(root, 'docs/openapi.md'), 'utf8');
  const [, row = ''] = /^\| operations \| (.*) \|$/m.exec(page) ?? [];
  const named = [...row.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
  const ids = listOperations().map(([id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const others = ids.filter((id) => !named.includes(id));
  expect(named.filter((id) => !ids.includes(id))).toEqual([]);
  expect(others).toEqual([
    'postAgentsAgentChat',
    'getAgentsAgentChatChatStream',
    'getAgentsAgentChatChatMessages',
    'getV1Models',
    'getV1ModelsModel',
    'postV1Responses',
    'getV1ResponsesId',
    'postV1ResponsesIdCancel',
    'postV1ChatCompletions',
    'postAgentsAgentAgUi',
    'getEvents2',
    'getAB',
    'getAB2',
    'getUploadsFile',
    'getWellKnownOauthProtectedResourceMcp',
    'getWellKnownOauthProtectedResource',
  ]);
});
