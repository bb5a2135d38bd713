/** The configuration with which the script plays samples in workerd. */
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
    include: ['test/survival/workerd.test.ts'],
    provide: { survival: JSON.parse(process.env.SURVIVAL_ORDER ?? 'null') },
  },
});
