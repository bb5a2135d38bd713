// @ts-check
import { createServer } from 'vite';
import { serve } from './serve.mjs';

await serve(async (worker) => {
  // Vite serves the page, and passes on to the Worker what it asks the agent: with its own origin, so that the Worker takes it.
  const page = await createServer({ server: { proxy: { '/ai': { target: worker } } } });
  await page.listen();
  return `The page is at ${page.resolvedUrls?.local[0]}, and its Worker at ${worker}. From another terminal:

curl ${worker}/ai/agents/clerk/sessions/s1/messages -H 'content-type: application/json' -d '{"message":"Please pay invoice INV-17."}'`;
});
