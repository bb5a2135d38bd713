import { ENCODER } from './async.ts';
import { fromBase64, toBase64 } from './content.ts';
import { mapTexts } from './json.ts';

const inspect: unique symbol = Symbol.for('nodejs.util.inspect.custom');

type Hidden = readonly (readonly [name: string, written: string])[];

/** A name such as `STRIPE_KEY` is repeated, since no secret looks like it. */
const noSecret = (name: string): string => {
  const which =
    /^[A-Z]+(_[A-Z]+)+$/.test(name) && name.length <= 40
      ? `'${name}'`
      : 'of the name that `secrets.require` was given';
  return `There is no secret ${which}: mint it in \`secrets\` of createHoldfast.`;
};

/**
 * Credentials for the tools of one invocation. They are never journaled: a resumed turn gets them anew from the app.
 * Printing them, or writing them as JSON, shows their names only.
 */
export class Secrets {
  /** The bag without secrets. */
  static readonly NONE: Secrets = new Secrets(new Map());

  readonly #values: ReadonlyMap<string, string>;
  /** What is replaced, under the name of its secret; the longest first, since one secret may hold another. */
  readonly #hidden: Hidden;
  #find: FindBeginning | undefined;
  /** The last long text that came out without secrets: a result is looked through more than once. */
  #clean = '';

  private constructor(values: ReadonlyMap<string, string>, others: Hidden = []) {
    this.#values = values;
    const own = [...values]
      .flatMap(([name, secret]) => [secret, ...carriedBy(secret)].map((value) => [name, value] as const))
      .filter(([, value]) => value.length >= MIN_REDACTED)
      .flatMap(([name, value]) => [...writtenForms(value)].map((written) => [name, written] as const));
    this.#hidden = [...own, ...others].sort(([, a], [, b]) => b.length - a.length);
  }

