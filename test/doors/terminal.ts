/** A door for tests. Formatting of texts and tables in commands, which does not need Node. */
export { dollars, inLines, jsonLine, oneLine, table, when, widthOf } from '../../src/cli/remote/terminal.ts';
