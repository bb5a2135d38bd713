/** A door for tests. The program `npx holdfast` without a process of its own. */
export { runCli } from '../../src/cli/run-cli.ts';
