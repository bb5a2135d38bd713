/** The settings of a Worker, `wrangler.toml` or `wrangler.jsonc`, with what an agent needs added to them. Comments stay. */
export interface ChangedSettings {
  readonly text: string;
  /** What the person has to do by hand, a sentence each. */
  readonly left: readonly string[];
}

/** What a Worker with agents needs, as docs/production.md says it. */
const FLAGS = ['enable_request_signal', 'global_fetch_strictly_public'];
const OLDEST_DATE = '2025-11-17';
const BINDING = '{ "name": "SESSIONS", "class_name": "SessionObject" }';
const MIGRATION = '{ "tag": "holdfast-v1", "new_sqlite_classes": ["SessionObject"] }';

const BY_HAND =
  'binds no Durable Object yet: add the class SessionObject, bound as SESSIONS, and a migration with new_sqlite_classes = ["SessionObject"]';

/** Returns the module that the settings name as the Worker; `undefined` for a Worker of assets alone. */
export const mainOf = (name: string, text: string): string | undefined =>
  name.endsWith('.toml') ? tomlMain.exec(tomlTop(text))?.[2] : textOf(parseJsonc(text).main);

/** Makes `main` the Worker, and adds what it needs. */
export const withAgent = (name: string, text: string, main: string): ChangedSettings =>
  name.endsWith('.toml') ? changeToml(name, text, main) : changeJsonc(name, text, main);

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** What is said of settings that a program should not change by itself. */
const leftOf = (name: string, date: string | undefined, hasEnvironments: boolean): string[] => [
  ...(date !== undefined && date < OLDEST_DATE
    ? [`${name}: compatibility_date is ${date}, and sessions need ${OLDEST_DATE} or later. Raise it.`]
    : []),
  ...(hasEnvironments
    ? [`${name}: an environment under "env" inherits no bindings. Repeat that of SESSIONS in each.`]
    : []),
];

// TOML

const tomlMain = /^(main\s*=\s*)["']([^"']+)["']/m;
const tomlFlags = /^compatibility_flags\s*=\s*\[([^\]]*)\]/m;
const tomlDate = /^compatibility_date\s*=\s*["']?([\d-]+)["']?.*$/m;

/** What stands before the first table. */
const tomlTop = (text: string): string => text.slice(0, /^[ \t]*\[/m.exec(text)?.index ?? text.length);

function changeToml(name: string, text: string, main: string): ChangedSettings {
  const top = tomlTop(text);
  const rest = text.slice(top.length);
  const known = tomlFlags.exec(top)?.[1] ?? '';
  const flags = FLAGS.filter((flag) => !known.includes(flag)).map((flag) => `"${flag}"`);
  const listed = known.trim().replace(/,$/, '');
  const line = `compatibility_flags = [${[...(listed === '' ? [] : [listed]), ...flags].join(', ')}]`;
  const withMain = tomlMain.test(top) ? top.replace(tomlMain, `$1"${main}"`) : `main = "${main}"\n${top}`;
  const withFlags = tomlFlags.test(top)
    ? withMain.replace(tomlFlags, () => line)
    : `${withMain.trimEnd()}\n${line}\n${rest === '' ? '' : '\n'}`;
  const left = leftOf(name, tomlDate.exec(top)?.[1], /^\s*\[+env\./m.test(text));
  if (/\bSESSIONS\b/.test(rest)) return { text: withFlags + rest, left };
  // Tables of an array may stand anywhere, unless the array is written as a value.
  if (/^\s*(durable_objects|migrations)\s*=|^\s*\[durable_objects\]/m.test(text))
    return { text: withFlags + rest, left: [`${name} ${BY_HAND}.`, ...left] };
  return { text: `${`${withFlags}${rest}`.trimEnd()}\n${TOML_TABLES}`, left };
}

const TOML_TABLES = `
[[durable_objects.bindings]]
name = "SESSIONS"
class_name = "SessionObject"

[[migrations]]
tag = "holdfast-v1"
new_sqlite_classes = ["SessionObject"]
`;

// JSON with comments

/** A value inside of a text: from its first character to behind its last one. */
interface Range {
  readonly start: number;
  readonly end: number;
}

function changeJsonc(name: string, text: string, main: string): ChangedSettings {
  const settings = parseJsonc(text);
  const date = textOf(settings.compatibility_date);
  const left = leftOf(name, date, settings.env !== undefined);
  const known = Array.isArray(settings.compatibility_flags) ? settings.compatibility_flags : [];
  let changed = setKey(text, 'main', JSON.stringify(main));
  for (const flag of FLAGS) {
    if (!known.includes(flag)) changed = addTo(changed, ['compatibility_flags'], JSON.stringify(flag));
  }
  if (/"SESSIONS"/.test(text)) return { text: changed, left };
  changed = addTo(changed, ['durable_objects', 'bindings'], BINDING);
  return { text: addTo(changed, ['migrations'], MIGRATION), left };
}

/** @throws SyntaxError if it is no JSON with comments. */
export function parseJsonc(text: string): Readonly<Record<string, unknown>> {
  const plain = blankComments(text).replace(/"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g, (found) =>
    found === ',' ? ' ' : found,
  );
  return Object(JSON.parse(plain));
}

/** The text with blanks in place of comments, so that positions agree. */
const blankComments = (text: string): string =>
  text.replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (found) =>
    found.startsWith('"') ? found : found.replace(/[^\n]/g, ' '),
  );

/** The values of an object's keys, by the position of its opening brace in a text without comments. */
function valuesOf(plain: string, open: number): ReadonlyMap<string, Range> {
  const values = new Map<string, Range>();
  let depth = 0;
  let key: string | undefined;
  let start: number | undefined;
  const tokens = /"(?:[^"\\\n]|\\.)*"|[{}[\],:]/g;
  tokens.lastIndex = open;
  for (let token = tokens.exec(plain); token; token = tokens.exec(plain)) {
    const [what] = token;
    const isClosing = what === '}' || what === ']';
    if (depth === 1 && key !== undefined && start !== undefined && (what === ',' || isClosing)) {
      values.set(key, { start, end: plain.slice(0, token.index).trimEnd().length });
      key = undefined;
      start = undefined;
    }
    if (isClosing) depth -= 1;
    if (what === '{' || what === '[') depth += 1;
    if (depth === 0) break;
    if (depth === 1 && what.startsWith('"') && start === undefined) key = String(JSON.parse(what));
    if (depth === 1 && what === ':')
      start = token.index + 1 + (/^\s*/.exec(plain.slice(token.index + 1))?.[0].length ?? 0);
  }
  return values;
}

