/** A door for tests. The program `npx holdfast`, callable in this process. */
export { runCli } from '../../src/cli/run-cli.ts';
