import { console } from 'holdfast/console';
import { orOffline } from 'holdfast/models/offline';
import { openaiCompatible } from 'holdfast/models/openai-compatible';
import { createHoldfast } from 'holdfast/worker';
import app from '../src/worker';
import { clerk } from './clerk';

// The app's other exports, such as Durable Objects.
export * from '../src/worker';

const holdfast = createHoldfast({
  agents: [clerk],
  model: orOffline(openaiCompatible()),
  http: { basePath: '/ai' },
  use: [...(process.env.NODE_ENV === 'development' ? [console()] : [])], // GET /ai/console
});

/** Handles a request as a Worker does. */
type Fetch = typeof holdfast.worker.fetch;

const fetch: Fetch = (request, env, context) => {
  const { pathname } = new URL(request.url);
  const isForAgent = pathname === '/ai' || pathname.startsWith('/ai/');
  return isForAgent
    ? holdfast.worker.fetch(request, env, context)
    : (app.fetch as Fetch)(request, env, context);
};

export default { ...holdfast.worker, ...app, fetch };
export const { TurnRunner } = holdfast;
export { SessionObject } from 'holdfast/durable-objects';
