import { parseArgs } from 'node:util';

/** The options of a chaos run. */
export interface ChaosOptions {
  readonly seed: number;
  readonly kills: number;
  readonly sessions: number;
  readonly leaseMs: number;
}

export const USAGE = `Usage: npm run chaos -- [options]

Kills wrangler dev by SIGKILL, again and again, under a load of many sessions. Afterwards every message that was accepted
has one outcome, and no effect happened twice, as counted by a separate process.

  --seed <number>      draws the kills' moments and the load; 1 unless given
  --kills <count>      20 unless given
  --sessions <count>   50 unless given
  --lease-ms <number>  how long an invocation may hold a session; 3000 unless given
  --help               shows this`;

const OPTIONS = {
  seed: { type: 'string', default: '1' },
  kills: { type: 'string', default: '20' },
  sessions: { type: 'string', default: '50' },
  'lease-ms': { type: 'string', default: '3000' },
  help: { type: 'boolean', default: false },
} as const;

/**
 * Parses the arguments. Returns `undefined` if help is requested. @throws Error if the arguments are invalid.
 */
export function readOptions(args: readonly string[]): ChaosOptions | undefined {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.help) return undefined;
  return {
    seed: parseWhole('seed', values.seed, 0),
    kills: parseWhole('kills', values.kills, 1),
    sessions: parseWhole('sessions', values.sessions, 1),
    leaseMs: parseWhole('lease-ms', values['lease-ms'], 300),
  };
}

function parseWhole(name: string, text: string, least: number): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= least) return value;
  throw new Error(`--${name} must be a whole number of at least ${least}, not '${text}'.`);
}
