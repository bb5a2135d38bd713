import { serve } from './serve.mjs';

await serve(
  (url) => `Ready at ${url}. From another terminal:

curl ${url}/ai/agents/clerk/sessions/s1/messages -H 'content-type: application/json' -d '{"message":"Please pay invoice INV-17."}'`,
);
