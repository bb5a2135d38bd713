/** Internals for tests: the program `npx holdfast`, callable in this process. */
export { runCli } from '../../src/cli/run-cli.ts';
