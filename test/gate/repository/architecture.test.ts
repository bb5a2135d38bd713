/** The rules of who may import whom. Runs in Node, over the parsed sources. */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { circlesAmong, shownCircle } from '../../source/circles.ts';
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
  /(^src\/(index|create-holdfast)\.ts$|\/?worker\.ts$|\/entry\.ts$|^durable-objects\/index\.ts$)/.test(file);

/** Imports of a folder's files that none of `allowed` covers. */
const strays = (folder: string, allowed: (imported: Import) => boolean): string[] =>
  imports.filter((one) => isIn(one.from, folder) && !allowed(one)).map(({ from, to }) => `${from} -> ${to}`);

const isPackage = ({ to }: Import, ...names: readonly string[]): boolean =>
  names.includes(to.replace(/\/(?!.*@).*$/, '')) || names.includes(to);

describe('who may import whom', () => {
  it('reads the sources', () => {
    expect(files.length).toBeGreaterThan(30);
    expect(imports.length).toBeGreaterThan(files.length);
  });

  it('tools imports nothing else of src: a tool can be used, and read, without the rest', () => {
    const libraries = [
      '@standard-schema/spec',
      'valibot',
      '@valibot/to-json-schema',
      '@cfworker/json-schema',
    ];
    expect(strays('src/tools/', (one) => isIn(one.to, 'src/tools/') || isPackage(one, ...libraries))).toEqual(
      [],
    );
  });

  it('journal is data and pure functions over it: of tools and model it takes only types and the text of a result', () => {
    const pure = ['src/tool/tool-result.ts'];
    expect(
      strays(
        'src/journal/',
        ({ to, typeOnly }) =>
          isIn(to, 'src/journal/') || pure.includes(to) || (typeOnly && isIn(to, 'src/tools/', 'src/model/')),
      ),
    ).toEqual([]);
  });

  it('tool-loop knows no kind of tool, no session and no transport', () => {
    const below = ['src/tool-loop/', 'src/tools/', 'src/model/', 'src/journal/'];
    expect(strays('src/tool-loop/', ({ to }) => isIn(to, ...below))).toEqual([]);
  });

  it('tool-calling runs calls without a session: it stands on the loop, and knows no agent', () => {
    const below = ['src/tool-calling/', 'src/tool-loop/', 'src/tools/', 'src/model/', 'src/journal/'];
    const kinds = 'src/built-in-kinds.ts'; // what kinds of tools remember while calls run
    expect(strays('src/tool-calling/', ({ to }) => isIn(to, ...below) || to === kinds)).toEqual([]);
    const users = imports.filter(({ to }) => isIn(to, 'src/tool-calling/')).map(({ from }) => from);
    expect(users.filter((file) => !isIn(file, 'src/tool-calling/'))).toEqual([]);
  });

  it('model knows nothing of the rest, so that an adapter can be published alone', () => {
    expect(
      strays(
        'src/model/',
        (one) =>
          isIn(one.to, 'src/model/') ||
          isPackage(one, 'eventsource-parser') ||
          (one.typeOnly && isPackage(one, '@ai-sdk/provider')),
      ),
    ).toEqual([]);
  });

  it('only model imports provider packages, as types, and only in the adapter that is for them', () => {
    const users = imports.filter(({ to }) => /^(@ai-sdk\/|ai$|openai$|@anthropic-ai\/)/.test(to));
    expect(users.length).toBeGreaterThan(0);
    expect(users.filter(({ from, typeOnly }) => !typeOnly || !isIn(from, 'src/model/ai-sdk/'))).toEqual([]);
  });

  it('no adapter imports another, so that a Worker pays for the one that it uses', () => {
    const adapters = files.filter((file) => /^src\/model\/[^/]+\/entry\.ts$/.test(file)).map(dirname);
    const isOther = ({ from, to }: Import): boolean =>
      adapters.some((folder) => isIn(to, `${folder}/`) && !isIn(from, `${folder}/`));
    expect(adapters.length).toBeGreaterThan(2);
    const users = imports
      .filter((one) => isIn(one.from, 'src/model/') && isOther(one))
      .map(({ from }) => from);
    expect([...new Set(users)]).toEqual(['src/worker/choose-model.ts']);
  });

  it('agent is declared over the loop; agent/kinds.ts is the only list of kinds', () => {
    const below = [
      'src/agent/',
      'src/chaining/', // an agent's literal has a `chaining`, of which its sources are made
      'src/tools/',
      'src/model/',
      'src/journal/',
      'src/tool-loop/',
    ];
    const strange = strays(
      'src/agent/',
      ({ from, to }) => from === 'src/built-in-kinds.ts' || isIn(to, ...below),
    );
    expect(strange).toEqual([]);
    const users = imports.filter(({ to }) => to === 'src/built-in-kinds.ts').map(({ from }) => from);
    const may = [
      'src/session/',
      'src/worker/',
      'src/testing/',
      'src/tool-calling/',
      'src/create-holdfast.ts',
    ];
    expect(users.filter((file) => !isIn(file, ...may))).toEqual([]);
  });

  it.each([
    ['chaining', [], 'none'],
    ['unfolding', [], 'none'],
    ['agentic', ['chaining'], 'which it hands to its nested loop, as an agent does to its own'],
    ['playbook', ['agentic'], 'which it is'],
    ['state-machine', ['agentic'], 'which it is'],
    ['process', ['unfolding'], 'behind which its tools are'],
  ])(
    '%s is a kind of tool: it stands on tools, journal and loop, and of other kinds it knows %j: %s',
    (kind, known) => {
      const below = [kind, ...known, 'tools', 'journal', 'tool-loop'].map((folder) => `src/${folder}/`);
      const types = ['src/model/', 'src/agent/'];
      expect(
        strays(`src/${kind}/`, ({ to, typeOnly }) => isIn(to, ...below) || (typeOnly && isIn(to, ...types))),
      ).toEqual([]);
    },
  );

  it('compaction stands on loop and journal, and only the entry brings it: an agent without one does not carry it', () => {
    const below = ['src/compaction/', 'src/tool-loop/', 'src/tools/', 'src/model/', 'src/journal/'];
    expect(strays('src/compaction/', ({ to }) => isIn(to, ...below))).toEqual([]);
    const users = imports.filter(({ to }) => isIn(to, 'src/compaction/')).map(({ from }) => from);
    expect(users.filter((file) => !isIn(file, 'src/compaction/'))).toEqual(['src/index.ts']);
  });

  it('session imports agent, tool-loop, journal and what they stand on; of durable-objects only a type', () => {
    const below = [
      'src/session/',
      'src/agent/',
      'src/tool-loop/',
      'src/journal/',
      'src/model/',
      'src/tools/',
    ];
    expect(
      strays(
        'src/session/',
        ({ to, typeOnly }) => isIn(to, ...below) || (typeOnly && isIn(to, 'durable-objects/')),
      ),
    ).toEqual([]);
  });

  it('worker turns requests, messages of a queue and the clock into turns: it runs no loop and knows no object', () => {
    const below = ['worker', 'session', 'agent', 'journal', 'tools', 'webhooks'].map(
      (name) => `src/${name}/`,
    );
    const values = ['src/model/configuration-error.ts', 'src/loop/budget.ts'];
    const mayBe = (one: Import): boolean => isIn(one.to, ...below) || values.includes(one.to);
    const isKnown = (one: Import): boolean =>
      mayBe(one) || (one.typeOnly && isIn(one.to, 'src/model/')) || isPackage(one, 'hono');
    expect(strays('src/worker/', isKnown)).toEqual([]);
  });

  it('webhooks reads what senders sent: it stands on tools alone, and knows no session, no HTTP and no platform', () => {
    const strange = strays('src/webhooks/', ({ to }) => isIn(to, 'src/webhooks/', 'src/tools/'));
    expect(strange).toEqual([]);
  });

  it('no sender of webhooks imports another, so that a Worker pays for the one that it uses', () => {
    const senders = ['github', 'stripe', 'slack', 'standard'].map((sender) => `src/webhooks/${sender}`);
    const isOf = (file: string, sender: string): boolean =>
      file === `${sender}.ts` || file.startsWith(`${sender}-`);
    expect(senders.filter((sender) => !files.includes(`${sender}.ts`))).toEqual([]);
    const across = imports.filter(
      ({ from, to }) =>
        from !== 'src/webhooks/entry.ts' && senders.some((one) => isOf(to, one) && !isOf(from, one)),
    );
    expect(across).toEqual([]);
  });

  it('testing runs sessions by the rules of the object, in memory: without a platform, HTTP or a test runner', () => {
    const below = ['testing', 'session', 'agent', 'journal', 'model', 'tools'].map((name) => `src/${name}/`);
    const rules = ['durable-objects/ledger.ts', 'durable-objects/session-storage.ts'];
    expect(strays('src/testing/', ({ to }) => isIn(to, ...below) || rules.includes(to))).toEqual([]);
  });

  it.each<[string, string, readonly string[]]>([
    [
      'client speaks to one server, and knows no loop',
      'src/mcp/client/',
      ['src/mcp/client/', 'src/mcp/content/'],
    ],
    ['content is what both ends say', 'src/mcp/content/', ['src/mcp/content/']],
    [
      'tools brings what clients find to a loop, and knows no session, no app and no endpoint',
      'src/mcp/tools/',
      ['src/mcp/tools/', 'src/mcp/client/', 'src/mcp/content/', 'src/unfolding/'],
    ],
    [
      'server publishes what an app is made of, and brings no client, no HTTP framework, no object and no platform',
      'src/mcp/server/',
      [
        ...['server', 'content'].map((name) => `src/mcp/${name}/`),
        ...['worker', 'session', 'agent', 'tool-loop', 'journal'].map((name) => `src/${name}/`),
        'src/model/configuration-error.ts',
      ],
    ],
  ])('mcp/%s', (_, folder, below) => {
    const shared = ['src/tools/', 'src/mcp/rpc-error.ts', 'src/mcp/idempotency-key.ts'];
    const sdk = '@modelcontextprotocol/sdk/';
    const libraries = ['valibot', '@cfworker/json-schema'];
    const isBelow = (one: Import): boolean =>
      isIn(one.to, ...below, ...shared, sdk) || isPackage(one, ...libraries);
    expect(strays(folder, isBelow)).toEqual([]);
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

  it('http is the only folder that knows Hono', () => {
    const users = imports.filter((one) => isPackage(one, 'hono')).map(({ from }) => from);
    expect(users.filter((file) => !isIn(file, 'src/worker/') && file !== 'src/worker.ts')).toEqual([]);
  });

  it('cloudflare:workers is imported only where a class of the platform is needed', () => {
    const users = imports.filter(({ to }) => to === 'cloudflare:workers').map(({ from }) => from);
    const may = (file: string): boolean =>
      isIn(file, 'durable-objects/') || ['src/worker.ts', 'src/create-holdfast.ts'].includes(file);
    expect(users.filter((file) => !may(file))).toEqual([]);
  });

  it('durable-objects takes only types of the journal: no agent logic, so that the class keeps its identity', () => {
    expect(
      strays(
        'durable-objects/',
        ({ to, typeOnly }) =>
          isIn(to, 'durable-objects/') ||
          to === 'cloudflare:workers' ||
          (typeOnly && isIn(to, 'src/journal/')),
      ),
    ).toEqual([]);
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
    expect([...seen].filter((file) => /^hono|^cloudflare:|^src\/http|^node:/.test(file))).toEqual([]);
  });

  it('the loop fits on a screen: kinds of tools stay outside', () => {
    const loop = textOf('src/loop/run-tool-loop.ts');
    expect(loop.split('\n').length).toBeLessThanOrEqual(150);
    const main = loop.slice(loop.indexOf('export async function runToolLoop'));
    expect(main.slice(0, main.indexOf('\n}\n')).split('\n').length).toBeLessThanOrEqual(45);
  });

  it('there are no import cycles between values', () => {
    const ofValues = imports.filter(({ typeOnly }) => !typeOnly);
    expect(circlesAmong(ofValues).map(shownCircle)).toEqual([]);
  });

  it.each(['src/worker/'])('%s has no import cycle, types included', (folder) => {
    const inside = files.filter((file) => isIn(file, folder));
    expect(inside.length).toBeGreaterThan(1);
    const within = imports.filter(({ from, to }) => isIn(from, folder) && isIn(to, folder));
    expect(circlesAmong(within).map(shownCircle)).toEqual([]);
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
      .filter((file) => isIn(file, 'src/model/'))
      .map(textOf)
      .join('\n');
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => models.includes(name))).toEqual([]);
  });
});

describe('how tests reach the code', () => {
  const ofTests = sourcesIn('test').flatMap(importsOf);
  const isDoor = (file: string): boolean => isIn(file, 'test/doors/');
  const isInside = (file: string): boolean =>
    isIn(file, 'src/', 'durable-objects/') && !isIn(file, 'src/examples/') && !isEntry(file);

  it('they import the entries and the doors, so that a move in the code rewrites no test', () => {
    const strange = ofTests.filter(({ from, to }) => isInside(to) && !isDoor(from));
    expect(strange.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it('doors open only on what no entry does, for somebody who goes through', () => {
    const opened = ofTests.filter(({ from }) => isDoor(from));
    expect(opened.filter(({ to }) => !isInside(to))).toEqual([]);
    const users = sourceFilesIn(root, 'test').filter((file) => !isDoor(file));
    const used = new Set(users.flatMap((file) => textOf(file).match(/\w+/g) ?? []));
    const names = sourcesIn('test/doors').flatMap((door) => exportsOf(door).map(({ name }) => name));
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name) => !used.has(name))).toEqual([]);
  });
});
