import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Which half of the suite: it looks at our client, or at our server. */
export type Side = 'client' | 'server';

/** The file that says what fails, and why. */
export const EXPECTED_FAILURES = join(import.meta.dirname, '../expected-failures.yml');

/** The scenarios in the file, by side: a list a side, as its YAML is written. */
export function readExpected(): Readonly<Record<Side, ReadonlySet<string>>> {
  const expected = { client: new Set<string>(), server: new Set<string>() };
  let side: Side = 'client';
  for (const line of readFileSync(EXPECTED_FAILURES, 'utf8').split('\n')) {
    if (line.startsWith('client:')) side = 'client';
    if (line.startsWith('server:')) side = 'server';
    const scenario = /^ {2}- (\S+)/.exec(line)?.[1];
    if (scenario !== undefined) expected[side].add(scenario);
  }
  return expected;
}
