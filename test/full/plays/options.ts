import { parseArgs } from 'node:util';
import { HOLES } from './machine/holes.ts';

/** The options of a run. */
export interface PlaysOptions {
  readonly seed: number;
  readonly count: number;
  readonly isTraced: boolean;
  /**
   * Plays forks and retries with a fault at each message instead of seeds. `whole` uses every fault, and
   * `in-turn` alternates.
   */
  readonly matrix: 'whole' | 'in-turn' | undefined;
  /** Stops after the first play with findings. */
  readonly bails: boolean;
  /** The mutations to plant in the library. The plays must find them. */
  readonly holes: readonly string[];
}

export const USAGE = `Usage: npm run plays -- [options]

Plays random plays over the real session object in Node, with a simulated clock: users, an app with tools of every effect, and
everything that can go wrong around them. Afterwards each play is judged by what must always hold. A play follows from its seed
alone.

  --seed <number>   of the first play; 1 unless given
  --count <number>  how many are played, with the seeds from there on; 200 unless given
  --trace           shows everything that happens: for one play
  --bail            ends behind the first play with findings
  --hole <names>    plants mutations of test/mutations.ts in the library, 'reconcile,dedupe-key', or holes of its own:
                    ${HOLES.map(({ name }) => name).join(', ')}
  --matrix <which>  plays a fork and a retry once for each message to an object instead, which is lost, or whose sender dies: 'whole' in
                    every way, 'in-turn' in one way each
  --help            shows this`;

const OPTIONS = {
  seed: { type: 'string', default: '1' },
  count: { type: 'string', default: '200' },
  trace: { type: 'boolean', default: false },
  bail: { type: 'boolean', default: false },
  hole: { type: 'string', default: '' },
  matrix: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

/**
 * Parses the arguments. Returns `undefined` if help is requested. @throws Error if the arguments are invalid.
 */
export function readOptions(args: readonly string[]): PlaysOptions | undefined {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.help) return undefined;
  return {
    seed: parseWhole('seed', values.seed, 0),
    count: parseWhole('count', values.count, 1),
    matrix: parseMatrix(values.matrix),
    isTraced: values.trace,
    bails: values.bail,
    holes: values.hole.split(',').filter((name) => name !== ''),
  };
}

function parseMatrix(text: string | undefined): PlaysOptions['matrix'] {
  if (text === undefined || text === 'whole' || text === 'in-turn') return text;
  throw new Error(`--matrix must be 'whole' or 'in-turn', not '${text}'.`);
}

function parseWhole(name: string, text: string, least: number): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= least) return value;
  throw new Error(`--${name} must be a whole number of at least ${least}, not '${text}'.`);
}
