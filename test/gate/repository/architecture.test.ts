/** Checks in the parsed sources which folders may import which others. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findWalkProblems } from '../../measure/check-walk.ts';
import { WALK } from '../../measure/walk.ts';
import { findCircles, findFolderCircles, formatCircle } from '../../source/circles.ts';
import { collectExports, collectImports, type Import } from '../../source/imports.ts';
import { listSourceFiles, readSource, type Source } from '../../source/parse-source.ts';

const root = resolve(import.meta.dirname, '../../..');

const readSources = (folder: string): Source[] =>
  listSourceFiles(root, folder).map((file) => readSource(root, file));

const sources = ['src', 'durable-objects'].flatMap(readSources);
const files = sources.map(({ file }) => file);
const imports: readonly Import[] = sources.flatMap(collectImports);

function readText(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

const isIn = (file: string, ...folders: readonly string[]): boolean =>
  folders.some((folder) => file.startsWith(folder));
const isEntry = (file: string): boolean =>
  /(^src\/(index|module|create-holdfast)\.ts$|\/?worker\.ts$|\/entry\.ts$|^durable-objects\/index\.ts$)/.test(
    file,
  );

/** Returns the imports of a folder's files that `allowed` rejects. */
const listDisallowedImports = (folder: string, allowed: (imported: Import) => boolean): string[] =>
  imports.filter((one) => isIn(one.from, folder) && !allowed(one)).map(({ from, to }) => `${from} -> ${to}`);

const isPackage = ({ to }: Import, ...names: readonly string[]): boolean =>
  names.includes(to.replace(/\/(?!.*@).*$/, '')) || names.includes(to);

/** Imported by the modules that fold a memory. */
const FOLDING = 'src/journal/memory-folding.ts';

/**
 * The files and folders that each folder may import. From `types` it may import types only. A folder that is
 * in no list, such as an entry's, cannot be imported.
 */
