import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { Server as NetServer, AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { outerAddresses, publishLoopback } from '../../../tools/sandbox/publish-loopback';

const servers: (Server | NetServer)[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

async function onLoopback(answer: (peer: string, body: string) => string): Promise<number> {
  const server = createServer((asked, response) => {
    let body = '';
    asked.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    asked.on('end', () => response.end(answer(asked.socket.remoteAddress ?? '', body)));
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function ask(host: string, port: number, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ host, port, method: 'POST', agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve(text));
    });
    asked.on('error', reject).end(body);
  });
}

describe('publishing servers of the loopback', () => {
  // Another address of this machine's loopback stands for the container's: both are not 127.0.0.1.
  const outside = '127.0.0.2';

  it('passes requests on both ways, from the machine itself', async () => {
    const port = await onLoopback((peer, body) => `${peer} got ${String(body.length)}`);
    servers.push(...(await publishLoopback([port], [outside])));
    const big = 'x'.repeat(500_000);
    expect(await Promise.all([ask(outside, port, big), ask(outside, port, 'y')])).toEqual([
      '127.0.0.1 got 500000',
      '127.0.0.1 got 1',
    ]);
  });

  it('breaks the connection off while the server does not run, and works when it runs again', async () => {
    const port = await onLoopback(() => 'first');
    servers.push(...(await publishLoopback([port], [outside])));
    await new Promise((resolve) => servers.shift()?.close(resolve));
    await expect(ask(outside, port, '')).rejects.toThrow(/ECONNRESET|hang up/);
    const again = createServer((_asked, response) => response.end('second'));
    servers.push(again);
    again.listen(port, '127.0.0.1');
    await once(again, 'listening');
    expect(await ask(outside, port, '')).toBe('second');
  });

  it('takes every outer IPv4 address, and not the loopback', () => {
    const address = { netmask: '', mac: '', cidr: null, internal: false };
    const found = outerAddresses({
      lo: [{ ...address, address: '127.0.0.1', family: 'IPv4', internal: true }],
      eth0: [
        { ...address, address: '172.18.0.4', family: 'IPv4' },
        { ...address, address: 'fe80::1', family: 'IPv6', scopeid: 2 },
      ],
    });
    expect(found).toEqual(['172.18.0.4']);
    expect(outerAddresses()).toHaveLength(
      Object.values(networkInterfaces())
        .flat()
        .filter((one) => one?.family === 'IPv4' && !one.internal).length,
    );
  });
});
