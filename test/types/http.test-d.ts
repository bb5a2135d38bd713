import { expectTypeOf } from 'vitest';
import { createHoldfast } from '../../src/create-holdfast.ts';
import {
  type CorsConfig,
  cors,
  type OnBehalfOf,
  onBehalfOf,
  rateLimit,
} from '../../src/modules/http/entry.ts';

createHoldfast({
  agents: [],
  use: [
    cors({ origins: ['https://app.example'] }),
    rateLimit(),
    onBehalfOf((request) => {
      expectTypeOf(request).toEqualTypeOf<Request>();
      return request.headers.get('x-user-id');
    }),
  ],
});

expectTypeOf<CorsConfig['origins']>().toEqualTypeOf<readonly string[]>();
// @ts-expect-error: an app that trusts no page uses no `cors`
cors({});
// @ts-expect-error: the origins are a list
cors({ origins: 'https://app.example' });

// The hook can return a promise.
onBehalfOf(async () => undefined);
expectTypeOf<OnBehalfOf>().parameters.toEqualTypeOf<[request: Request]>();
// @ts-expect-error: the id of a person is a text
onBehalfOf(() => 7);
// @ts-expect-error: the hook returns only an id
onBehalfOf(() => ({ id: 'ann', roles: ['manager'] }));

// @ts-expect-error: the binding is called RATE_LIMIT
rateLimit({ binding: 'OTHER' });