const IMPORT_RULES: readonly {
  readonly folder: string;
  readonly because: string;
  readonly on: readonly string[];
  readonly types?: readonly string[];
}[] = [
  { folder: 'src/tool/', because: 'a tool can be used and understood without the rest', on: [] },
  {
    folder: 'src/modules/decorators/',
    because: 'a decorator takes a tool and returns a tool, whose calls can ask',
    on: ['src/tool/', 'src/modules/answers/', 'src/modules/json-schema/'],
  },
  {
    folder: 'src/modules/app/',
    because: 'its modules configure the log, the place and the retention of sessions for a whole app',
    on: ['src/tool/', 'src/model/', 'src/worker/'],
    types: ['src/session/'],
  },
  { folder: 'src/modules/json-schema/', because: 'it only reads and checks values', on: ['src/tool/'] },
  {
    folder: 'src/sources/',
    because: 'a source only provides tools and describes itself',
    on: ['src/tool/'],
  },
  {
    folder: 'src/model/',
    because: 'an adapter can be published with little else than literal checks and async helpers',
    on: ['src/tool/async.ts', 'src/tool/literals.ts', 'src/tool/shape.ts'],
  },
  { folder: 'src/offline-model/', because: 'it is a model', on: ['src/model/'] },
  {
    folder: 'src/journal/',
    because: 'it contains data, and pure functions on that data',
    on: [
      'src/tool/tool-result.ts',
      'src/tool/content.ts',
      'src/tool/module-use.ts',
      'src/tool/shape.ts',
      'src/tool/call.ts',
      'src/tool/call-origin.ts',
      'src/tool/frame.ts',
      'src/tool/kept-values.ts',
      'src/tool/module-state.ts',
      'src/tool/signals.ts',
      'src/tool/tool-memory.ts',
      'src/model/parts.ts',
      'src/model/prices.ts',
    ],
    types: ['src/tool/', 'src/model/'],
  },
  {
    folder: 'src/loop/',
    because: 'it knows no kind of tool, no session and no transport',
    on: ['src/tool/', 'src/model/', 'src/journal/'],
  },
  {
    folder: 'src/kinds/',
    because: 'it is an entry that re-exports the kinds of tools',
    on: ['src/modules/', 'src/loop/', 'src/sources/', 'src/tool/'],
  },
  {
    folder: 'src/modules/unfolding/',
    because: 'it is a kind of tool, which can discover its inner tools first',
    on: ['src/tool/', 'src/sources/', 'src/loop/', FOLDING],
  },
  {
    folder: 'src/modules/chaining/',
    because: 'it is a kind of tool, and its objects can bring unfolding tools',
    on: ['src/tool/', 'src/sources/', 'src/journal/', 'src/modules/unfolding/'],
  },
  {
    folder: 'src/modules/agentic/',
    because: 'it is a kind of tool, which runs nested loops and merges settings in its copies',
    on: ['src/model/settings.ts', ...['tool', 'sources', 'journal', 'loop'].map((name) => `src/${name}/`)],
    types: ['src/model/'],
  },
  {
    folder: 'src/modules/playbook/',
    because: 'it is a kind of tool, built on agentic tools',
    on: [FOLDING, ...['tool', 'sources', 'loop', 'modules/agentic'].map((name) => `src/${name}/`)],
    types: ['src/model/'],
  },
  {
    folder: 'src/modules/state-machine/',
    because: 'it is a kind of tool, built on agentic tools that run one at a time',
    on: ['tool', 'sources', 'journal', 'loop', 'modules/agentic'].map((name) => `src/${name}/`),
    types: ['src/model/'],
  },
  {
    folder: 'src/modules/process/',
    because: 'it is a kind of tool, whose tools are inside unfolding tools',
    on: [FOLDING, ...['tool', 'sources', 'loop', 'modules/unfolding'].map((name) => `src/${name}/`)],
  },
  {
    folder: 'src/modules/pipeline/',
    because: 'it makes a tool from steps, which are planned without a model',
    on: ['src/tool/', 'src/sources/', 'src/loop/'],
  },
  {
    folder: 'src/modules/strategies/',
    because: 'it turns functions into strategies, which can add unfolding tools',
    on: ['src/tool/', 'src/modules/unfolding/'],
  },
  {
    folder: 'src/modules/tool-objects/',
    because: 'it turns objects into tools, some of which unfold',
    on: ['src/tool/', 'src/sources/', 'src/modules/unfolding/'],
  },
  {
    folder: 'src/agent/',
    because: 'it is declared on top of the loop, and knows no kind of tool',
    on: ['tool', 'sources', 'model', 'journal', 'loop'].map((name) => `src/${name}/`),
  },
  {
    folder: 'src/modules/tool-calling/',
    because: 'it runs calls without a session or an agent',
    on: ['tool', 'model', 'journal', 'loop', 'modules/limits'].map((name) => `src/${name}/`),
  },
  {
    folder: 'src/modules/ai-sdk-tools/',
    because: 'it converts tools to and from the AI SDK, and the tool-calling manager runs their calls',
    on: [
      'tool',
      'modules/decorators',
      'sources',
      'modules/tool-calling',
      'modules/limits',
      'modules/json-schema',
      'modules/answers',
    ].map((name) => `src/${name}/`),
    types: ['src/agent/', 'src/model/'],
  },
  {
    folder: 'src/session/',
    because: 'it runs the turns of a session, and knows its object only by a type',
    on: [...['tool', 'sources', 'model', 'journal', 'loop', 'agent'].map((name) => `src/${name}/`)],
    types: ['durable-objects/'],
  },
  {
    folder: 'src/worker/',
    because: 'it turns requests, queue messages and cron events into turns, and runs no loop itself',
    on: [
      ...['tool', 'sources', 'session', 'agent', 'journal', 'model', 'loop'].map((name) => `src/${name}/`),
    ],
  },
  {
    folder: 'src/modules/webhooks/',
    because: 'it reads deliveries, and starts turns in the background',
    on: ['src/tool/', 'src/worker/', 'src/session/deployment.ts', 'src/modules/openapi/'],
    types: ['src/journal/'],
  },
  {
    folder: 'src/modules/outgoing-webhooks/',
    because: 'it notifies receivers about turns in the form of the HTTP API, signed like incoming deliveries',
    on: ['tool', 'journal', 'session', 'modules/webhooks', 'worker'].map((name) => `src/${name}/`),
  },
  {
    folder: 'src/surfaces/',
    because: 'it serves other protocols with the methods that sessions offer to code of an app',
    on: [
      'src/tool/',
      'src/worker/',
      'src/model/configuration-error.ts',
      'src/modules/openapi/',
      'src/modules/live-text/',
      'src/modules/retry/',
      'src/modules/branches/',
      'src/modules/json-schema/',
      'src/modules/caller-words/caller-words.ts',
      // Agents that use this module import the rest of it.
      'src/modules/client-tools/declared.ts',
      // For lists of sessions.
      'src/modules/index/',
      'src/journal/conversation.ts',
      'src/journal/reply-data.ts',
      // For the answer format that a client requests.
      'src/loop/answer-form.ts',
      'src/loop/loop-seams.ts',
    ],
    types: ['src/journal/', 'src/model/', 'src/session/'],
  },
  {
    folder: 'src/modules/answers/',
    because: 'it lets calls ask, and accepts answers by routes',
    on: ['tool', 'journal', 'loop', 'session', 'worker', 'modules/json-schema'].map((name) => `src/${name}/`),
    types: ['src/agent/'],
  },
  {
    folder: 'src/modules/client-tools/',
    because: 'it reads the tools that clients declare, and makes tools whose results they send',
    on: ['tool', 'worker', 'modules/answers', 'modules/json-schema'].map((name) => `src/${name}/`),
  },
  {
    folder: 'src/modules/retry/',
    because: 'it begins a turn like a message, by a route of the app',
    on: ['tool', 'journal', 'session', 'worker', 'modules/openapi'].map((name) => `src/${name}/`),
  },
  {
    folder: 'src/modules/feedback/',
    because: 'its routes write facts to a journal, and read them there',
    on: ['src/tool/', 'src/worker/', 'src/journal/', 'src/session/', 'src/modules/openapi/description.ts'],
  },
  {
    folder: 'src/modules/operators/',
    because: 'it gives operators access to sessions, and records that in their journals',
    on: ['tool', 'worker', 'journal', 'session', 'modules/answers']
      .map((name) => `src/${name}/`)
      .concat('src/modules/openapi/description.ts', 'src/modules/json-schema/check.ts'),
  },
  {
    folder: 'src/modules/index/',
    because: 'its object stores the reports of sessions, its routes read them, and a model writes titles',
    on: ['tool', 'journal', 'session', 'worker']
      .map((name) => `src/${name}/`)
      .concat('src/model/', 'src/loop/loop-settings.ts', 'src/modules/openapi/description.ts'),
    types: ['durable-objects/'],
  },
  {
    folder: 'src/modules/owner-limits/',
    because: 'its object counts what turns use, sessions request allowances, and loops stay within them',
    on: ['tool', 'journal', 'loop', 'session', 'worker', 'modules/limits']
      .map((name) => `src/${name}/`)
      .concat(
        'src/model/configuration-error.ts',
        'src/model/prices.ts',
        'src/modules/openapi/description.ts',
      ),
    types: ['durable-objects/'],
  },
  {
    folder: 'src/modules/caller-words/',
    because: 'it passes to a loop what a client says about itself',
    on: ['src/tool/', 'src/loop/'],
  },
  {
    folder: 'src/modules/compaction/',
    because: 'it wraps the model calls of a loop',
    on: ['tool', 'model', 'journal', 'loop'].map((name) => `src/${name}/`),
  },
  {
    folder: 'src/modules/files/',
    because: 'it reads messages and serves routes, on top of the files that the session stores',
    on: ['tool', 'model', 'journal', 'loop', 'session', 'worker'].map((name) => `src/${name}/`),
    types: ['src/agent/'],
  },
  {
    folder: 'src/modules/branches/',
    because: 'it copies the events of sessions, for its routes and for code of an app',
    on: ['tool', 'journal', 'session', 'worker', 'modules/openapi'].map((name) => `src/${name}/`),
  },
  {
    folder: 'src/modules/live-text/',
    because: 'it carries text that is not journaled from a running turn to its readers',
    on: ['src/tool/', 'src/journal/', 'src/worker/'],
    types: ['src/session/'],
  },
  {
    folder: 'src/modules/tool-groups/',
    because: 'it adds the tools of an environment to agents',
    on: ['tool', 'sources', 'model', 'agent'].map((name) => `src/${name}/`),
  },
  {
    folder: 'src/modules/listings/',
    because: 'it lists outside tools before a loop calls its model',
    on: ['tool', 'sources', 'journal', 'loop'].map((name) => `src/${name}/`),
  },
  {
    folder: 'src/modules/console/',
    because: 'its page calls the app like any client, and its routes fold a session up to an event',
    on: ['tool', 'model', 'journal', 'loop', 'session', 'worker', 'client', 'modules/timeline']
      .map((name) => `src/${name}/`)
      .concat('src/modules/openapi/description.ts', 'src/modules/json-schema/check.ts'),
    types: ['src/agent/'],
  },
  {
    folder: 'src/modules/math/',
    because: 'it is a tool group',
    on: ['src/tool/', 'src/modules/tool-groups/'],
  },
  {
    folder: 'src/modules/http/',
    because: 'it decides which client requests an app accepts',
    on: ['src/tool/', 'src/worker/', 'src/session/deployment.ts', 'src/model/configuration-error.ts'],
  },
  {
    folder: 'src/modules/prompt-cache/',
    because: 'it decides what a provider caches of the requests of a loop',
    on: ['src/tool/', 'src/loop/', 'src/model/'],
  },
  {
    folder: 'src/modules/inspect/',
    because: 'it shows what happens in loops',
    on: ['src/tool/', 'src/loop/', 'src/journal/'],
    types: ['src/model/'],
  },
  {
    folder: 'src/modules/transformers/',
    because: 'it changes what a loop shows to its model',
    on: ['src/tool/', 'src/loop/'],
  },
  {
    folder: 'src/modules/limits/',
    because: 'it bounds what loops may use',
    on: ['tool', 'model', 'journal', 'loop'].map((name) => `src/${name}/`),
  },
  {
    folder: 'src/modules/schedules/',
    because: 'it starts turns at cron times, and after the delays that calls ask for',
    on: ['tool', 'journal', 'loop', 'session', 'worker']
      .map((name) => `src/${name}/`)
      .concat('src/model/configuration-error.ts'),
  },
  {
    folder: 'src/modules/timeline/',
    because: 'it draws the events of a turn, in a Worker or in a page',
    on: ['src/journal/spending.ts'],
    types: ['src/journal/', 'src/tool/'],
  },
  {
    folder: 'src/modules/tracing/',
    because: 'it sends the timelines of turns like outgoing webhooks, and passes trace context to loops',
    on: ['tool', 'journal', 'loop', 'session', 'worker', 'modules/timeline', 'modules/outgoing-webhooks']
      .map((name) => `src/${name}/`)
      .concat('src/model/configuration-error.ts'),
  },
  {
    folder: 'src/modules/openapi/',
    because: 'it describes routes by the shapes of the kernel, and imports no other module',
    on: ['src/worker/', 'src/session/', 'src/journal/', 'src/tool/', 'src/model/'],
  },
  {
    folder: 'src/client/',
    because: 'it runs outside Workers, and knows responses only by their types',
    on: [],
    types: ['src/agent/', 'src/worker/', 'src/session/', 'src/journal/', 'src/tool/'],
  },
  {
    folder: 'src/mcp/',
    because: 'its parts have their own rules, below',
    on: [
      ...['tool', 'sources', 'agent', 'model', 'journal', 'loop', 'session', 'worker'].map(
        (name) => `src/${name}/`,
      ),
      'src/modules/listings/',
      'src/modules/openapi/',
      'src/modules/tool-groups/',
      'src/modules/unfolding/',
      'src/modules/json-schema/',
      'src/modules/answers/',
      'src/modules/live-text/',
    ],
  },
  {
    folder: 'src/in-memory/',
    because: 'it runs sessions in memory with the rules of the object, without a platform or HTTP',
    on: [
      ...['tool', 'sources', 'model', 'journal', 'loop', 'agent', 'session'].map((name) => `src/${name}/`),
      'durable-objects/ledger.ts',
      'durable-objects/blob-storage.ts',
      'durable-objects/session-storage.ts',
    ],
  },
  {
    folder: 'src/testing/',
    because: 'it runs sessions in memory, without a test runner',
    on: [
      ...['tool', 'sources', 'model', 'journal', 'loop', 'agent', 'session', 'in-memory'].map(
        (name) => `src/${name}/`,
      ),
    ],
  },
  {
    folder: 'src/cli/',
    because: 'it is a Node program, which inspects a project and a deployment from outside',
    on: [
      'src/client/',
      'src/tool/shown.ts',
      // A deployment serves the same page.
      'src/modules/console/read-page.ts',
      'src/modules/console/built-page.js',
    ],
    types: ['src/worker/'],
  },
  {
    folder: 'durable-objects/',
    because: 'it contains no agent logic, so that the class rarely changes',
    on: [],
    types: ['src/journal/'],
  },
];

