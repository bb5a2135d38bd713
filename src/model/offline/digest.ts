import type { ModelRequest } from '../chat-model.ts';
import { isRecord, parseJson } from '../untrusted-json.ts';

/** Stands before what was shortened: it is not a summary that a language model would write. */
const NOTICE = '(Shortened by the offline planner.)';

/** Whose lines a conversation may have. */
const SPEAKERS: readonly string[] = ['user', 'assistant', 'summary', 'steer', 'late', 'loop', 'leftOut'];

/** A line is of use with so many characters at the least. */
const MIN_LINE = 24;

/**
 * What stands for a conversation that was handed over to be summarised, one message a line, as JSON: the beginning of each
 * message and of each result, about a quarter of it all. `undefined` when something else is asked.
 */
export function digestOf({ messages, tools, output }: ModelRequest): string | undefined {
  const last = messages.at(-1);
  if (tools.length > 0 || output || messages.length > 2 || last?.role !== 'user') return undefined;
  const lines = last.text.split('\n').map(parseJson);
  // What a nested loop is asked with is one line.
  if (lines.length < 2 || !lines.every(isLine)) return undefined;
  const most = Math.max(MIN_LINE, Math.floor(last.text.length / 4 / lines.length));
  return [NOTICE, ...lines.flatMap((line) => toldIn(line).map((text) => clipped(text, most)))].join('\n');
}

type Line = Readonly<Record<string, unknown>>;

const isLine = (line: unknown): line is Line =>
  isRecord(line) && SPEAKERS.includes(Object.keys(line)[0] ?? '');

function toldIn(line: Line): string[] {
  const [[speaker, text] = ['', '']] = Object.entries(line);
  const calls = Array.isArray(line.calls) ? line.calls.filter(isRecord) : [];
  const said = text === '' ? [] : [`${speaker}: ${String(text).replace(NOTICE, '').trim()}`];
  return [...said, ...calls.map(({ tool, input, result }) => `${tool} ${input}: ${result ?? 'no result'}`)];
}

const clipped = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;
