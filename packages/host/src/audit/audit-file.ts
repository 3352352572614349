import { appendFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import type { AuditEntry, AuditLog } from './audit.js';

export interface AuditFileOptions {
  readonly path: string;
  /** A file that has reached this size makes way for a new one, bytes. Default 16 MiB. */
  readonly maxBytes?: number;
  /** How many old files are kept, as `path.1` (the newest) and so on. Default 5. */
  readonly keep?: number;
}

/** An audit log as JSON lines: `{"at": ISO 8601, "binding", "what", …}`, with rotation by size. */
export class AuditFile implements AuditLog {
  private readonly maxBytes: number;
  private readonly keep: number;
  private size: number;

  constructor(private readonly options: AuditFileOptions) {
    this.maxBytes = options.maxBytes ?? 16 * 1024 * 1024;
    this.keep = options.keep ?? 5;
    this.size = existsSync(options.path) ? statSync(options.path).size : 0;
  }

  write(at: number, binding: string, entry: AuditEntry): void {
    const line = `${JSON.stringify({ at: new Date(at).toISOString(), binding, ...entry })}\n`;
    if (this.size > 0 && this.size + Buffer.byteLength(line) > this.maxBytes) this.rotate();
    appendFileSync(this.options.path, line);
    this.size += Buffer.byteLength(line);
  }

  private rotate(): void {
    const { path } = this.options;
    rmSync(`${path}.${this.keep}`, { force: true });
    for (let n = this.keep - 1; n >= 1; n--)
      if (existsSync(`${path}.${n}`)) renameSync(`${path}.${n}`, `${path}.${n + 1}`);
    if (this.keep > 0) renameSync(path, `${path}.1`);
    else rmSync(path);
    this.size = 0;
  }
}
