import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';

const nodeTests = [
  'test/process/**/*.test.ts',
  'test/deploys/**/*.test.ts',
  'test/journals/*.test.ts',
  'test/chaos/*.test.ts',
  'test/spec/**/*.test.ts',
  'test/mutations/*.test.ts',
  'test/crash-matrix/in-memory.test.ts',
  'test/crash-matrix/script/*.test.ts',
  'test/examples/crash-matrix.test.ts',
  'test/testing/crash-matrix.test.ts',
  'test/webhooks/node/*.test.ts',
  'test/mcp/servers/*.test.ts',
  'test/mcp/crash-matrix/*.test.ts',
  'test/mcp/conformance/script/*.test.ts',
  'test/architecture.test.ts',
  'test/readme.test.ts',
];

/** What turns go through that an alarm hands over: by the loopback, or by the queue where one is bound. */
const queueTests = ['test/background/by-the-way.test.ts'];

/** What talks to real MCP servers, which run for as long as these tests do. */
const mcpServerTests = ['test/mcp/real/*.test.ts'];

/** The runtime of production; `environment`: of wrangler.toml, whose bindings the tests' Worker then has. */
const workerd = (environment?: string) => ({
  plugins: [
    cloudflareTest({
      main: './test/fixtures/test-worker.ts',
      wrangler: { configPath: './wrangler.toml', ...(environment !== undefined && { environment }) },
    }),
  ],
});

/** The first test of a file waits for its Worker to start, which takes seconds on a busy machine. */
const patience = { testTimeout: 30_000, hookTimeout: 30_000 };

/** Files share a Worker, as requests do in production: starting one for each took most of the suite's time. */
const shared = { isolate: false, setupFiles: ['test/fixtures/clean-up.ts'], ...patience };

export default defineConfig({
  test: {
    projects: [
      {
        ...workerd(),
        test: {
          name: 'workerd',
          include: ['test/**/*.test.ts'],
          exclude: [...nodeTests, ...mcpServerTests],
          ...shared,
        },
      },
      {
        ...workerd(),
        test: {
          name: 'workerd with MCP servers',
          include: mcpServerTests,
          globalSetup: 'test/mcp/servers/global-setup.ts',
          ...shared,
        },
      },
      {
        // The one that binds a queue, whose messages the Worker of the tests takes.
        ...workerd('production'),
        test: { name: 'workerd with a queue', include: queueTests, ...shared },
      },
      { test: { name: 'node', include: nodeTests, testTimeout: 60_000, hookTimeout: 60_000 } },
    ],
  },
});
