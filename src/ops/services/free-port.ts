import { createServer } from 'node:net';

const loopback = '127.0.0.1';

/** A port that nobody listens on now. The kernel hands them out at random, so two callers rarely meet. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, loopback, () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('the system gave no port'));
        else resolve(address.port);
      });
    });
  });
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
