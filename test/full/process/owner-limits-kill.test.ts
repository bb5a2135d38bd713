/**
 * Runs a hundred concurrent turns of an owner, and kills the process. No turn may exceed the limit, and the
 * counters must match the journals.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type KillableWorker, startKillable } from './killable-worker.ts';

const TURN_COUNT = 100;
const KILL_COUNT = 3;

let storage: string;
let worker: KillableWorker;

async function start(): Promise<void> {
  worker = await startKillable('test/fixtures/limited-worker.ts', {
    storage,
    vars: { LEASE_MS: '2000' },
    deployedAs: { hasLimits: true },
    // Shortens the time after which lost allowances are checked, which is otherwise a minute.
    build: {
      edits: [
        {
          file: 'allowances.ts',
          from: 'const FIRST_CHECK_MS = 60_000;',
          to: 'const FIRST_CHECK_MS = 2_000;',
        },
        { file: 'owner-limits-object.ts', from: 'const RETRY_MS = 60_000;', to: 'const RETRY_MS = 1_000;' },
      ],
    },
  });
}

beforeAll(async () => {
  storage = await mkdtemp(join(tmpdir(), 'holdfast-limits-'));
  await start();
}, 60_000);
afterAll(async () => {
  await worker.kill();
  await rm(storage, { recursive: true, force: true, maxRetries: 3 });
});

const get = async (owner: string, path: string) => {
  const response = await fetch(`${worker.url}${path}`, { headers: { 'x-owner': owner } });
  return (await response.json()) as Record<string, unknown>; // the tests assert the members of the response
};

/**
 * Sends a message with the same key until it is answered, like a client whose connection was lost. Returns the
 * status.
 */
async function send(owner: string, session: number): Promise<number> {
  for (;;) {
    try {
      const response = await fetch(`${worker.url}/agents/clerk/sessions/s${session}/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-owner': owner, 'idempotency-key': 'one' },
        body: JSON.stringify({ message: `Look at number ${session}.` }),
      });
      const body = await response.text();
      if (response.status < 500 || body.includes('"outcome"')) return response.status;
    } catch {
      // The process was killed.
    }
    await delay(50);
  }
}

interface JournalEvent {
  readonly type: string;
  readonly outcome?: string;
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
}

interface Journal {
  readonly turns: number;
  readonly ended: number;
  readonly completed: number;
  readonly tokens: number;
}

/** Returns the usage in the journals of all sessions. */
async function readJournals(owner: string): Promise<Journal> {
  let [turns, ended, completed, tokens] = [0, 0, 0, 0];
  const countEvents = async (session: number): Promise<void> => {
    const { events = [] } = await get(owner, `/agents/clerk/sessions/s${session}/events`);
    for (const { type, usage, outcome } of events as JournalEvent[]) {
      if (type === 'turn-started') turns += 1;
      if (type === 'turn-ended') ended += 1;
      if (outcome === 'completed') completed += 1;
      if (type === 'model-replied' && usage) tokens += usage.inputTokens + usage.outputTokens;
    }
  };
  await Promise.all(Array.from({ length: TURN_COUNT }, (_, session) => countEvents(session)));
  return { turns, ended, completed, tokens };
}

async function readReported(owner: string): Promise<{ most: number; used: number }> {
  const { limits } = await get(owner, '/limits');
  const [limit] = limits as [{ most: number; used: number }];
  return limit;
}

/** Counts the responses that report a reached limit. */
const findRefusal = (statuses: readonly number[]): number =>
  statuses.filter((status) => status === 429).length;

const isOver = ({ turns, ended }: Journal): boolean => turns > 0 && turns === ended;

const FEW_TURNS_OWNER = 'few-turns';
const FEW_TOKENS_OWNER = 'few-tokens';

it(`${TURN_COUNT} concurrent turns of each of two owners stay within their limits across ${KILL_COUNT} kills, and the counters match the journals`, async () => {
  const sending = [FEW_TURNS_OWNER, FEW_TOKENS_OWNER].map((owner) =>
    Promise.all(Array.from({ length: TURN_COUNT }, (_, session) => send(owner, session))),
  );
  for (let kill = 0; kill < KILL_COUNT; kill += 1) {
    await delay(500 + 300 * kill);
    await worker.kill();
    await start();
  }
  const [ofTurns = 0, ofTokens = 0] = (await Promise.all(sending)).map(findRefusal);
  for (const owner of [FEW_TURNS_OWNER, FEW_TOKENS_OWNER])
    await expect.poll(async () => readJournals(owner), { timeout: 60_000 }).toSatisfy(isOver);

  const { turns } = await readJournals(FEW_TURNS_OWNER);
  expect(turns).toBeLessThanOrEqual(40);
  expect((await readJournals(FEW_TURNS_OWNER)).completed).toBe(turns);
  expect(turns + ofTurns).toBe(TURN_COUNT);
  // The allowance of a turn whose process was killed before the turn was stored counts as used.
  expect((await readReported(FEW_TURNS_OWNER)).used).toBe(40);
  console.log(
    `limits: of ${TURN_COUNT} turns at once ${turns} ran, and ${ofTurns} were refused; ${KILL_COUNT} kills`,
  );

  const { tokens, ...more } = await readJournals(FEW_TOKENS_OWNER);
  expect(tokens).toBeLessThanOrEqual(200_000);
  expect(more.completed).toBeGreaterThan(0);
  expect(more.turns + ofTokens).toBe(TURN_COUNT);
  // Each lost allowance counts as its full 10,000 tokens.
  const countLostTurns = async (): Promise<number> =>
    ((await readReported(FEW_TOKENS_OWNER)).used - tokens) / 10_000;
  await expect
    .poll(countLostTurns, { timeout: 60_000 })
    .toSatisfy((one) => Number.isInteger(one) && one >= 0);
  expect((await readReported(FEW_TOKENS_OWNER)).used).toBeLessThanOrEqual(200_000);
  console.log(
    `limits: ${tokens} of 200,000 tokens in ${more.turns} turns, ${await countLostTurns()} allowances lost, ${ofTokens} refused`,
  );
}, 300_000);
