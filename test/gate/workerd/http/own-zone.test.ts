/** The route of the global `fetch` under the flags in `wrangler.toml`, which all workerd tests use. */
import { expect, it } from 'vitest';

it('a request to the Worker’s own zone takes the public route, and does not bypass the Worker', () => {
  expect(Cloudflare.compatibilityFlags).toMatchObject({ global_fetch_strictly_public: true });
});
