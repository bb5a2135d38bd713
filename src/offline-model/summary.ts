import type { ModelRequest } from '../model/chat-model.ts';
import { isRecord, isScalar, parseJson } from '../model/untrusted-json.ts';
import type { Fact } from './facts.ts';
import type { PastCall } from './memory.ts';

/** A fact in words: `ships on: 2026-03-01`, `probe code: none`. */
export const factInWords = ({ label, value }: Fact): string =>
  `${label.replaceAll('_', ' ')}: ${value === '' ? 'none' : clipped(String(value), 200)}`;

/** Answers what a call found, on one line, clipped. */
export function resultInWords({ result, facts, absent, failed }: PastCall): string {
  if (result === undefined) return 'no result yet';
  if (failed) return clipped(result, maxLine);
  const json = parseJson(result);
  if (json === undefined || isScalar(json) || json === null) return clipped(result.trim(), maxLine);
  const lines = [...new Set([...facts, ...absent].map(factInWords))].slice(0, maxFacts);
  return lines.length === 0 ? 'nothing' : clipped(lines.join(', '), maxLine);
}

/** A call in words: the tool, and the plain values of its input. */
export const callInWords = ({ tool, input }: PastCall): string => {
  const values = Object.values(input).filter((value) => typeof value !== 'object');
  return values.length === 0 ? tool : `${tool} (${values.join(', ').slice(0, 100)})`;
};

/** The results of the calls that worked, for text that tells somebody about them. */
export const summaryOf = (calls: readonly PastCall[]): string =>
  clipped(
    calls
      .filter(({ failed, result }) => !failed && result !== undefined)
      .map(resultInWords)
      .join('; '),
    1_000,
  );

/**
 * Answers what stands for a conversation that was handed over to be summarised, one message a line, as JSON: the
 * beginning of each message and of each result, about a quarter of it all. `undefined` when something else is asked.
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

const maxLine = 600;
const maxFacts = 16;

const clipped = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

/** It stands before what was shortened, which is not a summary that a language model would write. */
const NOTICE = '(Shortened by the offline planner.)';

/** The names that a line of a conversation may begin with. */
const SPEAKERS: readonly string[] = ['user', 'assistant', 'summary', 'steer', 'late', 'loop', 'leftOut'];

/** A line is of use with so many characters at the least. */
const MIN_LINE = 24;

type Line = Readonly<Record<string, unknown>>;

const isLine = (line: unknown): line is Line =>
  isRecord(line) && SPEAKERS.includes(Object.keys(line)[0] ?? '');

function toldIn(line: Line): string[] {
  const [[speaker, text] = ['', '']] = Object.entries(line);
  const calls = Array.isArray(line.calls) ? line.calls.filter(isRecord) : [];
  const said = text === '' ? [] : [`${speaker}: ${String(text).replace(NOTICE, '').trim()}`];
  return [...said, ...calls.map(({ tool, input, result }) => `${tool} ${input}: ${result ?? 'no result'}`)];
}
