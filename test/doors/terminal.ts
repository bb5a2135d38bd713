/** Internals for tests: the formatting of texts and tables in commands, which does not need Node. */
export {
  formatDollars,
  formatTable,
  formatWhen,
  indentLines,
  jsonLine,
  oneLine,
  widthOf,
} from '../../src/cli/remote/terminal.ts';
