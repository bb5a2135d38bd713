import { ENCODER } from './async.ts';
import { fromBase64, toBase64 } from './content.ts';
import { mapTexts } from './json.ts';

const inspect: unique symbol = Symbol.for('nodejs.util.inspect.custom');

type HiddenForms = readonly (readonly [name: string, written: string])[];

/**
 * Returns the error for a missing secret. It includes a name such as `STRIPE_KEY`, since secrets do not look
 * like that.
 */
const createMissingSecretError = (name: string): string => {
  const which =
    /^[A-Z]+(_[A-Z]+)+$/.test(name) && name.length <= 40
      ? `'${name}'`
      : 'with the name passed to `secrets.require`';
  return `There is no secret ${which}. Return it from \`secrets\` of createHoldfast.`;
};

/**
 * Credentials for the tools of one invocation. They are never journaled: for a resumed turn, the app mints
 * them again. Printing them or converting them to JSON shows only their names.
 */
export class Secrets {
  /** The empty set of secrets. */
  static readonly NONE: Secrets = new Secrets(new Map());

  readonly #values: ReadonlyMap<string, string>;
  /**
   * The texts to redact, each with the name of its secret. Longest first, since one secret can contain
   * another.
   */
  readonly #hidden: HiddenForms;
  #find: BeginningFinder | undefined;
  /** The last long text without secrets, cached because a result is redacted more than once. */
  #clean = '';

  private constructor(values: ReadonlyMap<string, string>, others: HiddenForms = []) {
    this.#values = values;
    const own = [...values]
      .flatMap(([name, secret]) =>
        [secret, ...listHeaderCredentials(secret)].map((value) => [name, value] as const),
      )
      .filter(([, value]) => value.length >= MIN_REDACTED_CHARACTERS)
      .flatMap(([name, value]) => [...listWrittenForms(value)].map((written) => [name, written] as const));
    this.#hidden = [...own, ...others].sort(([, a], [, b]) => b.length - a.length);
  }

