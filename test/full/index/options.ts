import { parseArgs } from 'node:util';

/** The size of the run. */
export interface IndexOptions {
  readonly sessions: number;
  readonly owners: number;
  readonly 'at-once': number;
  readonly kills: number;
  readonly 'lease-ms': number;
  readonly erase: number;
  readonly 'erase-kills': number;
}

const DEFAULTS: IndexOptions = {
  sessions: 10_000,
  owners: 50,
  'at-once': 20,
  kills: 40,
  'lease-ms': 20_000,
  erase: 1_000,
  'erase-kills': 10,
};

export const USAGE = `Usage: npm run index -- [options]

Runs many sessions of many owners in one workerd process, which is killed meanwhile, and compares the index with the journals: status,
outcome, turns, tokens and title of each session, in the lists and in D1. Prints how long after the stop of a turn the index has shown it.
Then erases an owner with many sessions and files, under kills, and looks for what is left of it.

${Object.entries(DEFAULTS)
  .map(([name, value]) => `  --${`${name} <number>`.padEnd(22)} defaults to ${value}`)
  .join('\n')}
  --help                   prints this`;

/**
 * Parses the arguments. Returns `undefined` if help is requested. @throws Error if the arguments are invalid.
 */
export function readOptions(args: readonly string[]): IndexOptions | undefined {
  const names = Object.keys(DEFAULTS) as (keyof IndexOptions)[]; // the keys of DEFAULTS are the options
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...Object.fromEntries(names.map((name) => [name, { type: 'string' }] as const)),
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const readNumber = (name: keyof IndexOptions): number => {
    const text: unknown = Object(values)[name];
    if (text === undefined) return DEFAULTS[name];
    if (typeof text !== 'string' || !/^\d{1,9}$/.test(text))
      throw new Error(`--${name} must be a whole number, not '${text}'.`);
    return Number(text);
  };
  return Object.fromEntries(names.map((name) => [name, readNumber(name)])) as unknown as IndexOptions; // contains all options
}
