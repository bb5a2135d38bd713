import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { findFreePort } from '../../../src/examples/demo/ports.ts';
import { LOG_FILE, startWorker } from '../../../src/examples/demo/worker-process.ts';

it('a Worker of the demo does not log telemetry and does not change wrangler’s settings on this machine', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-worker-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }));
  // The settings of a user who allowed wrangler to send metrics, and has not yet seen the notice of this
  // version.
  const settings = join(directory, 'home', '.config', '.wrangler', 'metrics.json');
  const permission = { enabled: true, date: '2026-01-01T00:00:00.000Z' };
  mkdirSync(join(settings, '..'), { recursive: true });
  writeFileSync(settings, JSON.stringify({ permission }));
  vi.stubEnv('HOME', join(directory, 'home'));
  vi.stubEnv('XDG_CONFIG_HOME', undefined);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const worker = await startWorker({ directory, port: await findFreePort(), vars: {} });
  await worker.stop();
  expect(readFileSync(join(directory, LOG_FILE), 'utf8')).not.toContain('telemetry');
  expect(JSON.parse(readFileSync(settings, 'utf8'))).toEqual({ permission });
});
