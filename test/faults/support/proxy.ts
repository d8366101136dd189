/** A proxy between a process and its server; the test decides what gets through. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { freePort } from '../../../tools/sandbox/services/free-port';

export type Moment = 'before' | 'after';

/** Commits that were caught on their way. */
export interface CaughtCommits {
  /** The number of connections that wait for their COMMIT. */
  count(): number;
  /** Forwards them to the server or not, and breaks every connection in either case: no client gets an answer. */
  spring(): Promise<void>;
}

export interface Proxy {
  /** The server's URL or address, through this proxy. */
  via(address: string): string;
  /** Holds what clients send from now on. */
  hold(): void;
  release(): void;
  /**
   * Acts on the packet with this number, counted from now: before the server has received it, or when the server has
   * done it and its answer is on the way. Neither is forwarded.
   * @returns whether it has happened.
   */
  atPacket(number: number, when: Moment, act: () => void): () => boolean;
  /**
   * Breaks the connection of the next matching statement, when the server has done it and its answer is on the way. All
   * others stay. @returns whether it has happened.
   */
  loseAnswerTo(of: RegExp): () => boolean;
  /** Holds every COMMIT of a transaction that has sent a match, until all are released together. */
  catchCommits(of: RegExp, when: Moment): CaughtCommits;
  /**
   * The answer to the next matching statement never arrives, and the connection stays open. @returns whether it has
   * happened.
   */
  swallowAnswerTo(of: RegExp): () => boolean;
  /** New connections lead to another server; open ones stay. */
  turnTo(target: string): void;
  /** Breaks every open connection. */
  cut(): void;
  /** Breaks every open connection, and each new one at once, until it is repaired. */
  fail(): void;
  heal(): void;
  close(): Promise<void>;
}

/**
 * @param target `host:port`
 * @param hear gets each statement as it passes, and the number of its connection.
 * @param renumbers gives clients other connection numbers than the server's, like a pooling proxy.
 */
export async function startProxy(
  target: string,
  hear?: (statement: string, connection: number) => void,
  { renumbers = false } = {},
): Promise<Proxy> {
  let [host = '', port = ''] = target.split(':');
  const sockets = new Set<Socket>();
  let held: (() => void)[] | undefined;
  let packets = 0;
  let connections = 0;
  let trap: { isIt(chunk: Buffer): boolean; when: Moment; act: () => void; stays?: boolean } | undefined;
  let failing = false;
  let net: { of: RegExp; caught: Line[] } | undefined;
  const writing = new WeakSet<Socket>();

  /** @returns whether the chunk is a COMMIT that is held for now. */
  function isCaught(line: Line): boolean {
    if (!net) return false;
    const text = statementOf(line.chunk);
    if (text.startsWith('BEGIN')) writing.delete(line.client);
    if (net.of.test(text)) writing.add(line.client);
    if (!text.startsWith('COMMIT') || !writing.has(line.client)) return false;
    net.caught.push(line);
    return true;
  }

  function pass(client: Socket, server: Socket, chunk: Buffer): void {
    packets += 1;
    if (isCaught({ client, server, chunk })) return;
    const sprung = trap?.isIt(chunk) === true ? trap : undefined;
    if (!sprung) {
      server.write(chunk);
      return;
    }
    trap = undefined;
    const end = (): void => {
      sprung.act();
      if (sprung.stays !== true) client.destroy();
    };
    if (sprung.when === 'before') end();
    else {
      server.removeAllListeners('data').once('data', end);
      server.write(chunk);
    }
  }

  function setTrap(set: NonNullable<typeof trap>): () => boolean {
    trap = set;
    return () => trap !== set;
  }

  function cut(): void {
    for (const socket of sockets) socket.destroy();
  }

  const own = createServer((client) => {
    if (failing) {
      client.on('error', () => undefined);
      client.destroy();
      return;
    }
    const server = connect(Number(port), host);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('close', () => sockets.delete(socket));
      // The end of one side ends the other.
      socket.on('error', () => undefined);
    }
    client.on('close', () => {
      server.destroy();
      // A client that has waited too long has abandoned its COMMIT, and tries again.
      const at = net?.caught.findIndex((line) => line.client === client) ?? -1;
      if (at !== -1) net?.caught.splice(at, 1);
    });
    server.on('close', () => client.destroy());
    if (renumbers) server.once('data', renumber);
    server.on('data', (chunk) => client.write(chunk));
    const connection = (connections += 1);
    client.on('data', (chunk) => {
      hear?.(statementOf(chunk), connection);
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
      return setTrap({ isIt: () => packets === number, when, act });
    },
    loseAnswerTo: (of) =>
      setTrap({ isIt: (chunk) => of.test(statementOf(chunk)), when: 'after', act: () => undefined }),
    swallowAnswerTo: (of) =>
      setTrap({
        isIt: (chunk) => of.test(statementOf(chunk)),
        when: 'after',
        act: () => undefined,
        stays: true,
      }),
    turnTo(next) {
      [host = '', port = ''] = next.split(':');
    },
    catchCommits(of, when) {
      const mine = { of, caught: [] as Line[] };
      net = mine;
      return {
        count: () => mine.caught.length,
        async spring() {
          net = undefined;
          if (when === 'after') await Promise.all(mine.caught.map(answered));
          cut();
        },
      };
    },
    cut,
    fail() {
      failing = true;
      cut();
    },
    heal() {
      failing = false;
    },
    close: () =>
      new Promise((resolve) => {
        own.close(() => {
          resolve();
        });
        cut();
      }),
  };
}

/**
 * A MySQL greeting: a header of four bytes, a version, the server's version as text with a zero byte, and the number.
 */
function renumber(greeting: Buffer): void {
  greeting.writeUInt32LE(4_000_000_000, greeting.indexOf(0, 5) + 1);
}

/**
 * MySQL's protocol: four bytes of header, the command "query", its text. With attributes of queries, which MySQL has and
 * MariaDB has not, their number (0) and that of their sets (1) come before the text.
 */
function statementOf(chunk: Buffer): string {
  const hasAttributes = chunk[5] === 0 && chunk[6] === 1;
  return chunk.toString('latin1', hasAttributes ? 7 : 5);
}

interface Line {
  client: Socket;
  server: Socket;
  chunk: Buffer;
}

/** The server has done what the chunk asks; its answer is not forwarded. */
function answered({ server, chunk }: Line): Promise<void> {
  return new Promise((resolve) => {
    server.removeAllListeners('data').once('data', () => {
      resolve();
    });
    server.write(chunk);
  });
}

/** `host:port` of a database's URL, as in its text. */
export function hostOf(url: string): string {
  return new URL(url).host;
}
