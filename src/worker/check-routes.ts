/** What is wrong with the routes of a module, found when they are made and when an app mounts them. */
import { ConfigurationError } from '../model/configuration-error.ts';
import type { Owner } from '../tool/call-origin.ts';
import { literals } from '../tool/literals.ts';
import { ended, shown } from '../tool/shown.ts';
import { mustHaveAgent } from './check-app.ts';
import type { HttpHost, Route } from './route.ts';

const METHODS = ['GET', 'POST', 'DELETE'];

/** @throws ConfigurationError if they are no list, or one of them is no route or is in it twice. */
export function checkRoutes({
  name,
  routes,
}: {
  readonly name: string;
  readonly routes: readonly unknown[];
}): void {
  const who = `Module '${name}'`;
  if (!Array.isArray(routes))
    throw new ConfigurationError(
      `${who} has ${shown(routes)} as its 'routes': use a list, as in [one, another].`,
    );
  const told = new Set<string>();
  routes.forEach((route, place) => {
    const problem = routeProblem(route);
    if (problem !== undefined) throw new ConfigurationError(`${who}: routes[${place}] ${ended(problem)}`);
    const named = routeName(Object(route));
    const key = named.replaceAll(/\{\w+\}/g, '{}');
    if (told.has(key)) throw new ConfigurationError(`${who}: routes[${place}] is there twice: ${named}.`);
    told.add(key);
  });
}

/** What is wrong with a route, as a sentence without its subject; `undefined` when it is one. */
function routeProblem(route: unknown): string | undefined {
  const fault = literals?.fault(route, 'defineRoute');
  if (fault) return fault.problem;
  const { method, path, isCounted, isPublic } = Object(route);
  if (isCounted && isPublic) return "has 'isPublic' and 'isCounted': nobody is known there";
  if (!METHODS.includes(method)) return `has ${shown(method)} as its 'method': use ${METHODS.join(', ')}`;
  const problem = pathProblem(path);
  return problem === undefined ? undefined : `has ${shown(path)} as its 'path': ${problem}`;
}

function pathProblem(path: string): string | undefined {
  if (!path.startsWith('/')) return "begin it with '/'";
  const segments = segmentsOf(path);
  const strange = segments.find((segment) => !SEGMENT.test(segment));
  if (strange !== undefined) {
    const what = strange === '' ? 'an empty part' : shown(strange);
    return `between two '/' stands a word or one name in braces, as in '/agents/{agent}/chat', and not ${what}`;
  }
  const names = segments.filter(isName);
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  return twice === undefined ? undefined : `${twice} is in it twice`;
}

/** A word of a path, or a name in braces. A router reads other characters as rules. */
const SEGMENT = /^(\{[A-Za-z_]\w*\}|[\w.~@-][\w.~@:-]*)$/;

const segmentsOf = (path: string): readonly string[] => path.split('/').slice(1);
const isName = (segment: string): boolean => segment.startsWith('{');

/** A route, as an error names it. */
const routeName = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`;

/** Whether a request can be for both paths. */
function canMeet(one: string, other: string): boolean {
  const [here, there] = [segmentsOf(one), segmentsOf(other)];
  return (
    here.length === there.length &&
    here.every((segment, place) => {
      const beside = there[place] ?? '';
      return segment === beside || (isName(segment) && beside !== '') || (isName(beside) && segment !== '');
    })
  );
}

/**
 * Checks that none of the paths of a module are those of the app or of a module before it: the first would answer, and the other would
 * never be asked.
 *
 * @throws ConfigurationError that names both.
 */
export function checkBeside(name: string, routes: readonly Route[], others: readonly Route[]): void {
  for (const route of routes) {
    const taken = others.find(({ path }) => canMeet(path, route.path));
    if (!taken) continue;
    throw new ConfigurationError(
      `Module '${name}' has the route ${routeName(route)}, whose path the app already has as ${routeName(taken)}. Choose another path.`,
    );
  }
}

/** What starts turns: of an agent, or of whichever it chooses later; for an owner, or for whom its mapping or `auth` names later. */
interface Starter {
  readonly name: string;
  readonly agent?: string | undefined;
  readonly owner?: Owner | undefined;
}

/**
 * Checks schedules or webhooks when the app is made: a mistake would show at their time, or with their first delivery, which may be months
 * away. Each must have an owner, because a user of the app's own `auth` might have any name that were made up.
 *
 * @throws ConfigurationError if the app does not have the agent of one, or if neither one nor `auth` says whose its sessions are.
 */
export function checkStarters(
  { agents, auth }: Pick<HttpHost, 'agents' | 'auth'>,
  kind: 'schedule' | 'webhook',
  starters: readonly Starter[],
): void {
  const Kind = kind === 'schedule' ? 'Schedule' : 'Webhook';
  for (const { name, agent, owner } of starters) {
    if (agent !== undefined) mustHaveAgent(agents, `${Kind} '${name}' starts the agent`, agent);
    if (owner === undefined && auth.owner === undefined) {
      throw new ConfigurationError(
        `${Kind} '${name}' has no owner, and the app has an \`auth\` of its own. ` +
          `Give the ${kind} \`owner\`: { tenant } or { id } of the callers who may read its sessions.`,
      );
    }
  }
}
