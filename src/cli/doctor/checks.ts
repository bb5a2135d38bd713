import type { Check } from './check.ts';
import {
  checkCopies,
  checkEntry,
  checkPeers,
  checkQueue,
  checkRateLimit,
  checkSchedules,
  checkSize,
} from './check-code.ts';
import { checkDate, checkFlags, checkMinify, checkObservability, checkSessions } from './check-config.ts';
import { checkMigrationTags, checkModuleObjects } from './check-objects.ts';
import {
  checkBaseUrl,
  checkDevVars,
  checkLocalAuth,
  checkSecrets,
  checkToken,
  checkVars,
} from './check-vars.ts';
import type { Problem } from './problem.ts';
import type { Project } from './project.ts';

const CHECKS: readonly Check[] = [
  ...[
    checkDate,
    checkFlags,
    checkSessions,
    checkModuleObjects,
    checkMigrationTags,
    checkEntry,
    checkPeers,
    checkCopies,
    checkMinify,
    checkObservability,
  ],
  ...[
    checkSecrets,
    checkLocalAuth,
    checkDevVars,
    checkToken,
    checkSchedules,
    checkQueue,
    checkRateLimit,
    checkBaseUrl,
    checkVars,
    checkSize,
  ],
];

/** Returns all problems of a project, errors first. */
export const checkProject = (project: Project): Problem[] => {
  const problems = CHECKS.flatMap((check) => check(project));
  const getRank = ({ level }: Problem): number => (level === 'error' ? 0 : 1);
  return problems.toSorted((one, other) => getRank(one) - getRank(other));
};
