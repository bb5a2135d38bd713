/** The entry `holdfast/files`: messages and results hold files. */

import { FILES } from '../../loop/loop-files.ts';
import { ConfigurationError } from '../../model/configuration-error.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { literals } from '../../tool/literals.ts';
import { createModule, type ModuleUse, useOf } from '../../tool/module-use.ts';
import { APP } from '../../worker/app-seam.ts';
import { DUE } from '../../worker/background.ts';
import type { Env } from '../../worker/host.ts';
import { keepSessions } from '../../worker/keeping.ts';
import { fileRoutes } from './file-routes.ts';
import { appFiles } from './files-taken.ts';
import type { FileStore } from './kept-files.ts';
import { fileKeeper } from './session-files.ts';
import { deleteInStore, FILES_OWNER, storeIn } from './stored-files.ts';

export { deleteFile } from './file-routes.ts';
export type { FileKey, FileStore, SessionFilesKey } from './kept-files.ts';

/** The literal that `files` takes. `AppEnv`: the Worker's environment. */
export interface FilesConfig<AppEnv extends object = Env> {
  /**
   * Makes the store that keeps the bytes of files, such as a bucket, of the Worker's bindings: once for each environment. Absent: each
   * session keeps its own. It must not be taken away again while sessions have files in it.
   */
  readonly store?: ((env: AppEnv) => FileStore) | undefined;
  /**
   * Lets messages name files by addresses in private networks, which are refused otherwise: the model's provider fetches them, and a
   * model server of your own may reach what no caller should. Defaults to false.
   */
  readonly allowPrivateAddresses?: boolean | undefined;
}

/**
 * Lets messages and results hold files, in `use` of `createHoldfast`. Which of them an agent takes in messages, its `accepts` says, or its model.
 *
 * @throws ConfigurationError if a setting is none.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({ agents: [clerk()], use: [files()] });
 * ```
 */
export function files<AppEnv extends object = Env>(config?: FilesConfig<AppEnv>): ModuleUse;
export function files(config: FilesConfig = {}): ModuleUse {
  const fault = literals?.fault(config, SHAPE);
  if (fault) throw new ConfigurationError(`files ${fault.problem}.`);
  const use = useOf(FILES_MODULE);
  const { store, allowPrivateAddresses } = config;
  const storeOf = store === undefined ? undefined : storeIn(store);
  const app = appFiles({
    storeOf,
    allowPrivate: allowPrivateAddresses === true, // a text such as 'false' opens nothing
  });
  APP.give(use, {
    files: app,
    routes: ({ table }) => fileRoutes(app.find, table),
    check: (env) => void storeOf?.(env),
    ...(storeOf && { keeping: keepSessions }),
  });
  FILES.give(use, fileKeeper(storeOf));
  DUE.give(use, async ({ name, stale }, { env }) => {
    if (stale) await deleteInStore(storeOf?.(env), name, stale);
    return 'done';
  });
  return use;
}

const SHAPE = {
  of: 'files',
  keys: { store: 'any', allowPrivateAddresses: 'flag' },
  required: [],
  foreign: { bucket: 'store', allowPrivateFiles: 'allowPrivateAddresses' },
} satisfies LiteralShape<keyof FilesConfig>;

const FILES_MODULE = createModule({ name: FILES_OWNER.module });
