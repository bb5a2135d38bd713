import { parseArgs } from 'node:util';

/** What is run. */
export interface AttackOptions {
  /** Groups whose names hold this text; all unless given. */
  readonly only: string;
  /** A hole that is planted in the attacked Worker, to see that the attacks find it; none unless given. */
  readonly hole: string;
  /** Shows each attack with what came of it. */
  readonly verbose: boolean;
}

/** What can be planted, each with what it takes away. */
export const HOLES: Readonly<Record<string, string>> = {
  'one-tenant': '`auth` takes every caller for one of the same tenant',
  'context-tenant': 'a tool goes by the tenant of the context, which a body may say',
  'no-roles': 'approvals are for anybody',
};

export const USAGE = `Usage: npm run attacks -- [options]

Attacks wrangler dev over HTTP, by two tenants and by strangers. Each attack says what must come of it, and what must not have
happened: no effect, no change of what the other tenant has, no credential in any answer, journal or log.

  --only <text>   groups of attacks whose names hold this
  --hole <name>   plants a hole in the attacked Worker: ${Object.keys(HOLES).join(', ')}
  --verbose       shows each attack with what came of it
  --help          shows this`;

const OPTIONS = {
  only: { type: 'string', default: '' },
  hole: { type: 'string', default: '' },
  verbose: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** Reads the arguments. `undefined`: help is asked for. @throws Error that says what is wrong with them. */
export function readOptions(args: readonly string[]): AttackOptions | undefined {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.help) return undefined;
  const { only, hole, verbose } = values;
  if (hole !== '' && !Object.hasOwn(HOLES, hole)) {
    throw new Error(`--hole is '${hole}', which is none of ${Object.keys(HOLES).join(', ')}.`);
  }
  return { only, hole, verbose };
}
