/** The definition of an attack and its expected outcome. */
import assert from 'node:assert/strict';
import type { ReceivedResponse } from './http.ts';
import type { Scene } from './scene.ts';

/** One attack and its expected outcome. */
export interface Attack {
  /** States the fact that holds if the attack fails. */
  readonly name: string;
  /** Runs the attack and returns the outcome. */
  readonly act: (scene: Scene) => Promise<unknown>;
  /** The expected result of `act`, or a check of the result. */
  readonly comes: Expectation;
  /** The tool effects during the attack, such as `pay 5 for acme`, in order. Defaults to no effects. */
  readonly effects?: readonly string[];
  /** The expected console output. Defaults to no output. */
  readonly logs?: RegExp;
  /**
   * The unbuilt feature that will make this attack fail. Until it exists, the attack is skipped and not
   * counted.
   */
  readonly waitsFor?: string;
}

/** Returns the problem with an outcome, or `undefined`. */
export type Check = (came: unknown, scene: Scene) => string | undefined;

export type Expectation =
  | Check
  | string
  | number
  | boolean
  | null
  | readonly unknown[]
  | Readonly<Record<string, unknown>>;

/** Returns the difference between the outcome of an attack and its expectation, or `undefined`. */
export function findDifference(came: unknown, expected: Expectation, scene: Scene): string | undefined {
  if (typeof expected === 'function') return expected(came, scene);
  return findThrown(() => assert.deepStrictEqual(came, expected), came, expected);
}

function findThrown(check: () => void, came: unknown, expected: unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch {
    return `expected ${formatValue(expected)}\n      actual   ${formatValue(came)}`;
  }
}

/** Formats a value on one line, and truncates a long text. */
export const formatValue = (value: unknown): string => {
  const text = value instanceof RegExp ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 900 ? `${text.slice(0, 900)}… (${text.length} characters)` : text;
};

/**
 * Expects a problem response of this status and type. In `detail`, `{session}` matches the attack's session and
 * `…` matches any text. Without `detail`, any detail is accepted.
 */
export const isProblem =
  (status: number, type: string, detail?: string): Check =>
  (came, scene) => {
    const { status: got, headers, json } = came as ReceivedResponse; // an attack that expects a problem returns a response
    const expected = { status, type: `urn:holdfast:problem:${type}`, title: type.replaceAll('-', ' ') };
    const heard = { status: got, type: json?.type, title: json?.title };
    const wrong = findThrown(() => assert.deepStrictEqual(heard, expected), came, expected);
    if (wrong !== undefined) return wrong;
    if (headers['content-type'] !== 'application/problem+json') return `is ${headers['content-type']}`;
    if (json?.status !== status) return `says in its body that its status is ${json?.status}`;
    if (detail === undefined || matchesPattern(String(json?.detail), detail, scene)) return undefined;
    return `expected detail ${formatValue(detail)}\n      actual   detail ${formatValue(json?.detail)}`;
  };

/** Returns `true` if a text matches the pattern. */
export function matchesPattern(text: string, pattern: string, { session }: Pick<Scene, 'session'>): boolean {
  const source = pattern
    .replaceAll('{session}', session)
    .split('…')
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('[^]*');
  return new RegExp(`^${source}$`).test(text);
}

/** Expects a response of this status whose JSON contains these members. */
export const isAnswer =
  (status: number, part: Readonly<Record<string, unknown>> = {}): Check =>
  (came) => {
    const { status: got, json } = came as ReceivedResponse; // an attack with this expectation returns a response
    if (got !== status) return `expected status ${status}\n      actual   ${formatValue(came)}`;
    return findThrown(() => assert.partialDeepStrictEqual(json ?? {}, part), json, part);
  };

/** Expects a response of one of these statuses, with any body. */
export const hasStatus =
  (...expected: readonly number[]): Check =>
  (came) => {
    const { status: got } = came as ReceivedResponse; // an attack with this expectation returns a response
    return expected.includes(got)
      ? undefined
      : `expected status ${expected}\n      actual   ${formatValue(came)}`;
  };

/** Expects a value that contains these members. */
export const containsPart =
  (part: object): Check =>
  (came) =>
    findThrown(() => assert.partialDeepStrictEqual(came as object, part), came, part);

/** Expects a text, or the JSON of a value, that matches this pattern. */
export const containsText =
  (pattern: RegExp): Check =>
  (came) => {
    const text = typeof came === 'string' ? came : JSON.stringify(came);
    return pattern.test(text) ? undefined : `expected ${pattern}\n      actual   ${formatValue(came)}`;
  };

/** Expects a text, or the JSON of a value, that does not match this pattern. */
export const lacksText =
  (pattern: RegExp): Check =>
  (came) => {
    const text = typeof came === 'string' ? came : JSON.stringify(came);
    return pattern.test(text) ? `did not expect ${pattern}\n      actual   ${formatValue(came)}` : undefined;
  };

/** Expects all of these checks to pass. */
export const passesAll =
  (...checks: readonly Check[]): Check =>
  (came, scene) => {
    for (const check of checks) {
      const wrong = check(came, scene);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };

/** Summarizes a response for attacks that make several requests. */
export const formatResponse = ({ status: got, json }: ReceivedResponse): string =>
  `${got}${typeof json?.type === 'string' ? ` ${json.type.replace('urn:holdfast:problem:', '')}` : ''}`;
