import { memoize } from './async.ts';
import { isJsonObject, type Json } from './json.ts';
import { readSecretText, Secrets } from './secrets.ts';

declare global {
  namespace Cloudflare {
    /** The environment of the Worker. Empty until `wrangler types` declares it for the app. */
    interface Env {}
  }
}

/** The declared environment, or a record of unknown values without a declaration. */
export type EnvOf<Declared> = keyof Declared extends never ? Readonly<Record<string, unknown>> : Declared;

/** The Worker's vars, secrets and bindings, as the app's `wrangler types` declares them. */
export type WorkerEnv = EnvOf<Cloudflare.Env>;

/**
 * The environment that a test or program sets instead of a Worker's, with the vars, secrets and bindings in
 * use.
 */
export type GivenEnv = Partial<WorkerEnv> | Readonly<Record<string, unknown>>;

const inspect: unique symbol = Symbol.for('nodejs.util.inspect.custom');

/**
 * Returns a frozen copy of the environment for tools. Printing it or converting it to JSON shows only its
 * names, so that a tool that returns it by mistake leaks no values.
 */
export const envOfTools = memoize((env: GivenEnv): WorkerEnv => {
  const names = Object.keys(env);
  const shown = {
    toJSON: { value: () => names },
    [inspect]: { value: () => `Env(${names.join(', ')})` },
  };
  return Object.freeze(Object.defineProperties({ ...env }, shown)) as WorkerEnv; // The Worker has the members that `wrangler types` declares.
});

/**
 * Returns the strings of an environment with names of credentials, and URLs with a password. They are
 * redacted like secrets.
 */
export const collectCredentials = memoize(
  (env: GivenEnv): Secrets =>
    Secrets.of(
      Object.fromEntries(
        Object.entries(env).filter(
          (entry): entry is [string, string] =>
            typeof entry[1] === 'string' && isCredential(entry[0], entry[1]),
        ),
      ),
    ),
);

const isCredential = (name: string, text: string): boolean =>
  (CREDENTIAL_NAME.test(name) && !NON_SECRET_KEY_NAME.test(name)) || URL_WITH_PASSWORD.test(text);

const CREDENTIAL_NAME = /(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)(_|\d|$)/i;

/**
 * Names of keys that are not secret. Redacting their values, such as the name of a column, would garble
 * inputs and results.
 */
const NON_SECRET_KEY_NAME = /(PUBLIC|PUBLISHABLE|PRIMARY|FOREIGN|PARTITION|SORT|CACHE)_?KEY(_|\d|$)/i;

/** A URL with a password, such as `postgres://shop:password@host/orders`. */
const URL_WITH_PASSWORD = /^[a-z][a-z\d+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i;

/**
 * The source of a secret in the Worker's environment: `(env) => env.GITHUB_SECRET`, or the name of its var.
 * During rotation, use a list of names, or return a list from the function. Values are strings or bindings of
 * the Secrets Store.
 */
export type SecretSource = string | readonly string[] | ((env: Readonly<Record<string, unknown>>) => unknown);

/** The error for an invalid source. It does not repeat the value, which could be the secret itself. */
export const SECRET_RULE =
  "needs its secret as '(env) => env.NAME', or the name of the var that holds it. Do not put the secret itself in code";

/**
 * Returns whether a value can be a source: a function, or names that neither contain odd characters nor look
 * like a credential.
 */
export const isSecretSource = (source: unknown): source is SecretSource =>
  typeof source === 'function' ||
  (toList(source).length > 0 && toList(source).every((name) => isSecretName(name) && !name.includes('-')));

/**
 * Returns whether a value can be the name of a minted secret: it neither contains odd characters nor looks
 * like a credential.
 */
export const isSecretName = (name: unknown): name is string =>
  typeof name === 'string' && /^[a-z_][\w-]*$/i.test(name) && !findCredentialPath(name);

/**
 * Returns the secrets that are set, in order, without surrounding whitespace. Rejects with any error of the
 * Secrets Store or the function.
 */
export async function readSecrets(
  env: Readonly<Record<string, unknown>>,
  source: SecretSource,
): Promise<readonly string[]> {
  const values =
    typeof source === 'function' ? toList(source(env)) : toList(source).map((name) => env[String(name)]);
  const texts = await Promise.all(values.map(readSecretText));
  return texts.filter((secret) => secret !== '');
}

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/**
 * Patterns of credentials: prefixes that issuers use, and labels that people write. The length that each can
 * match is bounded.
 */
const CREDENTIAL_PATTERNS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY/,
  // A JSON Web Token. Matched from its first dot, since a hostile text can contain many possible beginnings
  // without a dot.
  /\.(?<=\beyJ[\w-]{6,400}\.)[\w-]{6}/,
  /\b[sr]k[-_](?=[\w-]{0,64}\d)[\w-]{16}/,
  /\b(?:gh[pousr]_|github_pat_|glpat-|npm_|hf_|dop_v1_|whsec_|shp[a-z]{2}_|pypi-|SG\.|ya29\.)[\w.-]{16}/,
  /\bxox[a-z]-[\w-]{10}/,
  /\bA(?:KIA|SIA)[A-Z0-9]{16}/,
  /\bAIza[\w-]{30}/,
  /\b(?:bearer|basic) {1,9}(?=[^\s]{0,200}[\d=])[\w.~+/=-]{12}/i,
  /\b(?:pass(?:word|wd|phrase)|pwd|secret|token|api[ _-]?key|access[ _-]?key) {0,9}[:=] {0,9}\S{4}/i,
  /:\/\/[^\s/:@]{0,100}:[^\s/@]{1,200}@/, // The password of a URL.
];

/**
 * Returns the path of a string in JSON that looks like a credential, or of the object that has one as a key.
 * Returns `undefined` otherwise.
 */
export function findCredentialPath(value: Json): readonly (string | number)[] | undefined {
  if (typeof value === 'string') return isSecretText(value) ? [] : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  if (isJsonObject(value) && Object.keys(value).some(isSecretText)) return [];
  for (const [key, inner] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const at = findCredentialPath(inner);
    if (at) return [key, ...at];
  }
  return undefined;
}

const isSecretText = (text: string): boolean =>
  CREDENTIAL_PATTERNS.some((shape) => shape.test(text)) ||
  Array.from(text.matchAll(/[A-Za-z0-9+/_-]{32,}/g), String).some(isRandom);

/**
 * The minimum changes of character class per 100 neighbors. Random strings have about 60, and names about 20.
 */
const MIN_CHANGES = 35;

/** Returns whether a text looks like a random string of letters and digits instead of a name. */
function isRandom(text: string): boolean {
  const counts = [0, 0, 0, 0];
  let changes = 0;
  for (let at = 0, before = OTHER_CLASS; at < text.length; at += 1) {
    const kind = getCharacterClass(text.charCodeAt(at));
    counts[kind] = (counts[kind] ?? 0) + 1;
    if (at > 0 && kind !== OTHER_CLASS && kind !== before) changes += 1;
    before = kind;
  }
  return (
    counts.slice(0, OTHER_CLASS).every((count) => count >= 3) && changes * 100 >= text.length * MIN_CHANGES
  );
}

const OTHER_CLASS = 3;

/** Returns the class of an ASCII code: lowercase, uppercase, digit or other. */
const getCharacterClass = (code: number): 0 | 1 | 2 | 3 => {
  if (code >= 97 && code <= 122) return 0;
  if (code >= 65 && code <= 90) return 1;
  return code >= 48 && code <= 57 ? 2 : OTHER_CLASS;
};
