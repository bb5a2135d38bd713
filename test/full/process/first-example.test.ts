/** Runs the exact Worker from the README. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningWorker, startWorker } from './start-worker.ts';
import { parseAnswer, say } from './talk.ts';

let worker: RunningWorker;
beforeAll(async () => {
  worker = await startWorker('src/examples/first/worker.ts', { vars: { MODEL: 'offline' } });
});
afterAll(() => worker.stop());

it('the first example pays the requested invoice without a key or a network', async () => {
  const heard = await say(
    new URL('/agents/clerk/sessions/s1', worker.url),
    { message: 'Please pay invoice INV-17.' },
    'json',
  );
  expect(heard.status).toBe(200);
  expect(parseAnswer(heard)).toMatchObject({ outcome: 'completed', toolCalls: 1, model: 'offline' });
  expect(heard.body).toMatchObject({ artifacts: [{ tool: 'pay_invoice', value: { paid: 'INV-17' } }] });
});
