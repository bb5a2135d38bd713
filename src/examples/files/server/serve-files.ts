/**
 * `npm run serve-files -- FOLDER [PORT]`: serves the files of a folder to MCP clients on this machine, at
 * `http://127.0.0.1:8808/mcp` by default. The agent `files` needs it, since a Worker cannot start the
 * filesystem server, which uses standard input and output. Prints each request.
 */
import { statSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { createStdioBridge } from './stdio-bridge.ts';

const DEFAULT_PORT = 8808;

const [name, port = String(DEFAULT_PORT)] = process.argv.slice(2);
const folder = name === undefined ? undefined : resolve(name);
if (folder === undefined || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
  console.error(`Usage: npm run serve-files -- FOLDER [PORT]\n${folder ?? 'Nothing'} is no folder.`);
  process.exit(1);
}

const main = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
const bridge = createStdioBridge({ args: [main, folder], stderr: 'inherit' }, { heard: print });

const server = createServer((request, response) => {
  const refusal = findRefusal(request);
  if (refusal) return void response.writeHead(refusal).end();
  bridge.handle(request, response).catch((thrown: unknown) => {
    console.error(thrown);
    response.destroy();
  });
});

// Listens on loopback only, since the server executes every request without authentication.
server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address();
  const served = typeof address === 'object' ? address?.port : undefined;
  console.log(`Serving ${folder} at http://127.0.0.1:${served}/mcp, to any program on this machine.`);
});

/**
 * A web page on this machine could also send requests, through a domain that resolves to this address (DNS
 * rebinding).
 */
function findRefusal({ url, headers: { host = '', origin } }: IncomingMessage): number | undefined {
  if (!isLocal(`http://${host}`) || (origin !== undefined && !isLocal(origin))) return 403;
  return url?.split('?')[0] === '/mcp' ? undefined : 404;
}

function isLocal(url: string): boolean {
  return ['127.0.0.1', 'localhost'].includes(URL.parse(url)?.hostname ?? '');
}

/** Prints a line for each request or notification, with the client's text escaped for the log. */
function print(message: JSONRPCMessage): void {
  if (!('method' in message)) return;
  const tool = message.method === 'tools/call' ? ` ${JSON.stringify(message.params?.name)}` : '';
  console.log(`${message.method.replaceAll(/[^\w/]/g, '?')}${tool}`);
}
