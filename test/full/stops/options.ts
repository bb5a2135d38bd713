import { parseArgs } from 'node:util';

/** The number of turns to stop. */
export interface StopsOptions {
  readonly turns: number;
  readonly leaseMs: number;
}

export const USAGE = `Usage: npm run stops -- [options]

Starts many turns under wrangler dev, half of them in a model call and half in a tool call that never ends, and cancels them all
at once. Tells how long it took until each had ended. Every turn has ended as cancelled, and every effect happened once, as
counted by a separate process.

  --turns <count>      100 unless given
  --lease-ms <number>  how long an invocation may hold a session; 20000 unless given
  --help               shows this`;

const OPTIONS = {
  turns: { type: 'string', default: '100' },
  'lease-ms': { type: 'string', default: '20000' },
  help: { type: 'boolean', default: false },
} as const;

/**
 * Parses the arguments. Returns `undefined` if help is requested. @throws Error if the arguments are invalid.
 */
export function readOptions(args: readonly string[]): StopsOptions | undefined {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.help) return undefined;
  return {
    turns: parseWhole('turns', values.turns, 1),
    leaseMs: parseWhole('lease-ms', values['lease-ms'], 300),
  };
}

function parseWhole(name: string, text: string, least: number): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= least) return value;
  throw new Error(`--${name} must be a whole number of at least ${least}, not '${text}'.`);
}