  /** Copies the values; those that are `undefined` are left out. */
  static of(values: Readonly<Record<string, string | undefined>>): Secrets {
    const given = Object.entries(values).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    );
    return given.length === 0 ? Secrets.NONE : new Secrets(new Map(given));
  }

  /** The same secrets, which take those of another bag out of texts too, and give them to nobody. */
  hidingToo(others: Secrets): Secrets {
    return others.#hidden.length === 0 ? this : new Secrets(this.#values, others.#hidden);
  }

  /** Whether nothing is taken out of any text, and there is nothing to give. */
  get isEmpty(): boolean {
    return this.#values.size + this.#hidden.length === 0;
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  /** @throws Error if there is no secret of this name. It repeats no text that may be a secret, given in place of its name. */
  require(name: string): string {
    const value = this.#values.get(name);
    if (value === undefined) throw new Error(noSecret(name));
    return value;
  }

  keys(): readonly string[] {
    return [...this.#values.keys()];
  }

  /**
   * A copy of JSON-like data without any of the secrets in its texts and keys, also as they are written in JSON, in a URL and in
   * base64, alone or inside of a longer text, or cut by an ellipsis (`…` or `...`); the data itself when there are none of six characters or
   * more. Of a secret that is a whole `Authorization` header, what it carries is taken out too. Other encodings are not looked for.
   */
  redact<T>(value: T): T {
    const hidden = this.#hidden;
    if (hidden.length === 0) return value;
    // The last is the shortest.
    const [, { length: least } = ''] = hidden.at(-1) ?? [];
    const clean = (text: string): string =>
      heldIn(text, hidden).reduce(
        (left, [name, secret]) =>
          left.length >= secret.length && left.includes(secret)
            ? left.replaceAll(secret, () => `[secret ${name}]`)
            : left,
        text,
      );
    // Most texts of a long list are too short to hold one, and are not looked into, so that a big result costs little.
    const whole = (text: string): string => {
      if (text === this.#clean) return text;
      const left = ELLIPSES.reduce(
        (rest, mark) => (rest.includes(mark) ? withoutCut(rest, mark, this.#beginningAt()) : rest),
        text.length < least ? text : clean(text),
      );
      if (left.length >= LONG) this.#clean = left;
      return left;
    };
    return mapTexts(value, whole);
  }

  /**
   * Hands on texts that come in pieces, without the secrets that `redact` finds, also those that two pieces hold together: what may be the
   * beginning of one is held back until more of the same text has come, or any of another one, or `end`.
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
        const known = knownEnd(text, this.#hidden, this.#beginningAt());
        held = text.slice(known);
        if (known > 0) hand(this.redact(text.slice(0, known)), of);
      },
      end,
    };
  }

  /** Made when it is first needed, since most texts are not cut. */
  #beginningAt(): FindBeginning {
    this.#find ??= toFindBeginning(this.#hidden);
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

/** Replaces the beginnings of secrets that an ellipsis cuts off: a text that is quoted is often cut. */
function withoutCut(text: string, mark: string, beginningAt: FindBeginning): string {
  let left = '';
  let copied = 0;
  let from = 0;
  for (let end = text.indexOf(mark); end >= 0; end = text.indexOf(mark, end + mark.length)) {
    const found =
      end - from < MIN_REDACTED ? undefined : beginningAt(text, { from, end, least: MIN_REDACTED });
    from = end;
    if (!found) continue;
    left += `${text.slice(copied, found.at)}[secret ${found.name}]`;
    copied = end;
  }
  return copied === 0 ? text : left + text.slice(copied);
}

/** From so many characters on, a text is looked through once for all secrets, before any of them is searched for. */
const LONG = 16_384;

/** Returns those of the secrets that the text may hold: of a long one those whose every four characters in a row are somewhere in it. */
function heldIn(text: string, hidden: Hidden): Hidden {
  if (text.length < LONG) return hidden;
  const bits = 2 ** Math.min(23, Math.ceil(Math.log2(text.length)) + 1);
  const seen = new Uint8Array(bits / 8);
  const add = (hash: number): void => {
    seen[(hash & (bits - 1)) >>> 3] = (seen[(hash & (bits - 1)) >>> 3] ?? 0) | (1 << (hash & 7));
  };
  const has = (hash: number): boolean => ((seen[(hash & (bits - 1)) >>> 3] ?? 0) & (1 << (hash & 7))) !== 0;
  eachFour(text, (hash) => {
    add(hash);
    return true;
  });
  return hidden.filter(([, secret]) => eachFour(secret, has));
}

/** Hashes every four characters in a row until `visit` returns `false`. Returns whether it never did. */
function eachFour(text: string, visit: (hash: number) => boolean): boolean {
  let [a, b, c] = [text.charCodeAt(0), text.charCodeAt(1), text.charCodeAt(2)];
  for (let at = 3; at < text.length; at += 1) {
    const d = text.charCodeAt(at);
    const hash = Math.imul(Math.imul(Math.imul(Math.imul(a, 31) + b, 131) + c, 1_313) + d, 0x9e3779b1);
    if (!visit(hash ^ (hash >>> 15))) return false;
    [a, b, c] = [b, c, d];
  }
  return true;
}

/** How texts that are cut are written to end. */
const ELLIPSES = ['…', '...'] as const;

/** Up to where it is known what is a secret, whatever comes next; a whole one is not cut in two. */
function knownEnd(text: string, hidden: Hidden, beginningAt: FindBeginning): number {
  let end = openFrom(text, beginningAt);
  // The longest is taken out first. A long run of one that overlaps itself is not held back.
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

/** Where the text ends with the beginning of a secret, also with some of an ellipsis after it; its length if it does not. */
const openFrom = (text: string, beginningAt: FindBeginning): number =>
  ['', '.', '..'].reduce(
    (open, dots) =>
      text.endsWith(dots)
        ? Math.min(
            open,
            beginningAt(text, { end: text.length - dots.length, least: dots ? MIN_REDACTED : 1 })?.at ?? open,
          )
        : open,
    text.length,
  );

/** Returns the longest beginning of a secret that is not all of it in the text from `from` to `end`, at its end. */
type FindBeginning = (
  text: string,
  place: { readonly from?: number; readonly end: number; readonly least: number },
) => { readonly at: number; readonly name: string } | undefined;

/** Creates a search whose cost hardly depends on how many secrets there are. */
function toFindBeginning(hidden: Hidden): FindBeginning {
  // Those that begin alike are neighbors.
  const sorted = [...hidden].sort(([, a], [, b]) => (a < b ? -1 : 1));
  const [, longest = ''] = hidden[0] ?? [];
  const nameOf = (text: string, at: number, end: number): string | undefined => {
    for (let low = 0, high = sorted.length; low < high; ) {
      const middle = (low + high) >>> 1;
      const [name, secret] = sorted[middle] as Hidden[number]; // `middle` is within
      let same = 0;
      while (at + same < end && secret.charCodeAt(same) === text.charCodeAt(at + same)) same += 1;
      if (at + same === end && same < secret.length) return name;
      // No letter is less than any.
      if (!(secret.charCodeAt(same) > text.charCodeAt(at + same))) low = middle + 1;
      else high = middle;
    }
    return undefined;
  };
  return (text, { from = 0, end, least }) => {
    for (let at = Math.max(from, end - longest.length + 1); at <= end - least; at += 1) {
      const name = nameOf(text, at, end);
      if (name !== undefined) return { at, name };
    }
    return undefined;
  };
}

/** Takes secrets out of texts that come in pieces. */
export interface PieceRedactor<Text> {
  take(piece: string, of: Text): void;
  /** Hands on what was held back: nothing more comes. */
  end(): void;
}

/**
 * The text of a var, of a secret or of a binding of the Secrets Store, without the line ends that it was pasted with; '' for what
 * is not set. Rejects with what the store does.
 */
export async function secretText(value: unknown): Promise<string> {
  const text: unknown = isStored(value) ? await value.get() : value;
  return typeof text === 'string' ? text.trim() : '';
}

/** A binding of the Secrets Store: its text is not in the environment, but asked for. */
export const isStored = (value: unknown): value is { get(): Promise<unknown> } =>
  typeof value === 'object' && value !== null && 'get' in value && typeof value.get === 'function';

/** Shorter values occur by chance, and replacing them would garble honest results. */
export const MIN_REDACTED = 6;

/**
 * Returns a secret as it is, and as it is written in JSON text, in a URL and in base64: some writers escape `/` in JSON as `\\/`,
 * and write percent escapes in lower case.
 */
export const writtenForms = (secret: string): ReadonlySet<string> => {
  const plain = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    new URLSearchParams({ '': secret }).toString().slice(1),
  ];
  const inBase64 = base64Forms(ENCODER.encode(secret)).flatMap((form) => [
    form,
    form.replaceAll('+', '-').replaceAll('/', '_'),
    encodeURIComponent(form),
  ]);
  return new Set([...plain, ...inBase64].flatMap(variants));
};

const variants = (written: string): readonly string[] => [
  written,
  written.replaceAll('/', '\\/'),
  written.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase()),
];

/**
 * The base64 of a secret alone, and what of it shows in the base64 of a longer text, as in `Basic` credentials: three bytes are
 * four characters, so that depends on how many bytes come before it, and a character that it shares with others is not its own.
 */
function base64Forms(bytes: Uint8Array): readonly string[] {
  const alone = toBase64(bytes);
  const inside = [0, 1, 2].map((before) => {
    const padded = new Uint8Array(before + bytes.length);
    padded.set(bytes, before);
    return toBase64(padded).slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3));
  });
  return [alone, alone.replace(/=+$/, ''), ...inside];
}

/** Returns what a whole `Authorization` header carries: its credentials, and of Basic ones the pair and the password. */
export function carriedBy(secret: string): readonly string[] {
  const [, scheme = '', credentials = ''] = /^(basic|bearer) +(\S+)$/i.exec(secret) ?? [];
  const pair = scheme.toLowerCase() === 'basic' && fromBase64(credentials);
  if (!pair) return [credentials];
  const words = new TextDecoder().decode(pair);
  return [credentials, words, words.slice(words.indexOf(':') + 1)];
}
