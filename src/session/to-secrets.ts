import { ConfigurationError } from '../model/configuration-error.ts';
import { shorten } from '../tools/json-text.ts';
import { Secrets } from '../tools/secrets.ts';

/** The credentials of one invocation by name, as an app mints them; those that are `undefined` are left out. */
export type MintedSecrets = Readonly<Record<string, string | undefined>>;

/**
 * The secrets that an app's hook answered, or `NONE` for no answer.
 *
 * @throws ConfigurationError naming one that is not text: it could be found in no result, and so not be taken out of it.
 */
export function toSecrets(minted: MintedSecrets | undefined): Secrets {
  const values: unknown = minted ?? {};
  if (typeof values !== 'object' || values === null) {
    throw new ConfigurationError('`secrets` must answer an object with a text for each name.');
  }
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || typeof value === 'string') continue;
    throw new ConfigurationError(`\`secrets\` must answer texts, and '${shorten(name, 80)}' is none.`);
  }
  return Secrets.of(minted ?? {});
}
