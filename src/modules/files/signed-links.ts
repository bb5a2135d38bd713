/** Signed URLs, with which a page shows files without a token. */

import { DeploymentError } from '../../session/deployment.ts';
import { toSessionName } from '../../session/read-secrets.ts';
import { ENCODER } from '../../tool/async.ts';
import type { Owner } from '../../tool/call-origin.ts';
import { fromBase64, toBase64 } from '../../tool/content.ts';
import { readSecrets } from '../../tool/env.ts';
import type { FileAddress } from '../../worker/app-files.ts';
import type { Env } from '../../worker/host.ts';
import { Problem } from '../../worker/problem.ts';

/** The name of the secret that signs URLs. */
export const FILES_KEY_NAME = 'HOLDFAST_FILES_KEY';

/** The minimum length of the secret in characters. A hexadecimal digit encodes half a byte. */
const MIN_KEY_LENGTH = 32;

/** The minimum number of different characters in the secret. */
const MIN_DISTINCT_CHARACTERS = 8;

/** @throws DeploymentError if the secret is easy to guess. The message does not contain it. */
export function assertStrongSecret(secret: unknown): void {
  if (typeof secret !== 'string') return; // not set, or checked when the Secrets Store returns it
  const key = secret.trim();
  if (key.length >= MIN_KEY_LENGTH && new Set(key).size >= MIN_DISTINCT_CHARACTERS) return;
  if (key !== '') throw new DeploymentError(`${FILES_KEY_NAME} can be guessed. ${RANDOM_KEY_HINT}`);
}

const RANDOM_KEY_HINT =
  'Use at least 32 random characters, such as those that `openssl rand -hex 32` prints, or remove it. File URLs then need the token.';

const keys = new WeakMap<Env, Promise<SigningKey | undefined>>();

/**
 * Returns the key of an environment, or `undefined` if it has none. A failed read is retried the next time.
 */
function findKey(env: Env): Promise<SigningKey | undefined> {
  const known = keys.get(env);
  if (known) return known;
  const key = readKey(env);
  keys.set(env, key);
  key.catch(() => keys.delete(env));
  return key;
}

async function readKey(env: Env): Promise<SigningKey | undefined> {
  const [secret] = await readSecrets(env, FILES_KEY_NAME);
  if (secret === undefined) return undefined;
  assertStrongSecret(secret);
  return importKey(secret);
}

const importKey = (secret: string) =>
  crypto.subtle.importKey('raw', ENCODER.encode(secret), HMAC_ALGORITHM, false, ['sign', 'verify']);

type SigningKey = Awaited<ReturnType<typeof importKey>>;

const HMAC_ALGORITHM = { name: 'HMAC', hash: 'SHA-256' };

/** A session's file with an expiry. */
interface LinkedPlace extends FileAddress {
  /** The time of expiry, in seconds since the epoch. */
  readonly expires: number;
}

/** Returns the text to sign, which is unambiguous. */
const encodeSignedText = ({ file, expires, ...session }: LinkedPlace) =>
  ENCODER.encode(JSON.stringify(['file', toSessionName(session), file, expires]));

/**
 * Returns the query of a URL that shows a session's file for at least `seconds`, and at most twice as long.
 * The query stays the same within each period of `seconds`, so browsers can cache the file. Returns
 * `undefined` if the environment has no key.
 *
 * @throws DeploymentError if the key is easy to guess.
 */
export async function signLink(
  env: Env,
  place: FileAddress,
  { now, seconds }: { readonly now: number; readonly seconds: number },
): Promise<string | undefined> {
  const key = await findKey(env);
  if (!key) return undefined;
  const expires = (Math.floor(now / 1000 / seconds) + 2) * seconds;
  const signature = await crypto.subtle.sign(HMAC_ALGORITHM, key, encodeSignedText({ ...place, expires }));
  const { id, tenant } = place.owner;
  const owner: Record<string, string> = tenant === undefined ? { owner: id ?? '' } : { tenant };
  const sig = toBase64(new Uint8Array(signature))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
  return String(new URLSearchParams({ ...owner, exp: String(expires), sig }));
}

/** The owner of a URL's file, and its remaining validity. */
export interface ValidLink {
  readonly owner: Owner;
  /** The remaining validity in seconds. */
  readonly left: number;
}

/**
 * Reads a URL that can have a signature. Returns `undefined` if it is unsigned.
 *
 * @throws Problem 403 `invalid-signature` if the signature is invalid or expired.
 * @throws DeploymentError if the key is easy to guess.
 */
export async function readLink(
  env: Env,
  place: Omit<FileAddress, 'owner'>,
  { url, now }: { readonly url: string; readonly now: number },
): Promise<ValidLink | undefined> {
  const query = new URL(url).searchParams;
  const sig = query.get('sig');
  if (sig === null) return undefined;
  const tenant = query.get('tenant');
  const owner: Owner = tenant === null ? { id: query.get('owner') ?? '' } : { tenant };
  const expires = /^\d{1,12}$/.test(query.get('exp') ?? '') ? Number(query.get('exp')) : 0;
  const key = await findKey(env);
  const signature = fromBase64(`${sig.replaceAll('-', '+').replaceAll('_', '/')}=`);
  const isSigned =
    key &&
    signature &&
    (await crypto.subtle.verify(
      HMAC_ALGORITHM,
      key,
      signature,
      encodeSignedText({ ...place, owner, expires }),
    ));
  if (!isSigned) throw createLinkProblem('The signature of this URL is not valid.');
  const left = expires - Math.floor(now / 1000);
  if (left <= 0) throw createLinkProblem('This URL of the file has expired.');
  return { owner, left };
}

const createLinkProblem = (sentence: string): Problem =>
  new Problem('invalid-signature', `${sentence} Load the messages again to get current URLs.`, {
    status: 403,
  });
