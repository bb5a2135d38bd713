/** A part of a text: from its first character to the one behind its last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * The functions of this name that a TypeScript file declares, at whatever depth, each from its name to the end of its body:
 * function declarations, methods and accessors, and constants that hold a function. `Owner.name` finds those inside the
 * class, the constant or the function `Owner`. Overloads and the members of interfaces have no body, and are none.
 *
 * `code`: of `codeOnly`, whose places are those of the file.
 */
export function functionsIn(code: string, name: string): Span[] {
  const [own = '', ...owners] = name.split('.').reverse();
  const found = [
    ...declarations(code, own),
    ...constants(code, own).filter((span) => isFunction(code, span)),
  ];
  return owners.reduce(
    (inner, owner) => {
      const outer = [...classes(code, owner), ...declarations(code, owner), ...constants(code, owner)];
      return inner.filter((one) => outer.some(({ start, end }) => start < one.start && one.end <= end));
    },
    found.sort((a, b) => a.start - b.start),
  );
}

const classes = (code: string, name: string): Span[] =>
  spans(code, new RegExp(`\\bclass\\s+(?=${literal(name)}(?![\\w$]))`, 'g'), (at) => {
    const brace = code.indexOf('{', at);
    return brace < 0 ? undefined : closing(code, brace);
  });

/** Function declarations, methods and accessors. */
const declarations = (code: string, name: string): Span[] =>
  spans(code, new RegExp(`(?<![\\w$#.])(?=${literal(name)}\\s*[(<])`, 'g'), (at) =>
    isDeclared(code.slice(0, at).trimEnd()) ? bodyEnd(code, at + name.length) : undefined,
  );

const constants = (code: string, name: string): Span[] =>
  spans(code, new RegExp(`\\bconst\\s+(?=${literal(name)}(?![\\w$]))`, 'g'), (at) => statementEnd(code, at));

function spans(code: string, pattern: RegExp, endOf: (at: number) => number | undefined): Span[] {
  return [...code.matchAll(pattern)].flatMap((found) => {
    const start = found.index + found[0].length;
    const end = endOf(start);
    return end === undefined ? [] : [{ start, end }];
  });
}

const literal = (name: string): string => name.replaceAll(/[$^.*+?()[\]{}|\\]/g, '\\$&');

/** A name with parameters declares something behind `function`, and where a member of a class or a literal begins. */
function isDeclared(before: string): boolean {
  let words = before;
  for (;;) {
    const last = /(?:\w+|\*)$/.exec(words.slice(-20))?.[0] ?? '';
    if (last === 'function') return true;
    if (!MODIFIERS.has(last)) return /[{};,]$/.test(words);
    words = words.slice(0, -last.length).trimEnd();
  }
}

const MODIFIERS: ReadonlySet<string> = new Set([
  '*',
  'async',
  'static',
  'get',
  'set',
  'override',
  'public',
  'protected',
  'private',
]);

/** A constant that is an arrow function or a function expression. */
function isFunction(code: string, { start, end }: Span): boolean {
  const equals = code.slice(start, end).search(/=(?![=>])/);
  const at = equals < 0 ? end : start + equals + 1;
  const value = /^\s*(?:async\b)?\s*/.exec(code.slice(at, end))?.[0] ?? '';
  const first = at + value.length;
  const rest = code.slice(first, end);
  if (/^(?:function\b|<|[\w$]+\s*=>)/.test(rest)) return true;
  const parameters = rest.startsWith('(') ? closing(code, first) : undefined;
  return parameters !== undefined && /^\s*(?:=>|:)/.test(code.slice(parameters, end));
}

/** Behind the body of a function whose type parameters or parameters begin here; `undefined` when it has none. */
function bodyEnd(code: string, at: number): number | undefined {
  const parameters = skipSpace(code, code[at] === '<' ? closingAngle(code, at) : at);
  if (code[parameters] !== '(') return undefined;
  const after = closing(code, parameters);
  const next = after === undefined ? -1 : skipSpace(code, after);
  const brace = code[next] === ':' ? afterType(code, next + 1) : next;
  return brace !== undefined && code[brace] === '{' ? closing(code, brace) : undefined;
}

const skipSpace = (code: string, at: number): number =>
  at + (/^\s*/.exec(code.slice(at, at + 1_000))?.[0].length ?? 0);

/** After these a brace is of the type, and not of the body behind it. */
const GOES_ON = /(?:[:|&<(,[?]|=>|\b(?:extends|is|keyof|readonly|infer|asserts))\s*$/;

/** Where the body begins, behind the type that begins here. */
function afterType(code: string, from: number): number | undefined {
  let angles = 0;
  for (let at: number | undefined = from; at !== undefined && at < code.length; ) {
    const char: string = code[at] ?? '';
    const isType: boolean = GOES_ON.test(code.slice(Math.max(from - 1, at - 40), at));
    if (char === '{' && !isType && angles === 0) return at;
    if (angles === 0 && /[;,)}\]]/.test(char)) return undefined;
    if (char === '<') angles += 1;
    if (char === '>' && code[at - 1] !== '=') angles -= 1;
    at = /[([{]/.test(char) ? closing(code, at) : at + 1;
  }
  return undefined;
}

/** Behind the bracket that closes the one here. */
function closing(code: string, open: number): number | undefined {
  let depth = 0;
  for (let at = open; at < code.length; at += 1) {
    const char: string = code[at] ?? '';
    if (/[([{]/.test(char)) depth += 1;
    if (/[)\]}]/.test(char)) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return undefined;
}

/** Behind the list of type parameters that begins here; in them `=>` closes nothing. */
function closingAngle(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at += 1) {
    if (code[at] === '<') depth += 1;
    if (code[at] === '>' && code[at - 1] !== '=') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return code.length;
}

/** Behind the semicolon of the statement in which this stands; `undefined` when its block ends before. */
function statementEnd(code: string, from: number): number | undefined {
  for (let at: number | undefined = from; at !== undefined && at < code.length; ) {
    const char: string = code[at] ?? '';
    if (char === ';') return at + 1;
    if (/[)\]}]/.test(char)) return undefined;
    at = /[([{]/.test(char) ? closing(code, at) : at + 1;
  }
  return undefined;
}
