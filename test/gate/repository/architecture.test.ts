/** The rules of who may import whom. Runs in Node, over the parsed sources. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { problemsOfWalk } from '../../measure/check-walk.ts';
import { WALK } from '../../measure/walk.ts';
import { circlesAmong, folderCircles, shownCircle } from '../../source/circles.ts';
import { exportsOf, type Import, importsOf } from '../../source/imports.ts';
import { readSource, type Source, sourceFilesIn } from '../../source/parse-source.ts';

const root = resolve(import.meta.dirname, '../../..');

const sourcesIn = (folder: string): Source[] =>
  sourceFilesIn(root, folder).map((file) => readSource(root, file));

const sources = ['src', 'durable-objects'].flatMap(sourcesIn);
const files = sources.map(({ file }) => file);
const imports: readonly Import[] = sources.flatMap(importsOf);

function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

const isIn = (file: string, ...folders: readonly string[]): boolean =>
  folders.some((folder) => file.startsWith(folder));
const isEntry = (file: string): boolean =>
  /(^src\/(index|module|create-holdfast)\.ts$|\/?worker\.ts$|\/entry\.ts$|^durable-objects\/index\.ts$)/.test(
    file,
  );

/** Imports of a folder's files that none of `allowed` covers. */
const strays = (folder: string, allowed: (imported: Import) => boolean): string[] =>
  imports.filter((one) => isIn(one.from, folder) && !allowed(one)).map(({ from, to }) => `${from} -> ${to}`);

const isPackage = ({ to }: Import, ...names: readonly string[]): boolean =>
  names.includes(to.replace(/\/(?!.*@).*$/, '')) || names.includes(to);

/** What folds the memories of a module comes with them. */
const FOLDING = 'src/journal/memory-folding.ts';

