import { createServer, type RequestListener } from 'node:http';
import { Server as PlainServer, type AddressInfo } from 'node:net';
import { setImmediate as nextRound, setTimeout as delay } from 'node:timers/promises';
import { limitConnections } from './limits/connections';

export interface ListenOptions {
  host: string;
  port: number;
  connectionsMax?: number;
  /** Of one address; a tenth of them all unless told. */
  connectionsPerAddress?: number;
  /** True for a proxy of ours, which may hold as many as it likes. */
  isProxy?(address: string): boolean;
  /** How long a caller may take to send its headers, and its whole request. */
  headersTimeoutMs?: number;
  requestTimeoutMs?: number;
  /** How long a connection may wait for its next request. Longer than a load balancer in front keeps its own. */
  keepAliveMs?: number;
  /** How long `close` waits for requests that are being answered. */
  drainMs?: number;
  /** For how long a connection must have had nothing to do before `close` ends it under its owner. */
  drainIdleMs?: number;
}

export interface Listening {
  port: number;
  /**
   * Stops accepting, lets the requests in flight end, and closes what is left when the time is up. Kept-alive
   * connections are told to end with their next answer: one that were just closed may have a request on its way.
   */
  close(): Promise<void>;
}

/** Node checks its timeouts this often; its own default of 30 s would make 10 s mean up to 40. */
const timeoutCheckMs = 1_000;
const requestsPerConnectionMax = 1_000;
/** How long `close` lets in those who keep coming. */
const doorMs = 1_000;

/** Gives the event loop the rounds that it takes to let in who has come, one a round, and to read what they have sent. */
async function hearWhatHasCome(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await nextRound();
}

/** Serves with limits for slow and greedy callers: Node's own are 60 s for headers and 300 s for a request. */
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
    // Counts from a request's first byte, or from the connection's beginning: it may be shorter than the keep-alive.
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
  // Node alone would answer an expectation it does not know with an empty 417; it need not be heard at all.
  server.on('checkExpectation', handler);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });

  let letIn = 0;
  server.on('connection', () => (letIn += 1));

  async function close(): Promise<void> {
    // Who has come and waits to be let in would be cut off by the end of the door, heard or not. Nobody is told to end a
    // connection before: whoever were told would come again at once, and stand before the door as it ends.
    const doorDeadline = performance.now() + doorMs;
    let before: number;
    do {
      before = letIn;
      await hearWhatHasCome();
    } while (letIn !== before && performance.now() < doorDeadline);
    const closed = new Promise<'closed'>((resolve) => {
      // An HTTP server's own close ends idle connections at once.
      PlainServer.prototype.close.call(server, () => {
        resolve('closed');
      });
    });
    connections.announceEnd();
    const deadline = performance.now() + drainMs;
    do {
      // A process that was kept from its work finds a connection idle whose next request lies there unread.
      await hearWhatHasCome();
      connections.closeIdle(drainIdleMs);
    } while (performance.now() < deadline && (await Promise.race([closed, delay(50, 'open')])) === 'open');
    server.closeAllConnections();
    await closed;
    server.close();
  }

  return { port: (server.address() as AddressInfo).port, close };
}
