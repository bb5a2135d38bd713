// @ts-check
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/**
 * Starts `wrangler dev` with the arguments of this program, and shows `hello` as soon as the Worker answers.
 * Uses the first free port from 8787 on. Copies the example if there is no .dev.vars.
 *
 * @param {(url: string) => string | Promise<string>} hello
 */
export async function serve(hello) {
  if (!existsSync('.dev.vars') && existsSync('.dev.vars.example'))
    copyFileSync('.dev.vars.example', '.dev.vars');
  const given = process.argv.slice(2);
  const named = given[given.indexOf('--port') + 1];
  const port = given.includes('--port') && named ? named : String(await freePort(8787));
  const args = ['dev', ...given, ...(given.includes('--port') ? [] : ['--port', port])];
  const onWindows = process.platform === 'win32'; // where wrangler is a script of the shell
  const wrangler = onWindows
    ? spawn(['wrangler', ...args].join(' '), { stdio: 'inherit', shell: true })
    : spawn('wrangler', args, { stdio: 'inherit' });
  wrangler.on('error', () => {
    console.error('wrangler was not found. Install the packages, and start this by `npm run`.');
    process.exit(1);
  });
  wrangler.on('exit', (code) => process.exit(code ?? 1));
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => wrangler.kill('SIGTERM'));
  const url = `http://localhost:${port}`;
  while (!(await answers(url))) await setTimeout(200);
  console.log(`\n${await hello(url)}\n`);
}

/** @param {string} url */
const answers = (url) =>
  fetch(`${url}/health`).then(
    () => true,
    () => false,
  );

/**
 * @param {number} first
 * @returns {Promise<number>}
 */
export const freePort = (first) =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(freePort(first + 1)));
    server.listen(first, 'localhost', () => server.close(() => resolve(first)));
  });
