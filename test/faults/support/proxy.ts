/** Stands between a process and a server it needs, and lets a test decide what gets through. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { freePort } from '../../../src/ops/services/free-port';

export type Moment = 'before' | 'after';

export interface Proxy {
  /** The server's URL or address, by way of this proxy. */
  via(address: string): string;
  /** What clients send from now on stays here. */
  hold(): void;
  release(): void;
  /**
   * Acts on the packet with this number, counted from now: before the server has seen it, or when the server has
   * done what it asks and its answer is on the way. Neither goes any further.
   * @returns whether it has come to that.
   */
  atPacket(number: number, when: Moment, act: () => void): () => boolean;
  /** Breaks every connection there is. */
  cut(): void;
  close(): Promise<void>;
}

/** @param target `host:port` */
export async function startProxy(target: string): Promise<Proxy> {
  const [host = '', port = ''] = target.split(':');
  const sockets = new Set<Socket>();
  let held: (() => void)[] | undefined;
  let packets = 0;
  let trap: { number: number; when: Moment; act: () => void } | undefined;

  function pass(client: Socket, server: Socket, chunk: Buffer): void {
    packets += 1;
    const sprung = trap?.number === packets ? trap : undefined;
    if (!sprung) {
      server.write(chunk);
      return;
    }
    trap = undefined;
    const end = (): void => {
      sprung.act();
      client.destroy();
    };
    if (sprung.when === 'before') end();
    else {
      server.removeAllListeners('data').once('data', end);
      server.write(chunk);
    }
  }

  function cut(): void {
    for (const socket of sockets) socket.destroy();
  }

  const own = createServer((client) => {
    const server = connect(Number(port), host);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('close', () => sockets.delete(socket));
      // One side's end is the other's.
      socket.on('error', () => undefined);
    }
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
    server.on('data', (chunk) => client.write(chunk));
    client.on('data', (chunk) => {
      if (held) held.push(() => pass(client, server, chunk));
      else pass(client, server, chunk);
    });
  });
  const ownPort = await freePort();
  await new Promise<void>((resolve) => own.listen(ownPort, '127.0.0.1', resolve));
  const ownAddress = `127.0.0.1:${String((own.address() as AddressInfo).port)}`;

  return {
    via: (address) => address.replace(target, ownAddress),
    hold() {
      held ??= [];
    },
    release() {
      const waiting = held ?? [];
      held = undefined;
      for (const forward of waiting) forward();
    },
    atPacket(number, when, act) {
      packets = 0;
      const set = { number, when, act };
      trap = set;
      return () => trap !== set;
    },
    cut,
    close: () =>
      new Promise((resolve) => {
        own.close(() => {
          resolve();
        });
        cut();
      }),
  };
}

/** `host:port` of a database's URL, as it stands in the text. */
export function hostOf(url: string): string {
  return new URL(url).host;
}
