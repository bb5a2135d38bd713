/**
 * Simulates the demo's external services in a separate program: `node effect-counter.ts FILE`. It responds
 * like the services of the support agent's shop and, below `/github`, like GitHub. It writes one line to disk
 * for each call before it responds. It ignores idempotency keys, so that every request counts. Its parent
 * sends messages to hold and release responses.
 */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { shipments } from '../support/books.ts';
import type { CounterCommand, CounterReport, Execution } from './counted-effects.ts';
import { Gate, type Hold } from './gate.ts';
import { createGithubService } from './github-service.ts';
import { listen, readJson } from './loopback.ts';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('Usage: effect-counter.ts FILE');

const gate = new Gate();
const holdsByName = new Map<string, Hold>();
const references = new Map<string, string>();
const sendReport = (report: CounterReport): void => void process.send?.(report);

const github = createGithubService({ append, pass: (service) => gate.pass(service) });

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, path] = /^\/github(\/.*)$/.exec(request.url ?? '') ?? [];
  if (path !== undefined) return github(request, response, path);
  const [service = '', name] = (request.url ?? '').split('/').slice(1).map(decodeURIComponent);
  const answer = await answerRequest(request, service, name);
  response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer ?? null));
}

/**
 * `POST /{service}` has an effect, `GET /{service}/{key}` returns its outcome, and `GET /shipments/{code}`
 * only reads.
 */
async function answerRequest(
  request: IncomingMessage,
  service: string,
  name: string | undefined,
): Promise<unknown> {
  if (request.method === 'POST') return performEffect(request, service);
  if (service !== 'shipments') return findReceipt(`${service} ${name}`);
  await gate.pass(service);
  return shipments.get(name ?? '');
}

async function performEffect(request: IncomingMessage, service: string): Promise<unknown> {
  const { 'call-id': call = '', 'idempotency-key': key = '' } = request.headers;
  const what = JSON.stringify(await readJson(request));
  append({ service, call: String(call), key: String(key), what });
  references.set(`${service} ${key}`, `${service}-${references.size + 1}`);
  await gate.pass(service);
  return findReceipt(`${service} ${key}`);
}

const findReceipt = (name: string): unknown => {
  const reference = references.get(name);
  return reference === undefined ? undefined : { reference };
};

function append(execution: Execution): void {
  const descriptor = openSync(String(file), 'a');
  writeSync(descriptor, `${JSON.stringify(execution)}\n`);
  fsyncSync(descriptor);
  closeSync(descriptor);
}

process.on('message', ({ type, service }: CounterCommand) => {
  if (type === 'release') return holdsByName.get(service)?.release();
  const hold = gate.hold(service);
  holdsByName.set(service, hold);
  sendReport({ type: 'holding', service });
  hold.reached.then(() => sendReport({ type: 'reached', service }));
});
process.on('disconnect', () => process.exit());

const { url } = await listen((request, response) => {
  handle(request, response).catch((error: unknown) => {
    response.writeHead(500).end(String(error));
  });
});
sendReport({ type: 'listening', url });
