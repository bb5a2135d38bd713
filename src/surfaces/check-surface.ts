/** What is told to whoever writes a surface, when the Worker starts. */
import { ConfigurationError } from '../model/configuration-error.ts';
import type { LiteralShape } from '../tool/check-literal.ts';
import { literals } from '../tool/literals.ts';
import { ended, nameIn, shown } from '../tool/shown.ts';
import type { Route } from '../worker/route.ts';

/** The keys of a surface, and of each of its routes. */
type SurfaceKey = 'name' | 'routes';
type RouteKey = 'method' | 'path' | 'isCounted' | 'isPublic' | 'streams' | 'handle' | 'refuse';

const SURFACE: LiteralShape<SurfaceKey> = {
  of: 'defineSurface',
  keys: { name: 'text', routes: 'list' },
  required: ['name', 'routes'],
};

const ROUTE: LiteralShape<RouteKey> = {
  of: 'surfaceRoute',
  keys: {
    method: 'text',
    path: 'text',
    isCounted: 'flag',
    isPublic: 'flag',
    streams: 'flag',
    handle: 'function',
    refuse: 'function',
  },
  required: ['method', 'path', 'handle'],
  foreign: { handler: 'handle', url: 'path' },
};

const METHODS = ['GET', 'POST', 'DELETE'];

/** @throws ConfigurationError when the literal is no surface, or one of its routes is none, or stands in it twice. */
export function checkSurface(config: { readonly name: string; readonly routes: readonly unknown[] }): void {
  const fault = literals?.fault(config, SURFACE);
  const name = nameIn(config);
  const who = name === '' ? 'A surface' : `Surface '${name}'`;
  if (fault) throw new ConfigurationError(`${who} ${ended(fault.problem)}`);
  if (name === '') throw new ConfigurationError("A surface has '' as its 'name': use a word.");
  const told = new Set<string>();
  config.routes.forEach((route, place) => {
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
  const fault = literals?.fault(route, ROUTE);
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
const SEGMENT = /^(\{\w+\}|[\w.~@-][\w.~@:-]*)$/;

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
 * Checks that none of the paths of a surface are those of the app or of a surface before it: the first would answer, and the other would
 * never be asked.
 *
 * @throws ConfigurationError that names both.
 */
export function checkBeside(name: string, routes: readonly Route[], others: readonly Route[]): void {
  for (const route of routes) {
    const taken = others.find(({ path }) => canMeet(path, route.path));
    if (!taken) continue;
    throw new ConfigurationError(
      `Surface '${name}' has the route ${routeName(route)}, whose path the app already has as ${routeName(taken)}. Choose another path.`,
    );
  }
}
