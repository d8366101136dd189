/**
 * Makes servers on a container's loopback reachable at its other addresses, where Docker sends what comes to a published
 * port. The servers see a client on their own machine, as in `npm start`: the simulator's controls answer no other.
 */
import { connect, createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { pipeline } from 'node:stream';

const loopback = '127.0.0.1';

/** The addresses of this machine, or container, that others reach. */
export function outerAddresses(interfaces = networkInterfaces()): string[] {
  return Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address);
}

export async function publishLoopback(
  ports: readonly number[],
  addresses = outerAddresses(),
): Promise<Server[]> {
  return Promise.all(addresses.flatMap((address) => ports.map((port) => relay(address, port))));
}

function relay(address: string, port: number): Promise<Server> {
  const server = createServer((outside) => {
    const inside = connect(port, loopback);
    // Either end may break off; pipeline then ends the other.
    pipeline(outside, inside, outside, () => undefined);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => {
      resolve(server);
    });
  });
}
