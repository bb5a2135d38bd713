import { isGentle as isGentleMode, type Mode } from '../../../doors/testing.ts';
import type { ComparableResult } from './comparable-result.ts';

/** The effect of a disturbance on a play. */
export type Verdict =
  | { readonly is: 'equal' }
  /**
   * Equal except for interrupted calls that cannot be reconciled. The model received an unknown outcome for
   * each.
   */
  | { readonly is: 'unknown' }
  | { readonly is: 'failed'; readonly why: readonly string[] };

/** The results that a disturbed play is compared with. */
export interface Comparison {
  readonly modes: readonly Mode[];
  /** The undisturbed play in which the same calls have an unknown outcome. */
  readonly expected: ComparableResult;
  /**
   * Requests that an interrupted invocation may have sent, since it knew outcomes that later invocations
   * cannot know.
   */
  readonly alsoShown: readonly string[];
}

/**
 * Compares a disturbed play with the undisturbed one: the model's requests, the session's state, and the
 * events. Another check counts the effects of each call.
 */
export function computeVerdict(seen: ComparableResult, { modes, expected, alsoShown }: Comparison): Verdict {
  const isGentle = modes.every(isGentleMode);
  const why = [
    ...seen.unjustified.map((name) => `call ${name} is unknown to whoever began it`),
    ...(isGentle && seen.takenOver > 0 ? ['an invocation was lost that nobody had cut off'] : []),
    ...findEventFaults(seen, expected),
    ...findMemoryFaults(seen, expected),
    ...requestFaults(seen, { expected, alsoShown, isGentle }),
  ];
  if (why.length > 0) return { is: 'failed', why };
  return { is: seen.unknown.size > 0 ? 'unknown' : 'equal' };
}

interface Expectation extends Pick<Comparison, 'expected' | 'alsoShown'> {
  /** If `true`, every request must occur exactly as often as in the undisturbed play. */
  readonly isGentle: boolean;
}

function requestFaults(
  { shown }: ComparableResult,
  { alsoShown, expected, isGentle }: Expectation,
): string[] {
  const known = new Set([...alsoShown, ...expected.shown]);
  const seen = new Set(shown);
  return [
    ...shown.filter((request) => !known.has(request)).map((request) => `the model was shown ${request}`),
    ...expected.shown
      .filter((request) => !seen.has(request))
      .map((request) => `the model was never shown ${request}`),
    ...(isGentle && shown.length !== expected.shown.length
      ? [`the model was asked ${shown.length} times, not ${expected.shown.length}`]
      : []),
  ];
}

function findEventFaults({ happened }: ComparableResult, expected: ComparableResult): string[] {
  const left = [...expected.happened];
  const more = happened.filter((event) => {
    const at = left.indexOf(event);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return [...more.map((event) => `there is ${event}`), ...left.map((event) => `there is no ${event}`)];
}

function findMemoryFaults({ memory }: ComparableResult, expected: ComparableResult): string[] {
  const parts = new Set([...Object.keys(memory), ...Object.keys(expected.memory)]);
  return [...parts]
    .filter((part) => memory[part] !== expected.memory[part])
    .map((part) => `'${part}' is ${memory[part]}, not ${expected.memory[part]}`);
}
