import { type ConfigEdit, type ConfigValue, EditError } from './config-edit.ts';

/** A header with the lines below it. The first section has no header. */
interface Section {
  /** The dotted name without quotes. Empty for the lines before the first header. */
  readonly name: string;
  readonly isList: boolean;
  /** The index of its header, or -1. */
  readonly header: number;
  /** The index after its last line. */
  readonly end: number;
}

/**
 * Changes the text of a TOML file, and keeps its comments and its order. Supports tables, lists of tables and
 * simple values, as in wrangler's files.
 *
 * @throws EditError if the changed part has another form, such as an inline table.
 */
export function editToml(text: string, edit: ConfigEdit): string {
  const lines = text.split('\n');
  const sections = parseSections(lines);
  const table = edit.path.slice(0, -1).join('.');
  const key = edit.path.at(-1) ?? '';
  refuseInline(lines, sections, edit.path);
  const found = findKey(lines, sections, table, key);
  if (edit.op === 'remove') {
    if (found) lines.splice(found.line, findLastLine(lines, found.line) - found.line + 1);
    return lines.join('\n');
  }
  if (edit.op === 'append' && isTable(edit.value)) {
    if (found) return appendInline(lines, found.line, formatInline(edit.value));
    return appendTable(lines, `[[${edit.path.join('.')}]]`, edit.value);
  }
  if (edit.op === 'append' && found) return appendInline(lines, found.line, formatInline(edit.value));
  const value = formatInline(edit.op === 'append' ? [edit.value] : edit.value);
  if (found) {
    const last = findLastLine(lines, found.line);
    const comment = last === found.line ? getComment(lines[found.line] ?? '') : '';
    lines.splice(found.line, last - found.line + 1, `${found.before}= ${value}${comment}`);
    return lines.join('\n');
  }
  const section = sections.find(({ name, isList }) => name === table && !isList);
  if (!section) {
    refuseDotted(lines, sections, table);
    return appendTable(lines, `[${table}]`, { [key]: edit.op === 'append' ? [edit.value] : edit.value });
  }
  let place = section.end;
  while (place > section.header + 1 && /^\s*(#.*)?$/.test(lines[place - 1] ?? '')) place -= 1;
  // If a file begins with a table, its first top-level keys are inserted above that table.
  const blank = section.name === '' && place === 0 && section.end === 0 && lines.length > 1 ? [''] : [];
  lines.splice(place, 0, `${key} = ${value}`, ...blank);
  return lines.join('\n');
}

/** Splits the lines into sections. Skips lines inside a multi-line string or list. */
function parseSections(lines: readonly string[]): Section[] {
  const headers: { name: string; isList: boolean; header: number }[] = [
    { name: '', isList: false, header: -1 },
  ];
  for (let line = 0; line < lines.length; line = findLastLine(lines, line) + 1) {
    const [, list, name] = /^\s*(\[?)\[([^[\]]+)\]\]?\s*(?:#.*)?\r?$/.exec(lines[line] ?? '') ?? [];
    if (name === undefined) continue;
    headers.push({ name: toPlainName(name), isList: list === '[', header: line });
  }
  return headers.map((one, at) => ({ ...one, end: headers[at + 1]?.header ?? lines.length }));
}

const toPlainName = (name: string): string =>
  name
    .split('.')
    .map((part) => part.trim().replace(/^(["'])(.*)\1$/, '$2'))
    .join('.');

/** Returns the index of the last line of the value that starts in a line. */
function findLastLine(lines: readonly string[], first: number): number {
  const [, start] = /^\s*[\w."'-]+(?: *\. *[\w"'-]+)*\s*=\s*(.*)$/s.exec(lines[first] ?? '') ?? [];
  if (start === undefined) return first;
  const [quotes] = /^("""|''')/.exec(start) ?? [];
  if (quotes !== undefined) {
    let line = first;
    let rest = start.slice(3);
    while (!rest.includes(quotes) && line < lines.length - 1) rest = lines[++line] ?? '';
    return line;
  }
  let depth = 0;
  for (let line = first; line < lines.length; line += 1) {
    depth += computeDepth(line === first ? start : (lines[line] ?? ''));
    if (depth <= 0) return line;
  }
  throw new EditError(`The list that begins on line ${first + 1} is not closed.`);
}

/** Returns how many more brackets a line opens than it closes, outside of strings and comments. */
const computeDepth = (text: string): number => {
  const bare = text.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, '').replace(/#.*/, '');
  return (bare.match(/[[{]/g)?.length ?? 0) - (bare.match(/[\]}]/g)?.length ?? 0);
};

/** Returns the comment of a line that sets a simple value. */
const getComment = (line: string): string => {
  const bare = line.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, (text) => ' '.repeat(text.length));
  const at = bare.indexOf('#');
  return at < 0 ? '' : ` ${line.slice(at)}`;
};

/** Returns the line that sets a key, in its table or by a dotted name above it. */
function findKey(
  lines: readonly string[],
  sections: readonly Section[],
  table: string,
  key: string,
): { readonly line: number; readonly before: string } | undefined {
  const whole = table === '' ? key : `${table}.${key}`;
  for (const { name, isList, header, end } of sections) {
    if (isList || (name !== '' && !whole.startsWith(`${name}.`))) continue;
    const rest = name === '' ? whole : whole.slice(name.length + 1);
    for (let line = header + 1; line < end; line = findLastLine(lines, line) + 1) {
      const [, before = '', written = ''] =
        /^(\s*([\w."'-]+(?: *\. *[\w"'-]+)*)\s*)=/.exec(lines[line] ?? '') ?? [];
      if (toPlainName(written) === rest) return { line, before };
    }
  }
  return undefined;
}

/** Refuses an inline table, `vars = { ... }`, since lines cannot be added to it. */
function refuseInline(lines: readonly string[], sections: readonly Section[], path: readonly string[]): void {
  for (let length = 1; length < path.length; length += 1) {
    const found = findKey(lines, sections, path.slice(0, length - 1).join('.'), path[length - 1] ?? '');
    if (found)
      throw new EditError(
        `'${path.slice(0, length).join('.')}' is an inline table on line ${found.line + 1}.`,
      );
  }
}

/** Refuses a header for a table that dotted keys have created, `observability.logs = ...`. */
function refuseDotted(lines: readonly string[], sections: readonly Section[], table: string): void {
  for (const { name, isList, header, end } of sections) {
    if (isList || name.startsWith(`${table}.`)) continue;
    for (let line = header + 1; line < end; line = findLastLine(lines, line) + 1) {
      const key = toPlainName(/^\s*([\w."'-]+(?: *\. *[\w"'-]+)*)\s*=/.exec(lines[line] ?? '')?.[1] ?? '');
      if (`${name === '' ? '' : `${name}.`}${key}`.startsWith(`${table}.`))
        throw new EditError(`'${table}' is written as dotted keys on line ${line + 1}.`);
    }
  }
}

function appendInline(lines: string[], first: number, value: string): string {
  const last = findLastLine(lines, first);
  const line = lines[last] ?? '';
  const bare = line
    .replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, (text) => ' '.repeat(text.length))
    .replace(/#.*/, '');
  const end = bare.lastIndexOf(']');
  if (end < 0) throw new EditError(`Line ${last + 1} is not the end of a list.`);
  if (last === first) {
    const before = line.slice(0, end).trimEnd();
    const comma = before.endsWith('[') ? '' : before.endsWith(',') ? ' ' : ', ';
    lines[last] = `${before}${comma}${value}${line.slice(end)}`;
    return lines.join('\n');
  }
  let previous = last - 1;
  while (previous > first && /^\s*(#.*)?$/.test(lines[previous] ?? '')) previous -= 1;
  const text = lines[previous] ?? '';
  const comment = getComment(text);
  const code = (comment === '' ? text : text.slice(0, text.length - comment.length + 1)).trimEnd();
  if (!code.endsWith(',') && !code.endsWith('[')) lines[previous] = `${code},${comment}`;
  const indent = /^\s*/.exec(previous === first ? '  ' : text)?.[0] ?? '';
  lines.splice(last, 0, `${indent}${value},`);
  return lines.join('\n');
}

function appendTable(lines: readonly string[], header: string, value: ConfigValue): string {
  const before = lines.join('\n').trimEnd();
  const entries = Object.entries(value).map(([key, one]) => `${key} = ${formatInline(one)}`);
  return `${before === '' ? '' : `${before}\n\n`}${[header, ...entries].join('\n')}\n`;
}

const isTable = (value: ConfigValue): value is { readonly [key: string]: ConfigValue } =>
  typeof value === 'object' && !Array.isArray(value);

function formatInline(value: ConfigValue): string {
  if (Array.isArray(value)) return `[${value.map(formatInline).join(', ')}]`;
  if (!isTable(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, one]) => `${key} = ${formatInline(one)}`);
  return `{ ${entries.join(', ')} }`;
}
