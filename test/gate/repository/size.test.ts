/**
 * Limits the size of a Worker, and of the core in it: tools, loop, journal and session, with their libraries.
 */
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { loadPage } from '../../doors/console.ts';
import { bundleClerk, CLERK } from '../../measure/bundles.ts';

/**
 * The code in every Worker with agents: `defineAgent`, `defineTool` and results, the loop, the journal, the
 * session.
 */
const CORE = `
  export { artifact, defineAgent, defineTool, error, ModelError, text, ToolCallContext } from './src/index.ts';
  export * from './src/session/run-turn.ts';
  export * from './src/session/object-session.ts';
  export * from './src/session/watching/follow-session.ts';
  export * from './src/session/watching/turn-outcome.ts';
  export { SessionObject } from './durable-objects/index.ts';
  export { array, boolean, description, email, integer, maxLength, minLength, nullable, number, object, optional, picklist,
    pipe, record, regex, strictObject, string, union } from 'valibot';
`;

/**
 * A Worker with one agent and its own model: the core and the app around it, with its routes, queue and
 * schedules.
 */
const WORKER = `
  import * as v from 'valibot';
  import { defineAgent, defineTool } from './src/index.ts';
  import { createHoldfast } from './src/create-holdfast.ts';
  const look = defineTool({ name: 'look', description: 'Looks.', input: v.object({ at: v.string() }), run: ({ at }) => at });
  const agent = defineAgent({ name: 'scout', description: 'Looks.', instructions: 'Look.', tools: [look] });
  const holdfast = createHoldfast({ agents: [agent], model: { name: 'none', ask: () => Promise.reject() } });
  export default holdfast.worker;
  export const { TurnRunner } = holdfast;
  export { SessionObject } from './durable-objects/index.ts';
`;

/**
 * The same Worker with every exported kind, decorator, sink, approval, pipeline, group and logger, and their
 * routes. No app uses all of these.
 */
const VOCABULARY = `
  ${['index', 'kinds/entry', 'modules/tool-objects/entry', 'modules/decorators/entry', 'modules/inspect/entry'].map((entry) => `export * as ${entry.replaceAll(/\W/g, '_')} from './src/${entry}.ts';`).join('')}
  ${WORKER}
`;

/** Returns the size of a bundle in bytes, minified and gzipped. */
const computeGzippedSize = async (entry: string): Promise<number> =>
  gzipSync(await bundleMinified(entry), { level: 9 }).length;

/**
 * Returns the minified size that a feature adds to a Worker. Its gzipped size would depend on the rest of the
 * bundle.
 */
const computeAddedSize = async (without: string, mounted: string): Promise<number> =>
  (await bundleMinified(mounted)).length - (await bundleMinified(without)).length;

async function bundleMinified(entry: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: resolve(import.meta.dirname, '../../..'), loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    external: ['cloudflare:*'],
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

it.each([
  ['the core', CORE, 72],
  ['a Worker of one agent', WORKER, 95],
  ['a Worker with the whole tool vocabulary', VOCABULARY, 164],
])('%s is within its size limit, minified and gzipped', async (what, entry, limit) => {
  const bytes = await computeGzippedSize(entry);
  console.log(`size: ${what} is ${(bytes / 1024).toFixed(1)} KiB gzipped (limit ${limit})`);
  expect(bytes).toBeGreaterThan(10 * 1024);
  expect(bytes).toBeLessThan(limit * 1024);
});

it.each([
  ['holdfast/client', 'src/client/entry.ts', 6],
  ['holdfast/react with holdfast/client and without React', 'src/client/react/entry.ts', 8.5],
])(
  '%s is within its size limit, minified and gzipped, and includes no other code',
  async (what, file, limit) => {
    const { outputFiles, metafile } = await build({
      stdin: {
        contents: `export * from './${file}';`,
        resolveDir: resolve(import.meta.dirname, '../../..'),
        loader: 'ts',
      },
      bundle: true,
      minify: true,
      write: false,
      metafile: true,
      format: 'esm',
      target: 'es2024',
      external: ['react'],
    });
    const bytes = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
    console.log(`size: ${what} is ${(bytes / 1024).toFixed(1)} KiB gzipped (limit ${limit})`);
    expect(bytes).toBeGreaterThan(2 * 1024);
    expect(bytes).toBeLessThan(limit * 1024);
    const carried = Object.keys(metafile.inputs).filter((path) => path !== '<stdin>');
    expect(carried.filter((path) => !path.startsWith('src/client/'))).toEqual([]);
  },
);

/** Returns the paths of the files in a bundle. `mode` is the value of `process.env.NODE_ENV`. */
async function listBundledFiles(entry: string, mode = 'development'): Promise<readonly string[]> {
  const { metafile } = await build({
    stdin: { contents: entry, resolveDir: resolve(import.meta.dirname, '../../..'), loader: 'ts' },
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2024',
    external: ['cloudflare:*'],
    define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
  });
  const [output] = Object.values(metafile.outputs);
  return Object.entries(output?.inputs ?? {}).flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput > 0 ? [path] : [],
  );
}

