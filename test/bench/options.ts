import { parseArgs } from 'node:util';

export interface BenchOptions {
  /** The commit to measure in addition to this checkout. */
  readonly compare?: string | undefined;
  /** The number of samples of each figure. */
  readonly rounds: number;
  /** The number of loops in a sample, each in a separate session. */
  readonly loops: number;
  /** The number of turns in the long session. 0 disables it. */
  readonly turns: number;
  /** The number of process starts in a sample. 0 disables it. */
  readonly starts: number;
}

export const HELP = `npm run bench -- [--compare COMMIT] [--rounds 5] [--loops 100] [--turns 5000] [--starts 5] [--quick]

Measures this checkout beside the AI SDK, and beside a commit. --quick: small numbers, to see that it works.
`;

const OPTIONS = {
  compare: { type: 'string' },
  rounds: { type: 'string' },
  loops: { type: 'string' },
  turns: { type: 'string' },
  starts: { type: 'string' },
  quick: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

const FULL = { rounds: 5, loops: 100, turns: 5_000, starts: 5 };
const QUICK = { rounds: 2, loops: 10, turns: 50, starts: 1 };

/**
 * Parses the arguments. Returns `undefined` if help is requested. @throws Error if the arguments are invalid.
 */
export function readOptions(args: readonly string[]): BenchOptions | undefined {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.help) return undefined;
  const defaults = values.quick ? QUICK : FULL;
  const parseWholeNumber = (name: keyof typeof FULL, least: number): number => {
    const text = values[name] ?? String(defaults[name]);
    if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
    throw new Error(`--${name} must be a whole number of at least ${least}, not '${text}'.`);
  };
  return {
    compare: values.compare,
    rounds: parseWholeNumber('rounds', 1),
    loops: parseWholeNumber('loops', 1),
    turns: parseWholeNumber('turns', 0),
    starts: parseWholeNumber('starts', 0),
  };
}
