import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';
import { buildConsolePage } from './build/console-page.ts';

// Modules import the page of the console, which git ignores.
await buildConsolePage();

/** What turns go through that an alarm hands over: by the loopback, or by the queue where one is bound. */
const queueTests = ['test/gate/workerd/background/by-the-way.test.ts'];

/** What of the full tier needs the runtime of production, and what talks to real MCP servers there. */
const fullWorkerd = ['test/full/crash-matrix/workerd.test.ts', 'test/full/growth/*.test.ts'];
const realServers = ['test/full/mcp/real/*.test.ts'];
/** What has time limits that are not ours, or counts what a busy machine does more of: it runs when all else is done. */
const alone = ['test/full/mcp/conformance/script/run-conformance.test.ts', 'test/full/scale/scale.test.ts'];

/** Matrices count what the engine does in between, which is another number in another engine. */
const matricesInNode = [
  'test/gate/node/crash-matrix.test.ts',
  'test/gate/node/examples/crash-matrix.test.ts',
  'test/gate/node/testing/crash-matrix.test.ts',
  'test/gate/node/tools/approvals/checkpoint-crashes.test.ts',
];

/** What runs once more as in production: tools of all kinds, loops and sessions. */
const withoutChecks = [
  'agent',
  'agentic',
  'app',
  'chaining',
  'in-memory',
  'journal',
  'kinds',
  'parts',
  'playbook',
  'settings',
  'state-machine',
  'tool-calling',
  'tools',
  'unfolding',
  'webhooks',
].map((folder) => `test/gate/node/${folder}/**/*.test.ts`);

/** Of these, what expects mistakes in literals to be told. */
const ofLiterals = [
  'test/gate/node/agentic/copies.test.ts',
  'test/gate/node/agentic/define-agentic-tool.test.ts',
  'test/gate/node/playbook/sources.test.ts',
  'test/gate/node/state-machine/sources.test.ts',
  'test/gate/node/tools/domain-type.test.ts',
  'test/gate/node/tools/plain-definitions.test.ts',
  'test/gate/node/tools/objects/tool-methods.test.ts',
  'test/gate/node/tools/resolution/resolve-tools.test.ts',
  'test/gate/node/unfolding/one-source.test.ts',
  'test/gate/node/unfolding/with-inner-tools.test.ts',
  'test/gate/node/webhooks/outgoing.test.ts',
];

/** What reads the lines of the console as they are in production. */
const ofProductionLines = ['test/gate/node/app/log-lines.test.ts'];

/** Has the console show words in production too, as most tests expect. */
const consoleInWords = {
  name: 'console in words',
  enforce: 'pre' as const,
  transform: (code: string, id: string) =>
    id.endsWith('/src/tool/console-log.ts')
      ? code
          .replace("from './literals.ts'", "from './developer-hints.ts'")
          .replace('import { literals }', 'import { formatLogEntry }')
          .replace('literals?.inWords(', 'formatLogEntry(')
      : undefined,
};

/** The runtime of production; `environment`: of wrangler.toml, whose bindings the tests' Worker then has. */
const workerd = (environment?: string) => ({
  plugins: [
    cloudflareTest({
      main: './test/fixtures/test-worker.ts',
      wrangler: { configPath: './wrangler.toml', ...(environment !== undefined && { environment }) },
      // A bucket for the example that keeps files there, and a counter of requests, under another name than the one that is looked
      // at: a Worker needs neither. Production lets nobody in without a token.
      miniflare: {
        r2Buckets: ['FILES'],
        // Of an index and of limits of owners, which few apps have.
        durableObjects: {
          INDEX: { className: 'IndexObject', useSQLite: true },
          OWNER_LIMITS: { className: 'OwnerLimits', useSQLite: true },
        },
        // For what an index sends there too.
        d1Databases: ['INDEX_DB'],
        ratelimits: { RATE_LIMIT_OF_TESTS: { namespace_id: '1', simple: { limit: 3, period: 60 } } },
        bindings: { HOLDFAST_AUTH: 'localhost' },
      },
    }),
  ],
});

/** The first test of a file waits for its Worker to start, and what is polled for comes, after seconds on a busy machine. */
const patience = { testTimeout: 30_000, hookTimeout: 30_000, expect: { poll: { timeout: 20_000 } } };

/** Files share a Worker, as requests do in production: starting one for each took most of the suite's time. */
const shared = { isolate: false, setupFiles: ['test/fixtures/clean-up.ts'], ...patience };

export default defineConfig({
  test: {
    maxWorkers: '100%',
    // `npm test` runs the projects of the gate, `npm run test:full` all of them.
    projects: [
      {
        test: {
          name: 'gate in Node',
          include: [
            'test/gate/{node,repository}/**/*.test.ts',
            'test/{journals,measure,mutations,source}/**/*.test.ts',
          ],
          pool: 'threads',
          isolate: false,
          setupFiles: ['test/gate/hashes-at-once.ts'],
          ...patience,
        },
      },
      {
        // As in a production bundle, where literals are not checked: nothing else depends on that, but the form of the console's lines.
        plugins: [consoleInWords],
        test: {
          name: 'gate in production',
          include: withoutChecks,
          exclude: [...ofLiterals, ...ofProductionLines],
          env: { NODE_ENV: 'production' },
          pool: 'threads',
          isolate: false,
          setupFiles: ['test/gate/hashes-at-once.ts'],
          ...patience,
        },
      },
      {
        test: {
          name: 'gate in production, with its console',
          include: ofProductionLines,
          env: { NODE_ENV: 'production' },
          pool: 'threads',
          isolate: false,
          setupFiles: ['test/gate/hashes-at-once.ts'],
          ...patience,
        },
      },
      {
        ...workerd(),
        test: { name: 'gate in workerd', include: ['test/gate/workerd/**/*.test.ts'], ...shared },
      },
      {
        // The one that binds a queue, whose messages the Worker of the tests takes.
        ...workerd('production'),
        test: { name: 'gate in workerd with a queue', include: queueTests, ...shared },
      },
      {
        // What the gate runs in Node, in the runtime of production. Worker threads and `node:` modules are not there.
        ...workerd(),
        test: {
          name: 'full: the gate of Node in workerd',
          include: ['test/gate/node/**/*.test.ts'],
          // `npm run wires`, which the full tier runs, plays the same sessions in workerd.
          // A test of a built Worker starts a process.
          exclude: [
            ...matricesInNode,
            'test/gate/node/wires/sessions.test.ts',
            'test/gate/node/examples/deployed.test.ts',
            'test/gate/node/examples/shop-in-d1.test.ts',
            // These draw thousands of cases of pure functions, in which the runtimes do not differ.
            'test/gate/node/model/offline-worlds.test.ts',
            'test/gate/node/model/openai-compatible/fragmentation.test.ts',
            'test/gate/node/tool-loop/budget-chance.test.ts',
          ],
          isolate: false,
          ...patience,
        },
      },
      {
        test: {
          name: 'full in Node',
          include: ['test/full/**/*.test.ts'],
          exclude: [...fullWorkerd, ...realServers, ...alone],
          ...patience,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'full in Node, alone',
          include: alone,
          sequence: { groupOrder: 1 },
          maxWorkers: 2,
          testTimeout: 400_000,
          hookTimeout: 60_000,
        },
      },
      {
        ...workerd(),
        test: { name: 'full in workerd', include: fullWorkerd, ...shared },
      },
      {
        ...workerd(),
        test: {
          name: 'full in workerd with MCP servers',
          include: realServers,
          globalSetup: 'test/full/mcp/servers/global-setup.ts',
          ...shared,
        },
      },
    ],
  },
});
