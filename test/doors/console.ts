/**
 * Internals for tests: the console without an app, with its program, its page, and the rows that the page
 * draws.
 */
export { UsageError } from '../../src/cli/command.ts';
export { console } from '../../src/cli/console/console.ts';
export { loadPage } from '../../src/cli/console/page.ts';
export { type ConsoleServer, createConsoleServer } from '../../src/cli/console/server.ts';
export { toRows } from '../../src/modules/console/page/turn/turn-rows.ts';
