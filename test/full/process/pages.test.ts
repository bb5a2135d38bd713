/**
 * Runs the commands in the pages of docs against the Workers that the pages describe. The test changes only the
 * port.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { renderProject } from '../../../src/create/cli/render.ts';
import { findFreePort, pollUntil } from '../../../src/examples/demo/ports.ts';
import { startGroup } from '../../../src/examples/demo/process-group.ts';
import { installPackage } from './installed-package.ts';
import { PACK_TEST_TIMEOUT_MS } from './packed.ts';
import { startWorker, type WorkerSettings } from './start-worker.ts';

const root = resolve(import.meta.dirname, '../../..');

/** Returns the blocks of a page in a language. */
const parseBlocks = (page: string, language: string): string[] =>
  [
    ...readFileSync(join(root, 'docs', page), 'utf8').matchAll(
      new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'),
    ),
  ].map(([, text = '']) => text);

/**
 * Returns the commands of a page, one text for each block. Lines that start a server are removed, because the
 * test starts it.
 */
const parseCommands = (page: string): string[] =>
  parseBlocks(page, 'sh').map((lines) => lines.replace(/^(npm run|npx wrangler dev).*\n/gm, ''));

/** Runs commands in bash against a Worker, and returns their output. `-s` suppresses the progress of curl. */
async function run(entry: string, commands: string, settings: WorkerSettings = {}): Promise<string> {
  const worker = await startWorker(entry, settings);
  let isRunning = true;
  const stopWorker = async (): Promise<void> => {
    if (isRunning) await worker.stop();
    isRunning = false;
  };
  onTestFinished(stopWorker);
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-page-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'receipt.jpg'), Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 16));
  const script = commands.replaceAll('localhost:8787', worker.url.host).replaceAll('curl ', 'curl -s ');
  const { stdout } = await promisify(execFile)('bash', ['-euc', script], { cwd: folder });
  await stopWorker();
  return stdout;
}

it('this test runs the commands of all pages, except for those that need other programs', () => {
  const pages = readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'));
  // Other tests run the commands of cli.md (operating.test.ts), console.md (console.test.ts), operators.md, doctor.md, mcp.md
  // (mcp-published.test.ts and serve-files.test.ts), openapi.md and tutorial.md. A browser test covers
  // react.md. The commands of deploy.md and index-of-sessions.md need an account.
  expect(pages.filter((page) => parseCommands(page).length > 0)).toEqual([
    'approvals.md',
    'cli.md',
    'client-tools.md',
    'console.md',
    'deploy.md',
    'doctor.md',
    'files.md',
    'http.md',
    'index-of-sessions.md',
    'mcp.md',
    'mounting.md',
    'openai.md',
    'openapi.md',
    'operators.md',
    'outgoing-webhooks.md',
    'quickstart.md',
    'react.md',
    'schedules.md',
    'tutorial.md',
    'webhooks.md',
  ]);
});

it('quickstart.md: a message is answered, and the conversation survives a kill of the process', async () => {
  const [, said = '', asked = ''] = parseCommands('quickstart.md');
  const storage = mkdtempSync(join(tmpdir(), 'holdfast-quickstart-'));
  onTestFinished(() => rmSync(storage, { recursive: true, force: true, maxRetries: 3 }));
  const settings = { vars: { MODEL: 'offline' }, storage };
  const answer = await run('src/examples/first/worker.ts', said, settings);
  expect(JSON.parse(answer)).toMatchObject({
    outcome: 'completed',
    artifacts: [{ value: { paid: 'INV-17' } }],
  });
  const session = JSON.parse(await run('src/examples/first/worker.ts', asked, settings));
  expect(session.messages[0]).toMatchObject({ role: 'user', text: 'Please pay invoice INV-17.' });
});

it('http.md: a message is answered', async () => {
  const [said = ''] = parseCommands('http.md');
  const answer = await run('src/examples/first/worker.ts', said, { vars: { MODEL: 'offline' } });
  expect(JSON.parse(answer)).toMatchObject({ outcome: 'completed', toolCalls: 1 });
});

it('openai.md: a response is created', async () => {
  const [asked = ''] = parseCommands('openai.md');
  const response = await run('src/examples/openai/worker.ts', asked, { vars: { MODEL: 'offline' } });
  expect(JSON.parse(response)).toMatchObject({ object: 'response', model: 'cashier' });
});

it('client-tools.md: the model calls a tool of the client', async () => {
  const [asked = ''] = parseCommands('client-tools.md');
  const completion = await run('src/examples/client-tools/worker.ts', asked, { vars: { MODEL: 'offline' } });
  const called = { function: { name: 'paint_page', arguments: '{"color":"gold"}' } };
  expect(JSON.parse(completion)).toMatchObject({ choices: [{ message: { tool_calls: [called] } }] });
});

