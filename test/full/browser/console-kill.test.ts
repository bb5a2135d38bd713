/**
 * A turn whose Worker is killed twice while the console is open. The page must always agree with the journal.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/entry.ts';
import type { StoredEvent } from '../../../src/journal/entry.ts';
import { type ConsoleServer, createConsoleServer, loadPage, toRows } from '../../doors/console.ts';
import { createTimeline } from '../../doors/timeline.ts';
import { type KillableWorker, startKillable } from '../process/killable-worker.ts';
import { HAS_BROWSER, showConsole } from './console/shown-console.ts';

/** The content of the page at one moment. */
interface Sample {
  /** The number of events that the header shows. */
  readonly events: number;
  /** The names and badges of the rows, without times. */
  readonly rows: readonly string[];
}

/** Records the content of the page in each animation frame, if it differs from the previous frame. */
const WATCH = `(() => {
  globalThis.samples = [];
  let last = '';
  const look = () => {
    const summary = document.querySelector('.summary')?.textContent ?? '';
    const events = Number(/([\\d,]+) events?/.exec(summary)?.[1].replaceAll(',', ''));
    const rows = [...document.querySelectorAll('.row')].map((row) =>
      [row.querySelector('.row-name'), row.querySelector('.badge')].map((one) => one?.textContent ?? '').join(' ').trim());
    const sample = JSON.stringify({ events, rows });
    if (rows.length > 0 && sample !== last) globalThis.samples.push(JSON.parse(sample));
    last = sample;
    requestAnimationFrame(look);
  };
  look();
})()`;

describe.skipIf(!HAS_BROWSER)('a console that watches a turn', () => {
  let storage: string;
  let worker: KillableWorker;
  let server: ConsoleServer;
  const shown = showConsole();
  const start = async (): Promise<void> => {
    worker = await startKillable('test/full/browser/console/worker.ts', {
      storage,
      vars: { LEASE_MS: '1000' },
      deployedAs: { hasIndex: true },
    });
  };
  beforeAll(async () => {
    storage = await mkdtemp(join(tmpdir(), 'holdfast-console-'));
    await start();
    // The console's address stays the same when the Worker restarts on another port.
    server = createConsoleServer({
      get url() {
        return new URL(worker.url);
      },
      token: undefined,
      page: await loadPage(),
    });
    await new Promise<void>((resolve) => void server.server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    server?.stop();
    await worker?.kill();
    await rm(storage, { recursive: true, force: true, maxRetries: 3 });
  });

  it('shows each kill of the Worker and each take-over, and always agrees with the journal', async () => {
    const url = `http://127.0.0.1:${Object(server.server.address()).port}`;
    const openSession = () => createClient({ url: worker.url, agent: 'clerk', retries: 0 }).session('killed');
    await openSession().send('Hello');
    const page = await shown.open(url, '#/s/clerk/killed/turn');
    await page.locator('.row').first().waitFor();
    await page.evaluate(WATCH);
    const sent = openSession()
      .send('Please count shelf Z.')
      .catch(() => undefined);
    const running = page.locator('.row', { hasText: 'count_stock' });
    for (const invocation of [2, 3]) {
      await running.filter({ hasText: 'running' }).waitFor();
      await worker.kill();
      await start();
      await page.locator('.row', { hasText: `Invocation ${invocation}` }).waitFor({ timeout: 40_000 });
    }
    await page.locator('.turn-facts', { hasText: 'completed' }).waitFor({ timeout: 40_000 });
    await sent;
    const events: StoredEvent[] = [];
    for await (const event of openSession().events()) events.push(event);
    const samples = await page.evaluate<readonly Sample[]>('globalThis.samples');
    expect(samples.length).toBeGreaterThan(4);
    expect(samples.map(({ events }) => events)).toEqual(
      samples.map(({ events }) => events).toSorted((a, b) => a - b),
    );
    expect(samples.at(-1)?.events).toBe(events.length);
    for (const sample of samples)
      expect(sample).toEqual({ ...sample, rows: listRows(events.slice(0, sample.events)) });
    expect(samples.at(-1)?.rows.slice(0, 3)).toEqual([
      'Invocation 1 died',
      'Invocation 2 died',
      'Invocation 3 done',
    ]);
    // The browser reports the requests that failed while the Worker was down.
    expect(shown.complaints.filter((one) => !/Failed to load resource/.test(one))).toEqual([]);
    (shown.complaints as string[]).length = 0;
  }, 120_000);
});

/** Returns the rows of the last turn of these events, as the page shows them. */
function listRows(events: readonly StoredEvent[]): readonly string[] {
  const turn = events.findLast(({ type }) => type === 'turn-started');
  const timeline = turn && 'turn' in turn ? createTimeline(events, turn.turn) : undefined;
  return timeline ? toRows(timeline).map(({ label, badge }) => `${label} ${badge?.text ?? ''}`.trim()) : [];
}
