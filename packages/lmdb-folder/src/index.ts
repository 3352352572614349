export { FolderError, LmdbFolder, type Table } from './lmdb-folder.js';
export { type ProcessIdentity, thisProcess } from './process-identity.js';
