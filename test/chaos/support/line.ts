/** A TCP line between two parts that can be slow, stand still with both ends open, or break. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Line {
  /** Where the caller finds it: `127.0.0.1:port`. */
  address: string;
  /** Where it leads; before that it breaks at once. */
  leadTo(address: string): void;
  /** What is sent from now on arrives so much later. */
  slow(ms: number): void;
  /** Nothing arrives any more, and nobody is told. */
  freeze(): void;
  /** Every connection there is breaks, with a reset. */
  reset(): void;
  /** New ones break, too, until it heals. */
  refuse(): void;
  /** As at first. Frozen connections go on, and have lost nothing. */
  heal(): void;
  close(): Promise<void>;
}

export async function startLine(): Promise<Line> {
  let target: { host: string; port: number } | undefined;
  let delayMs = 0;
  let isFrozen = false;
  let isRefusing = false;
  const sockets = new Set<Socket>();
  const held: (() => void)[] = [];

  function pass(to: Socket, chunk: Buffer): void {
    const write = (): void => {
      if (!to.destroyed) to.write(chunk);
    };
    if (isFrozen) held.push(write);
    else if (delayMs > 0) setTimeout(write, delayMs);
    else write();
  }

  function join(one: Socket, other: Socket): void {
    one.setNoDelay(true);
    sockets.add(one);
    one.on('data', (chunk) => {
      pass(other, chunk);
    });
    one.on('error', () => undefined);
    one.on('close', () => {
      sockets.delete(one);
      other.destroy();
    });
  }

  const server = createServer((client) => {
    if (isRefusing || !target) {
      client.on('error', () => undefined);
      client.resetAndDestroy();
      return;
    }
    const far = connect(target.port, target.host);
    join(client, far);
    join(far, client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const reset = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    address: `127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    leadTo(address) {
      const [host = '', port = ''] = address.split(':');
      target = { host, port: Number(port) };
    },
    slow(ms) {
      delayMs = ms;
    },
    freeze() {
      isFrozen = true;
    },
    reset,
    refuse() {
      isRefusing = true;
      reset();
    },
    heal() {
      isFrozen = isRefusing = false;
      delayMs = 0;
      for (const write of held.splice(0)) write();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        reset();
      }),
  };
}
