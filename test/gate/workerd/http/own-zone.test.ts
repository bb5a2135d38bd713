/** Where the global `fetch` goes, under the flags of our `wrangler.toml`, which all tests in workerd run under. */
import { expect, it } from 'vitest';

it('asks the own zone as anybody on the internet does, and not the server that stands behind it', () => {
  expect(Cloudflare.compatibilityFlags).toMatchObject({ global_fetch_strictly_public: true });
});
