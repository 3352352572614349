import type { RpcAnswer } from './wire/frames.js';

/** The relay says no. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused';
  constructor(
    readonly method: string,
    /** One of the protocol's words, a number of Discord's, or something newer. */
    readonly code: string | number,
    message: string,
  ) {
    super(message === '' ? `${method} was refused (${code})` : message);
  }
}

/** Nobody knows whether the relay did it: its answer was lost, or did not come in time. */
export class CallUnknown extends Error {
  override readonly name = 'CallUnknown';
}

/** The call was not sent: the relay is not there. */
export class NotConnected extends Error {
  override readonly name = 'NotConnected';
}

interface Pending {
  readonly method: string;
  resolve(result: unknown): void;
  reject(error: Error): void;
  callOff(): void;
}

/** Calls that wait for their answers. */
export class Calls {
  private readonly pending = new Map<string, Pending>();
  private nextId = 1;

  /** @param after runs an action once after so many ms; returns what calls it off */
  constructor(private readonly after: (ms: number, action: () => void) => () => void) {}

  /** @param send sends the call under an id @throws CallRefused @throws CallUnknown */
  make(method: string, timeoutMs: number, send: (id: string) => void): Promise<unknown> {
    const id = String(this.nextId++);
    return new Promise((resolve, reject) => {
      const callOff = this.after(timeoutMs, () => {
        this.pending.delete(id);
        reject(new CallUnknown(`the relay has not answered ${method} for ${timeoutMs} ms; it may still act`));
      });
      this.pending.set(id, { method, resolve, reject, callOff });
      send(id);
    });
  }

  answer(answer: RpcAnswer): void {
    const pending = this.pending.get(answer.id);
    if (!pending) return;
    this.pending.delete(answer.id);
    pending.callOff();
    if (answer.ok) pending.resolve(answer.result);
    else pending.reject(new CallRefused(pending.method, answer.error.code, answer.error.message));
  }

  /** The connection is gone: no answer will come. */
  lost(): void {
    for (const { method, reject, callOff } of this.pending.values()) {
      callOff();
      reject(new CallUnknown(`the connection was lost before the relay answered ${method}; it may have acted`));
    }
    this.pending.clear();
  }
}
