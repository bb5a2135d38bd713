import type { Json } from '../tools/json.ts';

/** Whether the value of a key is for nobody to read; `holder` is the object that has it. */
export type IsSecret = (key: string, holder: { readonly [key: string]: Json }) => boolean;

/** What stands where a credential was. */
export const REMOVED = '[removed]';

/**
 * A payload as JSON for a model to read, without what gives a right to whoever has it: the message is journaled, and a model
 * can be talked into repeating it. Keys that sound like credentials are taken at their word, in every depth; `isSecret` knows
 * more of the sender's own.
 */
export function tellJson(value: Json, isSecret: IsSecret = () => false): string {
  return JSON.stringify(
    value,
    function conceal(this: { readonly [key: string]: Json }, key: string, one: Json): Json {
      // Numbers, as of tokens that were used, give no right, and `true` says that there is one.
      const holds = typeof one === 'string' ? one !== '' : typeof one === 'object' && one !== null;
      return holds && (soundsSecret(key) || isSecret(key, this)) ? REMOVED : one;
    },
    1,
  );
}

const SECRET =
  /(^|_)(tokens?|secrets?|passwords?|passwd|passphrase|pwd|credentials?|authorization|cookies?|otp|(api|private|signing|access|secret|encryption)_?keys?)$|^response_urls?$/;

/** By its end, as in `client_secret` and `botAccessToken`: a `token_type` tells nothing. */
const soundsSecret = (key: string): boolean =>
  SECRET.test(
    key
      .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
      .replaceAll('-', '_')
      .toLowerCase(),
  );
