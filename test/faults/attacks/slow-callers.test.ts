/** Callers who hold a connection without finishing their request. */
import { connect, type Socket } from 'node:net';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { call } from '../../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../../support/stack';

describe('a slow caller', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  beforeAll(async () => {
    stack = await startStack({
      without: ['worker', 'simulator'],
      env: { MALIPO_CONNECTIONS_PER_ADDRESS: '102' },
    });
    merchant = await stack.createMerchant();
  });
  afterAll(() => stack.stop());

  /** @returns the server's output until it closed the connection. */
  function dribble(): Promise<string> {
    return new Promise((resolve) => {
      const { hostname, port } = new URL(stack.apiUrl);
      const socket = connect(Number(port), hostname);
      let received = '';
      socket.write('POST /api/v1/stk_push HTTP/1.1\r\nHost: malipo\r\n');
      const timer = setInterval(() => socket.write('X-Slow: 1\r\n'), 1_000);
      socket.on('data', (chunk) => (received += String(chunk)));
      socket.on('error', () => undefined);
      socket.on('close', () => {
        clearInterval(timer);
        resolve(received);
      });
    });
  }

  it('who sends a header per second is disconnected, fifty of them at once, while others are served', async () => {
    const dribbling = Promise.all(Array.from({ length: 50 }, dribble));
    const balance = await call(stack, merchant, 'GET', '/api/v1/query_balance');
    expect(balance.status).toBe(200);
    for (const received of await dribbling) expect(received).toMatch(/^(?:HTTP\/1\.1 408 |$)/);
  });

  it('who opens 1,100 silent connections does not block other callers', async () => {
    const { hostname, port } = new URL(stack.apiUrl);
    const sockets: Socket[] = [];
    const opened = Array.from({ length: 1_100 }, () => {
      const socket = connect({ host: hostname, port: Number(port), localAddress: '127.0.0.2' });
      sockets.push(socket);
      socket.on('error', () => undefined).resume();
      return new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
    });
    try {
      await Promise.all(opened);
      const balances = await Promise.all(
        Array.from({ length: 20 }, () => call(stack, merchant, 'GET', '/api/v1/query_balance')),
      );
      expect(balances.map(({ status }) => status)).toEqual(balances.map(() => 200));
      // It gets a tenth of the server's connections.
      await waitFor(
        () => Promise.resolve(sockets.filter(({ closed }) => !closed).length <= 103 || undefined),
        { what: 'the share of one address', timeoutMs: 20_000 },
      );
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });
});
