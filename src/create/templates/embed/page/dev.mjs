// @ts-check
import { createServer } from 'vite';
import { serve } from './serve.mjs';

await serve(async (worker) => {
  // Vite serves the page, and forwards its requests for the agent to the Worker. They keep Vite's origin,
  // which the Worker accepts.
  const page = await createServer({ server: { proxy: { '/ai': { target: worker } } } });
  await page.listen();
  return `The page is at ${page.resolvedUrls?.local[0]}, and its Worker at ${worker}. From another terminal:

curl ${worker}/ai/agents/clerk/sessions/s1/messages -H 'content-type: application/json' -d '{"message":"Please pay invoice INV-17."}'`;
});
