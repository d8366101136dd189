/** A TCP connection between two parts that can be slow, narrow, frozen, half open, or broken. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { openFlow, type Flow } from './flow';

export interface Line {
  /** The address for callers: `127.0.0.1:port`. */
  address: string;
  /** Sets the target; before that each connection breaks at once. */
  leadTo(address: string): void;
  /** Data sent from now on arrives later by this much. */
  slow(ms: number): void;
  /** At most this many bytes arrive per second, in each direction of each connection. */
  narrow(bytesPerSecond: number): void;
  /** Nothing arrives any more, not even the end of a connection. */
  freeze(): void;
  /** The server's end of every connection breaks, unnoticed by the client until the connection is repaired. */
  halfOpen(): void;
  /** Every open connection breaks, with a reset. */
  reset(): void;
  /** New connections break too, until it is repaired. */
  refuse(): void;
  /** Restores the initial state. Frozen connections continue without loss; half-open ones are noticed. */
  heal(): void;
  close(): Promise<void>;
}

interface Connection {
  near: Socket;
  far: Socket;
  flows: Flow[];
  /** Its server's end is gone, and its client does not know. */
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

  /** Carries data, its end and its loss from `from` to `to`, in order. */
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
      // A connection that ended normally is not reset: its last data may still be on the way.
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