it('approvals.md: a refund waits, and is paid once it is approved', async () => {
  const [commands = ''] = parseCommands('approvals.md');
  const [asked = '', decided = ''] = commands.split(/^# 202.*\n/m);
  const script = `
    asked=$(${asked.trim()})
    call=$(printf %s "$asked" | grep -o '"call":"[^"]*"' | head -1 | cut -d'"' -f4)
    echo "$asked"
    ${decided.replace('{call}', '$call')}`;
  const [waiting = '', answer = ''] = (
    await run('src/worker.ts', script, { vars: { MODEL: 'offline' } })
  ).split('\n');
  expect(JSON.parse(waiting)).toMatchObject({ status: 'suspended', pending: [{ tool: 'issue_refund' }] });
  expect(JSON.parse(answer)).toMatchObject({ outcome: 'completed' });
});

it('files.md: files are accepted as a form and as parts', async () => {
  const [commands = ''] = parseCommands('files.md');
  const inBackground = commands
    .replaceAll('curl ', "curl -w '\\n' -H 'prefer: respond-async' ")
    .replace('/e1/messages -H', '/e2/messages -H');
  const answers = await run('src/examples/expenses/worker.ts', inBackground, {
    vars: { ANTHROPIC_API_KEY: 'none' },
  });
  expect(
    answers
      .trim()
      .split('\n')
      .map((answer) => JSON.parse(answer)),
  ).toMatchObject([
    { session: 'e1', agent: 'expenses' },
    { session: 'e2', agent: 'expenses' },
  ]);
});

it('webhooks.md: a signed delivery starts a turn', async () => {
  const [commands = ''] = parseCommands('webhooks.md');
  const vars = { MODEL: 'offline', GITHUB_WEBHOOK_SECRET: 'secret' };
  const answer = await run('src/examples/hooks/worker.ts', commands, { vars });
  expect(answer).toMatch(/^HTTP\/1\.1 202 /);
  expect(answer).toMatch(/\nlocation: /i);
});

/**
 * Runs `wrangler dev` in a user's folder with the Worker of a page, and the settings of a new project and of
 * the page.
 */
async function serve(page: string): Promise<(commands: string) => Promise<string>> {
  const { path: folder } = await installPackage(['wrangler']);
  const port = await findFreePort();
  const env = {
    ...process.env,
    CI: '1',
    WRANGLER_SEND_METRICS: 'false',
    XDG_CONFIG_HOME: folder,
    TMPDIR: folder,
  };
  const [worker = ''] = parseBlocks(page, 'ts');
  const project = renderProject({ name: 'app', template: 'minimal', manager: 'npm' });
  const settings = project.get('wrangler.toml');
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/worker.ts'), worker);
  writeFileSync(join(folder, 'wrangler.toml'), `${settings}\n${parseBlocks(page, 'toml').join('\n')}`);
  writeFileSync(join(folder, '.dev.vars'), project.get('.dev.vars') ?? '');
  const args = ['dev', '--port', String(port), '--inspector-port', '0'];
  const server = startGroup(wrangler, args, { log: join(folder, 'wrangler.log'), cwd: folder, env });
  onTestFinished(async () => {
    await server.end('SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  await pollUntil('the Worker answers', 60_000, async () => {
    // The root path of a mounted app belongs to another app, so any response is enough.
    const answer = await fetch(`http://localhost:${port}/`).catch(() => undefined);
    return answer !== undefined;
  });
  return async (commands) => {
    const script = commands
      .replaceAll('localhost:8787', `localhost:${port}`)
      .replaceAll('npx wrangler', `${process.execPath} ${wrangler}`)
      .replaceAll('curl ', 'curl -s ');
    return (await promisify(execFile)('bash', ['-euc', script], { cwd: folder, env })).stdout;
  };
}

const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js');

it('outgoing-webhooks.md: a secret is created', async () => {
  const [commands = ''] = parseCommands('outgoing-webhooks.md');
  // The command that stores the secret needs an account, so it is not run.
  const made = commands.replace('npx wrangler secret put TURNS_WEBHOOK_SECRET', 'cat');
  const { stdout } = await promisify(execFile)('bash', ['-euc', made]);
  expect(stdout).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/);
});

it(
  'mounting.md: a tool of a Hono app reads a binding',
  async () => {
    const run = await serve('mounting.md');
    const [commands = ''] = parseCommands('mounting.md');
    expect(await run(commands)).toContain('Sent on Monday.');
  },
  PACK_TEST_TIMEOUT_MS + 120_000,
);

it(
  'schedules.md: a schedule is triggered manually',
  async () => {
    const run = await serve('schedules.md');
    const [fired = ''] = parseCommands('schedules.md');
    const formatToday = () => new Date().toISOString().slice(0, 10);
    const before = formatToday();
    expect(await run(fired)).toBe('ok');
    // The date can change at midnight, so both dates are accepted.
    const states = [before, formatToday()].map((day) =>
      run(`curl localhost:8787/agents/reporter/sessions/report-${day}`),
    );
    const found = (await Promise.all(states)).map((state) => JSON.parse(state));
    expect(found).toContainEqual(expect.objectContaining({ agent: 'reporter' }));
  },
  PACK_TEST_TIMEOUT_MS + 120_000,
);
