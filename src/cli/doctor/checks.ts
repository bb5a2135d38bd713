import type { Check } from './check.ts';
import { copies, entry, peers, queue, rateLimit, schedules, size } from './check-code.ts';
import { date, flags, minify, observability, sessions } from './check-config.ts';
import { migrationTags, moduleObjects } from './check-objects.ts';
import { baseUrl, devVars, localAuth, secrets, token, vars } from './check-vars.ts';
import type { Problem } from './problem.ts';
import type { Project } from './project.ts';

const CHECKS: readonly Check[] = [
  ...[date, flags, sessions, moduleObjects, migrationTags, entry, peers, copies, minify, observability],
  ...[secrets, localAuth, devVars, token, schedules, queue, rateLimit, baseUrl, vars, size],
];

/** Returns all problems of a project, errors first. */
export const checkProject = (project: Project): Problem[] => {
  const problems = CHECKS.flatMap((check) => check(project));
  const rank = ({ level }: Problem): number => (level === 'error' ? 0 : 1);
  return problems.toSorted((one, other) => rank(one) - rank(other));
};