/** What each folder may stand on; `types`: of these only types. Nobody stands on what is not here, such as the entries. */
const ARROWS: readonly {
  readonly folder: string;
  readonly because: string;
  readonly on: readonly string[];
  readonly types?: readonly string[];
}[] = [
  { folder: 'src/tool/', because: 'a tool can be used, and read, without the rest', on: [] },
  {
    folder: 'src/modules/decorators/',
    because: 'a decorator takes a tool and answers a tool, whose calls may ask',
    on: ['src/tool/', 'src/modules/answers/', 'src/modules/json-schema/'],
  },
  {
    folder: 'src/modules/app/',
    because: 'its uses say where logs, sessions and their times are for a whole app',
    on: ['src/tool/', 'src/model/', 'src/worker/'],
    types: ['src/session/'],
  },
  { folder: 'src/modules/json-schema/', because: 'it reads and checks values', on: ['src/tool/'] },
  {
    folder: 'src/sources/',
    because: 'they bring tools, and name them',
    on: ['src/tool/'],
  },
  {
    folder: 'src/model/',
    because: 'an adapter can be published alone, with the checks of its literals and what it waits by',
    on: ['src/tool/async.ts', 'src/tool/literals.ts', 'src/tool/shape.ts'],
  },
  { folder: 'src/offline-model/', because: 'it is a model', on: ['src/model/'] },
  {
    folder: 'src/journal/',
    because: 'it is data and pure functions over it',
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
      // What the memories of a turn say of a module that is not there.
      'src/tool/module-state.ts',
      'src/tool/signals.ts',
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
    because: 'it is an entry, which passes on the names of the kinds of tools',
    on: ['src/modules/', 'src/loop/', 'src/sources/', 'src/tool/'],
  },
  {
    folder: 'src/modules/unfolding/',
    because: 'it is a kind, whose tools may find out first what they unfold into',
    on: ['src/tool/', 'src/sources/', 'src/loop/', FOLDING],
  },
  {
    folder: 'src/modules/chaining/',
    because: 'it is a kind, whose objects may bring unfolding tools',
    on: ['src/tool/', 'src/sources/', 'src/journal/', 'src/modules/unfolding/'],
  },
  {
    folder: 'src/modules/agentic/',
    because: 'it is a kind, which runs loops of agents and of its own, and merges settings in its copies',
    on: ['src/model/settings.ts', ...['tool', 'sources', 'journal', 'loop'].map((name) => `src/${name}/`)],
    types: ['src/model/'],
  },
  {
    folder: 'src/modules/playbook/',
    because: 'it is a kind, whose tools are agentic',
    on: [FOLDING, ...['tool', 'sources', 'loop', 'modules/agentic'].map((name) => `src/${name}/`)],
    types: ['src/model/'],
  },
  {
    folder: 'src/modules/state-machine/',
    because: 'it is a kind, whose tools are agentic and may not meet',
    on: ['tool', 'sources', 'journal', 'loop', 'modules/agentic'].map((name) => `src/${name}/`),
    types: ['src/model/'],
  },
  {
    folder: 'src/modules/process/',
    because: 'it is a kind, whose tools are behind unfolding tools',
    on: [FOLDING, ...['tool', 'sources', 'loop', 'modules/unfolding'].map((name) => `src/${name}/`)],
  },
  {
    folder: 'src/modules/pipeline/',
    because: 'it makes a tool of steps, which a plan decides in place of a model',
    on: ['src/tool/', 'src/sources/', 'src/loop/'],
  },
  {
    folder: 'src/modules/strategies/',
    because: 'it makes strategies of functions, which may add unfolding tools',
    on: ['src/tool/', 'src/modules/unfolding/'],
  },
  {
    folder: 'src/modules/tool-objects/',
    because: 'it makes tools of objects, some of which unfold',
    on: ['src/tool/', 'src/sources/', 'src/modules/unfolding/'],
  },
  {
    folder: 'src/agent/',
    because: 'it is declared over the loop, and knows no kind of tool',
    on: ['tool', 'sources', 'model', 'journal', 'loop'].map((name) => `src/${name}/`),
  },
  {
    folder: 'src/modules/tool-calling/',
    because: 'it runs calls without a session, and knows no agent',
    on: ['tool', 'model', 'journal', 'loop', 'modules/limits'].map((name) => `src/${name}/`),
  },
  {
    folder: 'src/modules/ai-sdk-tools/',
    because: 'it changes tools for another library, and back, whose calls the tool-calling manager runs',
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
    because: 'it runs the turns of a session whose object it knows by a type',
    on: [...['tool', 'sources', 'model', 'journal', 'loop', 'agent'].map((name) => `src/${name}/`)],
    types: ['durable-objects/'],
  },
  {
    folder: 'src/worker/',
    because:
      'it turns requests, messages of a queue and the clock into turns, runs no loop and knows no object',
    on: [
      ...['tool', 'sources', 'session', 'agent', 'journal', 'model', 'loop'].map((name) => `src/${name}/`),
    ],
  },
  {
    folder: 'src/modules/webhooks/',
    because: 'it reads what senders sent, and starts turns in the background',
    on: ['src/tool/', 'src/worker/', 'src/session/deployment.ts', 'src/modules/openapi/'],
    types: ['src/journal/'],
  },
  {
    folder: 'src/modules/outgoing-webhooks/',
    because: 'it tells receivers of turns as an app tells them, signed as deliveries are',
    on: ['tool', 'journal', 'session', 'modules/webhooks', 'worker'].map((name) => `src/${name}/`),
  },
  {
    folder: 'src/surfaces/',
    because: 'it speaks other protocols over what code of an app can ask of a session',
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
      // What reads and offers the tools of clients comes with the agents that use it.
      'src/modules/client-tools/declared.ts',
      // By which lists of sessions are read.
      'src/modules/index/',
      'src/journal/conversation.ts',
      'src/journal/reply-data.ts',
      // A turn is declared with what its client asks for.
      'src/loop/answer-form.ts',
      'src/loop/loop-seams.ts',
    ],
    types: ['src/journal/', 'src/model/', 'src/session/'],
  },
  {
    folder: 'src/modules/answers/',
    because: 'it asks in calls, and takes answers by routes',
    on: ['tool', 'journal', 'loop', 'session', 'worker', 'modules/json-schema'].map((name) => `src/${name}/`),
    types: ['src/agent/'],
  },
  {
    folder: 'src/modules/client-tools/',
    because: 'it reads what clients declare, and makes tools of it whose results they send',
    on: ['tool', 'worker', 'modules/answers', 'modules/json-schema'].map((name) => `src/${name}/`),
  },
  {
    folder: 'src/modules/retry/',
    because: 'it begins a turn as a message does, and its route is one of the app',
    on: ['tool', 'journal', 'session', 'worker', 'modules/openapi'].map((name) => `src/${name}/`),
  },
  {
    folder: 'src/modules/feedback/',
    because: 'its routes note facts in a journal, and read them there',
    on: ['src/tool/', 'src/worker/', 'src/journal/', 'src/session/', 'src/modules/openapi/description.ts'],
  },
  {
    folder: 'src/modules/operators/',
    because: 'it lets operators into sessions, and notes in their journals that it did',
    on: ['tool', 'worker', 'journal', 'session', 'modules/answers']
      .map((name) => `src/${name}/`)
      .concat('src/modules/openapi/description.ts', 'src/modules/json-schema/check.ts'),
  },
  {
    folder: 'src/modules/index/',
    because:
      'its object keeps what looks at sessions report, its routes answer from there, and a model writes titles',
    on: ['tool', 'journal', 'session', 'worker']
      .map((name) => `src/${name}/`)
      .concat('src/model/', 'src/loop/loop-settings.ts', 'src/modules/openapi/description.ts'),
    types: ['durable-objects/'],
  },
  {
    folder: 'src/modules/owner-limits/',
    because:
      'its object counts what turns have drawn, sessions draw before turns begin, and loops are held to it',
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
    because: 'it declares to a loop what a client says of itself',
    on: ['src/tool/', 'src/loop/'],
  },
  {
    folder: 'src/modules/compaction/',
    because: 'it stands around the model calls of a loop',
    on: ['tool', 'model', 'journal', 'loop'].map((name) => `src/${name}/`),
  },
  {
    folder: 'src/modules/files/',
    because: 'it reads messages and serves routes, over what the session keeps',
    on: ['tool', 'model', 'journal', 'loop', 'session', 'worker'].map((name) => `src/${name}/`),
    types: ['src/agent/'],
  },
  {
    folder: 'src/modules/branches/',
    because: 'it copies the events of sessions, by routes and for code of an app',
    on: ['tool', 'journal', 'session', 'worker', 'modules/openapi'].map((name) => `src/${name}/`),
  },
  {
    folder: 'src/modules/live-text/',
    because: 'it carries what is not journaled from where a turn runs to those who read it',
    on: ['src/tool/', 'src/journal/', 'src/worker/'],
    types: ['src/session/'],
  },
  {
    folder: 'src/modules/tool-groups/',
    because: 'it adds tools to agents, as an environment has them',
    on: ['tool', 'sources', 'model', 'agent'].map((name) => `src/${name}/`),
  },
  {
    folder: 'src/modules/listings/',
    because: 'it finds tools outside, before a loop asks its model',
    on: ['tool', 'sources', 'journal', 'loop'].map((name) => `src/${name}/`),
  },
  {
    folder: 'src/modules/console/',
    because: 'its page asks the app as any client does, and its routes fold what a session was at an event',
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
    because: 'it says which requests of clients an app takes',
    on: ['src/tool/', 'src/worker/', 'src/session/deployment.ts', 'src/model/configuration-error.ts'],
  },
  {
    folder: 'src/modules/prompt-cache/',
    because: 'it says what a loop asks to be kept',
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
    because: 'it changes what a loop shows',
    on: ['src/tool/', 'src/loop/'],
  },
  {
    folder: 'src/modules/limits/',
    because: 'it bounds what loops may use',
    on: ['tool', 'model', 'journal', 'loop'].map((name) => `src/${name}/`),
  },
  {
    folder: 'src/modules/schedules/',
    because: 'it starts turns at the times of crons, and later than the calls that ask for them',
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
    because: 'it sends the timelines of turns as an app sends messages, and hands their context to loops',
    on: ['tool', 'journal', 'loop', 'session', 'worker', 'modules/timeline', 'modules/outgoing-webhooks']
      .map((name) => `src/${name}/`)
      .concat('src/model/configuration-error.ts'),
  },
  {
    folder: 'src/modules/openapi/',
    because: 'it describes routes by the shapes of the kernel, and no other module',
    on: ['src/worker/', 'src/session/', 'src/journal/', 'src/tool/', 'src/model/'],
  },
  {
    folder: 'src/client/',
    because: 'it runs where no Worker does, and knows what is answered by its types alone',
    on: [],
    types: ['src/agent/', 'src/worker/', 'src/session/', 'src/journal/', 'src/tool/'],
  },
  {
    folder: 'src/mcp/',
    because: 'its parts have rules of their own, below',
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
    because: 'it runs sessions by the rules of the object, in memory, without a platform or HTTP',
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
    because: 'it is a program of Node, which looks at a project and at what is deployed from outside',
    on: [
      'src/client/',
      'src/tool/shown.ts',
      // The page that a deployment serves too.
      'src/modules/console/read-page.ts',
      'src/modules/console/built-page.js',
    ],
    types: ['src/worker/'],
  },
  {
    folder: 'durable-objects/',
    because: 'it has no agent logic, so that the class keeps its identity',
    on: [],
    types: ['src/journal/'],
  },
];

