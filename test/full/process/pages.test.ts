/** The commands of the pages in docs, as they stand there but for the port, against the Workers that the pages speak of. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { startWorker, type WorkerSettings } from './start-worker.ts';

const root = resolve(import.meta.dirname, '../../..');

/** The commands of a page, a text for each block. Lines that start a server are left out: that is done here. */
const commandsOf = (page: string): string[] =>
  [...readFileSync(join(root, 'docs', page), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)].map(
    ([, lines = '']) => lines.replace(/^(npm run|npx wrangler dev).*\n/gm, ''),
  );

/** Runs commands by bash against a Worker, and answers what they print; `-s` keeps the progress of curl out of it. */
async function run(entry: string, commands: string, settings: WorkerSettings = {}): Promise<string> {
  const worker = await startWorker(entry, settings);
  onTestFinished(() => worker.stop());
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-page-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'receipt.jpg'), Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 16));
  const script = commands.replaceAll('localhost:8787', worker.url.host).replaceAll('curl ', 'curl -s ');
  const { stdout } = await promisify(execFile)('bash', ['-euc', script], { cwd: folder });
  return stdout;
}

it('the pages with commands are those that are run here, and the one on MCP', () => {
  const pages = readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'));
  // Those of mcp.md need other programs: mcp-published.test.ts and serve-files.test.ts have the same Workers.
  expect(pages.filter((page) => commandsOf(page).length > 0)).toEqual([
    'approvals.md',
    'files.md',
    'http.md',
    'mcp.md',
    'webhooks.md',
  ]);
});

it('http.md: a message is answered', async () => {
  const [said = ''] = commandsOf('http.md');
  const answer = await run('src/examples/first/worker.ts', said, { vars: { MODEL: 'offline' } });
  expect(JSON.parse(answer)).toMatchObject({ outcome: 'completed', toolCalls: 1 });
});

it('approvals.md: a refund waits, and is paid once it is approved', async () => {
  const [commands = ''] = commandsOf('approvals.md');
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

it('files.md: files are taken as a form and as parts', async () => {
  const [commands = ''] = commandsOf('files.md');
  const inBackground = commands
    .replaceAll('curl ', "curl -w '\\n' -H 'prefer: respond-async' ")
    .replace('/e1/messages -H', '/e2/messages -H');
  const answers = await run('test/fixtures/expenses-worker.ts', inBackground, {
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
  const [commands = ''] = commandsOf('webhooks.md');
  const vars = { MODEL: 'offline', GITHUB_WEBHOOK_SECRET: 'secret' };
  const answer = await run('src/examples/hooks/worker.ts', commands, { vars });
  expect(answer).toMatch(/^HTTP\/1\.1 202 /);
  expect(answer).toMatch(/\nlocation: /i);
});
