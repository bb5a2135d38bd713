/**
 * The reported problems and logged warnings about mistakes in `wrangler.toml` or in the exports of the main
 * module.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type RunningWorker, startWorker, type WorkerSettings } from './start-worker.ts';
import type { Edit } from './with-edits.ts';

const ENTRY = 'src/examples/first/worker.ts';
const SESSION_PATH = '/agents/clerk/sessions/s1';
const BACKGROUND_HEADERS = { prefer: 'respond-async' };

const NO_EXPORTS_MESSAGE = `This Worker runs without \`ctx.exports\`, so no turn outlives its request. Set in wrangler.toml, without the flag \`disable_ctx_exports\`:

compatibility_date = "2026-10-01"`;

const NO_RUNNER_MESSAGE = `This Worker exports no \`TurnRunner\`, so no turn outlives its request. Add to its main module:

export const { TurnRunner } = holdfast;`;

const NO_CLASS_MESSAGE = `This Worker exports no class for its sessions. Add to its main module:

export { SessionObject } from 'holdfast/durable-objects';`;

const NO_BINDING_MESSAGE = `This Worker has no Durable Object binding SESSIONS. Add to wrangler.toml, and to each of its environments:

[[durable_objects.bindings]]
name = "SESSIONS"
class_name = "SessionObject"`;

const NO_SQLITE_MESSAGE = `The sessions of this Worker have no SQLite storage. Add to wrangler.toml, in place of \`new_classes\`:

[[migrations]]
tag = "v1"
new_sqlite_classes = ["SessionObject"]

A class that was deployed without it cannot get it later. Export it under another name, with another tag.`;

const STOP_WARNING =
  'The platform may stop a background turn, which leaves a `once` call in doubt. Set compatibility_date = "2026-10-01" in wrangler.toml, or bind a queue as TURNS.';

const NO_MODEL_MESSAGE =
  'This Worker has no model: neither OPENAI_API_KEY nor OPENAI_BASE_URL is set. Set OPENAI_API_KEY or OPENAI_BASE_URL, and MODEL to ' +
  'the name of the model there. To develop without a language model, set MODEL = "offline", and use orOffline(openaiCompatible()) from \'holdfast/models/offline\'.';

const withoutLine = (line: string): WorkerSettings => ({
  build: { edits: [{ file: ENTRY, from: line, to: '' }] },
});
const withoutRunner = withoutLine('export const { TurnRunner } = holdfast;');
const withoutClass = withoutLine("export { SessionObject } from '../../../durable-objects/index.ts';");
const onDate = (compatibilityDate: string): WorkerSettings => ({ deployedAs: { compatibilityDate } });

/** The compatibility flags that every Worker should have, regardless of its compatibility date. */
const COMPATIBILITY_FLAGS = ['enable_request_signal', 'global_fetch_strictly_public'];

const workers: RunningWorker[] = [];
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop();
});

async function start(settings?: WorkerSettings): Promise<RunningWorker> {
  const worker = await startWorker(ENTRY, { ...settings, vars: { MODEL: 'offline', ...settings?.vars } });
  workers.push(worker);
  return worker;
}

/**
 * The start of the line that is logged once when local mode accepts a request. `auth.test.ts` asserts the whole
 * line.
 */
const LOCAL_MODE_LINE = 'holdfast: This machine needs no token.';

/**
 * Returns the log lines about the deployment, without the lines of the runtime and the line about local mode.
 */
const getHoldfastLines = ({ logs }: RunningWorker): readonly string[] =>
  logs.filter((line) => line.startsWith('holdfast') && !line.startsWith(LOCAL_MODE_LINE));

/** Waits until these log lines have arrived, because logs can arrive later than responses. */
const expectSaid = (worker: RunningWorker, lines: readonly string[]): Promise<void> =>
  vi.waitFor(() => expect(getHoldfastLines(worker)).toEqual(lines), { timeout: 10_000 });

type Answer = readonly [status: number, contentType: string | null, body: unknown];

async function ask({ url }: RunningWorker, path: string, init?: RequestInit): Promise<Answer> {
  const response = await fetch(new URL(path, url), init);
  return [response.status, response.headers.get('content-type'), await response.json()];
}

