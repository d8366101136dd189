import { connect, type Socket } from 'node:net';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { lookUp, raw, serve } from '../../support/api/serve';

const keys = 'X-API-Key: pk_test_1\r\nX-API-Secret: sk_test_1\r\n';
const request = `GET /api/v1/look_up?id=1 HTTP/1.1\r\nHost: a\r\n${keys}`;

describe('a slow or malformed caller', () => {
  it('that does not finish its headers is disconnected', async () => {
    const api = await serve({}, { headersTimeoutMs: 200, requestTimeoutMs: 400 });
    const answer = await raw(api.port, 'GET /healthz HTTP/1.1\r\nHost: a\r\n');
    await api.close();
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('that does not finish its body is disconnected', async () => {
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
  ])('with %s is rejected and disconnected', async (_, text, status) => {
    const api = await serve();
    const answer = await raw(api.port, text);
    await api.close();
    expect(answer.split(' ')[1]).toBe(String(status));
  });

  it('leaves the rest of a rejected body, which is not read as a request', async () => {
    const api = await serve();
    const smuggled = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
    const answer = await raw(
      api.port,
      `POST /api/v1/echo HTTP/1.1\r\nHost: a\r\n${keys}Content-Type: text/plain\r\nContent-Length: 90000\r\n\r\n${smuggled}`,
    );
    await api.close();
    expect(answer).toMatch(/^HTTP\/1\.1 415 /);
    expect(answer).not.toContain('alive');
  });
});

describe('a connection', () => {
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  /** Sends nothing. Loopback has many addresses, and any of them may be the caller's. */
  async function silent(port: number, localAddress: string): Promise<Socket> {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    sockets.push(socket);
    socket.on('error', () => undefined);
    // Without a reader, the end of the connection would never be noticed.
    socket.resume();
    await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
    return socket;
  }
  const isOver = (socket: Socket) => socket.destroyed || socket.readableEnded;
  const untilOver = (socket: Socket) =>
    waitFor(() => Promise.resolve(isOver(socket) || undefined), { what: 'the end', timeoutMs: 10_000 });

  it('above the limit of its address replaces the oldest idle one of that address', async () => {
    const api = await serve({}, { connectionsMax: 30 });
    const [first, second, third] = [
      await silent(api.port, '127.0.0.2'),
      await silent(api.port, '127.0.0.2'),
      await silent(api.port, '127.0.0.2'),
    ];
    const other = await silent(api.port, '127.0.0.3');
    const fourth = await silent(api.port, '127.0.0.2');
    await untilOver(first);
    expect([second, third, fourth, other].map(isOver)).toEqual([false, false, false, false]);
    await api.close();
  });

  it('above the limit is rejected when all others are in use', async () => {
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    let begun = 0;
    const slow = {
      ...lookUp,
      async handle() {
        begun += 1;
        await finished;
        return { status: 200, body: {} };
      },
    };
    const api = await serve({ endpoints: [slow] }, { connectionsMax: 20, connectionsPerAddress: 2 });
    const inFlight = [1, 2].map(() => raw(api.port, `${request}Connection: close\r\n\r\n`));
    await waitFor(() => Promise.resolve(begun === 2 || undefined), { what: 'both', timeoutMs: 10_000 });
    expect(await raw(api.port, `${request}\r\n`).catch(() => '')).toBe('');
    finish();
    expect((await Promise.all(inFlight)).map((answer) => answer.split(' ')[1])).toEqual(['200', '200']);
    await api.close();
  });

  it('of a new caller is accepted on a full server: the address with the most connections loses one', async () => {
    const api = await serve({}, { connectionsMax: 5, connectionsPerAddress: 4 });
    const modest = await silent(api.port, '127.0.0.2');
    const greedy: Socket[] = [];
    for (let n = 0; n < 4; n += 1) greedy.push(await silent(api.port, '127.0.0.3'));
    expect(await raw(api.port, `${request}Connection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
    await untilOver(greedy[0] as Socket);
    expect([modest, ...greedy.slice(1)].map(isOver)).toEqual([false, false, false, false]);
    await api.close();
  });

  it('of an authenticated merchant stays open while an unauthenticated one can be closed', async () => {
    const api = await serve({}, { connectionsMax: 3, connectionsPerAddress: 3 });
    const own: Socket[] = [];
    for (let n = 0; n < 2; n += 1) {
      const socket = await silent(api.port, '127.0.0.2');
      const answered = new Promise((resolve) => socket.once('data', resolve));
      socket.write(`${request}\r\n`);
      await answered;
      own.push(socket);
    }
    const unknownCaller = await silent(api.port, '127.0.0.3');
    const newcomer = await silent(api.port, '127.0.0.4');
    await untilOver(unknownCaller);
    expect([...own, newcomer].map(isOver)).toEqual([false, false, false]);
    await api.close();
  });

  it('that sends half a body counts as idle', async () => {
    const api = await serve({}, { connectionsMax: 2, connectionsPerAddress: 1 });
    const half = await silent(api.port, '127.0.0.2');
    half.write(
      'POST /api/v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{',
    );
    await silent(api.port, '127.0.0.2');
    await untilOver(half);
    await api.close();
  });

  it('of a trusted proxy does not count for its address', async () => {
    const api = await serve({}, { connectionsMax: 20, isProxy: (address) => address === '127.0.0.2' });
    const held: Socket[] = [];
    for (let n = 0; n < 10; n += 1) held.push(await silent(api.port, '127.0.0.2'));
    expect(held.map(isOver)).toEqual(held.map(() => false));
    await api.close();
  });

  it('may wait for its next request longer than a caller may take to send one', async () => {
    const api = await serve({}, { headersTimeoutMs: 100, requestTimeoutMs: 200, keepAliveMs: 20_000 });
    const socket = await silent(api.port, '127.0.0.2');
    let received = '';
    socket.on('data', (chunk) => (received += String(chunk)));
    const answers = (count: number) =>
      waitFor(() => Promise.resolve(received.split('HTTP/1.1 200 OK').length > count || undefined), {
        what: `${count} answers`,
        timeoutMs: 10_000,
      });
    socket.write(`${request}\r\n`);
    await answers(1);
    expect(received).toContain('Keep-Alive: timeout=20');
    // Several rounds of Node's check for slow callers.
    await new Promise((resolve) => setTimeout(resolve, 600));
    socket.write(`${request}\r\n`);
    await answers(2);
    await api.close();
  });
});

describe('closing', () => {
  it('finishes the request in progress and accepts no new one', async () => {
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
    const isRefused = () =>
      fetch(`${api.url}/healthz`)
        .then(() => undefined)
        .catch(() => true);
    await waitFor(isRefused, { what: 'the door to be closed', timeoutMs: 10_000 });
    finish();
    const answer = await inFlight;
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    await closed;
  });

  it('answers once more on a kept-alive connection, with Connection: close', async () => {
    const api = await serve({}, { drainIdleMs: 60_000 });
    const socket = connect(api.port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => (received += String(chunk)));
    const ended = new Promise((resolve) => socket.once('end', resolve));
    socket.write(`${request}\r\n`);
    await waitFor(() => Promise.resolve(received.includes('Connection: keep-alive') || undefined), {
      what: 'the first answer',
      timeoutMs: 10_000,
    });
    const closed = api.close();
    await waitFor(() => isRefused(api.port), { what: 'the door to be shut', timeoutMs: 10_000 });
    socket.write(`${request}\r\n`);
    await ended;
    expect(received.split('HTTP/1.1 200 OK')[2]).toContain('Connection: close');
    await closed;
  });

  function isRefused(port: number): Promise<true | undefined> {
    return new Promise((resolve) => {
      const caller = connect(port, '127.0.0.1', () => {
        caller.destroy();
        resolve(undefined);
      });
      caller.once('error', () => {
        resolve(true);
      });
    });
  }

  it('answers an unread request on an idle connection', async () => {
    const api = await serve({}, { drainIdleMs: 0 });
    const socket = connect(api.port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => (received += String(chunk)));
    const ended = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    socket.write(`${request}\r\n`);
    await waitFor(() => Promise.resolve(received.includes('Connection: keep-alive') || undefined), {
      what: 'the first answer',
      timeoutMs: 10_000,
    });
    // Written before the server could read it, as after a suspended process.
    socket.write(`${request}\r\n`);
    const closed = api.close();
    await ended;
    expect(received.split('HTTP/1.1 200 OK')).toHaveLength(3);
    await closed;
  });

  it('answers a caller whose connection was not accepted yet', async () => {
    const api = await serve();
    const socket = connect(api.port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => (received += String(chunk)));
    socket.on('error', () => undefined);
    const ended = new Promise((resolve) => socket.once('close', resolve));
    socket.write(`${request}\r\n`);
    const closed = api.close();
    await ended;
    expect(received).toContain('HTTP/1.1 200 OK');
    await closed;
  });

  it('has a time limit', async () => {
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const hanging = {
      ...lookUp,
      handle() {
        begin();
        return new Promise<never>(() => undefined);
      },
    };
    const api = await serve({ endpoints: [hanging] }, { drainMs: 200 });
    const inFlight = api.get('/api/v1/look_up?id=1').then(
      () => 'answered',
      () => 'cut off',
    );
    await begun;
    // Without the limit this would wait until the test times out.
    await api.close();
    expect(await inFlight).toBe('cut off');
  });
});
