import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';

const nodeTests = [
  'test/process/**/*.test.ts',
  'test/spec/**/*.test.ts',
  'test/survival/in-memory.test.ts',
  'test/survival/script/*.test.ts',
  'test/architecture.test.ts',
  'test/readme.test.ts',
];

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
        test: { name: 'workerd', include: ['test/**/*.test.ts'], exclude: nodeTests },
      },
      { test: { name: 'node', include: nodeTests, testTimeout: 60_000, hookTimeout: 60_000 } },
    ],
  },
});
