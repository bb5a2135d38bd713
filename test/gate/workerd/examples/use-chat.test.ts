/** The example Worker that serves pages with `useChat`. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { default as worker } from '../../../../src/examples/pages/use-chat-worker.ts';

const ask = (path: string, init: RequestInit): Promise<Response> =>
  Promise.resolve(
    worker.fetch(
      new Request(`http://localhost${path}`, init) as Parameters<typeof worker.fetch>[0],
      { ...env },
      createExecutionContext(),
    ),
  );

it('the useChat example accepts requests from pages of its origin, which can state the version of their SDK', async () => {
  const origin = 'https://shop.example';
  const wanted = 'content-type,x-ai-sdk';
  const preflight = await ask('/agents/desk/chat', {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': wanted,
    },
  });
  const getCorsHeader = (name: string): string | null => preflight.headers.get(`access-control-${name}`);
  expect([getCorsHeader('allow-origin'), getCorsHeader('allow-headers')]).toEqual([origin, wanted]);
  const listed = await ask('/agents/desk/chat/none/messages', { headers: { origin, 'x-ai-sdk': '7' } });
  expect([listed.headers.get('access-control-allow-origin'), await listed.json()]).toEqual([origin, []]);
});
