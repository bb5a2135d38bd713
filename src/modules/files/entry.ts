/** The entry `holdfast/files`: messages and results hold files. */

export { deleteFile } from './delete-file.ts';
export type { FileKey, FileStore, SessionFilesKey } from './file-store.ts';
export { type FilesConfig, files } from './files.ts';
