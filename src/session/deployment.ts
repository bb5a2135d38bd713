import { ConfigurationError } from '../model/configuration-error.ts';
import { attempt } from '../tool/async.ts';
import { literals } from '../tool/literals.ts';
import { parseNumberVar } from './read-platform.ts';

/**
 * Thrown if the Worker's deployment cannot run sessions. Every request fails in the same way until the
 * problems in the message are fixed and deployed.
 */
export class DeploymentError extends ConfigurationError {
  /** The problems, as the log lists them. */
  readonly problems: readonly string[];

  constructor(problems: string | readonly string[], options?: ErrorOptions) {
    const each = [problems].flat();
    super(each.join('\n\n'), options);
    this.problems = each;
  }
}

/** Throws, or rejects with, a ConfigurationError that names the missing parts of an environment. */
export type DeploymentCheck = () => unknown;

/** The parts of a deployment that a Worker can inspect. */
export interface Deployment {
  /** Its vars, secrets and bindings. */
  readonly env: Readonly<Record<string, unknown>>;
  /** The exports of its main module by name, as in `cloudflare:workers`. */
  readonly exports: Readonly<Record<string, unknown>>;
  /**
   * The value of `Cloudflare.compatibilityFlags`. A Worker cannot read its compatibility date, only the flags
   * that the date enables.
   */
  readonly flags: Readonly<Record<string, boolean>>;
}

/**
 * On from 2025-11-17. Enables `ctx.exports`, through which a session's Durable Object reaches the
 * `TurnRunner`.
 */
const EXPORTS_FLAG = 'enable_ctx_exports';

/** On from 2026-10-01. Keeps a Durable Object awake while a call that it made is still running. */
const AWAKE_FLAG = 'durable_object_io_tasks_prevent_eviction';

/** The texts for the problems of a deployment. */
const DEPLOYMENT_PROBLEMS = {
  exports: 'This Worker runs without `ctx.exports`, so no turn outlives its request.',
  runner: 'This Worker exports no `TurnRunner`, so no turn outlives its request.',
  class: 'This Worker exports no class for its sessions.',
  binding: 'This Worker has no Durable Object binding SESSIONS.',
  sqlite: 'The sessions of this Worker have no SQLite storage.',
  awake: 'The platform may stop a background turn, which leaves a `once` call in doubt.',
};

const describeMissing = (what: keyof typeof DEPLOYMENT_PROBLEMS): string =>
  `${DEPLOYMENT_PROBLEMS[what]} ${literals?.mending[what] ?? DOCS_HINT}`;

/** Flags that no compatibility date enables. */
const RECOMMENDED_FLAGS = ['enable_request_signal', 'global_fetch_strictly_public'] as const;

/** In production, the message links to the docs instead of listing the lines to add. */
const DOCS_HINT = 'See docs/deploy.md.';

/** Returns the error for Durable Objects without SQLite storage. */
export const createSqliteMissingError = (): DeploymentError => new DeploymentError(describeMissing('sqlite'));

/**
 * The vars that session objects read, with their minimums. An object ignores an invalid var. A lease holder
 * renews after a third of the lease, from any location. A session refuses new work 16 MiB below its limit.
 */
const OBJECT_VAR_MINIMUMS = { LEASE_MS: 100, SESSION_BYTES: 17_000_000 };

function findVarProblems(env: Deployment['env']): string[] {
  return Object.entries(OBJECT_VAR_MINIMUMS).flatMap(([name, least]) => {
    const read = attempt(() => parseNumberVar(name, least, env[name]));
    return read.ok ? [] : [String(Object(read.thrown).message)];
  });
}

/**
 * Checks that a deployment has everything that sessions need, except their database. The `TurnRunner` is
 * needed even with a queue, since it resumes turns whose queue messages were lost.
 *
 * @throws DeploymentError that lists everything missing. In development it also lists the lines to add.
 */
export function checkDeployment({ env, exports, flags }: Deployment): void {
  const problems = [
    ...(env.SESSIONS ? [] : [describeMissing('binding')]),
    ...(flags[EXPORTS_FLAG] ? [] : [describeMissing('exports')]),
    ...(exports.TurnRunner ? [] : [describeMissing('runner')]),
    ...(hasClass(exports) ? [] : [describeMissing('class')]),
    ...findVarProblems(env),
  ];
  if (problems.length > 0) throw new DeploymentError(problems.join('\n\n'));
}

/**
 * Returns whether a Worker may export the class. It can have any name, so it counts as missing only if no
 * export could be that class.
 */
const hasClass = (exports: Deployment['exports']): boolean =>
  exports.SessionObject !== undefined ||
  Object.keys(exports).some((name) => name !== 'default' && name !== 'TurnRunner');

/** Returns warnings about settings that would make sessions work better. */
export const listDeploymentWarnings = ({ env, flags }: Deployment): readonly string[] => [
  ...(flags[AWAKE_FLAG] || env.TURNS ? [] : [describeMissing('awake')]),
  ...RECOMMENDED_FLAGS.flatMap((flag) =>
    flags[flag] ? [] : `The flag ${flag} is off. ${literals?.mending[flag] ?? DOCS_HINT}`,
  ),
];
