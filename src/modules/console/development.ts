/** The differences between a console in development and one in production. */
import { literals } from '../../tool/literals.ts';
import { logOnce, warningEntry } from '../../tool/log.ts';
import type { AppParts, MountingApp } from '../../worker/app-seam.ts';
import { findRemoteSign } from '../../worker/auth.ts';

/** `true` if the bundle was made for development, as by `wrangler dev`. Only it contains checks of literals. */
export const isDevelopment: boolean = literals !== undefined;

/**
 * Returns a layer that logs the address of the page once, when the first request from this machine arrives:
 * only a request shows the port. `host` returns the host of the app.
 */
export const addressNotice =
  (path: string, host: () => MountingApp['host'] | undefined): NonNullable<AppParts['http']> =>
  (asked, next) => {
    const { url, headers } = asked.request;
    const { origin, hostname } = new URL(url);
    const app = host();
    if (app && findRemoteSign(hostname, headers) === undefined)
      logOnce(
        app.log,
        warningEntry(`The console shows the sessions of this app: ${origin}${app.basePath ?? ''}${path}`),
      );
    return next(asked);
  };
