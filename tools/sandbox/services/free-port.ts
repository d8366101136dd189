import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { claimPort, dropClaim } from './port-claims';

const loopback = '127.0.0.1';

/** Below the ports of outgoing connections, which could use a server's port for their lifetime. */
const range = [20_000, 32_000] as const;

/**
 * A port without a listener, claimed until this process ends: a server takes seconds to bind its port, and another
 * test or start must not get the same one meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...range);
    if (claimPort(port) !== undefined) continue;
    if (await isPortFree(port)) return port;
    dropClaim(port);
  }
}

/** For a process that claims its ports itself. */
export async function unclaimedPort(): Promise<number> {
  const port = await freePort();
  dropClaim(port);
  return port;
}

export function isPortFree(port: number, host = loopback): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen(port, host, () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}
