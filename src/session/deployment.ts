import { ConfigurationError } from '../model/configuration-error.ts';
import { attempt } from '../tool/async.ts';
import { literals } from '../tool/literals.ts';
import { fromVar } from './read-platform.ts';

/**
 * The Worker is deployed so that no session can work. Every request finds that out alike, until what the message says is
 * mended and deployed.
 */
export class DeploymentError extends ConfigurationError {
  /** Each by itself, as the log has them. */
  readonly problems: readonly string[];

  constructor(problems: string | readonly string[], options?: ErrorOptions) {
    const each = [problems].flat();
    super(each.join('\n\n'), options);
    this.problems = each;
  }
}

/** Throws, or rejects with, a ConfigurationError that says what an environment lacks. */
export type Check = () => unknown;

/** What a Worker sees of how it is deployed. */
export interface Deployment {
  /** Its vars, secrets and bindings. */
  readonly env: Readonly<Record<string, unknown>>;
  /** What its main module exports, by name, as `cloudflare:workers` has it. */
  readonly exports: Readonly<Record<string, unknown>>;
  /** `Cloudflare.compatibilityFlags`. A Worker cannot read its compatibility date, only which flags that date turns on. */
  readonly flags: Readonly<Record<string, boolean>>;
}

/** On from 2025-11-17: `ctx.exports`, by which the object of a session reaches the `TurnRunner`. */
const HAS_EXPORTS = 'enable_ctx_exports';

/** On from 2026-10-01: an object stays awake while something that it has called is still at work. */
const STAYS_AWAKE = 'durable_object_io_tasks_prevent_eviction';

/** What a deployment can lack, in words. */
const LACKS = {
  exports: 'This Worker runs without `ctx.exports`, so no turn outlives its request.',
  runner: 'This Worker exports no `TurnRunner`, so no turn outlives its request.',
  class: 'This Worker exports no class for its sessions.',
  binding: 'This Worker has no Durable Object binding SESSIONS.',
  sqlite: 'The sessions of this Worker have no SQLite storage.',
  awake: 'The platform may stop a background turn, which leaves a `once` call in doubt.',
};

const lacking = (what: keyof typeof LACKS): string => `${LACKS[what]} ${literals?.mending[what] ?? SEE}`;

/** No date turns these flags on. */
const FLAGS = ['enable_request_signal', 'global_fetch_strictly_public'] as const;

/** In production the lines to add are there. */
const SEE = 'See docs/production.md.';

/** Makes the error of a deployment whose session objects keep no database. */
export const withoutSqlite = (): DeploymentError => new DeploymentError(lacking('sqlite'));

/**
 * The vars that the objects of the sessions read, which go on without one while it is wrong, and the least of each. A holder renews its
 * lease after a third of it, from wherever it runs; a session is full 16 MiB before it weighs so much.
 */
const OBJECT_VARS = { LEASE_MS: 100, SESSION_BYTES: 17_000_000 };

function varProblems(env: Deployment['env']): string[] {
  return Object.entries(OBJECT_VARS).flatMap(([name, least]) => {
    const read = attempt(() => fromVar(name, least, env[name]));
    return read.ok ? [] : [String(Object(read.thrown).message)];
  });
}

/**
 * Checks what a session needs beside its database. The `TurnRunner` is needed with a queue too: it goes on with turns
 * whose messages were lost.
 *
 * @throws DeploymentError that names everything that is missing; in development with the lines to add.
 */
export function checkDeployment({ env, exports, flags }: Deployment): void {
  const problems = [
    ...(env.SESSIONS ? [] : [lacking('binding')]),
    ...(flags[HAS_EXPORTS] ? [] : [lacking('exports')]),
    ...(exports.TurnRunner ? [] : [lacking('runner')]),
    ...(hasClass(exports) ? [] : [lacking('class')]),
    ...varProblems(env),
  ];
  if (problems.length > 0) throw new DeploymentError(problems.join('\n\n'));
}

/** The class may have any name, so one is missed only where nothing is exported that could be one. */
const hasClass = (exports: Deployment['exports']): boolean =>
  exports.SessionObject !== undefined ||
  Object.keys(exports).some((name) => name !== 'default' && name !== 'TurnRunner');

/** Lists what makes sessions work less well than they could. */
export const deploymentWarnings = ({ env, flags }: Deployment): readonly string[] => [
  ...(flags[STAYS_AWAKE] || env.TURNS ? [] : [lacking('awake')]),
  ...FLAGS.flatMap((flag) =>
    flags[flag] ? [] : `The flag ${flag} is off. ${literals?.mending[flag] ?? SEE}`,
  ),
];
