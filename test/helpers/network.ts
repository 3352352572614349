import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterThisTest } from './cleanup.js';

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

/** A network between two programs. */
export interface Cable {
  readonly port: number;
  /** Every connection over it breaks; new ones may be made. */
  cut(): void;
}

/** A port of its own that leads to `target`, and can be cut. */
export const layCable = async (target: number): Promise<Cable> => {
  const ends = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(end);
      end.on('error', () => {});
      end.on('close', () => {
        ends.delete(end);
        other.destroy();
      });
    }
    near.pipe(far);
    far.pipe(near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const end of ends) end.destroy();
  };
  afterThisTest(async () => {
    server.close();
    cut();
  });
  return { port: (server.address() as AddressInfo).port, cut };
};
