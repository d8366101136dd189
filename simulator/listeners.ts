/** One server per origin. All ports are opened first; requests are answered when the providers are ready. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Milliseconds that an idle connection stays open; 0 is unlimited. The caller closes first: if we closed, a request in
 * progress would fail as if the provider were down.
 */
const idleMs = 0;

export interface Listeners {
  /** The base address of the named origin, without a trailing slash. */
  urlOf(name: string): string;
  answer(name: string, listener: RequestListener): void;
  /** Ends at once, with every connection. */
  close(): Promise<void>;
}

/**
 * @param ports by the origin's name; 0 uses a free one
 * @throws if a port is in use; then none stays open.
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

/** A server on all addresses is reached by this machine's own. */
const reachedAt: Partial<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

function urlOf(host: string, port: number): string {
  const name = reachedAt[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${String(port)}`;
}
