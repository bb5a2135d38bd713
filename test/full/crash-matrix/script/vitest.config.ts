/** The Vitest configuration for the samples in workerd. */
import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [
    cloudflareTest({
      main: './test/fixtures/test-worker.ts',
      wrangler: { configPath: './wrangler.toml' },
    }),
  ],
  test: {
    include: ['test/full/crash-matrix/workerd.test.ts'],
    provide: { crashMatrix: JSON.parse(process.env.CRASH_MATRIX_ORDER ?? 'null') },
  },
});
