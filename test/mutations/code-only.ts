/**
 * The text of a TypeScript file, as long as before, in which nothing is left of comments, strings and regular expressions
 * but blanks and the quotes of strings: every bracket in it is one of the code. What stands inside `${...}` of a template is
 * code.
 */
export function codeOnly(text: string): string {
  const parts: string[] = [];
  /** Braces that are open inside each `${` that is, the innermost last. */
  const templates: number[] = [];
  let before = '';
  for (let at = 0, isTemplate = false; at < text.length; ) {
    const token: string = isTemplate ? match(TEMPLATE, text, at) : tokenAt(text, at, before);
    at += token.length;
    if (isTemplate) {
      const isOver = token.endsWith('`');
      parts.push(`${blank(token.slice(0, -1))}${isOver ? '`' : ' '}`);
      before = isOver ? '`' : '{';
      isTemplate = false;
      if (!isOver) templates.push(0);
      continue;
    }
    const depth = templates.at(-1);
    const endsCode = token === '}' && depth === 0;
    isTemplate = token === '`' || endsCode;
    if (endsCode) templates.pop();
    else if (depth !== undefined) templates[templates.length - 1] = depth + change(token);
    parts.push(endsCode ? ' ' : shown(token));
    if (!NOTHING.test(token)) before = token;
  }
  return parts.join('');
}

const change = (token: string): number => (token === '{' ? 1 : token === '}' ? -1 : 0);

/** The text of a template as far as its end, or to the code inside it. */
const TEMPLATE = /(?:\\[\s\S]|\$(?!\{)|[^\\`$])*(?:`|\$\{|$)/y;
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:\\[\s\S]|[^'\\\n])*'?|"(?:\\[\s\S]|[^"\\\n])*"?|\s+|#?[\w$]+|[\s\S]/y;
const REGULAR_EXPRESSION = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
/** Blanks and comments. */
const NOTHING = /^(?:\s|\/[/*])/;

/** Behind these a slash divides. Behind all else, and behind a word that is no value, a regular expression begins. */
const VALUE = /^[\w$#'"`)\]}]/;
const NO_VALUE =
  /^(?:return|typeof|instanceof|in|of|case|do|else|new|delete|void|throw|yield|await|extends)$/;

function tokenAt(text: string, at: number, before: string): string {
  const mayBegin = !VALUE.test(before) || NO_VALUE.test(before);
  const expression = mayBegin && text[at] === '/' ? match(REGULAR_EXPRESSION, text, at) : '';
  return expression || match(TOKEN, text, at);
}

function shown(token: string): string {
  if (/^['"]/.test(token) && token.length > 1) return `${token[0]}${blank(token.slice(1, -1))}${token[0]}`;
  return /^\/./.test(token) ? blank(token) : token;
}

const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ');

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}
