import { createModule, createUse, type ModuleUse } from '../../tool/module-use.ts';
import { APP, type MountingApp } from '../../worker/app-seam.ts';
import { defineRoute, type Route } from '../../worker/route.ts';
import { createAddressNotice, isDevelopment } from './development.ts';
import { CONSOLE_PATH, createPageResponse, createRefusalPage } from './page-response.ts';
import { SESSION_ROUTES } from './session-routes.ts';

const CONSOLE_MODULE = createModule({ name: 'console' });

/**
 * Serves a page at `GET /console` that shows sessions, their turns, tools, journal and state. The page uses
 * the app's HTTP API as the caller who opened it. In production, only operators can open it: callers for whom
 * `auth` returns `operator: true`.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({ agents: [clerk()], use: [console()] });
 * ```
 */
export function console(): ModuleUse {
  let host: MountingApp['host'] | undefined;
  const use = createUse(CONSOLE_MODULE);
  APP.give(use, {
    ...(isDevelopment && { http: createAddressNotice(CONSOLE_PATH, () => host) }),
    routes(app) {
      host ??= app.host;
      return CONSOLE_ROUTES;
    },
  });
  return use;
}

const CONSOLE_ROUTES: readonly Route[] = [
  ...SESSION_ROUTES,
  defineRoute({
    method: 'GET',
    path: CONSOLE_PATH,
    access: 'caller',
    link: 'console',
    refuse: createRefusalPage,
    handle: ({ caller }) => createPageResponse(caller),
  }),
];
