#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { createProject } from './create-project.ts';
import { readCommand, USAGE } from './options.ts';
import { CreateProblem } from './problem.ts';

try {
  const command = readCommand(process.argv.slice(2));
  if (command.type === 'help') console.log(USAGE);
  else if (command.type === 'version') console.log(readOwnVersion());
  else await createProject(command);
} catch (problem) {
  if (!(problem instanceof CreateProblem)) throw problem;
  console.error(problem.message);
  process.exitCode = 1;
}

function readOwnVersion(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return String(JSON.parse(manifest).version);
}
