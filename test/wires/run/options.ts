import { parseArgs } from 'node:util';
import { CHANGES, type Change } from '../session/names.ts';
import { WIRES, type WireName } from '../session/servers.ts';

/** Where sessions are killed: never, between any two events, or at random positions for each row. */
export type KillPlan = 'none' | 'all' | { readonly positions: number; readonly seed: number };

export interface WiresOptions {
  readonly wires: readonly WireName[];
  /** The model changes to play. `undefined` is a session without a change. */
  readonly changes: readonly (Change | undefined)[];
  readonly kills: KillPlan;
}

/** The default number of kills for each row. */
const POSITIONS = 3;

export const USAGE = `Usage: npm run wires -- [options]

Plays two turns over every wire: a strict server that refuses what a provider refuses. All of it runs in workerd, as JSON and as
a stream, and the runtime is killed at drawn places. One model answers all, another one takes over, it returns, or a deploy brings
a newer one.

  --only <wire>        one wire alone: ${WIRES.join(', ')}
  --change <name>      sessions of one kind alone: none, ${CHANGES.join(', ')}
  --positions <count>  kills each row at so many places; defaults to ${POSITIONS}
  --seed <number>      draws them; defaults to 1
  --all                kills between all events, which takes most of an hour
  --no-kills           kills nothing
  --help               shows this`;

const OPTIONS = {
  only: { type: 'string' },
  change: { type: 'string' },
  positions: { type: 'string', default: String(POSITIONS) },
  seed: { type: 'string', default: '1' },
  all: { type: 'boolean', default: false },
  'no-kills': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/**
 * Parses the arguments. Returns `undefined` if help is requested. @throws Error if the arguments are invalid.
 */
export function readOptions(args: readonly string[]): WiresOptions | undefined {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.help) return undefined;
  const { only, change: kind, positions } = values;
  const wires = WIRES.filter((wire) => only === undefined || wire === only);
  if (wires.length === 0) throw new Error(`--only must name a wire, not '${only}'.`);
  const changes = [undefined, ...CHANGES].filter((one) => kind === undefined || kind === (one ?? 'none'));
  if (changes.length === 0) throw new Error(`--change must name a model change, not '${kind}'.`);
  const drawn = { positions: parseWhole('positions', positions), seed: parseWhole('seed', values.seed) };
  const kills = values['no-kills'] ? 'none' : values.all ? 'all' : drawn;
  return { wires, changes, kills };
}

function parseWhole(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number, not '${text}'.`);
  return Number(text);
}
