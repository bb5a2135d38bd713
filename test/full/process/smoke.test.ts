/** `npm run smoke` against this repository's Worker, and through a proxy that makes the Worker misbehave. */
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { buildCliProgram } from './cli-program.ts';
import { type RunningWorker, startWorker } from './start-worker.ts';

const program = await buildCliProgram();
const TOKEN = 'a-token-of-these-tests-0123456789';
const APPROVAL_MESSAGE = 'Refund order 1001: 45.90 euro.';

let worker: RunningWorker;
beforeAll(async () => {
  worker = await startWorker('src/worker.ts', {
    vars: { MODEL: 'offline', HOLDFAST_TOKEN: TOKEN, GITHUB_WEBHOOK_SECRET: TOKEN },
  });
});
afterAll(() => worker.stop());

const run = (...args: string[]): Promise<{ code: number; lines: string[] }> =>
  new Promise((resolved) => {
    execFile(process.execPath, [program, 'smoke', ...args], (failure, stdout, stderr) =>
      resolved({
        code: Number(failure?.code ?? 0),
        lines: `${stdout}${stderr}`
          .trim()
          .replaceAll(/ \(\d+ ms\)$/gm, '')
          .split('\n'),
      }),
    );
  });
const refundArguments = ['--agent', 'refunds', '--approve', APPROVAL_MESSAGE];

it('the smoke test reports no problem for a healthy Worker and leaves no session', async () => {
  const { code, lines } = await run('--url', worker.url.href, '--token', TOKEN, ...refundArguments);
  expect(lines).toEqual([
    expect.stringMatching(/^ok {7}health {6}/),
    'ok       token       without it a request returns 401',
    "ok       agents      asks 'refunds'",
    expect.stringMatching(/^ok {7}message {5}completed, \d+ model calls, \d+ tool calls$/),
    'ok       repeat      the same message under the same key is the same turn',
    'ok       approval    issue_refund was approved and ran; a second decision returns 409',
    expect.stringMatching(
      /^ok {7}journal {5}\d\d events without a gap: 2 turns ended once, [1-9] calls started and ended once$/,
    ),
    'ok       erase       the sessions of this check are erased',
    '8 ok, 0 failed, 0 not checked',
  ]);
  expect(code).toBe(0);
}, 60_000);

it('the smoke test lists the checks that it skipped', async () => {
  const { code, lines } = await run('--url', worker.url.href, '--token', TOKEN, '--agent', 'refunds');
  expect(lines).toContain(
    'skipped  approval    no --approve: a message for which the agent asks for approval',
  );
  expect(lines.at(-1)).toBe('7 ok, 0 failed, 1 not checked');
  expect(code).toBe(0);
}, 60_000);

/** A request to the Worker and its response. */
interface Exchange {
  readonly path: string;
  readonly headers: Record<string, string>;
  status: number;
  body: string;
}
interface Flaw {
  readonly before?: (exchange: Exchange) => void;
  readonly after?: (exchange: Exchange) => void;
}

/** Starts a proxy that changes requests and responses. */
async function runBehindProxy({ before, after }: Flaw): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { 'content-type': type, authorization, 'idempotency-key': key } = request.headers;
    const headers = Object.entries({ 'content-type': type, authorization, 'idempotency-key': key });
    const sent = headers.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
    const exchange: Exchange = {
      path: request.url ?? '/',
      headers: Object.fromEntries(sent),
      status: 0,
      body: '',
    };
    before?.(exchange);
    const body = chunks.length > 0 ? Buffer.concat(chunks) : null;
    const { method = 'GET' } = request;
    const answer = await fetch(new URL(exchange.path, worker.url), {
      method,
      headers: exchange.headers,
      body,
    });
    exchange.status = answer.status;
    exchange.body = await answer.text();
    after?.(exchange);
    const bodiless = exchange.status === 204 || exchange.body === '';
    response.writeHead(exchange.status, { 'content-type': 'application/json' });
    response.end(bodiless ? undefined : exchange.body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${Object(server.address()).port}`;
}

it.each<[string, string, Flaw]>([
  [
    'lacks a setting',
    'failed   health      GET /health returned 500: No model.',
    {
      after: (exchange) => {
        if (exchange.path === '/health')
          Object.assign(exchange, { status: 500, body: '{"detail":"No model."}' });
      },
    },
  ],
  [
    'accepts requests without a token',
    'failed   token       GET /agents without a token returned 200, but should return 401',
    {
      before: ({ headers }) => {
        headers.authorization = `Bearer ${TOKEN}`;
      },
    },
  ],
  [
    'runs a message twice',
    'failed   repeat      the same message under the same key ran a second turn',
    {
      before: ({ headers }) => {
        delete headers['idempotency-key'];
      },
    },
  ],
  [
    'accepts two decisions',
    'failed   approval    a second decision returned 200, but should return 409',
    {
      after: (exchange) => {
        if (exchange.status === 409) exchange.status = 200;
      },
    },
  ],
  [
    'starts a call twice',
    "'tool-call-started ",
    {
      after: (exchange) => {
        if (!exchange.path.includes('/events')) return;
        exchange.body = exchange.body.replaceAll('"tool-call-ended"', '"tool-call-started"');
      },
    },
  ],
  [
    'loses an event',
    ' is missing',
    {
      after: (exchange) => {
        if (!exchange.path.includes('/events')) return;
        const page = JSON.parse(exchange.body);
        exchange.body = JSON.stringify({ ...page, events: page.events?.toSpliced(1, 1) });
      },
    },
  ],
])(
  'the smoke test reports a Worker that %s',
  async (_, line, flaw) => {
    const { code, lines } = await run(
      '--url',
      await runBehindProxy(flaw),
      '--token',
      TOKEN,
      ...refundArguments,
    );
    const failed = lines.filter((one) => one.startsWith('failed'));
    expect(failed).toHaveLength(1);
    expect(failed[0]).toContain(line);
    expect(lines.join()).not.toContain(TOKEN);
    expect(code).toBe(1);
  },
  60_000,
);

it.each([
  [['--url', 'http://127.0.0.1:9'], 1, /^failed {3}health {6}GET \/health received no response: /],
  [['--token', 'x'], 2, /^holdfast smoke: --url must be an http or https URL/],
  [
    ['--url', 'http://a', '--timeout', '0'],
    2,
    /^holdfast smoke: --timeout must be a whole number of seconds above 0/,
  ],
])('the smoke test with the arguments %j exits with %i', async (args, code, text) => {
  const result = await run(...args);
  expect(result.lines[0]).toMatch(text);
  expect(result.code).toBe(code);
});
