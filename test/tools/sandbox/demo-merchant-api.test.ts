/** The demo's merchant follows the answers. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { merchantApi } from '../../../tools/sandbox/demo/merchant-api';

describe("the demo's merchant", () => {
  let server: Server;
  let heard: IncomingMessage[];
  const answers: { status: number; retryAfter?: string }[] = [];
  beforeEach(async () => {
    heard = [];
    answers.length = 0;
    server = createServer((request, response) => {
      heard.push(request);
      const { status, retryAfter } = answers.shift() ?? { status: 200 };
      if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"success":true}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const api = () =>
    merchantApi(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, {
      merchant_id: 'm',
      name: 'Shop',
      api_key: 'key',
      api_secret: 'secret',
      webhook_secret: 'whsec',
    });

  it('tries again with the same key when a busy service asks for it', async () => {
    answers.push({ status: 503, retryAfter: '1' }, { status: 200 });
    await expect(api().post('/pay', {})).resolves.toEqual({ success: true });
    expect(heard).toHaveLength(2);
    const keys = heard.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[\w-]{36}$/);
    expect(keys[1]).toBe(keys[0]);
  });

  it('does not repeat after an error, or without a time for the next attempt', async () => {
    answers.push({ status: 409, retryAfter: '1' }, { status: 503 });
    expect((await api().ask('/pay', {})).status).toBe(409);
    expect((await api().ask('/pay', {})).status).toBe(503);
    expect(heard).toHaveLength(2);
  });
});
