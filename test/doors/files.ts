/** Internals for tests: storing, showing and searching files. */

export { assertFits } from '../../src/modules/files/files-taken.ts';
export { FileRefusedError, withKeptFiles } from '../../src/modules/files/kept-files.ts';
export { SessionFiles } from '../../src/modules/files/session-files.ts';
export {
  type ReadableFiles,
  readFilesToShow,
  toShownContent,
} from '../../src/modules/files/shown-files.ts';
export {
  createFindFile,
  createTakeWithFiles,
} from '../../src/modules/files/stored-files.ts';
