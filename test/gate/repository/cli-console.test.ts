/**
 * Tests `npx holdfast console`: the page that it serves on this machine, and its requests to a deployment.
 */
import { createServer, type IncomingMessage, type Server, request as send } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type ConsoleServer,
  console as command,
  createConsoleServer,
  UsageError,
} from '../../doors/console.ts';

const TOKEN = 'a-token-of-the-tests';
const PAGE = { html: '<!doctype html>page', policy: "default-src 'none'" };

interface ReceivedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface Reply {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const getPort = (server: Server): number => Object(server.address()).port;
const listen = (server: Server): Promise<void> =>
  new Promise((resolve) => void server.listen(0, '127.0.0.1', resolve));

async function readBody(message: IncomingMessage): Promise<string> {
  let body = '';
  for await (const piece of message) body += piece;
  return body;
}

let deployment: Server;
let received: ReceivedRequest[];
let console: ConsoleServer;

beforeAll(async () => {
  deployment = createServer(async (message, response) => {
    const { method, url, headers } = message;
    received.push({ method, url, headers, body: await readBody(message) });
    if (url === '/ai/moved') response.writeHead(302, { location: 'https://elsewhere.example/' });
    else
      response.writeHead(200, {
        ...{ 'content-type': 'application/json', etag: 'W/"1"' },
        ...{ 'set-cookie': 'a=b', 'access-control-allow-origin': '*' },
      });
    response.end('{"agents":[]}');
  });
  await listen(deployment);
  const url = new URL(`http://127.0.0.1:${getPort(deployment)}/ai/`);
  console = createConsoleServer({ url, token: TOKEN, page: PAGE });
  await listen(console.server);
});
afterAll(() => {
  console.stop();
  deployment.close();
});
beforeEach(() => {
  received = [];
});

interface SentRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request with any `Host` header, which `fetch` does not allow. */
const ask = (path: string, { method = 'GET', headers = {}, body }: SentRequest = {}): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const at = { host: '127.0.0.1', port: getPort(console.server), path, method, headers };
    const asked = send(at, async (response) => {
      resolve({ status: response.statusCode, headers: response.headers, body: await readBody(response) });
    });
    asked.once('error', reject);
    asked.end(body);
  });

const getOrigin = (): string => `http://127.0.0.1:${getPort(console.server)}`;

describe('the server of npx holdfast console', () => {
  it('serves the page with its policy, and without the token', async () => {
    const { status, headers, body } = await ask('/console');
    expect(status).toBe(200);
    expect(body).toBe(PAGE.html);
    expect(headers['content-security-policy']).toBe(PAGE.policy);
    expect(received).toEqual([]);
    expect(await ask('/')).toMatchObject({ status: 302, headers: { location: '/console' } });
  });

  it('forwards the page’s requests below the base path, with the token and only the needed headers', async () => {
    const reply = await ask('/agents/a/sessions/s/messages?whenBusy=queue', {
      method: 'POST',
      headers: {
        ...{ origin: getOrigin(), 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
        ...{ cookie: 'of=this-machine', authorization: 'Bearer of-the-page', accept: 'text/event-stream' },
      },
      body: '{"message":"Hi"}',
    });
    expect(reply).toMatchObject({ status: 200, body: '{"agents":[]}', headers: { etag: 'W/"1"' } });
    expect(reply.headers).not.toHaveProperty('set-cookie');
    expect(reply.headers).not.toHaveProperty('access-control-allow-origin');
    expect(reply.headers['content-security-policy']).toBe("default-src 'none'; sandbox");
    expect(JSON.stringify(reply)).not.toContain(TOKEN);
    const [only] = received;
    expect(only).toMatchObject({
      method: 'POST',
      url: '/ai/agents/a/sessions/s/messages?whenBusy=queue',
      body: '{"message":"Hi"}',
      headers: { authorization: `Bearer ${TOKEN}`, accept: 'text/event-stream' },
    });
    expect(only?.headers).not.toHaveProperty('cookie');
    expect(only?.headers).not.toHaveProperty('origin');
  });

  it('does not follow a redirect, because the target would receive the token', async () => {
    expect(await ask('/moved')).toMatchObject({ status: 302 });
    expect(received).toHaveLength(1);
  });

  it.each<[string, SentRequest]>([
    ['for another host, as after DNS rebinding', { headers: { host: 'evil.example' } }],
    ['for this machine at another port', { headers: { host: '127.0.0.1:1' } }],
    ['from a page of another origin', { method: 'POST', headers: { origin: 'https://evil.example' } }],
    ['from a page on another site', { headers: { 'sec-fetch-site': 'cross-site' } }],
    ['from another page of this machine', { headers: { 'sec-fetch-site': 'same-site' } }],
    [
      'from a link on another site',
      { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' } },
    ],
    ['that changes something but was not sent by a page', { method: 'DELETE' }],
  ])('refuses a request %s', async (_, sent) => {
    const { status, body } = await ask('/agents', sent);
    expect(status).toBe(403);
    expect(JSON.parse(body)).toMatchObject({ type: 'urn:holdfast:problem:cross-site', status: 403 });
    expect(received).toEqual([]);
  });

  it('lets a person open the page from a link', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect(await ask('/console', { headers })).toMatchObject({ status: 200, body: PAGE.html });
  });

  it('reports a deployment that it cannot reach', async () => {
    const gone = createServer();
    await listen(gone);
    const url = new URL(`http://127.0.0.1:${getPort(gone)}`);
    await new Promise((resolve) => gone.close(resolve));
    const lost = createConsoleServer({ url, token: undefined, page: PAGE });
    await listen(lost.server);
    const response = await fetch(`http://127.0.0.1:${getPort(lost.server)}/agents`);
    lost.stop();
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({
      detail: 'The deployment cannot be reached: ECONNREFUSED.',
    });
  });
});

describe('npx holdfast console', () => {
  const output = { out: () => {}, err: () => {} };

  it.each([
    [['--url', 'nonsense'], '--url must be an http or https URL, such as https://clerk.example.workers.dev'],
    [['--url', 'https://a:b@c.example'], '--url must not contain a user name or password'],
    [['--url', 'https://c.example', '--port', '99999'], '--port must be a whole number from 0 to 65535'],
    [
      ['--url', 'https://c.example', '--token', 'snow☃'],
      '--token contains a character that is not allowed in a header',
    ],
  ])('refuses the arguments %j', async (args, message) => {
    await expect(command.run(args, output)).rejects.toThrow(new UsageError(message));
  });
});
