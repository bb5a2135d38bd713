import { parseArgs } from 'node:util';
import { type Guard, SABOTAGES } from '../lab/sabotage.ts';

/** The options of a run. */
export interface MatrixOptions {
  /** Plays only this kind. */
  readonly only: string | undefined;
  /** Plays only this position in memory. */
  readonly at: number | undefined;
  /** The guard to remove. The matrix must then fail. */
  readonly without: Guard | undefined;
  readonly seed: number;
  /** The number of samples in workerd. */
  readonly samples: number;
}

export const formatHelp = (kinds: readonly string[]): string => `Usage: npm run crash-matrix -- [options]

Plays every kind of tool once undisturbed, and then once for each position and each disturbance. What the model was shown,
what the session remembers and how often each call had its effect must be the same. Without --only, --at and --without, also a fork and a
retry, struck at each message to an object.

  --only <kind>      one kind alone: ${kinds.join(', ')}
  --at <position>      one position alone, and none in workerd
  --samples <count>  plays in workerd, with real Durable Objects; 200 unless given
  --seed <number>    draws them; 1 unless given
  --without <guard>  takes a guard away, so that the matrix fails: ${Object.keys(SABOTAGES).join(', ')}
  --help             shows this`;

const OPTIONS = {
  only: { type: 'string' },
  at: { type: 'string' },
  without: { type: 'string' },
  seed: { type: 'string', default: '1' },
  samples: { type: 'string', default: '200' },
  help: { type: 'boolean', default: false },
} as const;

/**
 * Parses the arguments. Returns `undefined` if help is requested. @throws Error if the arguments are invalid.
 */
export function readOptions(args: readonly string[], kinds: readonly string[]): MatrixOptions | undefined {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.help) return undefined;
  const { only, without, at } = values;
  if (only !== undefined && !kinds.includes(only))
    throw new Error(`--only must name a kind of tool, not '${only}'.`);
  if (without !== undefined && !isGuard(without))
    throw new Error(`--without must name a guard, not '${without}'.`);
  return {
    only,
    without,
    at: at === undefined ? undefined : parseWhole('at', at),
    seed: parseWhole('seed', values.seed),
    samples: at === undefined ? parseWhole('samples', values.samples) : 0,
  };
}

const isGuard = (name: string): name is Guard => Object.hasOwn(SABOTAGES, name);

function parseWhole(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number, not '${text}'.`);
  return Number(text);
}
