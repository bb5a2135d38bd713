import { resolve } from 'node:path';
import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';
import { buildConsolePage } from './build/console-page.ts';

// Modules import the page of the console, which is built and not committed.
await buildConsolePage();

/** The tests of turns that an alarm hands over, through the loopback binding or through a queue. */
const queueTests = ['test/gate/workerd/background/by-the-way.test.ts'];

/** The tests of the full tier that need workerd, and those that connect to real MCP servers from there. */
const fullWorkerd = ['test/full/crash-matrix/workerd.test.ts', 'test/full/growth/*.test.ts'];
const realServers = ['test/full/mcp/real/*.test.ts'];
/** Tests with external time limits, and tests whose counts depend on the load. They run after all others. */
const standaloneTests = [
  'test/full/mcp/conformance/script/run-conformance.test.ts',
  'test/full/scale/scale.test.ts',
];

/** Crash matrices count the steps of the engine, which differ between Node and workerd. */
const matricesInNode = [
  'test/gate/node/crash-matrix.test.ts',
  'test/gate/node/examples/crash-matrix.test.ts',
  'test/gate/node/testing/crash-matrix.test.ts',
  'test/gate/node/tools/approvals/checkpoint-crashes.test.ts',
];

/** The tests that also run as in production: tools of all kinds, loops and sessions. */
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

/** The tests among them that expect errors about mistakes in literals, which production does not check. */
const literalTests = [
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

/** The tests that read console lines in the format of production. */
const productionLineTests = ['test/gate/node/app/log-lines.test.ts'];

/** Makes the console write text in production too, because most tests expect text. */
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

/** Returns the plugin for workerd. `environment` selects an environment of wrangler.toml and its bindings. */
const createWorkerdConfig = (environment?: string) => ({
  plugins: [
    cloudflareTest({
      main: './test/fixtures/test-worker.ts',
      wrangler: { configPath: './wrangler.toml', ...(environment !== undefined && { environment }) },
      // A bucket for an example, and a rate limit whose name differs from the default: a Worker needs
      // neither. In production, requests need a token.
      miniflare: {
        r2Buckets: ['FILES'],
        // For an index of sessions and for owner limits, which few apps use.
        durableObjects: {
          INDEX: { className: 'IndexObject', useSQLite: true },
          OWNER_LIMITS: { className: 'OwnerLimits', useSQLite: true },
        },
        // For the rows that an index also writes to D1.
        d1Databases: ['INDEX_DB'],
        ratelimits: { RATE_LIMIT_OF_TESTS: { namespace_id: '1', simple: { limit: 3, period: 60 } } },
        bindings: { HOLDFAST_AUTH: 'localhost' },
      },
    }),
  ],
});

/**
 * On a busy machine it takes seconds until the Worker of a test file has started, and until polled values
 * arrive.
 */
const timeouts = { testTimeout: 30_000, hookTimeout: 30_000, expect: { poll: { timeout: 20_000 } } };

/**
 * Test files share a Worker, as requests do in production. Separate Workers took most of the suite's time.
 */
const sharedConfig = { isolate: false, setupFiles: ['test/fixtures/clean-up.ts'], ...timeouts };

export default defineConfig({
  test: {
    maxWorkers: '100%',
    // `npm test` runs the projects of the gate, and `npm run test:full` runs all projects.
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
          ...timeouts,
        },
      },
      {
        // As in a production bundle, where literals are not checked. Only the format of console lines also
        // depends on that.
        plugins: [consoleInWords],
        test: {
          name: 'gate in production',
          include: withoutChecks,
          exclude: [...literalTests, ...productionLineTests],
          env: { NODE_ENV: 'production' },
          pool: 'threads',
          isolate: false,
          setupFiles: ['test/gate/hashes-at-once.ts'],
          ...timeouts,
        },
      },
      {
        test: {
          name: 'gate in production, with its console',
          include: productionLineTests,
          env: { NODE_ENV: 'production' },
          pool: 'threads',
          isolate: false,
          setupFiles: ['test/gate/hashes-at-once.ts'],
          ...timeouts,
        },
      },
      {
        ...createWorkerdConfig(),
        test: {
          name: 'gate in workerd',
          include: ['test/gate/workerd/**/*.test.ts'],
          ...sharedConfig,
          // These tests wait more than they compute, unlike those of group 0.
          sequence: { groupOrder: 1 },
          maxWorkers: 4,
        },
      },
      {
        // The environment that binds a queue, from which the Worker of the tests consumes messages. Projects
        // run in the order of their names: this one, which mostly waits, beside those in Node.
        ...createWorkerdConfig('production'),
        test: { name: 'gate in a Worker with a queue', include: queueTests, ...sharedConfig },
      },
      {
        // Runs the tests of the gate in Node again in workerd, without worker threads and Node's own modules.
        ...createWorkerdConfig(),
        test: {
          name: 'full: the gate of Node in workerd',
          include: ['test/gate/node/**/*.test.ts'],
          // The full tier runs `npm run wires`, which plays the same sessions in workerd.
          // Tests of a built Worker start a process.
          exclude: [
            ...matricesInNode,
            'test/gate/node/wires/sessions.test.ts',
            'test/gate/node/examples/deployed.test.ts',
            'test/gate/node/examples/shop-in-d1.test.ts',
            // It reads the kept journals from the disk.
            'test/gate/node/modules/timeline/timeline-of-any.test.ts',
            // It counts requests, which slow hashes of the engine change.
            'test/gate/node/session/turn-cost.test.ts',
            // These tests check thousands of generated cases of pure functions, which behave the same in both
            // runtimes.
            'test/gate/node/model/offline-worlds.test.ts',
            'test/gate/node/model/openai-compatible/fragmentation.test.ts',
            'test/gate/node/tool-loop/budget-chance.test.ts',
          ],
          isolate: false,
          ...timeouts,
        },
      },
      {
        test: {
          name: 'full in Node',
          include: ['test/full/**/*.test.ts'],
          exclude: [...fullWorkerd, ...realServers, ...standaloneTests],
          // For the programs that the tests start, hundreds of times.
          env: { NODE_COMPILE_CACHE: resolve('node_modules/.cache/compiled') },
          ...timeouts,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'full in Node, alone',
          include: standaloneTests,
          sequence: { groupOrder: 2 },
          maxWorkers: 2,
          testTimeout: 400_000,
          hookTimeout: 60_000,
        },
      },
      {
        ...createWorkerdConfig(),
        test: { name: 'full in workerd', include: fullWorkerd, ...sharedConfig },
      },
      {
        ...createWorkerdConfig(),
        test: {
          name: 'full in workerd with MCP servers',
          include: realServers,
          globalSetup: 'test/full/mcp/servers/global-setup.ts',
          ...sharedConfig,
        },
      },
    ],
  },
});
