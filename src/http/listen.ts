import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface ListenOptions {
  host: string;
  port: number;
  connectionsMax?: number;
  /** How long a caller may take to send its headers, and its whole request. */
  headersTimeoutMs?: number;
  requestTimeoutMs?: number;
  /** How long `close` waits for requests that are being answered. */
  drainMs?: number;
}

export interface Listening {
  port: number;
  /** Stops accepting, lets the requests in flight end, and closes what is left when the time is up. */
  close(): Promise<void>;
}

/** Node checks its timeouts this often; its own default of 30 s would make 10 s mean up to 40. */
const timeoutCheckMs = 1_000;
const keepAliveMs = 10_000;
const requestsPerConnectionMax = 1_000;
const connectionsMaxDefault = 1_024;

/** Serves with limits for slow and greedy callers: Node's own are 60 s for headers and 300 s for a request. */
export async function listen(handler: RequestListener, options: ListenOptions): Promise<Listening> {
  const { host, port, headersTimeoutMs = 10_000, requestTimeoutMs = 30_000, drainMs = 25_000 } = options;
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: Math.min(timeoutCheckMs, headersTimeoutMs),
    },
    handler,
  );
  server.maxRequestsPerSocket = requestsPerConnectionMax;
  server.maxConnections = options.connectionsMax ?? connectionsMaxDefault;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });

  async function close(): Promise<void> {
    const closed = new Promise<'closed'>((resolve) => {
      server.close(() => {
        resolve('closed');
      });
    });
    const deadline = Date.now() + drainMs;
    // A kept-alive connection becomes idle when its request ends, so idle ones are closed again and again.
    while (Date.now() < deadline && (await Promise.race([closed, delay(50, 'open')])) === 'open') {
      server.closeIdleConnections();
    }
    server.closeAllConnections();
    await closed;
  }

  return { port: (server.address() as AddressInfo).port, close };
}