const say = (worker: RunningWorker, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  ask(worker, `${SESSION_PATH}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const createMisconfiguredAnswer = (detail: string): Answer => [
  500,
  'application/problem+json',
  { type: 'urn:holdfast:problem:misconfigured', title: 'misconfigured', status: 500, detail },
];

describe('a misconfigured Worker that cannot run sessions', () => {
  it.each<[string, WorkerSettings, string]>([
    ['a compatibility date without ctx.exports', onDate('2025-11-16'), NO_EXPORTS_MESSAGE],
    ['no TurnRunner', withoutRunner, NO_RUNNER_MESSAGE],
    ['no SessionObject', withoutClass, NO_CLASS_MESSAGE],
    ['new_classes or no migration', { deployedAs: { storage: 'legacy-kv' } }, NO_SQLITE_MESSAGE],
    ['no binding', { deployedAs: { isUnbound: true } }, NO_BINDING_MESSAGE],
    [
      'several of these mistakes',
      { ...withoutRunner, deployedAs: { isUnbound: true, compatibilityDate: '2025-10-01' } },
      [NO_BINDING_MESSAGE, NO_EXPORTS_MESSAGE, NO_RUNNER_MESSAGE].join('\n\n'),
    ],
  ])('reports %s in every response and once in its log', async (_, settings, problem) => {
    const worker = await start(settings);
    const answers = [
      await say(worker, { message: 'Please pay invoice INV-17.' }, BACKGROUND_HEADERS),
      await say(worker, { message: 'Please pay invoice INV-17.' }),
      await ask(worker, SESSION_PATH),
      await ask(worker, `${SESSION_PATH}/events`),
      await ask(worker, `${SESSION_PATH}/turns/t1`),
      await ask(worker, `${SESSION_PATH}/cancel`, { method: 'POST' }),
      await ask(worker, SESSION_PATH, { method: 'DELETE' }),
      await ask(worker, '/health'),
    ];
    expect(answers).toEqual(answers.map(() => createMisconfiguredAnswer(problem)));
    await expectSaid(worker, [`holdfast: ${problem}`]);
  });

  it('reports the problem at /health before any other request', async () => {
    const worker = await start(onDate('2025-10-01'));
    expect(await ask(worker, '/health')).toEqual(createMisconfiguredAnswer(NO_EXPORTS_MESSAGE));
    await expectSaid(worker, [`holdfast: ${NO_EXPORTS_MESSAGE}`]);
  });
});

it('a Worker without a chosen model reports this to the sender of a message, at /health, and once in its log', async () => {
  const worker = await start({ vars: { MODEL: '' } });
  const answers = [
    await say(worker, { message: 'Please pay invoice INV-17.' }, BACKGROUND_HEADERS),
    await say(worker, { message: 'Please pay invoice INV-17.' }),
    await ask(worker, '/health'),
  ];
  expect(answers).toEqual(answers.map(() => createMisconfiguredAnswer(NO_MODEL_MESSAGE)));
  expect(await ask(worker, SESSION_PATH)).toMatchObject([404, 'application/problem+json', {}]);
  await expectSaid(worker, [`holdfast: ${NO_MODEL_MESSAGE}`]);
});

describe('a Worker that runs turns in the background', () => {
  it.each<[string, WorkerSettings]>([
    ['the settings of wrangler.toml', {}],
    ['the first date on which objects stay awake', onDate('2026-10-01')],
    [
      'an older date with the flag',
      {
        deployedAs: {
          compatibilityDate: '2025-11-17',
          compatibilityFlags: [...COMPATIBILITY_FLAGS, 'durable_object_io_tasks_prevent_eviction'],
        },
      },
    ],
    [
      'the first date with ctx.exports, and a queue',
      { deployedAs: { compatibilityDate: '2025-11-17', hasQueue: true } },
    ],
  ])('is healthy and runs the turns with %s', async (_, settings) => {
    const worker = await start(settings);
    expect(await ask(worker, '/health')).toEqual([200, 'application/json', { status: 'ok' }]);
    expect(await payInBackground(worker)).toBe('completed');
    await expectSaid(worker, []);
  });

  it('runs the turns with the compatibility date of `ctx.exports`, and warns that the turns may be stopped', async () => {
    const worker = await start(onDate('2025-11-17'));
    expect(await payInBackground(worker)).toBe('completed');
    const healthy = { status: 'ok', warnings: [STOP_WARNING] };
    expect(await ask(worker, '/health')).toEqual([200, 'application/json', healthy]);
    await expectSaid(worker, [`holdfast: ${STOP_WARNING}`]);
  });
});

/** Sends a background message, and returns the outcome of its turn. */
async function payInBackground(worker: RunningWorker): Promise<unknown> {
  const [status] = await say(worker, { message: 'Please pay invoice INV-17.' }, BACKGROUND_HEADERS);
  expect(status).toBe(202);
  return waitForOutcome(worker);
}

const waitForOutcome = (worker: RunningWorker): Promise<unknown> =>
  vi.waitUntil(
    async () => {
      const [, , state] = await ask(worker, SESSION_PATH);
      return (state as { readonly turn: { readonly outcome: unknown } | null }).turn?.outcome;
    },
    { timeout: 30_000, interval: 50 },
  );

/** Disables the hand-over of a turn, as if the Worker had stopped before the alarm ran. */
const HANDOVER_REMOVAL: Edit = {
  from: 'void this.#carrier.handOver({ name, turn });',
  to: 'void turn;',
};

describe('a turn that was accepted before a faulty deployment', () => {
  it.each<[string, WorkerSettings, string]>([
    ['a compatibility date without ctx.exports', onDate('2025-10-01'), 'has no `ctx.exports`'],
    ['no TurnRunner', withoutRunner, 'exports no `TurnRunner`'],
  ])('is logged, and resumes when the fault is fixed: %s', async (_, mistaken, problem) => {
    const storage = await mkdtemp(join(tmpdir(), 'holdfast-deployment-'));
    const kept = { storage, vars: { LEASE_MS: '2000' } };
    try {
      const first = await start({ ...kept, build: { edits: [HANDOVER_REMOVAL] } });
      const [status] = await say(first, { message: 'Please pay invoice INV-17.' }, BACKGROUND_HEADERS);
      expect(status).toBe(202);
      await first.stop();

      const second = await start({ ...kept, ...mistaken });
      const getTakeoverLogs = () => second.logs.filter((line) => line.includes('are not taken over'));
      await vi.waitUntil(() => getTakeoverLogs().length > 0, { timeout: 30_000 });
      const session = '["local","clerk","s1"]';
      const message = `turns of session ${session} are not taken over: the Worker ${problem}`;
      expect(getTakeoverLogs()).toEqual([JSON.stringify({ level: 'error', event: 'other', message })]);
      await second.stop();

      expect(await waitForOutcome(await start(kept))).toBe('completed');
    } finally {
      await rm(storage, { recursive: true, force: true });
    }
  });
});