  /** Copies the values, except for `undefined`. */
  static of(values: Readonly<Record<string, string | undefined>>): Secrets {
    const given = Object.entries(values).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    );
    return given.length === 0 ? Secrets.NONE : new Secrets(new Map(given));
  }

  /**
   * Returns the same secrets. They also redact the secrets of another set, but do not give access to them.
   */
  hidingToo(others: Secrets): Secrets {
    return others.#hidden.length === 0 ? this : new Secrets(this.#values, others.#hidden);
  }

  /** `true` if there are no secrets and no texts to redact. */
  get isEmpty(): boolean {
    return this.#values.size + this.#hidden.length === 0;
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  /**
   * Returns the secret of this name.
   *
   * @throws Error if there is none. The message does not repeat a text that could itself be a secret.
   */
  require(name: string): string {
    const value = this.#values.get(name);
    if (value === undefined) throw new Error(createMissingSecretError(name));
    return value;
  }

  keys(): readonly string[] {
    return [...this.#values.keys()];
  }

  /**
   * Returns a copy of JSON-like data with the secrets redacted in its strings and keys. This includes secrets
   * inside longer texts, in JSON, URL and base64 encoding, and cut off by an ellipsis (`…` or `...`). If a
   * secret is a whole `Authorization` header, its credentials are redacted too. Other encodings are not
   * covered. Returns the data itself if there are no secrets of at least six characters.
   */
  redact<T>(value: T): T {
    const hidden = this.#hidden;
    if (hidden.length === 0) return value;
    // The last entry is the shortest.
    const [, { length: least } = ''] = hidden.at(-1) ?? [];
    const clean = (text: string): string =>
      findPossibleSecrets(text, hidden).reduce(
        (left, [name, secret]) =>
          left.length >= secret.length && left.includes(secret)
            ? left.replaceAll(secret, () => `[secret ${name}]`)
            : left,
        text,
      );
    // Skips texts that are too short to contain a secret, so that a big result with many of them stays cheap.
    const redactWhole = (text: string): string => {
      if (text === this.#clean) return text;
      const left = ELLIPSES.reduce(
        (rest, mark) => (rest.includes(mark) ? redactCutSecrets(rest, mark, this.#beginningAt()) : rest),
        text.length < least ? text : clean(text),
      );
      if (left.length >= LONG_TEXT_CHARACTERS) this.#clean = left;
      return left;
    };
    return mapTexts(value, redactWhole);
  }

  /**
   * Passes on text that arrives in pieces, with secrets redacted even if they span pieces. A possible
   * beginning of a secret is held back until more of the same text arrives, another text begins, or `end` is
   * called.
   */
  redactPieces<Text>(hand: (piece: string, of: Text) => void): PieceRedactor<Text> {
    let held = '';
    let last: Text;
    const end = (): void => {
      if (held !== '') hand(this.redact(held), last);
      held = '';
    };
    return {
      take: (piece, of) => {
        if (piece === '') return;
        if (of !== last) end();
        last = of;
        const text = held + piece;
        const known = findRedactableEnd(text, this.#hidden, this.#beginningAt());
        held = text.slice(known);
        if (known > 0) hand(this.redact(text.slice(0, known)), of);
      },
      end,
    };
  }

  /** Returns the finder, which is created on first use, since most texts are not cut. */
  #beginningAt(): BeginningFinder {
    this.#find ??= createBeginningFinder(this.#hidden);
    return this.#find;
  }

  toJSON(): readonly string[] {
    return this.keys();
  }

  toString(): string {
    return `Secrets(${this.keys().join(', ')})`;
  }

  [inspect](): string {
    return this.toString();
  }
}

/** Redacts beginnings of secrets before an ellipsis, since quoted text is often cut. */
function redactCutSecrets(text: string, mark: string, beginningAt: BeginningFinder): string {
  let left = '';
  let copied = 0;
  let from = 0;
  for (let end = text.indexOf(mark); end >= 0; end = text.indexOf(mark, end + mark.length)) {
    const found =
      end - from < MIN_REDACTED_CHARACTERS
        ? undefined
        : beginningAt(text, { from, end, least: MIN_REDACTED_CHARACTERS });
    from = end;
    if (!found) continue;
    left += `${text.slice(copied, found.at)}[secret ${found.name}]`;
    copied = end;
  }
  return copied === 0 ? text : left + text.slice(copied);
}

/**
 * The length in characters from which a text is scanned once for all secrets before it is searched for each.
 */
const LONG_TEXT_CHARACTERS = 16_384;

/**
 * Returns the secrets that a text may contain. A long text may contain a secret if all four-character
 * sequences of the secret occur in the text.
 */
function findPossibleSecrets(text: string, hidden: HiddenForms): HiddenForms {
  if (text.length < LONG_TEXT_CHARACTERS) return hidden;
  const bits = 2 ** Math.min(23, Math.ceil(Math.log2(text.length)) + 1);
  const seen = new Uint8Array(bits / 8);
  const add = (hash: number): void => {
    seen[(hash & (bits - 1)) >>> 3] = (seen[(hash & (bits - 1)) >>> 3] ?? 0) | (1 << (hash & 7));
  };
  const has = (hash: number): boolean => ((seen[(hash & (bits - 1)) >>> 3] ?? 0) & (1 << (hash & 7))) !== 0;
  visitHashes(text, (hash) => {
    add(hash);
    return true;
  });
  return hidden.filter(([, secret]) => visitHashes(secret, has));
}

/**
 * Hashes every four-character sequence until `visit` returns `false`. Returns whether `visit` always returned
 * `true`.
 */
function visitHashes(text: string, visit: (hash: number) => boolean): boolean {
  let [a, b, c] = [text.charCodeAt(0), text.charCodeAt(1), text.charCodeAt(2)];
  for (let at = 3; at < text.length; at += 1) {
    const d = text.charCodeAt(at);
    const hash = Math.imul(Math.imul(Math.imul(Math.imul(a, 31) + b, 131) + c, 1_313) + d, 0x9e3779b1);
    if (!visit(hash ^ (hash >>> 15))) return false;
    [a, b, c] = [b, c, d];
  }
  return true;
}

/** The ellipses that mark a cut text. */
const ELLIPSES = ['…', '...'] as const;

/**
 * Returns the end of the part that can be redacted now, regardless of the text that follows. The end does not
 * split a complete secret.
 */
function findRedactableEnd(text: string, hidden: HiddenForms, beginningAt: BeginningFinder): number {
  let end = openSecretStart(text, beginningAt);
  // The longest secret is redacted first. Repetitions of a secret that overlaps itself are not held back.
  const [, longest = `${text}.`] = hidden.find(([, secret]) => text.includes(secret)) ?? [];
  const known = end - (text.slice(0, end).split(longest).at(-1) ?? '').length;
  for (let before = -1; before !== end; ) {
    before = end;
    for (const [, secret] of hidden) {
      const at = text.indexOf(secret, end - secret.length + 1);
      if (at >= 0 && at < end) end = Math.max(at, known);
    }
  }
  return end;
}

/**
 * Returns the position of a possible beginning of a secret at the end of the text, even if part of an
 * ellipsis follows. Returns the text's length if there is no such beginning.
 */
const openSecretStart = (text: string, beginningAt: BeginningFinder): number =>
  ['', '.', '..'].reduce(
    (open, dots) =>
      text.endsWith(dots)
        ? Math.min(
            open,
            beginningAt(text, { end: text.length - dots.length, least: dots ? MIN_REDACTED_CHARACTERS : 1 })
              ?.at ?? open,
          )
        : open,
    text.length,
  );

/** Returns the longest proper beginning of a secret at the end of the text between `from` and `end`. */
type BeginningFinder = (
  text: string,
  place: { readonly from?: number; readonly end: number; readonly least: number },
) => { readonly at: number; readonly name: string } | undefined;

/** Creates a search whose cost hardly depends on the number of secrets. */
function createBeginningFinder(hidden: HiddenForms): BeginningFinder {
  // Secrets with the same beginning are neighbors.
  const sorted = [...hidden].sort(([, a], [, b]) => (a < b ? -1 : 1));
  const [, longest = ''] = hidden[0] ?? [];
  const findSecretName = (text: string, at: number, end: number): string | undefined => {
    for (let low = 0, high = sorted.length; low < high; ) {
      const middle = (low + high) >>> 1;
      const [name, secret] = sorted[middle] as HiddenForms[number]; // `middle` is within bounds.
      let same = 0;
      while (at + same < end && secret.charCodeAt(same) === text.charCodeAt(at + same)) same += 1;
      if (at + same === end && same < secret.length) return name;
      // Comparisons with NaN, past the end, are false.
      if (!(secret.charCodeAt(same) > text.charCodeAt(at + same))) low = middle + 1;
      else high = middle;
    }
    return undefined;
  };
  return (text, { from = 0, end, least }) => {
    for (let at = Math.max(from, end - longest.length + 1); at <= end - least; at += 1) {
      const name = findSecretName(text, at, end);
      if (name !== undefined) return { at, name };
    }
    return undefined;
  };
}

/** Redacts secrets in text that arrives in pieces. */
export interface PieceRedactor<Text> {
  take(piece: string, of: Text): void;
  /** Passes on the held text at the end of the input. */
  end(): void;
}

/**
 * Returns the text of a var, a secret or a Secrets Store binding, without surrounding whitespace. Returns ''
 * if it is not set. Rejects with any error of the store.
 */
export async function readSecretText(value: unknown): Promise<string> {
  const text: unknown = isSecretsStoreBinding(value) ? await value.get() : value;
  return typeof text === 'string' ? text.trim() : '';
}

/** Returns whether a value is a Secrets Store binding, whose text must be fetched. */
export const isSecretsStoreBinding = (value: unknown): value is { get(): Promise<unknown> } =>
  typeof value === 'object' && value !== null && 'get' in value && typeof value.get === 'function';

/**
 * The minimum length of a redacted secret. Shorter texts occur by chance, and redacting them would garble
 * results.
 */
export const MIN_REDACTED_CHARACTERS = 6;

/**
 * Returns a secret and its encodings in JSON, URLs and base64. Some encoders escape `/` in JSON as `\\/`, and
 * use lowercase percent escapes.
 */
export const listWrittenForms = (secret: string): ReadonlySet<string> => {
  const plain = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    new URLSearchParams({ '': secret }).toString().slice(1),
  ];
  const inBase64 = listBase64Forms(ENCODER.encode(secret)).flatMap((form) => [
    form,
    form.replaceAll('+', '-').replaceAll('/', '_'),
    encodeURIComponent(form),
  ]);
  return new Set([...plain, ...inBase64].flatMap(listVariants));
};

const listVariants = (written: string): readonly string[] => [
  written,
  written.replaceAll('/', '\\/'),
  written.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase()),
];

/**
 * Returns the base64 of a secret, and its visible parts in the base64 of a longer text, as in `Basic`
 * credentials. These depend on the number of preceding bytes, since three bytes become four characters.
 * Characters that also encode neighboring bytes are left out.
 */
function listBase64Forms(bytes: Uint8Array): readonly string[] {
  const alone = toBase64(bytes);
  const inside = [0, 1, 2].map((before) => {
    const padded = new Uint8Array(before + bytes.length);
    padded.set(bytes, before);
    return toBase64(padded).slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3));
  });
  return [alone, alone.replace(/=+$/, ''), ...inside];
}

/**
 * Returns the credentials in a whole `Authorization` header. For Basic credentials, includes the decoded pair
 * and the password.
 */
export function listHeaderCredentials(secret: string): readonly string[] {
  const [, scheme = '', credentials = ''] = /^(basic|bearer) +(\S+)$/i.exec(secret) ?? [];
  const pair = scheme.toLowerCase() === 'basic' && fromBase64(credentials);
  if (!pair) return [credentials];
  const words = new TextDecoder().decode(pair);
  return [credentials, words, words.slice(words.indexOf(':') + 1)];
}
