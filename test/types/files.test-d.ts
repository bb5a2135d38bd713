import { expectTypeOf } from 'vitest';
import { createHoldfast, type Env, type Session } from '../../src/create-holdfast.ts';
import type { ModuleUse } from '../../src/index.ts';
import { deleteFile, type FileStore, files } from '../../src/modules/files/entry.ts';

declare const store: FileStore;
declare const session: Session<{ readonly total: number }>;

expectTypeOf(files()).toEqualTypeOf<ModuleUse>();
createHoldfast({ agents: [], use: [files({ allowPrivateAddresses: true })] });

// The environment of an app, as `wrangler types` declares it: an interface without an index signature.
interface AppBindings {
  readonly FILES: R2Bucket;
}
files({
  store(env) {
    expectTypeOf(env).toEqualTypeOf<Env>();
    return store;
  },
});
files({ store: ({ FILES }: AppBindings) => (FILES ? store : store) });
files<AppBindings>({ store: ({ FILES }) => (FILES ? store : store) });
// @ts-expect-error: a store is created by a function
files({ store });
// @ts-expect-error: the function cannot be asynchronous
files({ store: async () => store });
// @ts-expect-error: there is no such option
files({ bucket: () => store });

// `deleteFile` accepts a session of any agent.
expectTypeOf(deleteFile(session, 'id')).toEqualTypeOf<Promise<void>>();
// @ts-expect-error: an empty object is not a session
deleteFile({}, 'id');
