import { isScalar, parseJson } from '../model/untrusted-json.ts';
import type { Fact } from './facts.ts';
import type { PastCall } from './memory.ts';

const maxLine = 600;
const maxFacts = 16;

/** A fact in words: `ships on: 2026-03-01`, `probe code: none`. */
export const told = ({ label, value }: Fact): string =>
  `${label.replaceAll('_', ' ')}: ${value === '' ? 'none' : clipped(String(value), 200)}`;

/** What a call found, on one line, clipped. */
export function found({ result, facts, absent, failed }: PastCall): string {
  if (result === undefined) return 'no result yet';
  if (failed) return clipped(result, maxLine);
  const json = parseJson(result);
  if (json === undefined || isScalar(json) || json === null) return clipped(result.trim(), maxLine);
  const lines = [...new Set([...facts, ...absent].map(told))].slice(0, maxFacts);
  return lines.length === 0 ? 'nothing' : clipped(lines.join(', '), maxLine);
}

/** The results of the calls that worked, for text that tells somebody about them. */
export const summaryOf = (calls: readonly PastCall[]): string =>
  clipped(
    calls
      .filter(({ failed, result }) => !failed && result !== undefined)
      .map(found)
      .join('; '),
    1_000,
  );

const clipped = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;