describe('who may import whom', () => {
  it('reads the sources', () => {
    expect(files.length).toBeGreaterThan(30);
    expect(imports.length).toBeGreaterThan(files.length);
  });

  it.each(ARROWS)('$folder imports of this repository only what it stands on: $because', (rule) => {
    const { folder, on, types = [] } = rule;
    expect(files.some((file) => isIn(file, folder))).toBe(true);
    const isOutside = ({ to }: Import): boolean => !isIn(to, 'src/', 'durable-objects/');
    const mayBe = (one: Import): boolean =>
      isIn(one.to, folder, ...on) || (one.typeOnly && isIn(one.to, ...types));
    expect(strays(folder, (one) => isOutside(one) || mayBe(one))).toEqual([]);
  });

  it('every folder of the library has its arrows', () => {
    const folders = files.filter((file) => /^src\/[^/]+\//.test(file) && !isIn(file, 'src/examples/'));
    const known = ARROWS.map(({ folder }) => folder);
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
  ])('%s is made with no packages but %j', (folder, packages) => {
    const isOurs = ({ to }: Import): boolean => isIn(to, 'src/', 'durable-objects/');
    expect(strays(folder, (one) => isOurs(one) || isPackage(one, ...packages))).toEqual([]);
  });

  it('only model imports provider packages, as types, and only in the adapter that is for them', () => {
    const users = imports.filter(({ to }) => /^(@ai-sdk\/|ai$|openai$|@anthropic-ai\/)/.test(to));
    // An example is written as a user writes it, who brings a provider. The transport of pages is one of the kit's own.
    const ofLibrary = users.filter(({ from }) => !isIn(from, 'src/examples/', 'src/client/ai-sdk/'));
    expect(ofLibrary.length).toBeGreaterThan(0);
    expect(ofLibrary.filter(({ from, typeOnly }) => !typeOnly || !isIn(from, 'src/model/ai-sdk/'))).toEqual(
      [],
    );
  });

  it('no adapter of a model imports another, so that a Worker pays for the one that it uses', () => {
    const adapters = files.filter((file) => /^src\/model\/[^/]+\/entry\.ts$/.test(file)).map(dirname);
    const isOther = ({ from, to }: Import): boolean =>
      adapters.some((folder) => isIn(to, `${folder}/`) && !isIn(from, `${folder}/`));
    expect(adapters.length).toBeGreaterThan(2);
    expect(imports.filter((one) => isIn(one.from, 'src/model/') && isOther(one))).toEqual([]);
  });

  it('of one kind another knows only what it nests', () => {
    const kindOf = (file: string): string | undefined =>
      /^src\/modules\/(unfolding|chaining|agentic|playbook|state-machine|process)\//.exec(file)?.[1];
    const nests: Readonly<Record<string, readonly string[]>> = {
      playbook: ['agentic'], // which it is
      'state-machine': ['agentic'], // which it is
      process: ['unfolding'], // behind which its tools are
      chaining: ['unfolding'], // which objects may bring
    };
    const across = imports.filter(({ from, to }) => {
      const [one, other] = [kindOf(from), kindOf(to)];
      return one !== undefined && other !== undefined && one !== other && !nests[one]?.includes(other);
    });
    expect(across.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it('no sender of webhooks imports another, so that a Worker pays for the one that it uses', () => {
    const senders = ['github', 'stripe', 'slack', 'standard'].map(
      (sender) => `src/modules/webhooks/${sender}`,
    );
    const isOf = (file: string, sender: string): boolean =>
      file === `${sender}.ts` || file.startsWith(`${sender}-`);
    expect(senders.filter((sender) => !files.includes(`${sender}.ts`))).toEqual([]);
    const across = imports.filter(
      ({ from, to }) =>
        from !== 'src/modules/webhooks/entry.ts' && senders.some((one) => isOf(to, one) && !isOf(from, one)),
    );
    expect(across).toEqual([]);
  });

  it.each<[string, string, readonly string[]]>([
    [
      'client speaks to one server, and knows no loop',
      'src/mcp/client/',
      ['src/mcp/content/', '@modelcontextprotocol/client'],
    ],
    ['content is what both ends say', 'src/mcp/content/', []],
    [
      'tools brings what clients find to a loop, and knows no session, no app and no endpoint',
      'src/mcp/tools/',
      [
        ...['src/mcp/client/', 'src/mcp/content/', 'src/modules/unfolding/', 'src/sources/', 'src/loop/'],
        ...['src/modules/listings/', 'src/modules/tool-groups/', 'src/modules/answers/answers.ts'],
        'src/modules/json-schema/',
        '@modelcontextprotocol/client',
      ],
    ],
    [
      'server publishes what an app is made of, and brings no client, no HTTP framework, no object and no platform',
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
    // What both ends say is carried by a Worker that has only one of the packages.
    const isType = (one: Import): boolean => one.typeOnly && isIn(one.to, '@modelcontextprotocol/');
    expect(strays(folder, (one) => isBelow(one) || isType(one))).toEqual([]);
  });

  it('mcp is the only folder that knows the MCP SDK, and nobody imports mcp, so that whoever has no use for it does not carry it', () => {
    const users = imports.filter(({ to }) => isIn(to, '@modelcontextprotocol/', 'src/mcp/'));
    const may = (file: string): boolean => isIn(file, 'src/mcp/', 'src/examples/', 'src/worker.ts');
    expect(users.length).toBeGreaterThan(30);
    expect(users.map(({ from }) => from).filter((file) => !may(file))).toEqual([]);
    // An example may bring a server to try it with.
    const knowsSdk = (file: string): boolean => /^src\/(mcp|examples\/[^/]+\/server)\//.test(file);
    const ofSdk = users.filter(({ from, to }) => isIn(to, '@modelcontextprotocol/') && !knowsSdk(from));
    expect(ofSdk).toEqual([]);
  });

  it('nothing in the kernel imports a module, a surface or MCP, so that a Worker carries those that it uses', () => {
    const folders = ['journal', 'session', 'loop', 'tool', 'model', 'worker', 'sources', 'agent'];
    const kernel = ['src/index.ts', 'src/create-holdfast.ts', ...folders.map((name) => `src/${name}/`)];
    const isFeature = ({ to }: Import): boolean => isIn(to, 'src/modules/', 'src/surfaces/', 'src/mcp/');
    const ofKernel = imports.filter(({ from }) => isIn(from, 'durable-objects/', ...kernel));
    expect(ofKernel.filter(isFeature)).toEqual([]);
  });

  it('worker is the only folder that knows Hono', () => {
    const users = imports.filter((one) => isPackage(one, 'hono')).map(({ from }) => from);
    // An example mounts the routes in an app of its own.
    const may = (file: string): boolean =>
      isIn(file, 'src/worker/', 'src/examples/mounted/') || file === 'src/worker.ts';
    expect(users.filter((file) => !may(file))).toEqual([]);
  });

  it('cloudflare:workers is imported only where a class of the platform is needed', () => {
    const users = imports.filter(({ to }) => to === 'cloudflare:workers').map(({ from }) => from);
    const may = (file: string): boolean =>
      isIn(file, 'durable-objects/') ||
      [
        'src/worker.ts',
        'src/worker/app.ts',
        'src/modules/index/index-object.ts',
        'src/modules/owner-limits/owner-limits-object.ts',
        // It hands the bindings to code that no request brings them to.
        'src/examples/a2a/worker.ts',
      ].includes(file);
    expect(users.filter((file) => !may(file))).toEqual([]);
  });

  it('the kernel imports nothing of a module, not even a type', () => {
    const FEATURES = [
      'src/mcp/',
      'src/surfaces/',
      'src/kinds/',
      'src/testing/',
      'src/examples/',
      'src/worker.ts',
      // The program serves the page of the console.
      'src/cli/console/page.ts',
    ];
    const isOfModule = (file: string): boolean => isIn(file, 'src/modules/');
    const users = imports.filter(({ to }) => isOfModule(to)).map(({ from }) => from);
    expect(users.filter((file) => !isOfModule(file) && !isIn(file, ...FEATURES))).toEqual([]);
  });

  it('the library imports neither examples, nor testing, nor this repository’s own Worker', () => {
    const own = ({ from, to }: Import): boolean =>
      isIn(to, 'src/examples/', 'src/testing/', 'src/worker.ts') &&
      !isIn(from, 'src/examples/', 'src/testing/', 'src/worker.ts');
    expect(imports.filter(own)).toEqual([]);
  });

  it('index pulls in neither Hono nor a platform class', () => {
    const seen = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      for (const { from, to, typeOnly } of imports) if (from === file && !typeOnly) visit(to);
    };
    visit('src/index.ts');
    expect([...seen].filter((file) => /^hono|^cloudflare:|^src\/worker|^node:/.test(file))).toEqual([]);
  });

  it('the loop fits on a screen: kinds of tools stay outside', () => {
    const loop = textOf('src/loop/run-loop.ts');
    expect(loop.split('\n').length).toBeLessThanOrEqual(150);
    const main = loop.slice(loop.indexOf('export async function runToolLoop'));
    expect(main.slice(0, main.indexOf('\n}\n')).split('\n').length).toBeLessThanOrEqual(45);
  });

  it('there are no circles between files, types included', () => {
    expect(circlesAmong(imports.filter(({ from }) => !isIn(from, 'src/examples/'))).map(shownCircle)).toEqual(
      [],
    );
  });

  it('there are no circles between folders', () => {
    expect(folderCircles(imports)).toEqual({ top: [], nested: [] });
  });

  it('only entry files re-export', () => {
    const barrels = sources.filter((source) => exportsOf(source).some(({ from }) => from !== null));
    expect(barrels.map(({ file }) => file).filter((file) => !isEntry(file))).toEqual([]);
  });

  it('no model adapter names a tool of an example: the offline model plans from descriptions alone', () => {
    const examples = files
      .filter((file) => isIn(file, 'src/examples/'))
      .map(textOf)
      .join('\n');
    const names = [...examples.matchAll(/\bname: '([a-z]+_[a-z_]+)'/g)].map(([, name = '']) => name);
    const models = files
      .filter((file) => isIn(file, 'src/model/', 'src/offline-model/'))
      .map(textOf)
      .join('\n');
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => models.includes(name))).toEqual([]);
  });
});

describe('ARCHITECTURE.md', () => {
  const page = textOf('ARCHITECTURE.md');
  const linked = [...page.matchAll(/(?:\]\(|src=")([^)"]+)/g)].map(([, path = '']) => path);

  it('names only paths that exist', () => {
    expect(linked.length).toBeGreaterThan(30);
    expect(linked.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  const rowsOf = (title: string): string[] => {
    const [, section = ''] = page.split(`\n## ${title}\n`);
    return section
      .split('\n## ', 1)
      .flatMap((text) => text.split('\n'))
      .filter((line) => /^\| (?!---)/.test(line))
      .slice(1);
  };

  /** A call, or a member of a type, is no declaration. */
  const isDeclared = ({ path, name }: { path: string; name: string }): boolean =>
    new RegExp(
      `\\b(const|function\\*?|class|interface|type) ${name}\\b|^  (async )?${name}[<(](?!.*[;,]$)`,
      'm',
    ).test(textOf(path));

  it('names beside a file only what that file declares', () => {
    const named = [...page.matchAll(/\]\(([^)#\s]+\.ts)\)((?:, `\w+`)+)/g)].flatMap(
      ([, path = '', names = '']) => [...names.matchAll(/\w+/g)].map(([name]) => ({ path, name })),
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((one) => !isDeclared(one))).toEqual([]);
  });

  const [, decided = ''] = page.split('\n## Where it is decided\n');
  const [decisions = ''] = decided.split('\n## ', 1);

  it('names behind each file the subjects that it decides, each with a name that it declares', () => {
    const lines = decisions.split('\n').filter((line) => line.startsWith('- '));
    expect(lines.length).toBeGreaterThan(150);
    const files = lines.map((line) => {
      const [, path = '', subjects = ''] = /^- \[`[^`]+`\]\(([^)]+)\): (.+)\.$/.exec(line) ?? [];
      return { line, path, subjects: subjects.split('; ') };
    });
    const isNamed = (subject: string): boolean => /`#?\w+`$/.test(subject);
    expect(files.filter(({ subjects }) => !subjects.every(isNamed)).map(({ line }) => line)).toEqual([]);
    // A subject ends with its names. Other words in quotes are those of protocols.
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

  it('says in at most fifteen parts where something is decided, each with its reasons', () => {
    const parts = decisions.split('\n### ').slice(1);
    expect(parts.length).toBeGreaterThan(10);
    expect(parts.length).toBeLessThanOrEqual(15);
    expect(parts.filter((part) => !part.includes('](docs/adr/'))).toEqual([]);
  });

  it('has an owner and an example of each seam', () => {
    const seams = sources
      .filter(({ file }) => !isIn(file, 'src/modules/'))
      .flatMap(({ file }) =>
        [...textOf(file).matchAll(/const (\w+) = .*?defineSeam</g)].map(([, name = '']) => ({ name, file })),
      );
    const described = rowsOf('The seams');
    expect(seams.length).toBeGreaterThan(6);
    const hasExample = (row: string): boolean => /\]\(src\/modules\/[^)]+\)(, `\w+`)? \|$/.test(row);
    expect(described.filter((row) => !hasExample(row))).toEqual([]);
    const isDescribed = ({ name, file }: { name: string; file: string }): boolean =>
      described.some((row) => row.startsWith(`| \`${name}\` |`) && row.includes(`](${file})`));
    expect(seams.filter((seam) => !isDescribed(seam))).toEqual([]);
  });

  it('draws every folder of the library', () => {
    const drawing = textOf('docs/house.svg');
    const folders = ARROWS.map(({ folder }) =>
      folder.replace('src/', '').replace(/^(modules)\/.*|\/$/, '$1'),
    );
    const isDrawn = (folder: string): boolean => drawing.includes(folder);
    // A test kit is no room of the house.
    expect(folders.filter((folder) => !isDrawn(folder))).toEqual(['testing']);
  });

  it('follows a message in seven files, each of which is a step of the measured walk', () => {
    const rows = [...page.matchAll(/^\| \d \| \[`([^`]+)`\]/gm)].map(([, file = '']) => file);
    expect(rows).toHaveLength(7);
    expect(problemsOfWalk(WALK, sources)).toEqual([]);
    const walked = WALK.map(({ file }) => file);
    expect(rows.filter((file) => !walked.includes(file))).toEqual([]);
  });
});

describe('how tests reach the code', () => {
  const ofTests = sourcesIn('test').flatMap(importsOf);
  const isDoor = (file: string): boolean => isIn(file, 'test/doors/');
  // `src/create` is a package of its own, which exports nothing.
  const isInside = (file: string): boolean =>
    isIn(file, 'src/', 'durable-objects/') && !isIn(file, 'src/examples/', 'src/create/') && !isEntry(file);

  it('they import the entries and the doors, so that a move in the code rewrites no test', () => {
    const strange = ofTests.filter(({ from, to }) => isInside(to) && !isDoor(from));
    expect(strange.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it('doors open only on what no entry does, for somebody who goes through', () => {
    const opened = sourcesIn('test/doors').flatMap(exportsOf);
    expect(opened.filter(({ from }) => from !== null && !isInside(from))).toEqual([]);
    const users = sourceFilesIn(root, 'test').filter((file) => !isDoor(file));
    const used = new Set(users.flatMap((file) => textOf(file).match(/\w+/g) ?? []));
    const names = opened.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name) => !used.has(name))).toEqual([]);
  });
});
