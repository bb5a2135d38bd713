/** The entry `holdfast/files`: messages and results hold files. */
export type { FileKey, FileStore, SessionFilesKey } from '../../session/file-store.ts';
export type { ModuleUse } from '../../tool/module-use.ts';
export { deleteFile } from './delete-file.ts';
export { type FilesConfig, files } from './files.ts';
