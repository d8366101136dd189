/** Callers who hold a connection without getting on with their request. */
import { connect } from 'node:net';
import { call } from '../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../support/stack';

jest.setTimeout(60_000);

describe('a caller who sends a header a second', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  beforeAll(async () => {
    stack = await startStack({ without: ['worker', 'simulator'] });
    merchant = await stack.createMerchant();
  });
  afterAll(() => stack.stop());

  /** @returns what the server said until it closed the connection. */
  function dribble(): Promise<string> {
    return new Promise((resolve) => {
      const { hostname, port } = new URL(stack.apiUrl);
      const socket = connect(Number(port), hostname);
      let said = '';
      socket.write('POST /api/v1/stk_push HTTP/1.1\r\nHost: malipo\r\n');
      const timer = setInterval(() => socket.write('X-Slow: 1\r\n'), 1_000);
      socket.on('data', (chunk) => (said += String(chunk)));
      socket.on('error', () => undefined);
      socket.on('close', () => {
        clearInterval(timer);
        resolve(said);
      });
    });
  }

  it('is cut off, fifty of them at once, while others are served', async () => {
    const dribbling = Promise.all(Array.from({ length: 50 }, dribble));
    const balance = await call(stack, merchant, 'GET', '/api/v1/query_balance');
    expect(balance.status).toBe(200);
    for (const said of await dribbling) expect(said).toMatch(/^(?:HTTP\/1\.1 408 |$)/);
  });
});
