import { createServer, type RequestListener } from 'node:http';
import { Server as PlainServer, type AddressInfo } from 'node:net';
import { setImmediate as nextRound, setTimeout as delay } from 'node:timers/promises';
import { limitConnections } from './limits/connections';

export interface ListenOptions {
  host: string;
  port: number;
  connectionsMax?: number;
  /** For one address; by default a tenth of all connections. */
  connectionsPerAddress?: number;
  /** True for a trusted proxy, which may hold any number of connections. */
  isProxy?(address: string): boolean;
  /** How long a client may take to send its headers, and its whole request. */
  headersTimeoutMs?: number;
  requestTimeoutMs?: number;
  /**
   * How long a connection may wait for its next request. It must be longer than the keep-alive of a load balancer in
   * front.
   */
  keepAliveMs?: number;
  /** How long `close` waits for requests in progress. */
  drainMs?: number;
  /** How long a connection must have been idle before `close` ends it. */
  drainIdleMs?: number;
}

export interface Listening {
  port: number;
  /**
   * Stops accepting, waits for the requests in progress, and closes the rest after the timeout. Kept-alive connections
   * end with their next answer: an idle connection may have a request on its way.
   */
  close(): Promise<void>;
}

/** How often Node checks its timeouts. With its default of 30 s, 10 s would mean up to 40. */
const timeoutCheckMs = 1_000;
const requestsPerConnectionMax = 1_000;
/** How long `close` still accepts new connections while they keep coming. */
const answerMs = 1_000;

/** Gives the event loop enough rounds to accept waiting connections, one a round, and to read their data. */
async function hearWhatHasCome(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await nextRound();
}

/** Serves with limits for slow and greedy clients. Node's defaults are 60 s for headers and 300 s for a request. */
export async function listen(handler: RequestListener, options: ListenOptions): Promise<Listening> {
  const {
    host,
    port,
    connectionsMax = 1_024,
    headersTimeoutMs = 10_000,
    requestTimeoutMs = 30_000,
  } = options;
  const { keepAliveMs = 65_000, drainMs = 25_000, drainIdleMs = 1_000 } = options;
  const server = createServer({
    // Counts from a request's first byte, or from the connection's start, so it may be shorter than the keep-alive.
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: Math.min(timeoutCheckMs, headersTimeoutMs),
  });
  server.maxRequestsPerSocket = requestsPerConnectionMax;
  const connections = limitConnections(server, {
    connectionsMax,
    perAddressMax: options.connectionsPerAddress ?? Math.ceil(connectionsMax / 10),
    isProxy: options.isProxy ?? (() => false),
  });
  server.on('request', handler);
  // Node answers an unknown Expect header with an empty 417. The header may be ignored instead.
  server.on('checkExpectation', handler);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });

  let letIn = 0;
  server.on('connection', () => (letIn += 1));

  async function close(): Promise<void> {
    // Closing the listener would reset connections that wait to be accepted, even those with a request. Clients are not
    // asked to close their connections before: they would reconnect at once, and wait at the listener as it closes.
    const answerDeadline = performance.now() + answerMs;
    let before: number;
    do {
      before = letIn;
      await hearWhatHasCome();
    } while (letIn !== before && performance.now() < answerDeadline);
    const closed = new Promise<'closed'>((resolve) => {
      // An HTTP server's own close ends idle connections at once.
      PlainServer.prototype.close.call(server, () => {
        resolve('closed');
      });
    });
    connections.signalEnd();
    const deadline = performance.now() + drainMs;
    do {
      // After a process was suspended, a connection may look idle although its next request is not read yet.
      await hearWhatHasCome();
      connections.closeIdle(drainIdleMs);
    } while (performance.now() < deadline && (await Promise.race([closed, delay(50, 'open')])) === 'open');
    server.closeAllConnections();
    await closed;
    server.close();
  }

  return { port: (server.address() as AddressInfo).port, close };
}
