import { type ConfigEdit, type ConfigValue, EditError } from './config-edit.ts';

/** A value in the text of a JSONC file. */
interface Node {
  readonly start: number;
  readonly end: number;
  readonly members?: readonly Member[];
  readonly items?: readonly Node[];
}

interface Member {
  readonly key: string;
  /** The start of its key. */
  readonly start: number;
  readonly value: Node;
}

/**
 * Changes the text of a JSON file with comments, and keeps the comments and the order.
 *
 * @throws EditError if the text is not JSON, or has another type of value on the path.
 */
export function editJsonc(text: string, edit: ConfigEdit): string {
  const root = parse(text);
  let node = root;
  for (const [depth, key] of edit.path.entries()) {
    if (!node.members) throw new EditError(`'${edit.path.slice(0, depth).join('.')}' is not an object.`);
    const member = node.members.find((one) => one.key === key);
    const isLast = depth === edit.path.length - 1;
    if (member && isLast) return changeMember(text, node, member, edit);
    if (!member) {
      if (edit.op === 'remove') return text;
      const value = edit.op === 'append' ? [edit.value] : edit.value;
      return addMember(text, node, key, nestValue(edit.path.slice(depth + 1), value));
    }
    node = member.value;
  }
  throw new EditError('The path is empty.');
}

const nestValue = (path: readonly string[], value: ConfigValue): ConfigValue =>
  path.reduceRight<ConfigValue>((inner, key) => ({ [key]: inner }), value);

function changeMember(text: string, parent: Node, { start, value }: Member, edit: ConfigEdit): string {
  if (edit.op === 'set') {
    return (
      text.slice(0, value.start) + formatValue(edit.value, getIndent(text, start)) + text.slice(value.end)
    );
  }
  if (edit.op === 'append') {
    if (!value.items) throw new EditError(`'${edit.path.join('.')}' is not a list.`);
    return addItem(text, value, edit.value);
  }
  const previous = parent.members?.findLast((one) => one.value.end < start);
  const bare = blankComments(text);
  const after = value.end + (/^\s*,/.exec(bare.slice(value.end))?.[0].length ?? 0);
  if (after > value.end || !previous) return removeLines(text, start, after);
  // The last member has no trailing comma, so the comma before it is removed.
  const comma = bare.indexOf(',', previous.value.end);
  return text.slice(0, comma) + removeLines(text, start, value.end).slice(comma + 1);
}

/** Removes a part of the text, and its line if that is then empty. */
function removeLines(text: string, from: number, to: number): string {
  const before = /\n?[ \t]*$/.exec(text.slice(0, from))?.[0] ?? '';
  const isAlone = before.startsWith('\n') && /^[ \t]*\r?(?:\n|$)/.test(text.slice(to));
  const space = isAlone ? '' : (/^[ \t]*/.exec(text.slice(to))?.[0] ?? '');
  return text.slice(0, isAlone ? from - before.length : from) + text.slice(to + space.length);
}

function addMember(text: string, node: Node, key: string, value: ConfigValue): string {
  const last = node.members?.at(-1);
  const indent = last
    ? getIndent(text, last.start)
    : `${getIndent(text, node.start)}${detectIndentUnit(text)}`;
  const line = `\n${indent}${JSON.stringify(key)}: ${formatValue(value, indent)}`;
  if (last) return insertAfterLast(text, last.value.end, node.end - 1, line);
  return `${text.slice(0, node.start + 1)}${line}\n${getIndent(text, node.start)}${text.slice(node.end - 1)}`;
}

function addItem(text: string, node: Node, value: ConfigValue): string {
  const last = node.items?.at(-1);
  if (!last)
    return `${text.slice(0, node.start + 1)}${formatValue(value, getIndent(text, node.start))}${text.slice(node.end - 1)}`;
  const isLines = text.slice(node.start, last.start).includes('\n');
  const indent = getIndent(text, last.start);
  return insertAfterLast(
    text,
    last.end,
    node.end - 1,
    `${isLines ? `\n${indent}` : ' '}${formatValue(value, indent)}`,
  );
}

/** Inserts after the last element, and after its comma if it has one. */
function insertAfterLast(text: string, end: number, close: number, added: string): string {
  const comma = end + blankComments(text.slice(end, close)).indexOf(',');
  if (comma >= end) return `${text.slice(0, comma + 1)}${added},${text.slice(comma + 1)}`;
  return `${text.slice(0, end)},${added}${text.slice(end)}`;
}

/** Replaces the comments of a text by spaces. */
const blankComments = (text: string): string =>
  text.replace(/\/\/.*|\/\*[\s\S]*?\*\//g, (comment) => ' '.repeat(comment.length));

const getIndent = (text: string, place: number): string => {
  const line = text.slice(text.lastIndexOf('\n', place - 1) + 1);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
};

const detectIndentUnit = (text: string): string => /\n([ \t]+)"/.exec(text)?.[1] ?? '  ';

const formatValue = (value: ConfigValue, indent: string): string =>
  JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);

function parse(text: string): Node {
  let at = 0;
  const root = parseValue();
  skip();
  if (at < text.length) fail();
  return root;

  function fail(): never {
    const line = text.slice(0, at).split('\n').length;
    throw new EditError(`Line ${line} is not JSON.`);
  }

  function skip(): void {
    const [space = ''] = /^(?:\s|\/\/.*|\/\*[\s\S]*?\*\/|\uFEFF)*/.exec(text.slice(at)) ?? [];
    at += space.length;
  }

  function parseValue(): Node {
    skip();
    const start = at;
    if (text[at] === '{') {
      const members = parseList('}', () => {
        const begin = at;
        const key = parseString();
        skip();
        if (text[at] !== ':') fail();
        at += 1;
        return { key, start: begin, value: parseValue() };
      });
      return { start, end: at, members };
    }
    if (text[at] === '[') {
      const items = parseList(']', parseValue);
      return { start, end: at, items };
    }
    if (text[at] === '"') parseString();
    else {
      const [word] = /^(?:true|false|null|-?\d[\d.eE+-]*)/.exec(text.slice(at)) ?? [];
      if (word === undefined) fail();
      at += word.length;
    }
    return { start, end: at };
  }

  function parseList<Element>(close: string, element: () => Element): Element[] {
    const elements: Element[] = [];
    at += 1;
    for (skip(); text[at] !== close; skip()) {
      if (at >= text.length) fail();
      elements.push(element());
      skip();
      if (text[at] === ',') at += 1;
      else if (text[at] !== close) fail();
    }
    at += 1;
    return elements;
  }

  function parseString(): string {
    const [written] = /^"(?:[^"\\\n]|\\.)*"/.exec(text.slice(at)) ?? [];
    if (written === undefined) fail();
    at += written.length;
    return String(JSON.parse(written));
  }
}
