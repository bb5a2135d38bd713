/**
 * Parameters that the current SDK transport already refuses. The server also refuses them without that
 * transport.
 */
import { expect, it } from 'vitest';
import { readCallParams } from '../../../../doors/mcp.ts';

it.each([
  [{ name: 'greet', _meta: 7 }, '`_meta` must be an object.'],
  [{ name: 'greet', _meta: { progressToken: 1.5 } }, '`_meta.progressToken` must be text or a whole number.'],
  [
    { name: 'greet', _meta: { progressToken: null } },
    '`_meta.progressToken` must be text or a whole number.',
  ],
])('an invalid call is refused: %j', (params, message) => {
  expect(() => readCallParams(params)).toThrow(expect.objectContaining({ code: -32602, message }));
});
