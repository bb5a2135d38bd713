import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import type { Template } from './options.ts';
import { CreateProblem } from './problem.ts';

/** The folder of a project. */
export interface Target {
  readonly path: string;
  /** The name of the package and of the Worker. */
  readonly name: string;
  /** `true` if the folder has an app, to which an agent is added. */
  readonly hasApp: boolean;
}

/** Names that a folder can contain and still count as empty. */
const IGNORED_NAMES = new Set(['.git', '.DS_Store', 'Thumbs.db', '.idea', '.vscode']);

/** Names that npm and Cloudflare both accept. */
const NAME_PATTERN = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** @throws CreateProblem if a project cannot be started in the folder. */
export function readTarget(folder: string, template: Template, cwd: string): Target {
  const path = resolve(cwd, folder);
  if (existsSync(path) && !statSync(path).isDirectory())
    throw new CreateProblem(`${folder} is a file. Name a new folder.`);
  const held = existsSync(path) ? readdirSync(path).filter((name) => !IGNORED_NAMES.has(name)) : [];
  const hasApp = template === 'embed' && held.includes('package.json');
  if (held.length > 0 && !hasApp)
    throw new CreateProblem(
      `${formatPath(path, cwd)} is not empty. Name a new folder${
        held.includes('package.json') ? ', or add an agent to the app there with --template embed' : ''
      }.`,
    );
  return { path, name: getProjectName(path, path === cwd || hasApp), hasApp };
}

/** Formats the folder as the user would type it. */
export const formatPath = (path: string, cwd: string): string => relative(cwd, path) || 'This folder';

/**
 * Returns the name for a folder. An existing folder keeps its name. @throws CreateProblem if a new folder's
 * name is invalid for a Worker.
 */
function getProjectName(path: string, isThere: boolean): string {
  const name = basename(path);
  if (NAME_PATTERN.test(name)) return name;
  const like =
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 63)
      .replace(/^-+|-+$/g, '') || 'my-agent';
  if (isThere) return like;
  throw new CreateProblem(
    `"${name}" is not a valid name for a Worker. Use at most 63 lowercase letters, digits and dashes. For example: ${like}`,
  );
}

/** Returns whether there is an app that an agent can be added to. */
export const isAppFolder = (path: string): boolean => existsSync(join(path, 'package.json'));
