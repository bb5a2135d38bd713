/** The Worker and the clients of docs/openai.md, as they stand. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, expect, it, vi } from 'vitest';
import { ask } from '../../../../src/examples/openai/ask.ts';
import { run } from '../../../../src/examples/openai/with-agents.ts';
import worker from '../../../../src/examples/openai/worker.ts';
import type { Send } from '../http/client.ts';
import { clientOf } from '../surfaces/openai-app.ts';

const via: Send = async (path, init) => {
  const request = new Request(path, init) as Request<unknown, IncomingRequestCfProperties>; // which nobody reads
  return worker.fetch(request, { ...env, MODEL: 'offline' }, createExecutionContext());
};

afterEach(() => {
  vi.unstubAllGlobals();
});

it.each([true, false])('the client of the page asks, and decides: %s', async (approve) => {
  const shown: string[] = [];
  const asked: string[] = [];
  const answer = await ask(clientOf(via), 'Please pay invoice INV-17.', {
    show: (text) => shown.push(text),
    decide: async (question) => {
      asked.push(question);
      return approve;
    },
  });
  expect(asked).toEqual(['pay_invoice {"number":"INV-17"}']);
  expect(answer.includes('Paid INV-17.')).toBe(approve);
  expect(shown.join('')).toContain(answer);
});

it('the Agents SDK runs the agent of a Worker', async () => {
  vi.stubGlobal('fetch', (input: RequestInfo | URL, init?: RequestInit) => via(String(input), init));
  expect(await run('http://localhost', 'Please pay invoice INV-17.', async () => true)).toContain(
    'Paid INV-17.',
  );
});
