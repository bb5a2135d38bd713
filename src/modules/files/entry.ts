/** The entry `holdfast/files`: files in messages and results. */

import { FILES } from '../../loop/loop-files.ts';
import { ConfigurationError } from '../../model/configuration-error.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { literals } from '../../tool/literals.ts';
import { createModule, createUse, type ModuleUse } from '../../tool/module-use.ts';
import { describeValue } from '../../tool/shown.ts';
import { APP } from '../../worker/app-seam.ts';
import { DUE } from '../../worker/background.ts';
import type { Env } from '../../worker/host.ts';
import { createRetentionWrapper } from '../../worker/keeping.ts';
import { createFileRoutes } from './file-routes.ts';
import { createAppFiles } from './files-taken.ts';
import type { FileStore } from './kept-files.ts';
import { createFileKeeper } from './session-files.ts';
import { assertStrongSecret, FILES_KEY_NAME } from './signed-links.ts';
import { createStoreResolver, deleteInStore, FILES_OWNER } from './stored-files.ts';

export { deleteFile } from './file-routes.ts';
export type { FileKey, FileStore, SessionFilesKey } from './kept-files.ts';

/** The configuration of `files`. `AppEnv` is the type of the Worker's environment. */
export interface FilesConfig<AppEnv extends object = Env> {
  /**
   * Creates the store for the bytes of files, such as a bucket, from the Worker's bindings. Called once per
   * environment. Defaults to storing files in each session's Durable Object. Do not remove the store while
   * sessions have files in it.
   */
  readonly store?: ((env: AppEnv) => FileStore) | undefined;
  /**
   * `true` to accept file URLs in private networks. The model's provider fetches them, and your own model
   * server can reach hosts that callers must not. Defaults to `false`.
   */
  readonly allowPrivateAddresses?: boolean | undefined;
  /**
   * The minimum validity of signed file URLs, in seconds, from 60 to 86,400. A URL is valid for at most twice
   * as long. Defaults to 900. With the secret `HOLDFAST_FILES_KEY`, surfaces return such URLs, and a page can
   * show the files without a token.
   */
  readonly linkSeconds?: number | undefined;
}

/**
 * Allows files in messages and results, in `use` of `createHoldfast`. An agent's `accepts`, or else its
 * model, decides which files messages can contain.
 *
 * @throws ConfigurationError if a setting is invalid.
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
  const use = createUse(FILES_MODULE);
  const { store, allowPrivateAddresses, linkSeconds = 900 } = config;
  if (!(Number.isInteger(linkSeconds) && linkSeconds >= 60 && linkSeconds <= 86_400))
    throw new ConfigurationError(
      `files has ${describeValue(linkSeconds)} as its 'linkSeconds'. Use a whole number from 60 to 86400.`,
    );
  const storeOf = store === undefined ? undefined : createStoreResolver(store);
  const app = createAppFiles({
    storeOf,
    allowPrivate: allowPrivateAddresses === true, // a string such as 'false' must not enable it
    linkSeconds,
  });
  APP.give(use, {
    files: app,
    routes: ({ table }) => createFileRoutes(app.find, table),
    check(env) {
      storeOf?.(env);
      assertStrongSecret(env[FILES_KEY_NAME]);
    },
    ...(storeOf && { keeping: createRetentionWrapper }),
  });
  FILES.give(use, createFileKeeper(storeOf));
  DUE.give(use, async ({ name, stale }, { env }) => {
    if (stale) await deleteInStore(storeOf?.(env), name, stale);
    return 'done';
  });
  return use;
}

const SHAPE = {
  of: 'files',
  keys: { store: 'any', allowPrivateAddresses: 'flag', linkSeconds: 'any' },
  required: [],
  foreign: { bucket: 'store', allowPrivateFiles: 'allowPrivateAddresses', expiresIn: 'linkSeconds' },
} satisfies LiteralShape<keyof FilesConfig>;

const FILES_MODULE = createModule({ name: FILES_OWNER.module });
