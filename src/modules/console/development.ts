/** Distinguishes the console in development from that in production. */
import { literals } from '../../tool/literals.ts';
import { createWarningEntry, logOnce } from '../../tool/log.ts';
import type { AppParts, MountingApp } from '../../worker/app-seam.ts';
import { findRemoteSign } from '../../worker/auth.ts';

/**
 * `true` if the bundle was built for development, such as by `wrangler dev`. Only such a bundle contains the
 * checks of configurations.
 */
export const isDevelopment: boolean = literals !== undefined;

/**
 * Returns a layer that logs the URL of the page once, when the first request from this machine arrives,
 * since only a request shows the port. `host` returns the app's host.
 */
export const createAddressNotice =
  (path: string, host: () => MountingApp['host'] | undefined): NonNullable<AppParts['http']> =>
  (asked, next) => {
    const { url, headers } = asked.request;
    const { origin, hostname } = new URL(url);
    const app = host();
    if (app && findRemoteSign(hostname, headers) === undefined)
      logOnce(
        app.log,
        createWarningEntry(
          `The console shows the sessions of this app: ${origin}${app.basePath ?? ''}${path}`,
        ),
      );
    return next(asked);
  };
