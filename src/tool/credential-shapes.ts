import { isJsonObject, type Json } from './json.ts';

/** Where issuers mark what they give out, or whoever writes it down says what it is. Each looks at a bounded part of a text. */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY/,
  /\beyJ[\w-]{6,400}\.[\w-]{6}/, // a JSON Web Token
  /\b[sr]k[-_](?=[\w-]{0,200}\d)[\w-]{16}/,
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
  if (typeof value === 'string') return isCredential(value) ? [] : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  if (isJsonObject(value) && Object.keys(value).some(isCredential)) return [];
  for (const [key, inner] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const at = credentialIn(inner);
    if (at) return [key, ...at];
  }
  return undefined;
}

const isCredential = (text: string): boolean =>
  SHAPES.some((shape) => shape.test(text)) ||
  Array.from(text.matchAll(/[A-Za-z0-9+/_-]{32,}/g), String).some(isRandom);

/** How many of a hundred neighbours are of two kinds where letters and digits are drawn at random: some 60. In names, some 20. */
const MIN_CHANGES = 35;

/** Tells a text that was drawn from capitals, small letters and digits from one that somebody has named. */
function isRandom(text: string): boolean {
  const kinds = Array.from(text, (one) => KINDS.findIndex((kind) => kind.test(one)));
  const isMixed = KINDS.every((_, kind) => kinds.filter((one) => one === kind).length >= 3);
  const changes = kinds.filter((kind, at) => kind >= 0 && at > 0 && kinds[at - 1] !== kind).length;
  return isMixed && changes * 100 >= text.length * MIN_CHANGES;
}

const KINDS = [/[a-z]/, /[A-Z]/, /\d/];
