import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute, join, sep } from 'node:path';
import type { OutgoingFile } from '../platform.js';
import { ToolFailure } from './tool.js';

/** Most bytes of a file that is sent. */
const MAX_BYTES = 25 * 1_048_576;

/** Files of the host's machine that an agent may send: those under one folder, and nothing that is linked into it. */
export class FileRoot {
  private constructor(readonly root: string) {}

  /** @throws Error where there is no such folder */
  static async at(path: string): Promise<FileRoot> {
    return new FileRoot(await realpath(path));
  }

  /** @param path absolute, or from the folder on @throws ToolFailure */
  async read(path: string): Promise<OutgoingFile> {
    const real = await realpath(isAbsolute(path) ? path : join(this.root, path)).catch(() => undefined);
    // What lies elsewhere is not even said to exist.
    if (real === undefined || !real.startsWith(this.root + sep))
      throw new ToolFailure(`there is no file ${path} under ${this.root}`);
    const found = await stat(real);
    if (!found.isFile()) throw new ToolFailure(`${path} is no file`);
    if (found.size > MAX_BYTES)
      throw new ToolFailure(`${path} has ${found.size} bytes; at most ${MAX_BYTES} can be sent`);
    return { name: basename(real), bytes: await readFile(real), mimeType: 'application/octet-stream' };
  }
}
