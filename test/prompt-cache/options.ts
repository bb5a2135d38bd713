import { parseArgs } from 'node:util';
import { MEASURED_WIRES } from './play/wires.ts';

export interface PromptCacheOptions {
  /** The name of one scenario. Defaults to all. */
  readonly scenario?: string;
  /** The name of one wire. Defaults to all. */
  readonly wire?: string;
}

/** Every scenario, in the order of the table. */
export const SCENARIO_NAMES = [
  'plain',
  'plain-turns',
  'state-machine',
  'state-machine-loop',
  'workspace',
  'playbook',
  'chain',
  'chain-discovers',
  'mcp',
  'mcp-files',
  'state-machine-hides',
  'state-machine-tells',
  'plain-limit',
] as const;

export const USAGE = `Usage: npm run prompt-cache -- [options]

Plays sessions over the wires of providers, and compares each request with the one before it in the same loop: what a prompt
cache could keep of it, where it departs, and why, by the session's own journal.

  --only <scenario>    one scenario alone: ${SCENARIO_NAMES.join(', ')}
  --wire <wire>        one wire alone: ${MEASURED_WIRES.map(({ name }) => name).join(', ')}
  --help               shows this`;

const OPTIONS = {
  only: { type: 'string' },
  wire: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

/**
 * Parses the arguments. Returns `undefined` if help is requested. @throws Error if the arguments are invalid.
 */
export function readOptions(args: readonly string[]): PromptCacheOptions | undefined {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.help) return undefined;
  const { only: scenario, wire } = values;
  if (scenario !== undefined && !SCENARIO_NAMES.some((name) => name === scenario))
    throw new Error(`--only must name a scenario, not '${scenario}'.`);
  if (wire !== undefined && !MEASURED_WIRES.some(({ name }) => name === wire))
    throw new Error(`--wire must name a wire, not '${wire}'.`);
  return { ...(scenario !== undefined && { scenario }), ...(wire !== undefined && { wire }) };
}
