/** Internals for tests: the formatting of texts and tables in commands, which does not need Node. */
export {
  computeWidth,
  formatDollars,
  formatTable,
  formatWhen,
  indentLines,
  toJsonLine,
  toOneLine,
} from '../../src/cli/remote/terminal.ts';
