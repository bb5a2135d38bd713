// @ts-check
import { serve } from './serve.mjs';

await serve(
  (url) => `Ready at ${url}. From another terminal in this folder, ann of the tenant acme asks:

curl ${url}/agents/clerk/sessions/s1/messages -H "authorization: Bearer $(node scripts/token.mjs ann acme)" -H 'content-type: application/json' -d '{"message":"Please pay invoice INV-17."}'

The answer has a link in "approvals". There a manager of the tenant decides, as mia with the token of
node scripts/token.mjs mia acme manager, by -d '{"decision":"approve"}'.`,
);