/** Replaces the value of a key of the whole, or adds the key. */
function setKey(text: string, key: string, value: string): string {
  const plain = blankComments(text);
  const open = plain.indexOf('{');
  const range = valuesOf(plain, open).get(key);
  if (range) return text.slice(0, range.start) + value + text.slice(range.end);
  return append(text, { start: open, end: plain.lastIndexOf('}') + 1 }, `${JSON.stringify(key)}: ${value}`);
}

/** Adds a value to the list at a path of keys, and what of the path is missing. */
function addTo(text: string, path: readonly string[], value: string): string {
  const plain = blankComments(text);
  let within: Range = { start: plain.indexOf('{'), end: plain.lastIndexOf('}') + 1 };
  for (const [place, key] of path.entries()) {
    const found = valuesOf(plain, within.start).get(key);
    if (!found) {
      const inner = path
        .slice(place + 1)
        .reduceRight((made, next) => `{ ${JSON.stringify(next)}: ${made} }`, `[${value}]`);
      return append(text, within, `${JSON.stringify(key)}: ${inner}`);
    }
    within = found;
  }
  return append(text, within, value);
}

/** Adds an element behind the last one of an object or a list. */
function append(text: string, { start, end }: Range, element: string): string {
  const plain = blankComments(text);
  const last = plain.slice(0, end - 1).trimEnd().length;
  const isEmpty = last === start + 1;
  const comma = isEmpty || plain[last - 1] === ',' ? '' : ',';
  const isMultiline = plain.slice(start, end).includes('\n');
  const indent = /\n([ \t]+)\S/.exec(plain.slice(start, end))?.[1] ?? '';
  const separator = isMultiline ? `\n${indent}` : isEmpty ? '' : ' ';
  // A comment behind the last element stays behind it.
  const comment = /^[ \t]*(\/\/[^\n]*|\/\*[^\n]*?\*\/)/.exec(text.slice(last))?.[0] ?? '';
  const rest = text.slice(last + comment.length);
  return text.slice(0, last) + comma + comment + separator + element + rest;
}
