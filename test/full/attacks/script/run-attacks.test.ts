/** Tests that each planted hole is found by exactly the attacks that target it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOLES, USAGE } from './options.ts';

/** The output and the exit code of a run. */
interface RunResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const run = (...args: readonly string[]): Promise<RunResult> =>
  new Promise((resolve) => {
    const program = join(import.meta.dirname, 'run-attacks.ts');
    execFile(process.execPath, [program, ...args], { timeout: 100_000 }, (failure, stdout, stderr) =>
      resolve({ code: failure === null ? 0 : Number(failure.code), stdout, stderr }),
    );
  });

const getLastLine = ({ stdout }: RunResult): string => stdout.trim().split('\n').at(-1) ?? '';

/** A hole, the name of an attack that succeeds because of it, and a text that selects the attacks to run. */
type PlantedHole = readonly [hole: string, attack: string, only: string];

/** These holes do not hide each other, so one Worker can have all of them. */
const combinedHoles: readonly PlantedHole[] = [
  ['context-tenant', "context: a body cannot set the context key 'tenant'", 'context: a body cannot set'],
  ['no-roles', 'approvals: a caller without the role cannot approve', 'approvals: a caller without'],
  [
    'private-addresses',
    'MCP servers: the address https://127.0.0.1:{trap}/ receives no request',
    'the address https',
  ],
  [
    'anybody-delegates',
    'persons: a caller who does not delegate cannot act for the person in a header',
    'persons: a caller who does not',
  ],
  ['unsigned', 'webhooks: github: a delivery without its signature starts no turn', 'webhooks: github'],
];

/** This hole makes every caller a member of zeta, so it is planted alone. */
const singleHole: PlantedHole = [
  'one-tenant',
  'owners: GET of a session of zeta does not exist for another tenant',
  'owners: GET',
];

/** Plants holes and returns the findings. @throws Error if the run did not fail. */
async function runWithHoles(holes: readonly PlantedHole[]): Promise<string> {
  const only = holes.map(([, , part]) => part).join(',');
  const ran = await run('--hole', holes.map(([hole]) => hole).join(','), '--only', only);
  const [, refused, tried] = /^attacks: (\d+) of (\d+) refused or harmless$/.exec(getLastLine(ran)) ?? [];
  expect(Number(refused)).toBeLessThan(Number(tried));
  expect(ran.code).toBe(1);
  return ran.stdout;
}

describe('npm run attacks', () => {
  it('prints its usage and starts no attack', async () => {
    expect(await run('--help')).toEqual({ code: 0, stdout: `${USAGE}\n`, stderr: '' });
  });

  it('refuses unknown options and prints its usage', async () => {
    const { code, stdout, stderr } = await run('--hole', 'none');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(`--hole must be one of ${Object.keys(HOLES).join(', ')}, not 'none'.\n\n${USAGE}\n`);
  });

  it('is tested against every hole that can be planted', () => {
    const planted = [...combinedHoles, singleHole].map(([hole]) => hole);
    expect(planted.toSorted()).toEqual(Object.keys(HOLES).toSorted());
  });

  it('reports no findings for the current Worker', { timeout: 120_000 }, async () => {
    const ran = await run('--only', 'owners: GET,edits,entrances: on localhost');
    expect(ran.stdout).not.toMatch(/^ {2}x /m);
    expect(getLastLine(ran)).toMatch(/^attacks: (\d+) of \1 refused or harmless$/);
    expect(ran.code).toBe(0);
  });

  it('reports each planted hole', { timeout: 120_000 }, async () => {
    const found = await runWithHoles(combinedHoles);
    for (const [, attack] of combinedHoles) expect(found).toContain(`  x ${attack}\n`);
  });

  it("reports that a tenant can read another tenant's session, and shows the secret word from the response", {
    timeout: 120_000,
  }, async () => {
    const found = await runWithHoles([singleHole]);
    expect(found).toContain(`  x ${singleHole[1]}\n`);
    expect(found).toContain(
      "  x 'ZETA-VAULT-9319' is in what ann was answered to GET /agents/clerk/sessions/vault\n",
    );
  });
});
