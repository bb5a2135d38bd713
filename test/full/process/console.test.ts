/** The console of a deployed Worker, which only operators can open in production. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningWorker, startWorker } from './start-worker.ts';

const ENTRY = 'test/full/browser/console/worker.ts';
const deployedAs = { hasIndex: true };

describe('a console in production', () => {
  let worker: RunningWorker;
  const ask = (path: string, operator: string) =>
    fetch(new URL(path, worker.url), { headers: { 'x-operator': operator } });
  beforeAll(async () => {
    const constants = { 'process.env.NODE_ENV': 'production' };
    worker = await startWorker(ENTRY, { build: { constants }, deployedAs });
  });
  afterAll(() => worker?.stop());

  it('opens only for operators, and shows everyone else the command to use', async () => {
    const page = await ask('/console', 'yes');
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<!doctype html>');
    const refused = await ask('/console', 'no');
    expect(refused.status).toBe(403);
    const text = await refused.text();
    expect(text).toContain('In production, only operators can open the console');
    expect(text).toContain(`npx holdfast console --url ${worker.url.origin}`);
  });

  it.each(['state', 'offer', 'request'])('shows the %s of a session only to operators', async (what) => {
    const session = '/agents/clerk/sessions/s1';
    await fetch(new URL(`${session}/messages`, worker.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"message":"Hello"}',
    });
    const { events } = Object(await (await ask(`${session}/events`, 'no')).json());
    const { seq } = events.find(({ type }: { readonly type: string }) => type === 'model-replied');
    const path = `${session}/console/${what}?${what === 'state' ? 'at' : 'reply'}=${seq}`;
    expect((await ask(path, 'yes')).status).toBe(200);
    const refused = await ask(path, 'no');
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({
      type: 'urn:holdfast:problem:role-required',
      role: 'operator',
    });
  });

  it('writes no URL to the log', () => {
    expect(worker.logs.filter((line) => line.includes('console'))).toEqual([]);
  });
});

describe('a console in development', () => {
  it('writes its URL to the log once', async () => {
    const worker = await startWorker(ENTRY, { deployedAs });
    for (const path of ['/agents', '/agents', '/console']) await fetch(new URL(path, worker.url));
    const lines = worker.logs.filter((line) => line.includes('/console'));
    await worker.stop();
    expect(lines).toEqual([
      expect.stringContaining(`The console shows the sessions of this app: ${worker.url.origin}/console`),
    ]);
  });
});
