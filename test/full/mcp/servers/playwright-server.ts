import { join, resolve } from 'node:path';
import { findFreePort } from '../../../../src/examples/demo/ports.ts';
import type { Backend } from './backend.ts';
import { startChild } from './child-server.ts';

const main = resolve(import.meta.dirname, '../../../../node_modules/@playwright/mcp/cli.js');

/** A page that counts the clicks of its button while it is open. */
const PAGE = `<!doctype html><title>Counter</title><link rel="icon" href="data:,">
<button onclick="this.textContent = 'Pressed ' + ++presses + ' times'">Press</button><script>let presses = 0</script>`;

/**
 * Serves Playwright's MCP server with a browser for each session, and a test page at `/page`. Starts on the
 * first request.
 */
export function createPlaywrightServer(chromium: string, folder: string): Backend {
  let starting: Promise<Backend> | undefined;
  let started: Backend | undefined;
  async function start(): Promise<Backend> {
    const [host, port] = ['127.0.0.1', await findFreePort()];
    started = await startChild({
      args: [
        ...[main, '--host', host, '--port', String(port), '--allowed-hosts', '*'],
        ...['--executable-path', chromium, '--headless', '--no-sandbox', '--isolated'],
        ...['--output-dir', join(folder, 'playwright')],
      ],
      env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder },
      ready: /Listening on /,
      at: { host, port },
    });
    return started;
  }
  return {
    async handle(arrived) {
      if (arrived.path === '/page')
        return void arrived.response.setHeader('content-type', 'text/html').end(PAGE);
      starting ??= start();
      await (await starting).handle(arrived);
    },
    kill: () => {},
    pids: () => started?.pids() ?? [],
    stop: async () => (await starting)?.stop(),
  };
}
