/** One server per origin. All ports are taken at once, and callers are answered once there is something to answer. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Milliseconds that a connection may wait for its next request; 0 is for ever. Who calls lets go of it first: one that we
 * close may have a request on its way, whose caller would take us for broken.
 */
const idleMs = 0;

export interface Listeners {
  /** The base address of the origin of that name, without a slash at its end. */
  urlOf(name: string): string;
  answer(name: string, listener: RequestListener): void;
  /** Ends promptly, with every connection. */
  close(): Promise<void>;
}

/**
 * @param ports by the origin's name; 0 takes a free one
 * @throws when a port is taken; then none is held.
 */
export async function listenOn(host: string, ports: Readonly<Record<string, number>>): Promise<Listeners> {
  const servers = new Map<string, Server>();
  const close = async () => {
    await Promise.all([...servers.values()].map(closeServer));
  };
  try {
    for (const [name, port] of Object.entries(ports)) {
      const server = createServer({ keepAliveTimeout: idleMs });
      server.listen(port, host);
      await once(server, 'listening');
      servers.set(name, server);
    }
  } catch (error) {
    await close();
    throw error;
  }
  const serverOf = (name: string): Server => {
    const server = servers.get(name);
    if (!server) throw new Error(`there is no origin ${name}`);
    return server;
  };
  return {
    urlOf: (name) => urlOf(host, (serverOf(name).address() as AddressInfo).port),
    answer: (name, listener) => serverOf(name).on('request', listener),
    close,
  };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}

/** What listens on all addresses is reached by that of this machine. */
const reachedAt: Partial<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

function urlOf(host: string, port: number): string {
  const name = reachedAt[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${String(port)}`;
}
