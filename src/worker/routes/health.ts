import { toSessionName } from '../../session/read-secrets.ts';
import { ANY_OBJECT } from '../description.ts';
import { defineRoute, type Route } from '../route.ts';

/** Nobody's session: every caller has an id. It is read and never written to. */
const PROBE = toSessionName({ owner: '', agent: '', session: 'health' });

/**
 * Whether sessions can work here, and their agents have a model. An object is asked until one has answered, and no more: how the Worker is deployed cannot
 * change while it runs, and whoever asks is not authenticated.
 */
export function getHealth(): Route {
  let hasAnswered = false;
  return defineRoute({
    method: 'GET',
    path: '/health',
    access: 'open',
    summary: 'Whether the Worker runs, and is deployed so that sessions work; needs no token',
    answers: { 200: { description: 'It is; `warnings` lists what could be better', json: ANY_OBJECT } },
    async handle({ host, env }) {
      const port = host.session(env, PROBE);
      if (!hasAnswered) await port.read({ from: 1, limit: 1 });
      hasAnswered = true;
      host.checkModel(env);
      const warnings = host.warnings(env);
      return Response.json({ status: 'ok', ...(warnings.length > 0 && { warnings }) });
    },
  });
}
