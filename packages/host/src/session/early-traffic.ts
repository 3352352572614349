import type { McplHandler } from '@mcpl-bridges/transport';

const DATA: ReadonlySet<string> = new Set(['push/event', 'channels/incoming']);

/**
 * Holds what a server sends before this host is ready for it, and lets it in afterwards: control first, whatever came
 * first, then data, each in the order it came.
 */
export class EarlyTraffic {
  private held: { method: string; run: () => void }[] | undefined = [];

  around(method: string, handler: McplHandler): McplHandler {
    return (params, context) => {
      const { held } = this;
      if (!held) return handler(params, context);
      return new Promise((resolve, reject) => {
        const run = async (): Promise<void> => {
          try {
            resolve(await handler(params, context));
          } catch (error) {
            reject(error);
          }
        };
        held.push({ method, run: () => void run() });
      });
    };
  }

  release(): void {
    const held = this.held ?? [];
    this.held = undefined;
    const isData = ({ method }: { method: string }): boolean => DATA.has(method);
    for (const { run } of [...held.filter((one) => !isData(one)), ...held.filter(isData)]) run();
  }
}
