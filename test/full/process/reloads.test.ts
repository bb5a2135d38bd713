/**
 * Clients disconnect while their streams are silent. For some of them, the platform reports this only when the
 * next comment cannot be written.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startWorker } from './start-worker.ts';

it('streams of disconnected clients free their slots when the platform reports the disconnection', async () => {
  const worker = await startWorker('src/examples/first/worker.ts', { vars: { MODEL: 'offline' } });
  onTestFinished(() => worker.stop());
  const toUrl = (path: string): URL => new URL(`/agents/clerk/sessions/s1${path}`, worker.url);
  const sent = await fetch(toUrl('/messages'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message: 'Hello.' }),
  });
  expect(sent.status).toBe(200);
  await sent.text();
  /** Reads the start of the session's stream, and disconnects. */
  const readStreamStart = async (): Promise<number> => {
    const { status, body } = await fetch(toUrl('/events'), { headers: { accept: 'text/event-stream' } });
    const reader = body?.getReader();
    await reader?.read();
    await reader?.cancel();
    return status;
  };
  const statuses: number[] = [];
  for (let i = 0; i < 80; i += 1) {
    statuses.push(await readStreamStart());
    // Some clients disconnect immediately, and some from a silent stream.
    await wait(i < 40 ? 0 : 50);
  }
  expect(statuses).toEqual(Array(80).fill(200));
});
