/**
 * Builds the app of docs/tutorial.md in a user's folder, step by step, and follows the instructions of each
 * step.
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { renderProject } from '../../../src/create/cli/render.ts';
import { createUserEnv } from '../create/created.ts';
import { CHROMIUM_ARGS, findChromium } from '../files/chromium.ts';
import { installPackage } from './installed-package.ts';
import { PACK_TEST_TIMEOUT_MS } from './packed.ts';
import { applyDiff, parseSteps } from './page-steps.ts';
import { bundleWorker, type RunningWorker, startWorker } from './start-worker.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../../..');
const page = await readFile(join(root, 'docs/tutorial.md'), 'utf8');
const steps = parseSteps(page);
const BILLING_SECRET = `whsec_${btoa('a secret of 24 bytes or more')}`;
const TOKENS = { STAFF_TOKEN: 'staff-secret', MANAGER_TOKEN: 'manager-secret', BILLING_SECRET };

let folder: string;
const toFolderPath = (file: string): string => join(folder, file);

/** Runs a program of a package in the user's folder. */
const runProgram = (file: string, ...args: string[]) =>
  run(process.execPath, [file, ...args], {
    cwd: folder,
    env: createUserEnv({ TMPDIR: folder, XDG_CONFIG_HOME: folder }),
  });
const packages = join(root, 'node_modules');

beforeAll(async () => {
  ({ path: folder } = await installPackage(['wrangler', 'vitest', 'vite']));
  for (const [file, text] of renderProject({ name: 'clerk', template: 'minimal', manager: 'npm' })) {
    await mkdir(dirname(toFolderPath(file)), { recursive: true });
    await writeFile(toFolderPath(file), text);
  }
}, PACK_TEST_TIMEOUT_MS);
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

/** Applies the changes of a step, and checks the types. */
async function take(step: number): Promise<void> {
  for (const { file, isDiff, text } of steps[step - 1] ?? []) {
    await mkdir(dirname(toFolderPath(file)), { recursive: true });
    const changed = isDiff ? applyDiff(await readFile(toFolderPath(file), 'utf8'), text) : text;
    await writeFile(toFolderPath(file), changed);
  }
  const { stdout } = await runProgram(join(packages, 'typescript/bin/tsc')).catch(
    (failure: { stdout: string }) => failure,
  );
  expect(stdout).toBe('');
}

/** Starts the Worker with the code after the latest step. */
async function start(vars: Readonly<Record<string, string>> = {}): Promise<RunningWorker> {
  const bundle = toFolderPath('worker.bundle.js');
  await writeFile(bundle, await bundleWorker(toFolderPath('src/worker.ts'), { plugins: [] }));
  const worker = await startWorker('src/worker.ts', { bundle, vars: { MODEL: 'offline', ...vars } });
  onTestFinished(() => worker.stop());
  return worker;
}

async function post(url: URL, body: object, token?: string): Promise<{ status: number; answer: unknown }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  return { status: response.status, answer: await response.json() };
}

const getMessagesUrl = ({ url }: RunningWorker): URL => new URL('/agents/clerk/sessions/s1/messages', url);
const getApprovalsUrl = (answer: unknown, { url }: RunningWorker): URL =>
  new URL(Object(answer).pending[0].links.approvals, url);
const PAY_MESSAGE = { message: 'Please pay invoice INV-17.' };

