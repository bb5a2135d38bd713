import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';

// These test the object itself: their Worker's `TurnRunner` runs nothing.
const objectTests = ['test/durable-objects/**/*.test.ts'];
const nodeTests = ['test/process/**/*.test.ts', 'test/architecture.test.ts'];

export default defineConfig({
  test: {
    projects: [
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: { bindings: { LEASE_MS: '300' } },
          }),
        ],
        test: { name: 'workerd', include: ['test/**/*.test.ts'], exclude: [...objectTests, ...nodeTests] },
      },
      {
        plugins: [
          cloudflareTest({
            main: './test/fixtures/storage-worker.ts',
            wrangler: { configPath: './wrangler.toml' },
            miniflare: { bindings: { LEASE_MS: '300' } },
          }),
        ],
        test: { name: 'objects', include: objectTests },
      },
      { test: { name: 'node', include: nodeTests, testTimeout: 60_000, hookTimeout: 60_000 } },
    ],
  },
});
