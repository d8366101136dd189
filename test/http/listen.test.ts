import { connect } from 'node:net';
import { lookUp, raw, serve } from './support/serve';

const request =
  'GET /api/v1/look_up?id=1 HTTP/1.1\r\nHost: a\r\nX-API-Key: pk_test_1\r\nX-API-Secret: sk_test_1\r\n';

describe('a slow or malformed caller', () => {
  it('who does not finish its headers is cut off', async () => {
    const api = await serve({}, { headersTimeoutMs: 200, requestTimeoutMs: 400 });
    const answer = await raw(api.port, 'GET /healthz HTTP/1.1\r\nHost: a\r\n');
    await api.close();
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('who does not finish its body is cut off', async () => {
    const api = await serve({}, { headersTimeoutMs: 200, requestTimeoutMs: 400 });
    const head =
      'POST /api/v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n';
    const answer = await raw(api.port, `${head}{`);
    await api.close();
    expect(answer).toMatch(/^HTTP\/1\.1 (?:408|400) /);
  });

  it.each([
    [
      'headers of more than 16 kB',
      `GET / HTTP/1.1\r\nHost: a\r\nX-Filler: ${'x'.repeat(17_000)}\r\n\r\n`,
      431,
    ],
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['no Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    [
      'two lengths that differ',
      'POST /api/v1/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
      400,
    ],
    [
      'a length and chunks',
      'POST /api/v1/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['a space before the colon', 'GET /healthz HTTP/1.1\r\nHost : a\r\n\r\n', 400],
  ])('with %s is refused and cut off', async (_, text, status) => {
    const api = await serve();
    const answer = await raw(api.port, text);
    await api.close();
    expect(answer.split(' ')[1]).toBe(String(status));
  });

  it('leaves the rest of a refused body unread as a request', async () => {
    const api = await serve();
    const smuggled = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
    const answer = await raw(
      api.port,
      `POST /api/v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 90000\r\n\r\n${smuggled}`,
    );
    await api.close();
    expect(answer).toMatch(/^HTTP\/1\.1 415 /);
    expect(answer).not.toContain('alive');
  });

  it('is turned away when all connections are taken', async () => {
    const api = await serve({}, { connectionsMax: 1 });
    const first = connect(api.port, '127.0.0.1');
    await new Promise((resolve) => first.once('connect', resolve));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await raw(api.port, `${request}\r\n`).catch(() => '')).toBe('');
    first.destroy();
    await api.close();
  });
});

describe('closing', () => {
  it('lets the request in flight end and takes no new one', async () => {
    let finish: () => void = () => undefined;
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const slow = {
      ...lookUp,
      async handle() {
        begin();
        await new Promise<void>((resolve) => (finish = resolve));
        return { status: 200, body: { success: true } };
      },
    };
    const api = await serve({ endpoints: [slow] });
    const inFlight = api.get('/api/v1/look_up?id=1');
    await begun;
    const closed = api.close();
    await expect(fetch(`${api.url}/healthz`)).rejects.toThrow();
    finish();
    expect((await inFlight).status).toBe(200);
    await closed;
  });

  it('does not wait for ever', async () => {
    const hanging = { ...lookUp, handle: () => new Promise<never>(() => undefined) };
    const api = await serve({ endpoints: [hanging] }, { drainMs: 200 });
    const inFlight = api.get('/api/v1/look_up?id=1').then(
      () => 'answered',
      () => 'cut off',
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    const begun = Date.now();
    await api.close();
    expect(Date.now() - begun).toBeLessThan(2_000);
    expect(await inFlight).toBe('cut off');
  });
});
