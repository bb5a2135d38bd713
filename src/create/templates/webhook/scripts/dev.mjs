// @ts-check
import { createHmac } from 'node:crypto';
import { loadEnvFile } from 'node:process';
import { serve } from './serve.mjs';

const delivery = JSON.stringify({
  action: 'opened',
  issue: { number: 42, title: 'The page is empty', body: 'Since Monday.', user: { login: 'ann' } },
  repository: { full_name: 'acme/shop' },
});

await serve((url) => {
  loadEnvFile('.dev.vars');
  const secret = process.env.GITHUB_WEBHOOK_SECRET ?? '';
  const signature = createHmac('sha256', secret).update(delivery).digest('hex');
  return `Ready at ${url}. A delivery as GitHub sends and signs it, from another terminal:

curl -i ${url}/hooks/github -H 'x-github-event: issues' -H 'x-hub-signature-256: sha256=${signature}' -d '${delivery}'

Its "location" is where the answer is: curl ${url} and that path.`;
});