describe('the imports of the library', () => {
  it('are found in all source files', () => {
    expect(files.length).toBeGreaterThan(30);
    expect(imports.length).toBeGreaterThan(files.length);
  });

  it.each(IMPORT_RULES)('$folder imports only from its allowed folders, because $because', (rule) => {
    const { folder, on, types = [] } = rule;
    expect(files.some((file) => isIn(file, folder))).toBe(true);
    const isOutside = ({ to }: Import): boolean => !isIn(to, 'src/', 'durable-objects/');
    const isAllowed = (one: Import): boolean =>
      isIn(one.to, folder, ...on) || (one.typeOnly && isIn(one.to, ...types));
    expect(listDisallowedImports(folder, (one) => isOutside(one) || isAllowed(one))).toEqual([]);
  });

  it('every folder of the library has a list of allowed imports', () => {
    const folders = files.filter((file) => /^src\/[^/]+\//.test(file) && !isIn(file, 'src/examples/'));
    const known = IMPORT_RULES.map(({ folder }) => folder);
    expect(folders.filter((file) => !isIn(file, ...known))).toEqual([]);
  });

  it.each([
    ['src/tool/', ['@standard-schema/spec', 'valibot', '@valibot/to-json-schema', '@cfworker/json-schema']],
    ['src/modules/decorators/', ['@standard-schema/spec', 'valibot']],
    ['src/sources/', ['valibot', '@standard-schema/spec']],
    ['src/journal/', []],
    ['src/loop/', []],
    ['src/modules/unfolding/', []],
    ['src/modules/chaining/', []],
    ['src/modules/agentic/', ['@standard-schema/spec']],
    ['src/modules/playbook/', []],
    ['src/modules/state-machine/', []],
    ['src/modules/process/', ['valibot']],
    ['src/modules/pipeline/', []],
    ['src/modules/tool-objects/', ['@standard-schema/spec']],
    ['src/agent/', ['@standard-schema/spec']],
    ['src/session/', []],
    ['src/model/', ['@ai-sdk/provider']],
    ['src/offline-model/', []],
    ['src/modules/webhooks/', []],
    ['src/modules/json-schema/', ['@cfworker/json-schema', '@standard-schema/spec']],
    ['src/modules/outgoing-webhooks/', []],
    ['src/modules/limits/', []],
    ['src/modules/live-text/', []],
    ['src/surfaces/', []],
    ['src/client/', ['react', 'ai']],
    ['src/testing/', []],
    ['src/in-memory/', []],
    ['src/modules/tool-calling/', []],
    ['src/modules/ai-sdk-tools/', ['@standard-schema/spec']],
  ])('%s imports no packages except %j', (folder, packages) => {
    const isOurs = ({ to }: Import): boolean => isIn(to, 'src/', 'durable-objects/');
    expect(listDisallowedImports(folder, (one) => isOurs(one) || isPackage(one, ...packages))).toEqual([]);
  });

  it('only the adapter in src/model/ai-sdk imports provider packages, and only their types', () => {
    const users = imports.filter(({ to }) => /^(@ai-sdk\/|ai$|openai$|@anthropic-ai\/)/.test(to));
    // Examples bring their own provider, as users do, and src/client/ai-sdk is made for the AI SDK.
    const ofLibrary = users.filter(({ from }) => !isIn(from, 'src/examples/', 'src/client/ai-sdk/'));
    expect(ofLibrary.length).toBeGreaterThan(0);
    expect(ofLibrary.filter(({ from, typeOnly }) => !typeOnly || !isIn(from, 'src/model/ai-sdk/'))).toEqual(
      [],
    );
  });

  it('no model adapter imports another, so that a Worker bundles only the adapter that it uses', () => {
    const adapters = files.filter((file) => /^src\/model\/[^/]+\/entry\.ts$/.test(file)).map(dirname);
    const isOther = ({ from, to }: Import): boolean =>
      adapters.some((folder) => isIn(to, `${folder}/`) && !isIn(from, `${folder}/`));
    expect(adapters.length).toBeGreaterThan(2);
    expect(imports.filter((one) => isIn(one.from, 'src/model/') && isOther(one))).toEqual([]);
  });

  it('a kind of tool imports only the kinds that it nests', () => {
    const findKind = (file: string): string | undefined =>
      /^src\/modules\/(unfolding|chaining|agentic|playbook|state-machine|process)\//.exec(file)?.[1];
    const nests: Readonly<Record<string, readonly string[]>> = {
      playbook: ['agentic'], // it is an agentic tool
      'state-machine': ['agentic'], // it is an agentic tool
      process: ['unfolding'], // its tools are inner tools of unfolding tools
      chaining: ['unfolding'], // its objects can include unfolding tools
    };
    const across = imports.filter(({ from, to }) => {
      const [one, other] = [findKind(from), findKind(to)];
      return one !== undefined && other !== undefined && one !== other && !nests[one]?.includes(other);
    });
    expect(across.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it('no webhook sender imports another, so that a Worker bundles only the senders that it uses', () => {
    const senders = ['github', 'stripe', 'slack', 'standard'].map(
      (sender) => `src/modules/webhooks/${sender}`,
    );
    const isSenderFile = (file: string, sender: string): boolean =>
      file === `${sender}.ts` || file.startsWith(`${sender}-`);
    expect(senders.filter((sender) => !files.includes(`${sender}.ts`))).toEqual([]);
    const across = imports.filter(
      ({ from, to }) =>
        from !== 'src/modules/webhooks/entry.ts' &&
        senders.some((one) => isSenderFile(to, one) && !isSenderFile(from, one)),
    );
    expect(across).toEqual([]);
  });

  it.each<[string, string, readonly string[]]>([
    [
      'client talks to one server, and knows no loop',
      'src/mcp/client/',
      ['src/mcp/content/', '@modelcontextprotocol/client'],
    ],
    ['content is shared by both ends', 'src/mcp/content/', []],
    [
      'tools brings the tools that clients find to a loop, and knows no session, app or endpoint',
      'src/mcp/tools/',
      [
        ...['src/mcp/client/', 'src/mcp/content/', 'src/modules/unfolding/', 'src/sources/', 'src/loop/'],
        ...['src/modules/listings/', 'src/modules/tool-groups/', 'src/modules/answers/answers.ts'],
        'src/modules/json-schema/',
        '@modelcontextprotocol/client',
      ],
    ],
    [
      'server publishes the parts of an app, and imports no client, HTTP framework, object or platform',
      'src/mcp/server/',
      [
        'src/mcp/content/',
        ...['src/modules/openapi/', 'src/modules/json-schema/', 'src/modules/answers/'],
        'src/modules/live-text/',
        ...['worker', 'session', 'agent', 'loop', 'journal', 'sources'].map((name) => `src/${name}/`),
        'src/model/configuration-error.ts',
        '@modelcontextprotocol/sdk/',
        '@modelcontextprotocol/server',
      ],
    ],
  ])('mcp/%s', (_, folder, below) => {
    const shared = ['src/tool/'];
    const isBelow = (one: Import): boolean =>
      isIn(one.to, folder, ...below, ...shared) || isPackage(one, 'valibot', '@cfworker/json-schema');
    // Types are allowed, because they add no code to a Worker with only one of the packages.
    const isType = (one: Import): boolean => one.typeOnly && isIn(one.to, '@modelcontextprotocol/');
    expect(listDisallowedImports(folder, (one) => isBelow(one) || isType(one))).toEqual([]);
  });

  it('only src/mcp imports the MCP SDK, and the library does not import src/mcp, so that an app without MCP does not bundle it', () => {
    const users = imports.filter(({ to }) => isIn(to, '@modelcontextprotocol/', 'src/mcp/'));
    const canImport = (file: string): boolean => isIn(file, 'src/mcp/', 'src/examples/', 'src/worker.ts');
    expect(users.length).toBeGreaterThan(30);
    expect(users.map(({ from }) => from).filter((file) => !canImport(file))).toEqual([]);
    // An example may include an MCP server.
    const isSdkUser = (file: string): boolean => /^src\/(mcp|examples\/[^/]+\/server)\//.test(file);
    const ofSdk = users.filter(({ from, to }) => isIn(to, '@modelcontextprotocol/') && !isSdkUser(from));
    expect(ofSdk).toEqual([]);
  });

  it('the kernel imports no module, no surface and no MCP code, so that a Worker bundles only the features that it uses', () => {
    const folders = ['journal', 'session', 'loop', 'tool', 'model', 'worker', 'sources', 'agent'];
    const kernel = ['src/index.ts', 'src/create-holdfast.ts', ...folders.map((name) => `src/${name}/`)];
    const isFeature = ({ to }: Import): boolean => isIn(to, 'src/modules/', 'src/surfaces/', 'src/mcp/');
    const ofKernel = imports.filter(({ from }) => isIn(from, 'durable-objects/', ...kernel));
    expect(ofKernel.filter(isFeature)).toEqual([]);
  });

  it('only src/worker imports Hono', () => {
    const users = imports.filter((one) => isPackage(one, 'hono')).map(({ from }) => from);
    // An example mounts the routes in its own app.
    const canImport = (file: string): boolean =>
      isIn(file, 'src/worker/', 'src/examples/mounted/') || file === 'src/worker.ts';
    expect(users.filter((file) => !canImport(file))).toEqual([]);
  });

  it('only files that need a platform class import cloudflare:workers', () => {
    const users = imports.filter(({ to }) => to === 'cloudflare:workers').map(({ from }) => from);
    const canImport = (file: string): boolean =>
      isIn(file, 'durable-objects/') ||
      [
        'src/worker.ts',
        'src/worker/app.ts',
        'src/modules/index/index-object.ts',
        'src/modules/owner-limits/owner-limits-object.ts',
        // This Worker passes its bindings to code that runs without a request.
        'src/examples/a2a/worker.ts',
      ].includes(file);
    expect(users.filter((file) => !canImport(file))).toEqual([]);
  });

  it('the kernel imports nothing from modules, not even types', () => {
    const FEATURES = [
      'src/mcp/',
      'src/surfaces/',
      'src/kinds/',
      'src/testing/',
      'src/examples/',
      'src/worker.ts',
      // The command line program serves the page of the console.
      'src/cli/console/page.ts',
    ];
    const isOfModule = (file: string): boolean => isIn(file, 'src/modules/');
    const users = imports.filter(({ to }) => isOfModule(to)).map(({ from }) => from);
    expect(users.filter((file) => !isOfModule(file) && !isIn(file, ...FEATURES))).toEqual([]);
  });

  it('the library does not import examples, testing code or this repository’s own Worker', () => {
    const isOwnImport = ({ from, to }: Import): boolean =>
      isIn(to, 'src/examples/', 'src/testing/', 'src/worker.ts') &&
      !isIn(from, 'src/examples/', 'src/testing/', 'src/worker.ts');
    expect(imports.filter(isOwnImport)).toEqual([]);
  });

  it('src/index.ts imports no code of Hono, src/worker, the platform or Node, even indirectly', () => {
    const seen = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      for (const { from, to, typeOnly } of imports) if (from === file && !typeOnly) visit(to);
    };
    visit('src/index.ts');
    expect([...seen].filter((file) => /^hono|^cloudflare:|^src\/worker|^node:/.test(file))).toEqual([]);
  });

  it('the loop fits on one screen, because the kinds of tools are implemented elsewhere', () => {
    const loop = readText('src/loop/run-loop.ts');
    expect(loop.split('\n').length).toBeLessThanOrEqual(150);
    const main = loop.slice(loop.indexOf('export async function runToolLoop'));
    expect(main.slice(0, main.indexOf('\n}\n')).split('\n').length).toBeLessThanOrEqual(45);
  });

  it('there are no import cycles between files, even of types', () => {
    expect(findCircles(imports.filter(({ from }) => !isIn(from, 'src/examples/'))).map(formatCircle)).toEqual(
      [],
    );
  });

  it('there are no import cycles between folders', () => {
    expect(findFolderCircles(imports)).toEqual({ top: [], nested: [] });
  });

  it('only entry files re-export', () => {
    const barrels = sources.filter((source) => collectExports(source).some(({ from }) => from !== null));
    expect(barrels.map(({ file }) => file).filter((file) => !isEntry(file))).toEqual([]);
  });

  it('no model adapter contains the name of an example’s tool, because the offline model plans only from descriptions', () => {
    const examples = files
      .filter((file) => isIn(file, 'src/examples/'))
      .map(readText)
      .join('\n');
    const names = [...examples.matchAll(/\bname: '([a-z]+_[a-z_]+)'/g)].map(([, name = '']) => name);
    const models = files
      .filter((file) => isIn(file, 'src/model/', 'src/offline-model/'))
      .map(readText)
      .join('\n');
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => models.includes(name))).toEqual([]);
  });
});

describe('ARCHITECTURE.md', () => {
  const page = readText('ARCHITECTURE.md');
  const linked = [...page.matchAll(/(?:\]\(|src=")([^)"]+)/g)].map(([, path = '']) => path);

  it('links only to paths that exist', () => {
    expect(linked.length).toBeGreaterThan(30);
    expect(linked.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  const parseRows = (title: string): string[] => {
    const [, section = ''] = page.split(`\n## ${title}\n`);
    return section
      .split('\n## ', 1)
      .flatMap((text) => text.split('\n'))
      .filter((line) => /^\| (?!---)/.test(line))
      .slice(1);
  };

  /** Returns whether a file declares a name. Calls and member types are ignored. */
  const isDeclared = ({ path, name }: { path: string; name: string }): boolean =>
    new RegExp(
      `\\b(const|function\\*?|class|interface|type) ${name}\\b|^  (async )?${name}[<(](?!.*[;,]$)`,
      'm',
    ).test(readText(path));

  it('lists beside each file only names that the file declares', () => {
    const named = [...page.matchAll(/\]\(([^)#\s]+\.ts)\)((?:, `\w+`)+)/g)].flatMap(
      ([, path = '', names = '']) => [...names.matchAll(/\w+/g)].map(([name]) => ({ path, name })),
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((one) => !isDeclared(one))).toEqual([]);
  });

  const [, decided = ''] = page.split('\n## Where it is decided\n');
  const [decisions = ''] = decided.split('\n## ', 1);

  it('lists the subjects that each file decides, each with a name that the file declares', () => {
    const lines = decisions.split('\n').filter((line) => line.startsWith('- '));
    expect(lines.length).toBeGreaterThan(150);
    const files = lines.map((line) => {
      const [, path = '', subjects = ''] = /^- \[`[^`]+`\]\(([^)]+)\): (.+)\.$/.exec(line) ?? [];
      return { line, path, subjects: subjects.split('; ') };
    });
    const isNamed = (subject: string): boolean => /`#?\w+`$/.test(subject);
    expect(files.filter(({ subjects }) => !subjects.every(isNamed)).map(({ line }) => line)).toEqual([]);
    // Only words at the end of a subject are names. Earlier words in code style belong to protocols.
    const named = files.flatMap(({ path, subjects }) =>
      subjects.flatMap((subject) =>
        [...(/(`#?\w+`(, )?)+$/.exec(subject)?.[0] ?? '').matchAll(/#?\w+/g)].map(([name]) => ({
          path,
          name,
        })),
      ),
    );
    expect(named.filter((one) => !isDeclared(one))).toEqual([]);
  });

  it('groups the decisions in at most fifteen parts, each with a link to a decision record', () => {
    const parts = decisions.split('\n### ').slice(1);
    expect(parts.length).toBeGreaterThan(10);
    expect(parts.length).toBeLessThanOrEqual(15);
    expect(parts.filter((part) => !part.includes('](docs/adr/'))).toEqual([]);
  });

  it('describes each seam with its file and an example', () => {
    const seams = sources
      .filter(({ file }) => !isIn(file, 'src/modules/'))
      .flatMap(({ file }) =>
        [...readText(file).matchAll(/const (\w+) = .*?defineSeam</g)].map(([, name = '']) => ({
          name,
          file,
        })),
      );
    const described = parseRows('The seams');
    expect(seams.length).toBeGreaterThan(6);
    const hasExample = (row: string): boolean => /\]\(src\/modules\/[^)]+\)(, `\w+`)? \|$/.test(row);
    expect(described.filter((row) => !hasExample(row))).toEqual([]);
    const isDescribed = ({ name, file }: { name: string; file: string }): boolean =>
      described.some((row) => row.startsWith(`| \`${name}\` |`) && row.includes(`](${file})`));
    expect(seams.filter((seam) => !isDescribed(seam))).toEqual([]);
  });

  it('shows every folder of the library in its diagram', () => {
    const drawing = readText('docs/house.svg');
    const folders = IMPORT_RULES.map(({ folder }) =>
      folder.replace('src/', '').replace(/^(modules)\/.*|\/$/, '$1'),
    );
    const isDrawn = (folder: string): boolean => drawing.includes(folder);
    // The diagram omits the test kit.
    expect(folders.filter((folder) => !isDrawn(folder))).toEqual(['testing']);
  });

  it('follows a message through seven files, all of which are steps of the measured walk', () => {
    const rows = [...page.matchAll(/^\| \d \| \[`([^`]+)`\]/gm)].map(([, file = '']) => file);
    expect(rows).toHaveLength(7);
    expect(findWalkProblems(WALK, sources)).toEqual([]);
    const walked = WALK.map(({ file }) => file);
    expect(rows.filter((file) => !walked.includes(file))).toEqual([]);
  });
});

describe('the imports of tests', () => {
  const ofTests = readSources('test').flatMap(collectImports);
  const isDoor = (file: string): boolean => isIn(file, 'test/doors/');
  // `src/create` is a separate package without exports.
  const isInside = (file: string): boolean =>
    isIn(file, 'src/', 'durable-objects/') && !isIn(file, 'src/examples/', 'src/create/') && !isEntry(file);

  it('reach the code only through entries and test/doors, so that moving code changes no test', () => {
    const strange = ofTests.filter(({ from, to }) => isInside(to) && !isDoor(from));
    expect(strange.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it('use every name in test/doors, which exports only names that no entry exports', () => {
    const opened = readSources('test/doors').flatMap(collectExports);
    expect(opened.filter(({ from }) => from !== null && !isInside(from))).toEqual([]);
    const users = listSourceFiles(root, 'test').filter((file) => !isDoor(file));
    const used = new Set(users.flatMap((file) => readText(file).match(/\w+/g) ?? []));
    const names = opened.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name) => !used.has(name))).toEqual([]);
  });
});
