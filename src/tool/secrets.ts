import { fromBase64, toBase64 } from './base64.ts';
import { mapTexts } from './json.ts';

const inspect: unique symbol = Symbol.for('nodejs.util.inspect.custom');

type Hidden = readonly (readonly [name: string, written: string])[];

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

  /** @throws Error that names the secret when there is none of this name. */
  require(name: string): string {
    const value = this.#values.get(name);
    if (value === undefined) throw new Error(`There is no secret '${name.slice(0, 80)}'.`);
    return value;
  }

  keys(): readonly string[] {
    return [...this.#values.keys()];
  }

  /**
   * A copy of JSON-like data without any of the secrets in its texts and keys, also as they are written in JSON, in a URL and in
   * base64, alone or inside of a longer text, or cut by an ellipsis; the data itself when there are none of six characters or
   * more. Of a secret that is a whole `Authorization` header, what it carries is taken out too. Other encodings are not looked for.
   */
  redact<T>(value: T): T {
    const hidden = this.#hidden;
    if (hidden.length === 0) return value;
    // The last is the shortest.
    const [, { length: least } = ''] = hidden.at(-1) ?? [];
    const clean = (text: string): string =>
      hidden.reduce(
        (left, [name, secret]) =>
          left.length >= secret.length && left.includes(secret)
            ? left.replaceAll(secret, () => `[secret ${name}]`)
            : left,
        text,
      );
    // Most texts of a long list are too short to hold one, and are not looked into, so that a big result costs little.
    const whole = (text: string): string => {
      const left = text.length < least ? text : clean(text);
      return left.includes('…') ? withoutCut(left, hidden) : left;
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
        const known = knownEnd(text, this.#hidden);
        held = text.slice(known);
        if (known > 0) hand(this.redact(text.slice(0, known)), of);
      },
      end,
    };
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

/** What quotes a long text cuts it, and may have left the beginning of a secret before the ellipsis. */
const withoutCut = (text: string, hidden: Hidden): string =>
  text
    .split('…')
    .map((part, i, { length }) => (i === length - 1 ? part : hidden.reduce(withoutBeginning, part)))
    .join('…');

/** The text without the beginning of the secret at its end. */
function withoutBeginning(text: string, [name, secret]: Hidden[number]): string {
  const at = beginningIn(text, secret);
  return text.length - at < MIN_REDACTED ? text : `${text.slice(0, at)}[secret ${name}]`;
}

/** Up to where it is known what is a secret, whatever comes next; a whole one is not cut in two. */
function knownEnd(text: string, hidden: Hidden): number {
  let end = hidden.reduce((least, [, secret]) => Math.min(least, beginningIn(text, secret)), text.length);
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

/** Where the text ends with a beginning of the secret that is not all of it; its length when it does not. */
function beginningIn(text: string, secret: string): number {
  const first = secret.slice(0, 1);
  let at = text.indexOf(first, text.length - secret.length + 1);
  while (at >= 0 && !secret.startsWith(text.slice(at))) at = text.indexOf(first, at + 1);
  return at < 0 ? text.length : at;
}

/** Takes secrets out of texts that come in pieces. */
interface PieceRedactor<Text> {
  take(piece: string, of: Text): void;
  /** Hands on what was held back: nothing more comes. */
  end(): void;
}

/** As it is, and as it stands in JSON text, in a URL and in base64. */
const writtenForms = (secret: string): ReadonlySet<string> =>
  new Set([
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    new URLSearchParams({ '': secret }).toString().slice(1),
    ...base64Forms(new TextEncoder().encode(secret)).flatMap((form) => [
      form,
      form.replaceAll('+', '-').replaceAll('/', '_'),
      encodeURIComponent(form),
    ]),
  ]);

/**
 * The base64 of a secret alone, and what of it shows in the base64 of a longer text, as in `Basic` credentials: three bytes are
 * four characters, so that depends on how many bytes stand before it, and a character that it shares with others is not its own.
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

/** What a whole `Authorization` header carries: its credentials, and of Basic ones the pair and the password. */
function carriedBy(secret: string): readonly string[] {
  const [, scheme = '', credentials = ''] = /^(basic|bearer) +(\S+)$/i.exec(secret) ?? [];
  const pair = scheme.toLowerCase() === 'basic' && fromBase64(credentials);
  if (!pair) return [credentials];
  const words = new TextDecoder().decode(pair);
  return [credentials, words, words.slice(words.indexOf(':') + 1)];
}

/** Shorter values occur by chance, and replacing them would garble honest results. */
const MIN_REDACTED = 6;

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