it('a Worker whose agents list plain tools includes no code for providers, factories and tool objects', async () => {
  const clerk = await listBundledFiles(
    "export { default } from './src/examples/first/worker.ts';",
    'production',
  );
  expect(clerk.filter((path) => path.startsWith('src/sources/')).sort()).toEqual([
    'src/sources/resolution/resolve-tools.ts',
    'src/sources/resolution/tool-source.ts',
  ]);
});

it('a Worker without MCP includes no MCP code, and a Worker with MCP includes only the end that it uses', async () => {
  const isMcp = (path: string): boolean =>
    /@modelcontextprotocol|(^|\/)src\/mcp\/|node_modules\/zod/.test(path);
  // A plain `export *` would omit the names that both entries export.
  const everything =
    "export * as worker from './src/create-holdfast.ts'; export * as main from './src/index.ts';";
  const without = await listBundledFiles(everything);
  expect(without).toContain('src/worker/app.ts');
  expect(without.filter(isMcp)).toEqual([]);
  const endpoint = "export { defineMcpEndpoint } from './src/mcp/server/entry.ts';";
  const published = await listBundledFiles(`${everything}${endpoint}`);
  expect(published.filter(isMcp).length).toBeGreaterThan(10);
  // A Worker includes only the side of MCP that it uses.
  expect(published.filter((path) => /src\/mcp\/client\/|@modelcontextprotocol\/client\//.test(path))).toEqual(
    [],
  );
  const using = await listBundledFiles(
    `${everything}export { createMcpToolFactory } from './src/mcp/tools/entry.ts';`,
  );
  expect(using.filter((path) => path.startsWith('src/mcp/client/')).length).toBeGreaterThan(10);
  expect(
    using.filter((path) => /src\/mcp\/server\/|@modelcontextprotocol\/(server|sdk)\/|\/ajv/.test(path)),
  ).toEqual([]);
});

it.each([
  ['client', 'tools'],
  ['server', 'server'],
])('holdfast/mcp/%s imports only the SDK package for its own end', async (end, folder) => {
  const wanted = new Set<string>();
  await build({
    stdin: {
      contents: `export * from './src/mcp/${folder}/entry.ts';`,
      resolveDir: resolve(import.meta.dirname, '../../..'),
    },
    bundle: true,
    write: false,
    format: 'esm',
    plugins: [
      {
        name: 'imported-packages',
        setup({ onResolve }) {
          onResolve({ filter: /^@modelcontextprotocol\// }, ({ path }) => {
            wanted.add(path);
            return { path, external: true };
          });
        },
      },
    ],
  });
  expect([...wanted]).toEqual([`@modelcontextprotocol/${end}`]);
});

const MCP_CODE = `
  import { defineMcpClient, mcpToolProvider } from './src/mcp/tools/entry.ts';
  import { defineMcpEndpoint } from './src/mcp/server/entry.ts';
`;
const CLIENT_CODE = "const wiki = defineMcpClient({ name: 'wiki', url: 'https://wiki.example/mcp' });";
const withClient = (worker: string): string =>
  worker
    .replace('const agent', `${CLIENT_CODE} const agent`)
    .replace('tools: [look]', 'tools: [look, mcpToolProvider({ clients: [wiki] })]');
const withEndpoint = (worker: string): string =>
  worker.replace('agents: [agent]', "agents: [agent], use: [defineMcpEndpoint({ agents: ['scout'] })]");

/** Returns a check for files of these MCP SDK packages, and of Ajv, a dependency of the first SDK. */
const isSdk =
  (...names: readonly string[]) =>
  (path: string): boolean =>
    names.some((name) => path.includes(`node_modules/@modelcontextprotocol/${name}/`)) ||
    /node_modules\/ajv/.test(path);

// Before there were two SDKs, the sizes were 279, 261 and 293 KiB.
it.each([
  ['with a client of MCP', withClient, 227.5, isSdk('sdk', 'server')],
  ['with an endpoint of MCP', withEndpoint, 221, isSdk('sdk', 'client')],
  ['with both', (worker: string) => withEndpoint(withClient(worker)), 303, isSdk('sdk')],
])(
  'a Worker %s is within its size limit, and includes no other SDK and no Ajv',
  async (what, change, limit, isForeign) => {
    const entry = `${MCP_CODE}${change(WORKER)}`;
    const bytes = await computeGzippedSize(entry);
    console.log(`size: a Worker ${what} is ${(bytes / 1024).toFixed(1)} KiB gzipped (limit ${limit})`);
    expect(bytes).toBeGreaterThan(200 * 1024);
    expect(bytes).toBeLessThan(limit * 1024);
    expect((await listBundledFiles(entry)).filter(isForeign)).toEqual([]);
  },
);

it('a Worker includes no file of a module that it does not use', async () => {
  const ofModules = /^src\/(modules|surfaces|mcp|outgoing-webhooks)\//;
  expect((await listBundledFiles(WORKER)).filter((path) => ofModules.test(path))).toEqual([]);
});

it('a Worker includes the code that shows tool changes only if its model uses it', async () => {
  const isOfLateTools = (path: string): boolean => path === 'src/model/late-tools.ts';
  expect((await listBundledFiles(WORKER)).filter(isOfLateTools)).toEqual([]);
  const telling = WORKER.replace("name: 'none',", "name: 'none', showToolsChanges,");
  const carried = await listBundledFiles(
    `import { showToolsChanges } from './src/model/entry.ts';${telling}`,
  );
  expect(carried.filter(isOfLateTools)).toHaveLength(1);
});

it('a Worker includes the code for layers around model calls only if a module has a layer', async () => {
  const isOfLayers = (path: string): boolean => path === 'src/loop/ask-layers.ts';
  expect((await listBundledFiles(WORKER)).filter(isOfLayers)).toEqual([]);
  const bounded = WORKER.replace('tools: [look]', 'tools: [look], use: [budget({ tokens: 9_999 })]');
  const carried = await listBundledFiles(`import { budget } from './src/modules/limits/entry.ts';${bounded}`);
  expect(carried.filter(isOfLayers)).toHaveLength(1);
});

it('a Worker includes route descriptions only if it mounts openApi, and only those that it passes', async () => {
  const entries = ['create-holdfast', 'index', 'modules/webhooks/entry', 'mcp/server/entry'];
  const surfaces = ['module', 'surfaces/ai-sdk-ui/entry', 'surfaces/openai/entry'];
  const everything = [...entries, ...surfaces].map(
    (entry) => `import * as ${entry.replaceAll(/\W/g, '_')} from './src/${entry}.ts';`,
  );
  const isDescription = (path: string): boolean =>
    /^src\/modules\/openapi\/|\/describe\.ts$|^src\/worker\/.*schema/.test(path);
  const speaking = WORKER.replace(
    'agents: [agent]',
    'agents: [agent], use: [surfaces_ai_sdk_ui_entry.aiSdkUi(), surfaces_openai_entry.openAi(), mcp_server_entry.defineMcpEndpoint({ agents: ["scout"] })]',
  );
  const without = await listBundledFiles(everything.join('') + speaking);
  expect(without).toContain('src/surfaces/openai/entry.ts');
  expect(without.filter(isDescription)).toEqual([]);
  const described = `import { openApi } from './src/modules/openapi/entry.ts';${everything.join('')}${WORKER.replace('agents: [agent]', 'agents: [agent], use: [openApi({ descriptions: [surfaces_openai_entry.openAiDescription] })]')}`;
  const carried = (await listBundledFiles(described)).filter(isDescription);
  expect(carried).toContain('src/modules/openapi/components.ts');
  expect(carried.filter((path) => path.endsWith('/describe.ts'))).toEqual([
    'src/surfaces/openai/describe.ts',
  ]);
  const mounting = "import { openApi } from './src/modules/openapi/entry.ts';";
  const mounted = WORKER.replace('agents: [agent]', 'agents: [agent], use: [openApi()]');
  const bytes = await computeAddedSize(WORKER, `${mounting}${mounted}`);
  console.log(`size: the description of an app is ${(bytes / 1024).toFixed(1)} KiB minified`);
  expect(bytes).toBeLessThan(25 * 1024);
});

/** Code that uses sessions, as surfaces do. */
const SESSION_EXPORT = "export { sessionOf } from './src/create-holdfast.ts';";

/**
 * The code that all surfaces share: module routes, texts for people, file URLs, client tools, and live text.
 */
const SHARED_CODE = `
  export { liveText } from './src/modules/live-text/entry.ts';
  export { defineRoute, createRoutesUse as u } from './src/worker/module-routes.ts';
  export { fileUrlsOf, tellerOf } from './src/module.ts';
  export { declaredTools } from './src/modules/client-tools/declared.ts';
`;

it('the code that all surfaces share is at most 10 KiB minified, without live text', async () => {
  const live = "export { liveText } from './src/modules/live-text/entry.ts';";
  expect(
    await computeAddedSize(`${WORKER}${SESSION_EXPORT}${live}`, `${WORKER}${SESSION_EXPORT}${SHARED_CODE}`),
  ).toBeLessThan(10 * 1024);
});

/** The code that retries the last message, for surfaces with a retry button. */
const RETRY_CODE = `
  export { RETRY_PARTS as RETRY } from './src/modules/retry/retry-route.ts';
  export { streamResent as resent } from './src/modules/retry/stream-retry.ts';
`;

it('the code for retries is at most 4.5 KiB minified, without the shared code', async () => {
  const bytes = await computeAddedSize(
    `${WORKER}${SESSION_EXPORT}${SHARED_CODE}`,
    `${WORKER}${SESSION_EXPORT}${SHARED_CODE}${RETRY_CODE}`,
  );
  console.log(`size: the code for retries is ${(bytes / 1024).toFixed(2)} KiB minified`);
  expect(bytes).toBeLessThan(4.5 * 1024);
});

/** The code that creates forks, for surfaces whose clients can request another answer. */
const FORK_CODE = `
  export { copyOn } from './src/modules/branches/copy-events.ts';
  export { findForkWithTurn as a, findLastFork as b, findReplacementPoint as c } from './src/modules/branches/replace-turn.ts';
`;

it('the code for forks is at most 11.75 KiB minified, without the shared code', async () => {
  const bytes = await computeAddedSize(
    `${WORKER}${SESSION_EXPORT}${SHARED_CODE}`,
    `${WORKER}${SESSION_EXPORT}${SHARED_CODE}${FORK_CODE}`,
  );
  console.log(`size: the code for forks is ${(bytes / 1024).toFixed(2)} KiB minified`);
  expect(bytes).toBeLessThan(11.75 * 1024);
});

it('a surface includes 0.65 KiB for client tools, and the code that offers them comes with the agent that uses them', async () => {
  const declaring = "export { declaredTools } from './src/modules/client-tools/declared.ts';";
  expect(await computeAddedSize(WORKER, `${WORKER}${declaring}`)).toBeLessThan(0.65 * 1024);
  const mounting = "import { openAi } from './src/surfaces/openai/entry.ts';";
  const speaking = `${mounting}${WORKER.replace('agents: [agent]', 'agents: [agent], use: [openAi()]')}`;
  const isClientTools = (path: string): boolean => path.startsWith('src/modules/client-tools/');
  expect((await listBundledFiles(speaking)).filter(isClientTools)).toEqual([
    'src/modules/client-tools/declared.ts',
  ]);
});

it('a Worker includes the useChat surface only if it mounts that surface, and never includes the AI SDK', async () => {
  const everything = [
    'create-holdfast',
    'index',
    'kinds/entry',
    'modules/decorators/entry',
    'modules/webhooks/entry',
    'mcp/tools/entry',
    'mcp/server/entry',
  ]
    .map((entry) => `export * as ${entry.replaceAll(/\W/g, '_')} from './src/${entry}.ts';`)
    .join('');
  const isSurface = (path: string): boolean => path.startsWith('src/surfaces/');
  expect((await listBundledFiles(everything)).filter(isSurface)).toEqual([]);
  const mounting = "import { aiSdkUi } from './src/surfaces/ai-sdk-ui/entry.ts';";
  const chat = WORKER.replace('agents: [agent]', 'agents: [agent], use: [aiSdkUi()]');
  const shared = `${SESSION_EXPORT}${SHARED_CODE}${RETRY_CODE}${FORK_CODE}`;
  const bytes = await computeAddedSize(`${WORKER}${shared}`, `${mounting}${chat}${shared}`);
  console.log(`size: the surface for useChat is ${(bytes / 1024).toFixed(1)} KiB minified`);
  expect(bytes).toBeLessThan(22.75 * 1024);
  const carried = await listBundledFiles(`${mounting}${chat}`);
  expect(carried.filter((path) => /node_modules\/(ai|@ai-sdk)\//.test(path))).toEqual([]);
  expect(carried.filter((path) => path.startsWith('src/surfaces/openai/'))).toEqual([]);
});

it('a Worker includes the OpenAI protocols only if it mounts them, and never includes an OpenAI client', async () => {
  const everything = [
    'create-holdfast',
    'index',
    'mcp/tools/entry',
    'mcp/server/entry',
    'module',
    'surfaces/ai-sdk-ui/entry',
  ]
    .map((entry) => `export * as ${entry.replaceAll(/\W/g, '_')} from './src/${entry}.ts';`)
    .join('');
  const isOpenAi = (path: string): boolean =>
    path.startsWith('src/surfaces/openai/') || path.includes('node_modules/openai/');
  expect((await listBundledFiles(everything)).filter(isOpenAi)).toEqual([]);
  const mounting = "import { openAi } from './src/surfaces/openai/entry.ts';";
  const speaking = WORKER.replace('agents: [agent]', 'agents: [agent], use: [openAi()]');
  const bytes = await computeAddedSize(
    `${WORKER}${SESSION_EXPORT}${SHARED_CODE}`,
    `${mounting}${speaking}${SESSION_EXPORT}${SHARED_CODE}`,
  );
  console.log(`size: the OpenAI protocols are ${(bytes / 1024).toFixed(1)} KiB minified`);
  // About 12 KiB of this validates answers against the client's schema and the agent's.
  expect(bytes).toBeLessThan(53.5 * 1024);
  const carried = await listBundledFiles(`${mounting}${speaking}`);
  expect(carried.filter((path) => path.includes('node_modules/openai/'))).toEqual([]);
  expect(carried.filter((path) => path.startsWith('src/surfaces/ai-sdk-ui/'))).toEqual([]);
});

it('a Worker includes the OpenAI lists only if it mounts them', async () => {
  const isOfLists = (path: string): boolean => path.startsWith('src/surfaces/openai/lists/');
  const mounting =
    "import { openAi } from './src/surfaces/openai/entry.ts'; import { sessionIndex } from './src/modules/index/entry.ts';";
  const speaking = WORKER.replace('agents: [agent]', 'agents: [agent], use: [openAi(), sessionIndex()]');
  expect((await listBundledFiles(`${mounting}${speaking}`)).filter(isOfLists)).toEqual([]);
  const listing = speaking.replace('openAi()', 'openAi({ lists: openAiLists() })');
  const lists = "import { openAiLists } from './src/surfaces/openai/lists/entry.ts';";
  const bytes = await computeAddedSize(`${mounting}${speaking}`, `${mounting}${lists}${listing}`);
  console.log(`size: the OpenAI lists are ${(bytes / 1024).toFixed(2)} KiB minified`);
  expect(bytes).toBeLessThan(10 * 1024);
  const carried = await listBundledFiles(`${mounting}${lists}${listing}`);
  expect(carried.filter(isOfLists)).toContain('src/surfaces/openai/lists/entry.ts');
  expect(carried.filter((path) => path.endsWith('/describe.ts'))).toEqual([]);
});

it('a Worker includes the code for owner limits only if it has some, which is at most 18.5 KiB minified beside a budget', async () => {
  const everything = ['create-holdfast', 'index', 'modules/limits/entry', 'modules/index/entry', 'module']
    .map((entry) => `export * as ${entry.replaceAll(/\W/g, '_')} from './src/${entry}.ts';`)
    .join('');
  const isOwnerLimits = (path: string): boolean => path.startsWith('src/modules/owner-limits/');
  expect((await listBundledFiles(everything)).filter(isOwnerLimits)).toEqual([]);
  const mounting = "import { ownerLimits } from './src/modules/owner-limits/entry.ts';";
  const exporting = "export { OwnerLimits } from './src/modules/owner-limits/entry.ts';";
  const limited = WORKER.replace('agents: [agent]', 'agents: [agent], use: [ownerLimits({ running: 4 })]');
  const bounded = WORKER.replace('agents: [agent]', 'agents: [agent], use: [budget({ tokens: 9_999 })]');
  const budget = "import { budget } from './src/modules/limits/entry.ts';";
  const bytes = await computeAddedSize(`${budget}${bounded}`, `${mounting}${exporting}${limited}`);
  console.log(`size: limits of owners are ${(bytes / 1024).toFixed(1)} KiB minified`);
  expect(bytes).toBeLessThan(18.5 * 1024);
  expect((await listBundledFiles(`${mounting}${limited}`)).filter(isOwnerLimits)).toContain(
    'src/modules/owner-limits/limited-session.ts',
  );
});

it('a Worker includes tracing only if it exports traces, which adds at most 26 KiB minified', async () => {
  const isTracing = (path: string): boolean => /^src\/modules\/(tracing|timeline)\//.test(path);
  const everything = ['create-holdfast', 'index', 'modules/outgoing-webhooks/entry', 'module']
    .map((entry) => `export * as ${entry.replaceAll(/\W/g, '_')} from './src/${entry}.ts';`)
    .join('');
  expect((await listBundledFiles(everything)).filter(isTracing)).toEqual([]);
  const mounting = "import { tracing } from './src/modules/tracing/entry.ts';";
  const traced = WORKER.replace(
    'agents: [agent]',
    "agents: [agent], use: [tracing({ endpoint: 'https://a.b' })]",
  );
  const bytes = await computeAddedSize(WORKER, `${mounting}${traced}`);
  console.log(`size: traces are ${(bytes / 1024).toFixed(1)} KiB minified`);
  expect(bytes).toBeLessThan(26 * 1024);
});

it('a Worker includes the code for chaining only if it chains tools', async () => {
  const isChaining = (path: string): boolean => path.startsWith('src/modules/chaining/');
  expect((await listBundledFiles(WORKER)).filter(isChaining)).toEqual([]);
  const nesting = "export { defineAgenticTool, definePlaybook } from './src/kinds/entry.ts';";
  expect((await listBundledFiles(`${WORKER}${nesting}`)).filter(isChaining)).toEqual([]);
  const chaining = "export { chaining, chainFrom } from './src/kinds/entry.ts';";
  expect((await listBundledFiles(`${WORKER}${chaining}`)).filter(isChaining)).toContain(
    'src/modules/chaining/strategy.ts',
  );
});

it('a Worker includes the code that reads tool objects only if it has tool objects', async () => {
  const isToolObjects = (path: string): boolean => path.startsWith('src/modules/tool-objects/');
  expect((await listBundledFiles(WORKER)).filter(isToolObjects)).toEqual([]);
  expect(await listBundledFiles(WORKER, 'production')).not.toContain('src/tool/object-class.ts');
  const made = "export { toolFactory } from './src/modules/tool-objects/entry.ts';";
  expect((await listBundledFiles(`${WORKER}${made}`)).filter(isToolObjects)).toEqual([
    'src/modules/tool-objects/tool-factory.ts',
  ]);
  for (const made of ['toolMethod', 'toolTable', 'toolsOf']) {
    const objects = `export { ${made} } from './src/modules/tool-objects/entry.ts';`;
    expect((await listBundledFiles(`${WORKER}${objects}`)).filter(isToolObjects)).toContain(
      'src/modules/tool-objects/tools-of.ts',
    );
  }
});

it('a Worker without outgoing webhooks includes no code that sends them', async () => {
  const everything = ['create-holdfast', 'index', 'modules/webhooks/entry', 'mcp/server/entry', 'module']
    .map((entry) => `export * as ${entry.replaceAll(/\W/g, '_')} from './src/${entry}.ts';`)
    .join('');
  const isOutgoingWebhooks = (path: string): boolean => path.startsWith('src/modules/outgoing-webhooks/');
  const without = await listBundledFiles(`${everything}export * from './durable-objects/index.ts';`);
  expect(without).toContain('src/worker/background.ts');
  expect(without.filter(isOutgoingWebhooks)).toEqual([]);
  const telling = "export { outgoingWebhook } from './src/modules/outgoing-webhooks/entry.ts';";
  const carried = await listBundledFiles(`${everything}${telling}`);
  expect(carried.filter(isOutgoingWebhooks)).toHaveLength(3);
});

it('a Worker includes the planner only if it imports the planner', async () => {
  const isPlanner = (path: string): boolean => path.startsWith('src/offline-model/');
  const everything = [
    'create-holdfast',
    'index',
    'modules/webhooks/entry',
    'mcp/tools/entry',
    'mcp/server/entry',
    'model/openai-compatible/entry',
  ]
    .map((entry) => `export * as ${entry.replaceAll(/\W/g, '_')} from './src/${entry}.ts';`)
    .join('');
  const without = await listBundledFiles(`${everything}export * from './durable-objects/index.ts';`);
  expect(without).toContain('src/model/openai-compatible/openai-compatible.ts');
  expect(without.filter(isPlanner)).toEqual([]);
  const offline = await listBundledFiles(
    `${everything}export { offlineModel } from './src/offline-model/entry.ts';`,
  );
  expect(offline.filter(isPlanner).length).toBeGreaterThan(10);
});

describe('the planner in the README’s Worker', () => {
  const entry = `export * from './${CLERK}'; export { default } from './${CLERK}';`;
  const isPlanner = (path: string): boolean => path.startsWith('src/offline-model/');

  it('is included in development', async () => {
    expect((await listBundledFiles(entry)).filter(isPlanner).length).toBeGreaterThan(10);
  });

  it('is reduced in production to the function that omits it', async () => {
    const carried = await listBundledFiles(entry, 'production');
    expect(carried).toContain('src/model/openai-compatible/openai-compatible.ts');
    expect(carried.filter(isPlanner)).toEqual(['src/offline-model/offline-model.ts']);
  });

  it('is completely absent from a minified production bundle', async () => {
    const folders = (await bundleClerk()).folders.map(({ folder }) => folder);
    expect(folders).toContain('src/model');
    expect(folders).not.toContain('src/offline-model');
  });
});

it('a Worker includes the adapter for chat completions only if it imports that adapter', async () => {
  const asking = WORKER.replace(/model: \{.*? \}/, 'model: openaiCompatible()');
  const adapted = `import { openaiCompatible } from './src/model/openai-compatible/entry.ts';${asking}`;
  const isAdapter = (path: string): boolean => path.startsWith('src/model/openai-compatible/');
  expect((await listBundledFiles(WORKER)).filter(isAdapter)).toEqual([]);
  expect((await listBundledFiles(adapted)).filter(isAdapter).length).toBeGreaterThan(3);
  const [without, using] = [await computeGzippedSize(WORKER), await computeGzippedSize(adapted)];
  console.log(
    `size: the adapter of chat completions is ${((using - without) / 1024).toFixed(1)} KiB gzipped`,
  );
  expect(using - without).toBeLessThan(12 * 1024);
});

it('a Worker includes the conversion of AI SDK tools only if it imports the conversion, and never includes the AI SDK', async () => {
  const isExchange = (path: string): boolean =>
    /^src\/modules\/ai-sdk-tools\/|node_modules\/(ai|@ai-sdk)\//.test(path);
  const everything = [
    'create-holdfast',
    'index',
    'kinds/entry',
    'modules/decorators/entry',
    'modules/tool-calling/entry',
    'model/ai-sdk/entry',
  ];
  const without = await listBundledFiles(
    everything
      .map((entry) => `export * as ${entry.replaceAll(/\W/g, '_')} from './src/${entry}.ts';`)
      .join(''),
  );
  expect(without).toContain('src/modules/tool-calling/tool-calling-manager.ts');
  expect(without.filter(isExchange)).toEqual([]);
  const taking = await listBundledFiles("export { fromAiTool } from './src/modules/ai-sdk-tools/entry.ts';");
  expect(taking.filter(isExchange)).toContain('src/modules/ai-sdk-tools/from-ai-tool.ts');
  expect(
    taking.filter((path) => /^src\/(loop|modules\/tool-calling)\/|node_modules\/(ai|@ai-sdk)\//.test(path)),
  ).toEqual([]);
});

describe('the page of the console', () => {
  it('is within its size limit, gzipped, and refers to no other origin', async () => {
    const { html: page } = await loadPage();
    const bytes = gzipSync(page).length;
    console.log(`size: the page of the console is ${(bytes / 1024).toFixed(1)} KiB gzipped (limit 70)`);
    expect(bytes).toBeGreaterThan(20 * 1024);
    expect(bytes).toBeLessThan(70 * 1024);
    // XML namespaces, an address in an error text, and the schemas' base URL are never fetched.
    const addresses = page.match(/(?:https?:)?\/\/[\w.-]+\.\w+/g) ?? [];
    const isAsked = (one: string): boolean => !/www\.w3\.org|agents\.example\.com|github\.com$/.test(one);
    expect(addresses.filter(isAsked)).toEqual([]);
  });

  it('is included in a template’s Worker in development, but not in production', async () => {
    const entry = `
      import { console } from './src/modules/console/entry.ts';
      import { createHoldfast } from './src/create-holdfast.ts';
      const use = process.env.NODE_ENV === 'development' ? [console()] : [];
      export default createHoldfast({ agents: [], use });
    `;
    const isConsole = (path: string): boolean => path.startsWith('src/modules/console/');
    expect((await listBundledFiles(entry)).filter(isConsole)).toContain('src/modules/console/built-page.js');
    expect((await listBundledFiles(entry, 'production')).filter(isConsole)).toEqual([]);
  });
});
