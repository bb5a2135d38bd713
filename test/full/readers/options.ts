import { parseArgs } from 'node:util';

/** The numbers of readers and replies, and the form of the replies. */
export interface ReadersOptions {
  readonly readers: number;
  readonly replies: number;
  /** The number of words of each reply. */
  readonly words: number;
  /** The pause before each word, in ms. */
  readonly pace: number;
  /** The seed that determines when connections are cut. */
  readonly seed: number;
}

export const USAGE = `Usage: npm run readers -- [options]

Lets many read one session while a turn of several replies streams in it, and cuts half of them at random times; each comes again
with the id of the last event that it saw. Every one ends with the same list of events, and what each connection shows of a reply
is its beginning. Then tells what the session's object does for such a turn with no reader, with one, and with all of them.

  --readers <count>  200 unless given
  --replies <count>  of the turn; 4 unless given
  --words <count>    of each reply; 150 unless given
  --pace <ms>        the pause before each word; 20 unless given
  --seed <number>    of when connections are cut; 1 unless given
  --help             shows this`;

const OPTIONS = {
  readers: { type: 'string', default: '200' },
  replies: { type: 'string', default: '4' },
  words: { type: 'string', default: '150' },
  pace: { type: 'string', default: '20' },
  seed: { type: 'string', default: '1' },
  help: { type: 'boolean', default: false },
} as const;

/**
 * Parses the arguments. Returns `undefined` if help is requested. @throws Error if the arguments are invalid.
 */
export function readOptions(args: readonly string[]): ReadersOptions | undefined {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.help) return undefined;
  const parseWholeNumber = (name: Exclude<keyof typeof values, 'help'>, least = 1): number => {
    const value = Number(values[name]);
    if (/^\d{1,9}$/.test(values[name]) && value >= least) return value;
    throw new Error(`--${name} must be a whole number of at least ${least}, not '${values[name]}'.`);
  };
  return {
    readers: parseWholeNumber('readers'),
    replies: parseWholeNumber('replies'),
    words: parseWholeNumber('words'),
    pace: parseWholeNumber('pace', 0),
    seed: parseWholeNumber('seed', 0),
  };
}
