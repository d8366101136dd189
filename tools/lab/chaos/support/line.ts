/** A TCP line between two parts that can be slow, narrow, stand still, be half open, or break. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { openFlow, type Flow } from './flow';

export interface Line {
  /** Where the caller finds it: `127.0.0.1:port`. */
  address: string;
  /** Where it leads; before that it breaks at once. */
  leadTo(address: string): void;
  /** What is sent from now on arrives so much later. */
  slow(ms: number): void;
  /** No more bytes than these arrive in a second, in each direction of each connection. */
  narrow(bytesPerSecond: number): void;
  /** Nothing arrives any more, the end of a connection neither, and nobody is told. */
  freeze(): void;
  /** The called end of every connection breaks, and its caller goes on as if nothing were, until the line heals. */
  halfOpen(): void;
  /** Every connection there is breaks, with a reset. */
  reset(): void;
  /** New ones break, too, until it heals. */
  refuse(): void;
  /** As at first. Frozen connections go on, and have lost nothing; half-open ones are found out. */
  heal(): void;
  close(): Promise<void>;
}

interface Connection {
  near: Socket;
  far: Socket;
  flows: Flow[];
  /** Its called end is gone, and its caller does not know. */
  isHalfOpen: boolean;
}

export async function startLine(): Promise<Line> {
  let target: { host: string; port: number } | undefined;
  const manners = { delayMs: 0, bytesPerSecond: Infinity, isFrozen: false };
  let isRefusing = false;
  const connections = new Set<Connection>();

  function forget(connection: Connection): void {
    if (connection.near.destroyed && connection.far.destroyed) connections.delete(connection);
  }

  /** Carries what `from` says to `to`, and in the same order that it has no more to say, or is gone. */
  function carry(connection: Connection, from: Socket, to: Socket): void {
    const flow = openFlow(to, manners);
    connection.flows.push(flow);
    from.setNoDelay(true);
    from.on('data', (chunk) => {
      flow.push(chunk);
    });
    let hasEnded = false;
    from.on('end', () => {
      hasEnded = true;
      flow.push('end');
    });
    from.on('error', () => undefined);
    from.on('close', (isBroken) => {
      // What has ended in order is not torn down: its last words may still be on their way.
      if (isBroken || !hasEnded) flow.push('close');
      forget(connection);
    });
  }

  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (isRefusing || !target) {
      near.on('error', () => undefined);
      near.resetAndDestroy();
      return;
    }
    const far = connect({ ...target, allowHalfOpen: true });
    const connection: Connection = { near, far, flows: [], isHalfOpen: false };
    connections.add(connection);
    carry(connection, near, far);
    carry(connection, far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const breakAll = (which: (connection: Connection) => boolean = () => true): void => {
    for (const connection of [...connections].filter(which)) {
      for (const flow of connection.flows) flow.stop();
      connection.near.resetAndDestroy();
      connection.far.resetAndDestroy();
    }
  };
  return {
    address: `127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    leadTo(address) {
      const [host = '', port = ''] = address.split(':');
      target = { host, port: Number(port) };
    },
    slow(ms) {
      manners.delayMs = ms;
    },
    narrow(bytesPerSecond) {
      manners.bytesPerSecond = bytesPerSecond;
    },
    freeze() {
      manners.isFrozen = true;
    },
    halfOpen() {
      for (const connection of connections) {
        connection.isHalfOpen = true;
        for (const flow of connection.flows) flow.stop();
        connection.far.resetAndDestroy();
      }
    },
    reset: breakAll,
    refuse() {
      isRefusing = true;
      breakAll();
    },
    heal() {
      Object.assign(manners, { delayMs: 0, bytesPerSecond: Infinity, isFrozen: false });
      isRefusing = false;
      breakAll(({ isHalfOpen }) => isHalfOpen);
      for (const { flows } of connections) for (const flow of flows) flow.hurry();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        breakAll();
      }),
  };
}
