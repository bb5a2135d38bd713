import { console } from 'holdfast/console';
import { orOffline } from 'holdfast/models/offline';
import { openaiCompatible } from 'holdfast/models/openai-compatible';
import { ConfigurationError, createHoldfast } from 'holdfast/worker';
import { authenticate, findMissingSettings } from './auth.ts';
import { clerk } from './clerk.ts';

const holdfast = createHoldfast<Cloudflare.Env>({
  agents: [clerk],
  model: orOffline(openaiCompatible()),
  auth: Object.assign(authenticate, {
    scheme: 'Bearer' as const,
    // For GET /health.
    check(env: Cloudflare.Env) {
      const problem = findMissingSettings(env);
      if (problem !== undefined) throw new ConfigurationError(problem);
    },
  }),
  use: [...(process.env.NODE_ENV === 'development' ? [console()] : [])], // npx holdfast console
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from 'holdfast/durable-objects';
