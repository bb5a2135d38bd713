import { attempt } from '../../tool/async.ts';

/** The variables in braces of a URI template. Any text if the URI is not known at compile time. */
export type UriVariables<Uri extends string> = string extends Uri
  ? string
  : Uri extends `${string}{${infer Name}}${infer Rest}`
    ? Name | UriVariables<Rest>
    : never;

/** The URI itself if it is a valid template. Otherwise a description of the problem. */
export type CheckedUri<Uri extends string> = string extends Uri
  ? string
  : [UriFault<Uri>] extends [never]
    ? Uri
    : UriFault<Uri>;

type UriFault<Uri extends string> = Uri extends `${infer Before}{${infer Name}}${infer Rest}`
  ? Before extends `${string}}${string}`
    ? 'a brace in this uri has no matching brace'
    : IsName<Name> extends true
      ? Rest extends `{${string}`
        ? 'two variables of this uri have no text between them'
        : UriFault<Rest>
      : `{${Name}} is not a variable. Use a name in braces, of letters, digits and _, and none of RFC 6570's operators`
  : Uri extends `${string}{${string}` | `${string}}${string}`
    ? 'a brace in this uri has no matching brace'
    : never;

type IsName<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? First extends Letter
    ? Rest extends ''
      ? true
      : HasNameCharacters<Rest>
    : false
  : false;

type HasNameCharacters<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? First extends Letter | Digit
    ? HasNameCharacters<Rest>
    : false
  : true;

type LowercaseLetter =
  | ('a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm')
  | ('n' | 'o' | 'p' | 'q' | 'r' | 's' | 't' | 'u' | 'v' | 'w' | 'x' | 'y' | 'z');
type Letter = LowercaseLetter | Uppercase<LowercaseLetter> | '_';
type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';

/**
 * A parsed URI template (RFC 6570, level 1). There is a variable between every two texts. A URI without
 * variables is one text.
 */
export interface UriTemplate {
  readonly texts: readonly string[];
  readonly names: readonly string[];
}

/** Parses a URI for which `findUriProblem` returns `undefined`. */
export function toTemplate(uri: string): UriTemplate {
  const parts = uri.split(/\{([^{}]*)\}/);
  return {
    texts: parts.filter((_, index) => index % 2 === 0),
    names: parts.filter((_, index) => index % 2 === 1),
  };
}

/** Returns the problem with a template, as a sentence without its subject, or `undefined` for a valid one. */
export function findUriProblem(uri: string): string | undefined {
  const { texts, names } = toTemplate(uri);
  if (!/^[a-z][a-z\d+.-]*:/i.test(texts[0] ?? '')) return 'has no scheme. Use one, as in orders://{order}';
  const name = names.find((one) => !/^[A-Za-z_]\w*$/.test(one));
  if (name !== undefined) {
    return `has {${name}}, which is not a variable. Use a name in braces, of letters, digits and _, and none of RFC 6570's operators`;
  }
  const twice = names.find((one, index) => names.indexOf(one) !== index);
  if (twice !== undefined) return `has {${twice}} twice. Use another name`;
  if (texts.slice(1, -1).includes('')) return 'has two variables with no text between them. Separate them';
  if (texts.some((text) => !/^[\w.~:/?#[\]@!$&'()*+,;=%-]*$/.test(text))) {
    return 'has characters that a uri cannot contain, or a brace without a matching one. Percent-encode them';
  }
  return undefined;
}

/** The values of a template's variables by name, or the first variable with an invalid value. */
export type MatchedValues =
  | { readonly ok: true; readonly values: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly name: string };

/**
 * Returns the decoded values of a template's variables in a URI, or `undefined` if the URI does not match.
 * The value of a variable ends at the first occurrence of the following text, so a URI has only one
 * interpretation, and reading it takes linear time. A value contains no `/`, `?` or `#`.
 */
export function matchUri({ texts, names }: UriTemplate, uri: string): MatchedValues | undefined {
  const [first = '', ...behind] = texts;
  if (!uri.startsWith(first) || (names.length === 0 && uri !== first)) return undefined;
  const values: [string, string][] = [];
  let wrong: string | undefined;
  let at = first.length;
  for (const [index, name] of names.entries()) {
    const text = behind[index] ?? '';
    const end = index < names.length - 1 ? uri.indexOf(text, at) : findLastEnd(uri, text);
    const written = uri.slice(at, end);
    if (end <= at || /[/?#]/.test(written)) return undefined;
    const value = attempt(() => decodeURIComponent(written));
    if (value.ok && isValue(value.value)) values.push([name, value.value]);
    else wrong ??= name;
    at = end + text.length;
  }
  return wrong === undefined ? { ok: true, values: Object.fromEntries(values) } : { ok: false, name: wrong };
}

/** Returns the index where the last variable ends, before the template's final text, or -1. */
const findLastEnd = (uri: string, text: string): number =>
  uri.endsWith(text) ? uri.length - text.length : -1;

/** The rule for a variable's value, as text. A valid value is safe in a path. */
export const VALUE_RULE =
  "percent-encoded text without slashes, backslashes and control characters, and neither '.' nor '..'";

const isValue = (text: string): boolean => text !== '' && !/^\.\.?$|[/\\\p{Cc}]/u.test(text);

/** Inserts values for the variables. @throws Error that names a variable without a valid value. */
export function expand({ texts, names }: UriTemplate, values: Readonly<Record<string, unknown>>): string {
  const [first = '', ...behind] = texts;
  return names.reduce((uri, name, index) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (typeof value !== 'string' || !isValue(value))
      throw new Error(`{${name}} of a uri must be ${VALUE_RULE.replace('percent-encoded ', '')}.`);
    const [written, text] = [encodeURIComponent(value.toWellFormed()), behind[index] ?? ''];
    if (index < names.length - 1 && (written + text).indexOf(text) < written.length)
      throw new Error(
        `{${name}} of a uri must not contain '${text}', which follows it, or end with the start of that text.`,
      );
    return uri + written + text;
  }, first);
}
