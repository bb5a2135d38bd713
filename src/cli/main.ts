#!/usr/bin/env node
/** The program `holdfast`, which the package installs in its `bin`. */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { runCli } from './run-cli.ts';

// The built file is dist/cli/holdfast.js.
const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
const { version } = JSON.parse(manifest) as { version: string }; // our own package.json
const { stdin, stdout, stderr } = process;

// The reader of the output, such as `head`, has closed it.
stdout.on('error', (failure: NodeJS.ErrnoException) => {
  if (failure.code !== 'EPIPE') throw failure;
  process.exit();
});

process.exitCode = await runCli(process.argv.slice(2), version, {
  out: (text) => stdout.write(`${text}\n`),
  err: (text) => stderr.write(`${text}\n`),
  width: stdout.isTTY ? stdout.columns : undefined,
  ask: stdin.isTTY ? ask : undefined,
});

/** Asks at the terminal. Closed input, such as by ctrl-d, counts as no answer. */
async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: stdin, output: stderr });
  try {
    return await new Promise((resolve) => {
      terminal.once('close', () => resolve(''));
      terminal.question(question).then(resolve, () => resolve(''));
    });
  } finally {
    terminal.close();
  }
}
