import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';

const nodeTests = [
  'test/process/**/*.test.ts',
  'test/deploys/**/*.test.ts',
  'test/chaos/*.test.ts',
  'test/spec/**/*.test.ts',
  'test/crash-matrix/in-memory.test.ts',
  'test/crash-matrix/script/*.test.ts',
  'test/examples/crash-matrix.test.ts',
  'test/testing/crash-matrix.test.ts',
  'test/webhooks/node/*.test.ts',
  'test/architecture.test.ts',
  'test/readme.test.ts',
];

/** What background turns go through: the alarm's way, the queue's, and that of an invocation near its limits. */
const queueTests = [
  'test/background/by-the-way.test.ts',
  'test/background/run-schedules.test.ts',
  'test/background/schedule-message.test.ts',
  ...['background', 'cancel', 'client-gone', 'platform', 'take-over'].map(
    (name) => `test/http/${name}.test.ts`,
  ),
];

/** The first test of a file waits for its Worker to start, which takes seconds on a busy machine. */
const patience = { testTimeout: 30_000, hookTimeout: 30_000 };

export default defineConfig({
  test: {
    projects: [
      {
        plugins: [
          cloudflareTest({
            main: './test/fixtures/test-worker.ts',
            wrangler: { configPath: './wrangler.toml' },
          }),
        ],
        test: { name: 'workerd', include: ['test/**/*.test.ts'], exclude: nodeTests, ...patience },
      },
      {
        plugins: [
          cloudflareTest({
            main: './test/fixtures/test-worker.ts',
            // The one that binds a queue, whose messages the Worker of the tests takes.
            wrangler: { configPath: './wrangler.toml', environment: 'production' },
          }),
        ],
        test: { name: 'workerd with a queue', include: queueTests, ...patience },
      },
      { test: { name: 'node', include: nodeTests, testTimeout: 60_000, hookTimeout: 60_000 } },
    ],
  },
});
