import { credentialIn } from './credential-shapes.ts';
import { secretText } from './secrets.ts';

/**
 * Says where a secret of the Worker is: `(env) => env.GITHUB_SECRET`, or the name of its var. The function may return a list, and
 * names may be one, while one secret takes the place of another. Values are texts or bindings of the Secrets Store.
 */
export type SecretSource = string | readonly string[] | ((env: Readonly<Record<string, unknown>>) => unknown);

/** What a definition says that is given anything else. It does not repeat it: a secret may be given in place of its name. */
export const SECRET_RULE =
  "needs its secret as '(env) => env.NAME', or the name of the var that holds it; a secret itself does not belong in code";

/** Says whether this can be a source: a function, or names that neither hold odd characters nor look like a credential. */
export const isSecretSource = (source: unknown): source is SecretSource =>
  typeof source === 'function' ||
  (toList(source).length > 0 && toList(source).every((name) => isSecretName(name) && !name.includes('-')));

/** Says whether this can be the name of a secret that `secrets` mints: it neither holds odd characters nor looks like a credential. */
export const isSecretName = (name: unknown): name is string =>
  typeof name === 'string' && /^[a-z_][\w-]*$/i.test(name) && !credentialIn(name);

/**
 * Reads the secrets that are set, in order, without the line ends that they were pasted with. Rejects with what the Secrets Store or
 * the function does.
 */
export async function readSecrets(
  env: Readonly<Record<string, unknown>>,
  source: SecretSource,
): Promise<readonly string[]> {
  const values =
    typeof source === 'function' ? toList(source(env)) : toList(source).map((name) => env[String(name)]);
  const texts = await Promise.all(values.map(secretText));
  return texts.filter((secret) => secret !== '');
}

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
