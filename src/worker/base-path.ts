import { literals } from '../tool/literals.ts';
import type { Log } from '../tool/log.ts';
import { byPath, type Route } from './route.ts';

/** What an app says of where it is served. */
interface Served {
  readonly log: Log;
  /** As `createHoldfast` takes it. */
  readonly basePath?: string | undefined;
}

/**
 * Makes the function that returns below which path the links of an answer lead, by where its request came in: the app's
 * `basePath`, or else where the routes are mounted. In development it warns once if the two differ.
 */
export function linkBases({ basePath, log }: Served): (url: string, route: string | undefined) => string {
  let isTold = false;
  return (url, route = '') => {
    const parts = new URL(url).pathname.replace(/\/$/, '').split('/');
    const ofRoute = route.split('/').filter(Boolean);
    const mounted = parts.slice(0, parts.length - ofRoute.length).join('/');
    if (basePath === undefined) return mounted;
    const message = isTold ? undefined : literals?.mountedElsewhere(mounted, basePath);
    if (message !== undefined) log({ level: 'warn', event: 'other', message });
    isTold ||= message !== undefined;
    return basePath;
  };
}

/**
 * Makes the function that answers what to add to a 404 where somebody has looked below some other path for a route that the app
 * has, as where the Worker serves a part of a site. The first one is told to the log as well.
 */
export function misplacedRequests(
  { basePath, log }: Served,
  routes: readonly Route[],
): (url: string) => string {
  const patterns = [...byPath(routes).keys()].filter((path) => path !== '/').map(toEnd);
  let isTold = false;
  return (url) => {
    const { pathname } = new URL(url);
    // What stands there is found below the origin alone: clients of MCP look for who signs in, wherever they may be told.
    if (pathname.startsWith('/.well-known/')) return '';
    const below = basePath === undefined && patterns.map((end) => end.exec(pathname)?.[1]).find(Boolean);
    if (!below) return '';
    const hint = `If the Worker is served below ${below}, set createHoldfast({ http: { basePath: '${below}' } }).`;
    if (!isTold) log({ level: 'warn', event: 'other', message: `there is nothing at ${pathname}. ${hint}` });
    isTold = true;
    return ` ${hint}`;
  };
}

/** What ends as the path of a route does, and what stands before that. */
const toEnd = (path: string): RegExp =>
  new RegExp(`^((?:/[\\w.~-]+)+?)${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
