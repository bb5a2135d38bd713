import { createHoldfast } from '../../create-holdfast.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { orOffline } from '../../offline-model/entry.ts';
import { clerk } from '../first/clerk.ts';
import { type AccessEnv, byAccess } from './by-access.ts';
import { type ApiKeyEnv, byApiKey } from './by-api-key.ts';
import { byCookie, type CookieEnv } from './by-cookie.ts';
import { byJwt, type JwtEnv } from './by-jwt.ts';

interface Env extends AccessEnv, ApiKeyEnv, CookieEnv, JwtEnv {}

const holdfast = createHoldfast<Env>({
  agents: [clerk],
  model: orOffline(openaiCompatible()),
  auth: async (request, env) =>
    (await byAccess(request, env)) ??
    (await byCookie(request, env)) ??
    (await byApiKey(request, env)) ??
    (await byJwt(request, env)),
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
