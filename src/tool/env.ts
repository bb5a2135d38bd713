import { memoized } from './async.ts';
import { isJsonObject, type Json } from './json.ts';
import { Secrets, secretText } from './secrets.ts';

declare global {
  namespace Cloudflare {
    /** What a Worker is deployed with: `wrangler types` declares it for an app, and until then it is empty. */
    interface Env {}
  }
}

/** What is declared of an environment; where that is nothing, values that are looked at before they are used. */
export type EnvOf<Declared> = keyof Declared extends never ? Readonly<Record<string, unknown>> : Declared;

/** The Worker's vars, secrets and bindings, as the app's `wrangler types` declares them. */
export type WorkerEnv = EnvOf<Cloudflare.Env>;

/** What a test or a program gives in the place of a Worker: what stands in for those of its vars, secrets and bindings that are used. */
export type GivenEnv = Partial<WorkerEnv> | Readonly<Record<string, unknown>>;

const inspect: unique symbol = Symbol.for('nodejs.util.inspect.custom');

/**
 * The environment, which does not change, as tools are given it: a copy that cannot be changed. Printing it, or writing it as JSON, shows
 * its names only, so that a tool which answers it by mistake tells nobody what is in it.
 */
export const envOfTools = memoized((env: GivenEnv): WorkerEnv => {
  const names = Object.keys(env);
  const shown = {
    toJSON: { value: () => names },
    [inspect]: { value: () => `Env(${names.join(', ')})` },
  };
  return Object.freeze(Object.defineProperties({ ...env }, shown)) as WorkerEnv; // its Worker has what `wrangler types` found
});

/** The texts of an environment, which does not change, that are called like credentials, or are addresses with a password: hidden wherever secrets are. */
export const credentialsIn = memoized(
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
  (CREDENTIAL.test(name) && !OPEN_KEY.test(name)) || WITH_PASSWORD.test(text);

const CREDENTIAL = /(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)(_|\d|$)/i;

/** Keys that are no secret: to hide what they hold, such as the name of a column, would garble inputs and results. */
const OPEN_KEY = /(PUBLIC|PUBLISHABLE|PRIMARY|FOREIGN|PARTITION|SORT|CACHE)_?KEY(_|\d|$)/i;

/** As of a database: `postgres://shop:password@host/orders`. */
const WITH_PASSWORD = /^[a-z][a-z\d+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i;

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

/** Where issuers mark what they give out, or whoever writes it down says what it is. Each looks at a bounded part of a text. */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY/,
  // A JSON Web Token. It is looked for from its first dot: text that often begins like one has as many beginnings, and no dots.
  /\.(?<=\beyJ[\w-]{6,400}\.)[\w-]{6}/,
  /\b[sr]k[-_](?=[\w-]{0,64}\d)[\w-]{16}/,
  /\b(?:gh[pousr]_|github_pat_|glpat-|npm_|hf_|dop_v1_|whsec_|shp[a-z]{2}_|pypi-|SG\.|ya29\.)[\w.-]{16}/,
  /\bxox[a-z]-[\w-]{10}/,
  /\bA(?:KIA|SIA)[A-Z0-9]{16}/,
  /\bAIza[\w-]{30}/,
  /\b(?:bearer|basic) {1,9}(?=[^\s]{0,200}[\d=])[\w.~+/=-]{12}/i,
  /\b(?:pass(?:word|wd|phrase)|pwd|secret|token|api[ _-]?key|access[ _-]?key) {0,9}[:=] {0,9}\S{4}/i,
  /:\/\/[^\s/:@]{0,100}:[^\s/@]{1,200}@/, // the password of a URL
];

/** Answers where JSON holds what looks like a credential: the path of that text, or of what has it for a key. */
export function credentialIn(value: Json): readonly (string | number)[] | undefined {
  if (typeof value === 'string') return isSecretText(value) ? [] : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  if (isJsonObject(value) && Object.keys(value).some(isSecretText)) return [];
  for (const [key, inner] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const at = credentialIn(inner);
    if (at) return [key, ...at];
  }
  return undefined;
}

const isSecretText = (text: string): boolean =>
  SHAPES.some((shape) => shape.test(text)) ||
  Array.from(text.matchAll(/[A-Za-z0-9+/_-]{32,}/g), String).some(isRandom);

/** How many of a hundred neighbours are of two kinds where letters and digits are drawn at random: some 60. In names, some 20. */
const MIN_CHANGES = 35;

/** Tells a text that was drawn from capitals, small letters and digits from one that somebody has named. */
function isRandom(text: string): boolean {
  const counts = [0, 0, 0, 0];
  let changes = 0;
  for (let at = 0, before = OTHER; at < text.length; at += 1) {
    const kind = kindOf(text.charCodeAt(at));
    counts[kind] = (counts[kind] ?? 0) + 1;
    if (at > 0 && kind !== OTHER && kind !== before) changes += 1;
    before = kind;
  }
  return counts.slice(0, OTHER).every((count) => count >= 3) && changes * 100 >= text.length * MIN_CHANGES;
}

const OTHER = 3;

/** Small letters, capitals, digits, and all others, by their codes in ASCII. */
const kindOf = (code: number): 0 | 1 | 2 | 3 => {
  if (code >= 97 && code <= 122) return 0;
  if (code >= 65 && code <= 90) return 1;
  return code >= 48 && code <= 57 ? 2 : OTHER;
};
