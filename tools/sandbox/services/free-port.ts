import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const loopback = '127.0.0.1';

/** Below those of outgoing connections: one of these would hold a server's port for as long as it lives. */
const range = [20_000, 32_000] as const;

/** One at random, whether it is free or not: two callers rarely meet. */
export function randomPort(): number {
  return randomInt(...range);
}

/** A port that nobody listens on now. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomPort();
    if (await isPortFree(port)) return port;
  }
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
