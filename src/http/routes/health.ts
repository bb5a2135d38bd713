import type { Env } from '../../app/host.ts';
import { toSessionName } from '../../session/session-name.ts';
import type { HttpHost } from '../http-host.ts';

/** Nobody's session: every caller has an id. It is read and never written to. */
const PROBE = toSessionName({ owner: '', agent: '', session: 'health' });

/**
 * `GET /health`: whether sessions can work here. An object is asked until one has answered, and no more: how the Worker is
 * deployed cannot change while it runs, and whoever asks is not authenticated.
 */
export function healthOf(host: HttpHost): (env: Env) => Promise<Response> {
  let hasAnswered = false;
  return async (env) => {
    const port = host.session(env, PROBE);
    if (!hasAnswered) await port.read({ from: 1, limit: 1 });
    hasAnswered = true;
    const warnings = host.warnings(env);
    return Response.json({ status: 'ok', ...(warnings.length > 0 && { warnings }) });
  };
}
