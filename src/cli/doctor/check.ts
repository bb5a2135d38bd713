/**
 * Shared functions of the checks: they read a project, and find the place for a change of its configuration.
 */
import { isDeepStrictEqual } from 'node:util';
import { hasFile } from './bundle.ts';
import type { Edit, Problem } from './problem.ts';
import type { Bundle, Config, Project } from './project.ts';

/** Returns the problems of one kind in a project. */
export type Check = (project: Project) => readonly Problem[];

/** Makes a change of the configuration. */
export const createConfigEdit = (path: readonly string[], value: string | boolean): Edit => ({
  type: 'config',
  edit: { op: 'set', path, value },
});

export const getOwnPath = ({ environment }: Project, ...path: readonly string[]): readonly string[] =>
  environment === undefined ? path : ['env', environment, ...path];

/** Returns the path of a setting that an environment inherits unless it has its own. */
export const getInheritedPath = (
  project: Project,
  key: keyof Config,
  ...path: readonly string[]
): readonly string[] =>
  isDeepStrictEqual(project.config[key], project.top[key])
    ? [key, ...path]
    : getOwnPath(project, key, ...path);

export const findBundle = ({ bundle }: Project): Bundle | undefined =>
  bundle !== undefined && 'files' in bundle ? bundle : undefined;

export const isFileBundled = (project: Project, path: string): boolean => {
  const bundle = findBundle(project);
  return bundle !== undefined && hasFile(project, bundle, path);
};

export const listVars = ({ config }: Project): readonly (readonly [string, string])[] =>
  Object.entries(config.vars ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [],
  );

/** Returns whether a name is bound by the Secrets Store, whose values are not in the project. */
export const isStored = ({ config }: Project, name: string): boolean =>
  config.secrets_store_secrets?.some(({ binding }) => binding === name) ?? false;
