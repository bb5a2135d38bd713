import { parseArgs } from 'node:util';

export interface BenchOptions {
  /** A commit that is measured beside this checkout. */
  readonly compare?: string | undefined;
  /** Samples of each figure. */
  readonly rounds: number;
  /** Loops of a sample, each in a session of its own. */
  readonly loops: number;
  /** Turns of the long session; 0 leaves it out. */
  readonly turns: number;
  /** Starts of a process in a sample of what a start takes; 0 leaves it out. */
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

/** Reads the arguments. Returns `undefined` if help is asked for. @throws Error that says what is wrong with them. */
export function readOptions(args: readonly string[]): BenchOptions | undefined {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.help) return undefined;
  const defaults = values.quick ? QUICK : FULL;
  const whole = (name: keyof typeof FULL, least: number): number => {
    const text = values[name] ?? String(defaults[name]);
    if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
    throw new Error(`--${name} is '${text}', not a whole number from ${least}.`);
  };
  return {
    compare: values.compare,
    rounds: whole('rounds', 1),
    loops: whole('loops', 1),
    turns: whole('turns', 0),
    starts: whole('starts', 0),
  };
}
