/** The definition of an attack and its expected outcome. */
import assert from 'node:assert/strict';
import type { Came } from './http.ts';
import type { Scene } from './scene.ts';

/** One attack and its expected outcome. */
export interface Attack {
  /** A fact, which holds when the attack fails. */
  readonly name: string;
  /** Runs the attack and returns the outcome. */
  readonly act: (scene: Scene) => Promise<unknown>;
  /** The very value that `act` answers, or a check of it. */
  readonly comes: Expected;
  /** The tool effects during the attack, such as `pay 5 for acme`, in order. Defaults to no effects. */
  readonly effects?: readonly string[];
  /** The expected console output. Defaults to no output. */
  readonly logs?: RegExp;
  /** The point of the issue without which it succeeds: it is not played, and not counted. */
  readonly waitsFor?: string;
}

/** Returns the problem with an outcome, or `undefined`. */
export type Check = (came: unknown, scene: Scene) => string | undefined;

export type Expected =
  | Check
  | string
  | number
  | boolean
  | null
  | readonly unknown[]
  | Readonly<Record<string, unknown>>;

/** Returns the problems with the outcome of an attack. */
export function wrongWith(came: unknown, expected: Expected, scene: Scene): string | undefined {
  if (typeof expected === 'function') return expected(came, scene);
  return thrownBy(() => assert.deepStrictEqual(came, expected), came, expected);
}

function thrownBy(check: () => void, came: unknown, expected: unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch {
    return `expected ${shown(expected)}\n      actual   ${shown(came)}`;
  }
}

/** A value as a line, cut where it is long. */
export const shown = (value: unknown): string => {
  const text = value instanceof RegExp ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 900 ? `${text.slice(0, 900)}… (${text.length} characters)` : text;
};

/**
 * A problem response of this status and type. In the detail `{session}` stands for the attack's session, and `…` for any text;
 * without a detail any is taken. `more`: members besides, of which others may be there.
 */
export const problem =
  (status: number, type: string, detail?: string): Check =>
  (came, scene) => {
    const { status: got, headers, json } = came as Came; // an attack with a problem to come answers a response
    const expected = { status, type: `urn:holdfast:problem:${type}`, title: type.replaceAll('-', ' ') };
    const heard = { status: got, type: json?.type, title: json?.title };
    const wrong = thrownBy(() => assert.deepStrictEqual(heard, expected), came, expected);
    if (wrong !== undefined) return wrong;
    if (headers['content-type'] !== 'application/problem+json') return `is ${headers['content-type']}`;
    if (json?.status !== status) return `says in its body that its status is ${json?.status}`;
    if (detail === undefined || fits(String(json?.detail), detail, scene)) return undefined;
    return `expected detail ${shown(detail)}\n      actual   detail ${shown(json?.detail)}`;
  };

/** Tells whether a text is as the pattern says. */
export function fits(text: string, pattern: string, { session }: Pick<Scene, 'session'>): boolean {
  const source = pattern
    .replaceAll('{session}', session)
    .split('…')
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('[^]*');
  return new RegExp(`^${source}$`).test(text);
}

/** A response of this status whose JSON has all of this in it. */
export const answer =
  (status: number, part: Readonly<Record<string, unknown>> = {}): Check =>
  (came) => {
    const { status: got, json } = came as Came; // as above
    if (got !== status) return `expected status ${status}\n      actual   ${shown(came)}`;
    return thrownBy(() => assert.partialDeepStrictEqual(json ?? {}, part), json, part);
  };

/** A response of this status, whatever is in it. */
export const status =
  (...expected: readonly number[]): Check =>
  (came) => {
    const { status: got } = came as Came; // as above
    return expected.includes(got) ? undefined : `expected status ${expected}\n      actual   ${shown(came)}`;
  };

/** A value with all of this in it. */
export const holding =
  (part: object): Check =>
  (came) =>
    thrownBy(() => assert.partialDeepStrictEqual(came as object, part), came, part);

/** A text, or what is written of a value, as this pattern says. */
export const saying =
  (pattern: RegExp): Check =>
  (came) => {
    const text = typeof came === 'string' ? came : JSON.stringify(came);
    return pattern.test(text) ? undefined : `expected ${pattern}\n      actual   ${shown(came)}`;
  };

/** The opposite. */
export const notSaying =
  (pattern: RegExp): Check =>
  (came) => {
    const text = typeof came === 'string' ? came : JSON.stringify(came);
    return pattern.test(text) ? `did not expect ${pattern}\n      actual   ${shown(came)}` : undefined;
  };

/** All of these. */
export const all =
  (...checks: readonly Check[]): Check =>
  (came, scene) => {
    for (const check of checks) {
      const wrong = check(came, scene);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };

/** What a response was, in short: for attacks of several. */
export const told = ({ status: got, json }: Came): string =>
  `${got}${typeof json?.type === 'string' ? ` ${json.type.replace('urn:holdfast:problem:', '')}` : ''}`;
