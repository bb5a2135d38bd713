// @ts-check
import { createServer } from 'vite';
import { serve } from './serve.mjs';

await serve(async (worker) => {
  // Vite serves the page, and passes on to the Worker what it asks the agents: with its own origin, so that the Worker takes it.
  const page = await createServer({
    server: {
      proxy: { '/agents': { target: worker } },
      open: Boolean(process.stdout.isTTY) && !process.env.CI,
    },
  });
  await page.listen();
  return `The page is at ${page.resolvedUrls?.local[0]}, and its Worker at ${worker}.
Say "Please refund 20 euro of order A-7."

curl ${worker}/agents/desk/sessions/s1/messages -H 'content-type: application/json' -d '{"message":"Please refund 20 euro of order A-7."}'`;
});