/** Serves the page and the Worker from one origin, as `[assets]` does. */
async function serveAtOneOrigin({ url }: RunningWorker): Promise<string> {
  const server = createServer(async (request, response) => {
    if (request.url === '/') {
      response.setHeader('content-type', 'text/html');
      response.end(await readFile(toFolderPath('public/index.html')));
      return;
    }
    const body = (await request.toArray()).join('');
    const { method = 'GET', headers } = request;
    const sent = Object.entries(headers).filter(([name]) => /^(content-type|authorization)$/.test(name));
    const answer = await fetch(new URL(request.url ?? '', url), {
      method,
      headers: sent.map(([name, value]): [string, string] => [name, String(value)]),
      ...(body && { body }),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(await answer.text());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`; // the server is listening
}

async function open(worker: RunningWorker) {
  const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: CHROMIUM_ARGS });
  onTestFinished(() => browser.close());
  const shown = await browser.newPage();
  await shown.goto(await serveAtOneOrigin(worker));
  return shown;
}

describe('the tutorial', () => {
  it('has eight steps, each of which changes a file', () => {
    expect(steps.map((changes) => changes.length > 0)).toEqual(Array(8).fill(true));
  });

  it('step 1: the agent finds an invoice', async () => {
    await take(1);
    const worker = await start();
    const [, said = ''] = /-d '(\{.*?\})'/.exec(page) ?? [];
    const { answer } = await post(getMessagesUrl(worker), JSON.parse(said));
    expect(answer).toMatchObject({
      outcome: 'completed',
      artifacts: [{ tool: 'find_invoice', value: { number: 'INV-17', euro: 120 } }],
    });
  });

  it('step 2: the agent calls the model that MODEL selects, and offers it both tools', async () => {
    await take(2);
    const asked: string[] = [];
    const server = createServer(async (request, response) => {
      asked.push((await request.toArray()).join(''));
      const reply = { role: 'assistant', content: 'Hello.' };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ choices: [{ index: 0, message: reply, finish_reason: 'stop' }] }));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo; // the server is listening
    const settings = await readFile(toFolderPath('wrangler.toml'), 'utf8');
    const MODEL = /^MODEL = "(.+)"$/m.exec(settings)?.[1] ?? '';
    const worker = await start({
      MODEL,
      OPENAI_API_KEY: 'a-key',
      OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    });
    expect(await post(getMessagesUrl(worker), PAY_MESSAGE)).toMatchObject({
      status: 200,
      answer: { text: 'Hello.' },
    });
    const { model, tools } = JSON.parse(asked[0] ?? '{}');
    expect(model).toBe('gpt-5-mini');
    expect(tools.map((tool: unknown) => Object(tool).function.name)).toEqual(['find_invoice', 'pay_invoice']);
  });

  it('step 3: the tests pass', async () => {
    await take(3);
    const { stdout } = await runProgram(join(packages, 'vitest/vitest.mjs'), 'run');
    expect(stdout).toContain('3 passed');
  });

  it('step 4: a payment waits for a decision and then runs, and the tests pass', async () => {
    await take(4);
    const worker = await start();
    const { status, answer } = await post(getMessagesUrl(worker), PAY_MESSAGE);
    expect({ status, answer }).toMatchObject({ status: 202, answer: { outcome: 'suspended' } });
    expect(await post(getApprovalsUrl(answer, worker), { decision: 'approve' })).toMatchObject({
      status: 200,
      answer: { outcome: 'completed', artifacts: [{ value: { paid: 'INV-17' } }] },
    });
    const { stdout } = await runProgram(join(packages, 'vitest/vitest.mjs'), 'run');
    expect(stdout).toContain('3 passed');
  });

  it.skipIf(findChromium() === undefined)(
    'step 5: the page requests a payment, and its button approves it',
    async () => {
      await take(5);
      const shown = await open(await start());
      await shown.getByRole('button', { name: 'Send' }).click();
      await shown.getByText('Pay invoice INV-17?').waitFor();
      await shown.getByRole('button', { name: 'Approve' }).click();
      await shown.getByRole('listitem').nth(1).getByText('INV-17').waitFor();
    },
  );

  it.skipIf(findChromium() === undefined)(
    'step 6: staff request a payment, only a manager can approve it, and the tests pass',
    async () => {
      await take(6);
      const worker = await start(TOKENS);
      expect(await post(getMessagesUrl(worker), PAY_MESSAGE)).toMatchObject({ status: 401 });
      const { answer } = await post(getMessagesUrl(worker), PAY_MESSAGE, TOKENS.STAFF_TOKEN);
      const decide = (token: string) => post(getApprovalsUrl(answer, worker), { decision: 'approve' }, token);
      expect(await decide(TOKENS.STAFF_TOKEN)).toMatchObject({ status: 403 });
      expect(await decide(TOKENS.MANAGER_TOKEN)).toMatchObject({ status: 200 });

      const shown = await open(worker);
      await shown.getByLabel('Token').fill(TOKENS.STAFF_TOKEN);
      await shown.getByRole('button', { name: 'Send' }).click();
      await shown.getByText('Pay invoice INV-17?').waitFor();
      await shown.getByLabel('Token').fill(TOKENS.MANAGER_TOKEN);
      await shown.getByRole('button', { name: 'Approve' }).click();
      await shown.getByRole('listitem').nth(1).getByText('INV-17').waitFor();
      const { stdout } = await runProgram(join(packages, 'vitest/vitest.mjs'), 'run');
      expect(stdout).toContain('3 passed');
    },
  );

  it('step 7: a signed delivery starts one turn, which a manager approves', async () => {
    await take(7);
    const worker = await start(TOKENS);
    const body = JSON.stringify({
      type: 'invoice.due',
      timestamp: new Date().toISOString(),
      data: { number: 'INV-18' },
    });
    const signedAt = new Date();
    const signature = new Webhook(BILLING_SECRET).sign('msg_1', signedAt, body);
    const deliver = () =>
      fetch(new URL('/hooks/billing', worker.url), {
        method: 'POST',
        headers: {
          'webhook-id': 'msg_1',
          'webhook-timestamp': String(Math.floor(signedAt.getTime() / 1000)),
          'webhook-signature': signature,
        },
        body,
      });
    const [first, again] = [await deliver(), await deliver()];
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    const turn = new URL(first.headers.get('location') ?? '', worker.url);
    const headers = { authorization: `Bearer ${TOKENS.MANAGER_TOKEN}`, prefer: 'wait=60' };
    const waiting: unknown = await (await fetch(turn, { headers })).json();
    expect(waiting).toMatchObject({ outcome: 'suspended' });
    expect(
      await post(getApprovalsUrl(waiting, worker), { decision: 'approve' }, TOKENS.MANAGER_TOKEN),
    ).toMatchObject({
      status: 200,
      answer: { artifacts: [{ value: { paid: 'INV-18' } }] },
    });
  });

  it('step 8: the doctor finds no problem in the settings and in the deployment', async () => {
    await take(8);
    const { stdout } = await runProgram(toFolderPath('package/dist/cli/holdfast.js'), 'doctor');
    expect(stdout).toContain('No problems.');
  });
});
