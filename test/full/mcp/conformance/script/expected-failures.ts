import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check, PlayedScenario } from './run-suite.ts';

/** The tested side: the client or the server of Holdfast. */
export type Side = 'client' | 'server';

/** The sets of scenarios: all of the suite 0.1.16, and the requirements of each revision in the suite 0.2. */
export const SETS = ['0.1.16', '2025-11-25', '2026-07-28'] as const;
export type SetName = (typeof SETS)[number];

/** Returns the path of a set's expected failures, with their reasons. */
export const getSetFile = (set: SetName): string =>
  join(import.meta.dirname, `../expected-failures/${set}.yml`);

/** The checks that may fail, by scenario. An empty set allows the whole scenario to fail. */
export type ExpectedFailures = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Reads the expected failures of a set. The YAML has a list for each side, with entries `scenario` or
 * `scenario:check`.
 */
export function readExpected(set: SetName): Readonly<Record<Side, ExpectedFailures>> {
  const expected = { client: new Map<string, Set<string>>(), server: new Map<string, Set<string>>() };
  let side: Side = 'client';
  for (const line of readFileSync(getSetFile(set), 'utf8').split('\n')) {
    if (line.startsWith('client:')) side = 'client';
    if (line.startsWith('server:')) side = 'server';
    const [, scenario, check] = /^ {2}- ([^\s:]+)(?::(\S+))?/.exec(line) ?? [];
    if (scenario === undefined) continue;
    const checks = expected[side].get(scenario) ?? new Set<string>();
    expected[side].set(scenario, check === undefined ? checks : checks.add(check));
  }
  return expected;
}

/** With expected failures, the suite also counts warnings as failures. */
export const hasFailed = ({ status }: Check): boolean => status === 'FAILURE' || status === 'WARNING';

/** Returns the differences between a scenario's result and its expectation. */
export function findSurprises(
  { checks }: PlayedScenario,
  excused: ReadonlySet<string> | undefined,
): readonly string[] {
  const failed = [...new Set(checks.filter(hasFailed).map(({ id }) => id))];
  if (excused === undefined) return failed.map((id) => `'${id}' is not expected to fail.`);
  if (excused.size === 0) return failed.length > 0 ? [] : ['It is expected to fail, and passes.'];
  const hasPassed = (excuse: string): boolean =>
    !failed.includes(excuse) && checks.some(({ id, status }) => id === excuse && status === 'SUCCESS');
  return [
    ...failed.filter((id) => !excused.has(id)).map((id) => `'${id}' is not expected to fail.`),
    ...[...excused].filter(hasPassed).map((id) => `'${id}' is expected to fail, and passes.`),
  ];
}
