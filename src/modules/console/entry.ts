/** The entry `holdfast/console`: a page that shows the sessions of an app. */

export { console } from './console.ts';
export { consoleDescription } from './describe.ts';
