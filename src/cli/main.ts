#!/usr/bin/env node
/** The program `holdfast`, which the package installs as its `bin`. */
import { readFileSync } from 'node:fs';
import { runCli } from './run-cli.ts';

// Built, it is dist/cli/holdfast.js.
const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
const { version } = JSON.parse(manifest) as { version: string }; // our own

process.exitCode = await runCli(process.argv.slice(2), version, {
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
});
