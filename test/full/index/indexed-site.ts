/** A Worker with an index, and requests that read its data. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type KillableWorker, startKillable } from '../process/killable-worker.ts';
import { buildWorker } from '../process/start-worker.ts';

const ENTRY = 'test/full/index/worker/index-worker.ts';

/** The time in ms for which a request is repeated after the Worker was killed. */
const PATIENCE_MS = 120_000;

/** A session and its owner. */
export interface Place {
  readonly owner: string;
  readonly session: string;
}

/** A session as a list shows it. */
export interface ListedSession {
  readonly session: string;
  readonly status: string;
  readonly outcome?: string;
  readonly title: string | null;
  readonly turns: number;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
}

/** The response about an owner. */
export interface OwnerStatus {
  readonly sessions: number;
  readonly erasure?: { readonly status: string; readonly removed: number };
}

/** A Worker in a process that can be killed. Repeats the requests that a kill interrupts. */
export class IndexedSite {
  readonly #settings: Parameters<typeof startKillable>[1];
  #worker: KillableWorker | undefined;
  #isUp = Promise.withResolvers<void>();
  kills = 0;

  constructor(directory: string, bundle: string, leaseMs: number) {
    this.#settings = {
      bundle,
      storage: join(directory, 'storage'),
      deployedAs: {
        hasIndex: true,
        bindings: { INDEX_DB: { type: 'd1', id: 'index-db' }, FILES: { type: 'r2', name: 'files' } },
      },
      vars: { LEASE_MS: String(leaseMs) },
    };
  }

  /** Starts a site. The directory contains its storage. */
  static async start(directory: string, leaseMs: number): Promise<IndexedSite> {
    const bundle = join(directory, 'worker.js');
    writeFileSync(bundle, await buildWorker(ENTRY));
    const site = new IndexedSite(directory, bundle, leaseMs);
    await site.#up();
    const schema = readFileSync(
      resolve(import.meta.dirname, '../../../migrations/0001_holdfast_index.sql'),
      'utf8',
    );
    const statements = schema
      .replaceAll(/^--.*$/gm, '')
      .split(';')
      .map((sql) => sql.trim());
    await site.ask('/sql', { method: 'POST', body: JSON.stringify(statements.filter((sql) => sql !== '')) });
    return site;
  }

  async #up(): Promise<void> {
    this.#worker = await startKillable(ENTRY, this.#settings);
    this.#isUp.resolve();
  }

  /** Kills the process like a power cut, and restarts it on the same storage. */
  async kill(): Promise<void> {
    this.kills += 1;
    this.#isUp = Promise.withResolvers();
    await this.#worker?.kill();
    await this.#up();
  }

  stop = async (): Promise<void> => this.#worker?.kill();

  /** Sends a request until it is answered. @throws Error after the timeout. */
  async request(path: string, init: RequestInit = {}): Promise<Response> {
    for (const until = Date.now() + PATIENCE_MS; ; ) {
      await this.#isUp.promise;
      try {
        const response = await fetch(`${this.#worker?.url}${path}`, init);
        const body = await response.text();
        if (response.status < 500 || isOutcome(body)) return new Response(body || null, response);
        if (Date.now() > until) throw new Error(`${path} returned ${response.status}: ${body}`);
      } catch (failure) {
        if (Date.now() > until) throw failure;
      }
      await wait(50);
    }
  }

  async ask<Answer>(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await this.request(path, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} returned ${response.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as Answer; // the Worker in this folder returns this type
  }

  /** Sends a message, and repeats it after a kill, until its turn has stopped. */
  async say({ owner, session }: Place, message: unknown, key: string): Promise<void> {
    const headers = { 'content-type': 'application/json', 'x-owner': owner, 'idempotency-key': key };
    for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await wait(50)) {
      const init = { method: 'POST', headers, body: JSON.stringify({ message }) };
      const response = await this.request(`/agents/clerk/sessions/${session}/messages`, init);
      const said = await response.text();
      if (response.ok || isOutcome(said)) return;
      if (response.status !== 409) throw new Error(`The message returned ${response.status}: ${said}`);
    }
    throw new Error(`The turn of ${key} did not stop within ${PATIENCE_MS} ms.`);
  }

  /** Returns all sessions of an owner from the index. */
  async sessions(owner: string): Promise<readonly ListedSession[]> {
    const all: ListedSession[] = [];
    for (let cursor = ''; ; ) {
      const page = await this.ask<{
        readonly sessions: readonly ListedSession[];
        readonly next: string | null;
      }>(`/agents/clerk/sessions?limit=100${cursor}`, { headers: { 'x-owner': owner } });
      all.push(...page.sessions);
      if (page.next === null) return all;
      cursor = `&cursor=${page.next}`;
    }
  }

  owner = async (owner: string, method = 'GET'): Promise<OwnerStatus> =>
    this.ask<OwnerStatus>(`/owners/tenant:${owner}`, { method, headers: { 'x-operator': 'yes' } });
}

/** Returns `true` if a problem is the outcome of a failed turn. */
const isOutcome = (body: string): boolean => body.includes('"outcome":"failed"');

/** Processes the items with this concurrency. */
export async function forEachConcurrently<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const entries = items.entries();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const [index, item] of entries) await work(item, index);
    }),
  );
}
