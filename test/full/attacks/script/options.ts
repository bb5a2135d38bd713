import { parseArgs } from 'node:util';

/** The options of a run. */
export interface AttackOptions {
  /**
   * Runs only attacks whose full name (`owners: GET of ...`) contains one of these texts. Empty runs all
   * attacks.
   */
  readonly only: readonly string[];
  /** Holes to plant in the attacked Worker. The attacks must find them. */
  readonly holes: readonly string[];
  /** Prints each attack with its outcome. */
  readonly verbose: boolean;
}

/** The vulnerabilities that can be planted, each with the protection that it removes. */
export const HOLES: Readonly<Record<string, string>> = {
  'one-tenant': '`auth` assigns all callers to the same tenant',
  'context-tenant': 'a tool uses the tenant in the context, which a request body can set',
  'no-roles': 'any caller can decide about an approval',
  'private-addresses': 'an address from untrusted data can be private',
  'anybody-delegates': '`auth` lets every caller act for the person in a header',
  unsigned: 'a webhook accepts unsigned deliveries',
};

export const USAGE = `Usage: npm run attacks -- [options]

Attacks wrangler dev over HTTP, by two tenants and by strangers. Each attack says what must come of it, and what must not have
happened: no effect, no change of what the other tenant has, no credential in any answer, journal or log.

  --only <texts>  attacks whose names hold one of these texts, with commas between: 'owners: GET,approvals'
  --hole <names>  plants holes in the attacked Worker: ${Object.keys(HOLES).join(', ')}
  --verbose       shows each attack with what came of it
  --help          shows this`;

const OPTIONS = {
  only: { type: 'string', default: '' },
  hole: { type: 'string', default: '' },
  verbose: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/**
 * Parses the arguments. Returns `undefined` if help is requested. @throws Error if the arguments are invalid.
 */
export function readOptions(args: readonly string[]): AttackOptions | undefined {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.help) return undefined;
  const holes = splitList(values.hole);
  const unknown = holes.find((hole) => !Object.hasOwn(HOLES, hole));
  if (unknown !== undefined) {
    throw new Error(`--hole must be one of ${Object.keys(HOLES).join(', ')}, not '${unknown}'.`);
  }
  return { only: splitList(values.only), holes, verbose: values.verbose };
}

const splitList = (texts: string): readonly string[] => texts.split(',').filter((text) => text !== '');
