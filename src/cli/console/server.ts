/**
 * The server of the console on this machine. It serves the page, and forwards the page's requests to a
 * deployment with the token. Other pages in the browser must not reach the deployment through it.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ConsolePage } from './page.ts';

export interface ConsoleServerOptions {
  /** The deployment, with its base path. */
  readonly url: URL;
  readonly token: string | undefined;
  readonly page: ConsolePage;
}

export interface ConsoleServer {
  readonly server: Server;
  /** Closes the server and all of its connections. */
  stop(): void;
}

/** Makes the server. It must listen on 127.0.0.1. */
export function createConsoleServer(options: ConsoleServerOptions): ConsoleServer {
  const server = createServer((request, response) => {
    handle(request, response, options).catch(() => response.destroy());
  });
  return {
    server,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  options: ConsoleServerOptions,
): Promise<void> {
  const refusal = findRefusalReason(request);
  if (refusal !== undefined) return refuse(response, 403, refusal);
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (pathname === '/') {
    response.writeHead(302, { location: '/console' }).end();
    return;
  }
  if (pathname === '/console') return sendPage(request, response, options.page);
  await forward(request, response, options);
}

/**
 * Returns why a request is refused. A page on another site can send requests to this machine: under its own
 * name by DNS rebinding, which shows in `Host`, or across sites, which shows in `Origin` and `Sec-Fetch-Site`.
 */
function findRefusalReason({ headers, socket, method, url = '' }: IncomingMessage): string | undefined {
  const hosts = ['127.0.0.1', 'localhost'].map((name) => `${name}:${socket.localPort}`);
  const { host = '', origin } = headers;
  if (!hosts.includes(host)) return 'The request is for another host than 127.0.0.1.';
  if (origin !== undefined && origin !== `http://${host}`)
    return 'A page of another origin sent this request.';
  const site = headers['sec-fetch-site'];
  // A user can open the page from a link or the address bar. All other requests must come from the page
  // itself.
  const isOpening = method === 'GET' && /^\/(console)?([?#]|$)/.test(url);
  if (site !== undefined && site !== 'same-origin' && !isOpening)
    return 'A page on another site sent this request.';
  if (site === undefined && origin === undefined && !isSafe(method))
    return 'The request does not come from a page.';
  return undefined;
}

const isSafe = (method: string | undefined): boolean => method === 'GET' || method === 'HEAD';

function sendPage(
  { method }: IncomingMessage,
  response: ServerResponse,
  { html, policy }: ConsolePage,
): void {
  response.writeHead(isSafe(method) ? 200 : 405, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
  });
  response.end(method === 'GET' ? html : undefined);
}

/** The request headers that the deployment needs. Others, such as cookies, stay on this machine. */
const FORWARDED_HEADERS = [
  'accept',
  'content-type',
  'if-none-match',
  'idempotency-key',
  'last-event-id',
  'prefer',
];

/** The response headers that the page needs. */
const RETURNED_HEADERS = [
  'content-type',
  'etag',
  'location',
  'retry-after',
  'date',
  'x-request-id',
  'content-disposition',
];

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { url, token }: ConsoleServerOptions,
): Promise<void> {
  const leaving = new AbortController();
  response.once('close', () => leaving.abort());
  const headers = Object.fromEntries(
    FORWARDED_HEADERS.flatMap((name) => {
      const value = request.headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
  let answer: Response;
  try {
    answer = await fetch(resolveTarget(url, request.url ?? '/'), {
      method: request.method ?? 'GET',
      headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) },
      // A redirect target would also receive the token.
      redirect: 'manual',
      signal: leaving.signal,
      ...(!isSafe(request.method) && { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' }),
    });
  } catch (failure) {
    if (!leaving.signal.aborted)
      refuse(response, 502, `The deployment cannot be reached: ${getFailureReason(failure)}.`);
    return;
  }
  response.writeHead(answer.status, {
    ...Object.fromEntries(RETURNED_HEADERS.flatMap((name) => getHeaderEntries(answer, name))),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'same-origin',
    // Other documents of the deployment, such as HTML, must not run here.
    'content-security-policy': "default-src 'none'; sandbox",
  });
  if (!answer.body) response.end();
  // The stream ends if the client disconnects or the deployment breaks off.
  else await pipeline(Readable.fromWeb(answer.body), response).catch(() => undefined);
}

/** Returns the URL at the deployment. The path is joined as text, so that it cannot name another host. */
const resolveTarget = (url: URL, path: string): string =>
  `${url.origin}${url.pathname.replace(/\/+$/, '')}${path.startsWith('/') ? path : '/'}`;

const getHeaderEntries = ({ headers }: Response, name: string): [string, string][] => {
  const value = headers.get(name);
  return value === null ? [] : [[name, value]];
};

function getFailureReason(failure: unknown): string {
  const { code, message } = Object(Object(failure).cause ?? failure);
  return String(code ?? message ?? 'unknown');
}

/** Responds with a problem, in the format of the deployment, so that the page shows the reason. */
function refuse(response: ServerResponse, status: number, detail: string): void {
  const type = `urn:holdfast:problem:${status === 502 ? 'connection-lost' : 'cross-site'}`;
  response.writeHead(status, { 'content-type': 'application/problem+json', 'cache-control': 'no-store' });
  response.end(JSON.stringify({ type, title: 'console', status, detail }));
}
