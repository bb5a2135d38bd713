/** Internals for tests in Node: the doctor's inspection of a project. */
export { readBundle } from '../../src/cli/doctor/bundle.ts';
export { findNeededSecrets } from '../../src/cli/doctor/check-vars.ts';
export { checkProject } from '../../src/cli/doctor/checks.ts';
export { applyFixes } from '../../src/cli/doctor/fix.ts';
export { type Project, readProject } from '../../src/cli/doctor/project.ts';
