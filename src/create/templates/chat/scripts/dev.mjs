// @ts-check
import { createServer } from 'vite';
import { serve } from './serve.mjs';

const PATHS = ['/agents', '/console', '/sessions', '/pending', '/usage', '/owners'];

await serve(async (worker) => {
  // Vite serves the page. The Worker answers the page and the console, and sees Vite's origin.
  const page = await createServer({
    server: {
      proxy: Object.fromEntries(PATHS.map((path) => [path, { target: worker }])),
      open: Boolean(process.stdout.isTTY) && !process.env.CI,
    },
  });
  await page.listen();
  return `The page is at ${page.resolvedUrls?.local[0]}, and its Worker at ${worker}.
The console shows what the agent does: ${worker}/console
Say "Please refund 20 euro of order A-7."

curl ${worker}/agents/desk/sessions/s1/messages -H 'content-type: application/json' -d '{"message":"Please refund 20 euro of order A-7."}'`;
});
