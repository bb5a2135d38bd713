/** Checks the routes of a module, when they are made and when an app mounts them. */
import { ConfigurationError } from '../model/configuration-error.ts';
import type { Owner } from '../tool/call-origin.ts';
import { literals } from '../tool/literals.ts';
import { describeValue, withFullStop } from '../tool/shown.ts';
import { assertKnownAgent } from './check-app.ts';
import type { HttpHost, Route } from './route.ts';

const METHODS = ['GET', 'POST', 'DELETE'];

/** @throws ConfigurationError if they are not a list, or an item is not a route or appears twice. */
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
      `${who} has ${describeValue(routes)} as its 'routes'. Use a list, as in [one, another].`,
    );
  const told = new Set<string>();
  routes.forEach((route, place) => {
    const problem = findRouteProblem(route);
    if (problem !== undefined)
      throw new ConfigurationError(`${who}: routes[${place}] ${withFullStop(problem)}`);
    const named = formatRouteName(Object(route));
    const key = named.replaceAll(/\{\w+\}/g, '{}');
    if (told.has(key))
      throw new ConfigurationError(`${who}: routes[${place}] is a second ${named}. Remove one.`);
    told.add(key);
  });
}

/** Returns the problem with a route, as a sentence without its subject, or `undefined`. */
function findRouteProblem(route: unknown): string | undefined {
  const fault = literals?.fault(route, 'defineRoute');
  if (fault) return fault.problem;
  const { method, path, isCounted, isPublic } = Object(route);
  if (isCounted && isPublic)
    return "has 'isPublic' and 'isCounted'. Use one, since a public route has no caller";
  if (!METHODS.includes(method))
    return `has ${describeValue(method)} as its 'method'. Use ${METHODS.join(', ')}`;
  const problem = findPathProblem(path);
  return problem === undefined ? undefined : `has ${describeValue(path)} as its 'path': ${problem}`;
}

function findPathProblem(path: string): string | undefined {
  if (!path.startsWith('/')) return "begin it with '/'";
  const segments = splitSegments(path);
  const strange = segments.find((segment) => !SEGMENT.test(segment));
  if (strange !== undefined) {
    const what = strange === '' ? 'an empty part' : describeValue(strange);
    return `each segment must be a word or one name in braces, as in '/agents/{agent}/chat', and not ${what}`;
  }
  const names = segments.filter(isParam);
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  return twice === undefined ? undefined : `${twice} is in it twice`;
}

/** A word of a path, or a name in braces. Other characters can have a meaning in routers. */
const SEGMENT = /^(\{[A-Za-z_]\w*\}|[\w.~@-][\w.~@:-]*)$/;

const splitSegments = (path: string): readonly string[] => path.split('/').slice(1);
const isParam = (segment: string): boolean => segment.startsWith('{');

/** Returns the name of a route for errors. */
const formatRouteName = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`;

/** Returns whether a request can match both paths. */
function canBothMatch(one: string, other: string): boolean {
  const [here, there] = [splitSegments(one), splitSegments(other)];
  return (
    here.length === there.length &&
    here.every((segment, place) => {
      const beside = there[place] ?? '';
      return segment === beside || (isParam(segment) && beside !== '') || (isParam(beside) && segment !== '');
    })
  );
}

/**
 * Checks that no path of a module collides with the app or an earlier module: the first route would handle
 * all requests, and the other would never run.
 *
 * @throws ConfigurationError that shows both routes.
 */
export function checkCollisions(name: string, routes: readonly Route[], others: readonly Route[]): void {
  for (const route of routes) {
    const taken = others.find(({ path }) => canBothMatch(path, route.path));
    if (!taken) continue;
    throw new ConfigurationError(
      `Module '${name}' has the route ${formatRouteName(route)}, whose path the app already has as ${formatRouteName(taken)}. Choose another path.`,
    );
  }
}

/** A schedule or webhook. Its agent and owner are absent if its mapping or `auth` determines them later. */
interface Starter {
  readonly name: string;
  readonly agent?: string | undefined;
  readonly owner?: Owner | undefined;
}

/**
 * Checks schedules or webhooks when the app is created. Otherwise, a mistake would only show when they are
 * due or first delivered, perhaps months later. Each must have an owner, because an invented name could
 * belong to a user of the app's own `auth`.
 *
 * @throws ConfigurationError if the app lacks the agent of an item, or if the owner of an item is not set by
 * the item or by `auth`.
 */
export function checkStarters(
  { agents, auth }: Pick<HttpHost, 'agents' | 'auth'>,
  kind: 'schedule' | 'webhook',
  starters: readonly Starter[],
): void {
  const Kind = kind === 'schedule' ? 'Schedule' : 'Webhook';
  for (const { name, agent, owner } of starters) {
    if (agent !== undefined) assertKnownAgent(agents, `${Kind} '${name}' starts the agent`, agent);
    if (owner === undefined && auth.owner === undefined) {
      throw new ConfigurationError(
        `${Kind} '${name}' has no owner, but the app has its own \`auth\`. ` +
          `Give the ${kind} \`owner\`: { tenant } or { id } of the callers who may read its sessions.`,
      );
    }
  }
}
