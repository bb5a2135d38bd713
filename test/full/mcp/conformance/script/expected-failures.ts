import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check, Played } from './run-suite.ts';

/** Which half of a suite: it looks at our client, or at our server. */
export type Side = 'client' | 'server';

/** What is played: the suite of 0.1.16, and what each revision requires as the suite of 0.2 has it. */
export const SETS = ['0.1.16', '2025-11-25', '2026-07-28'] as const;
export type SetName = (typeof SETS)[number];

/** The file that says what of a set fails, and why. */
export const fileOf = (set: SetName): string => join(import.meta.dirname, `../expected-failures/${set}.yml`);

/** By scenario, the checks that may fail; none: it fails as a whole. */
export type Expected = ReadonlyMap<string, ReadonlySet<string>>;

/** What a set's file says, by side: a list a side of `scenario` or `scenario:check`, as its YAML is written. */
export function readExpected(set: SetName): Readonly<Record<Side, Expected>> {
  const expected = { client: new Map<string, Set<string>>(), server: new Map<string, Set<string>>() };
  let side: Side = 'client';
  for (const line of readFileSync(fileOf(set), 'utf8').split('\n')) {
    if (line.startsWith('client:')) side = 'client';
    if (line.startsWith('server:')) side = 'server';
    const [, scenario, check] = /^ {2}- ([^\s:]+)(?::(\S+))?/.exec(line) ?? [];
    if (scenario === undefined) continue;
    const checks = expected[side].get(scenario) ?? new Set<string>();
    expected[side].set(scenario, check === undefined ? checks : checks.add(check));
  }
  return expected;
}

/** The suite fails a scenario for a warning too, where it knows what is expected. */
export const hasFailed = ({ status }: Check): boolean => status === 'FAILURE' || status === 'WARNING';

/** How a scenario went otherwise than its file says, in words; nothing when it went so. */
export function surprisesOf({ checks }: Played, excused: ReadonlySet<string> | undefined): readonly string[] {
  const failed = [...new Set(checks.filter(hasFailed).map(({ id }) => id))];
  if (excused === undefined) return failed.map((id) => `'${id}' is not expected to fail.`);
  if (excused.size === 0) return failed.length > 0 ? [] : ['It is expected to fail, and passes.'];
  const passes = (excuse: string): boolean =>
    !failed.includes(excuse) && checks.some(({ id, status }) => id === excuse && status === 'SUCCESS');
  return [
    ...failed.filter((id) => !excused.has(id)).map((id) => `'${id}' is not expected to fail.`),
    ...[...excused].filter(passes).map((id) => `'${id}' is expected to fail, and passes.`),
  ];
}
