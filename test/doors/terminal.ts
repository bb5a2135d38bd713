/** A door for tests. How commands show texts and tables, which needs no Node. */
export { dollars, inLines, jsonLine, oneLine, table, when, widthOf } from '../../src/cli/remote/terminal.ts';
