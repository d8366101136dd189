/**
 * HAProxy with our settings, in front of simulated servers: what it repeats, where it sends requests, and when it
 * answers.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { balancer, type Balancer } from '../../../tools/cluster/balancer';
import { errorResponses } from '../../../src/domain/errors';
import { launch, type ChildProcess } from '../../../tools/sandbox/services/child-process';
import { findHaproxy } from '../../../tools/sandbox/services/find-haproxy';
import { freePort } from '../../../tools/sandbox/services/free-port';
import { waitFor } from '../../../tools/sandbox/services/wait-for';

const loopback = '127.0.0.1';

interface PlayedApi {
  name: string;
  port: number;
  opsPort: number;
  /** Methods and paths, as received. */
  heard: string[];
  isReady: boolean;
  /** Replaces the answer, which is 200 at first. */
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  stopListening(): Promise<void>;
  end(): Promise<void>;
}

async function listen(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<Server> {
  const server = createServer(handle).listen(0, loopback);
  await once(server, 'listening');
  return server;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

async function playApi(name: string): Promise<PlayedApi> {
  const heard: string[] = [];
  const server = await listen((request, response) => {
    if (request.url !== '/healthz') heard.push(`${request.method ?? ''} ${request.url ?? ''}`);
    played.answer(request, response);
  });
  const ops = await listen((_request, response) => {
    response.writeHead(played.isReady ? 200 : 503).end();
  });
  const played: PlayedApi = {
    name,
    port: portOf(server),
    opsPort: portOf(ops),
    heard,
    isReady: true,
    answer: (_request, response) => response.end(name),
    async stopListening() {
      server.close();
      server.closeAllConnections();
      await waitFor(() => Promise.resolve(!server.listening), { what: `${name} to end`, timeoutMs: 10_000 });
    },
    async end() {
      for (const one of [server, ops]) {
        one.closeAllConnections();
        if (one.listening) one.close();
      }
    },
  };
  return played;
}

describe('the balancer', () => {
  let folder: string;
  let apis: [PlayedApi, PlayedApi];
  let front: Balancer;
  let child: ChildProcess;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'malipo-balancer-'));
    apis = [await playApi('api-1'), await playApi('api-2')];
    front = await balancer({
      program: await findHaproxy(),
      folder,
      port: await freePort(),
      metricsPort: await freePort(),
      servers: apis,
      timezone: 'Africa/Nairobi',
      logFile: join(folder, 'balancer.log'),
    });
    child = await launch(front);
  });
  afterEach(async () => {
    await child.stop();
    for (const api of apis) await api.end();
    rmSync(folder, { recursive: true });
  });

  const post = (path = '/pay') => fetch(`${front.url}${path}`, { method: 'POST', body: '{}' });
  const heardTogether = () => apis.flatMap(({ heard }) => heard);

  it('distributes requests over ready servers, and skips the others', async () => {
    for (let n = 0; n < 20; n += 1) expect((await post()).status).toBe(200);
    expect(apis.map(({ heard }) => heard.length > 0)).toEqual([true, true]);
    apis[0].isReady = false;
    await waitFor(
      async () => {
        const before = apis[0].heard.length;
        for (let n = 0; n < 10; n += 1) await post();
        return apis[0].heard.length === before;
      },
      { what: 'the server that is not ready to be skipped', timeoutMs: 30_000 },
    );
  });

  it('sends the client’s address', async () => {
    let reported: unknown;
    for (const api of apis) {
      api.answer = (request, response) => {
        reported = request.headers['x-forwarded-for'];
        response.end();
      };
    }
    await post();
    expect(reported).toBe(loopback);
  });

  it('sends a request to the other API if the first is unreachable, before the health check notices', async () => {
    await apis[0].stopListening();
    for (let n = 0; n < 20; n += 1) expect(await (await post()).text()).toBe('api-2');
    expect(apis[1].heard).toHaveLength(20);
  });

  it('repeats no request that may have been received', async () => {
    for (const api of apis) api.answer = (request) => request.socket.destroy();
    // On a used connection, its end is the only sign.
    const answer = await post().catch(() => undefined);
    expect([504, undefined]).toContain(answer?.status);
    expect(heardTogether()).toEqual(['POST /pay']);
  });

  it('answers that the result is unknown if the answer was lost', async () => {
    for (const api of apis) api.answer = (request) => request.socket.destroy();
    const asked = request(`${front.url}/pay`, { method: 'POST', agent: false }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([504, '5']);
    expect(await json(answer)).toMatchObject({ success: false, code: 'ACCEPTANCE_UNKNOWN' });
    expect(answer.headers).not.toHaveProperty('x-answered-by-balancer');
  });

  it('sends requests to unready servers if none is ready, because they answer best', async () => {
    for (const api of apis) {
      api.isReady = false;
      api.answer = (_request, response) =>
        response.writeHead(503, { 'retry-after': '7' }).end('in its own words');
    }
    const answer = await waitFor(
      async () => {
        const reported = await post('/told/momo');
        return reported.headers.get('retry-after') === '7' && reported;
      },
      { what: 'an answer of an API', timeoutMs: 30_000 },
    );
    expect(await answer.text()).toBe('in its own words');
    // It continues so: this was not the moment before the check.
    await waitFor(async () => (await metrics()).includes('haproxy_backend_active_servers{proxy="api"} 0'), {
      what: 'all of them to be seen as not ready',
      timeoutMs: 30_000,
    });
    expect((await post('/told/momo')).headers.get('retry-after')).toBe('7');
  });

  const metrics = async () => (await fetch(`http://${loopback}:${String(front.metricsPort)}/metrics`)).text();

  it('answers merchants to retry if no server is reachable', async () => {
    for (const api of apis) await api.stopListening();
    const answer = await post();
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await answer.json()).toMatchObject({ success: false, code: 'SERVICE_UNAVAILABLE' });
  });

  it('answers in the error format of the API, with the request’s id', async () => {
    for (const api of apis) await api.stopListening();
    const ids = { own: 'shop-order-17', unfit: 'no "id"' };
    const [own, unfit] = await Promise.all(
      Object.values(ids).map(async (id) => {
        const answer = await fetch(`${front.url}/pay`, { method: 'POST', headers: { 'x-request-id': id } });
        const body = (await answer.json()) as Record<string, string>;
        expect(body['request_id']).toBe(answer.headers.get('x-request-id'));
        return body;
      }),
    );
    const { message } = errorResponses.SERVICE_UNAVAILABLE;
    expect(own).toMatchObject({ error: message, message, request_id: ids.own });
    expect(unfit?.['request_id']).toMatch(/^[\da-f-]{36}$/);
    const ageMs = Date.now() - Date.parse(`${own?.['timestamp'] ?? ''}+03:00`);
    expect(Math.abs(ageMs)).toBeLessThan(60_000);
    expect(Date.parse(own?.['timestamp_utc'] ?? '')).toBe(Date.parse(`${own?.['timestamp'] ?? ''}+03:00`));
  });

  it('passes on an API’s own status, and sets a request id if there is none', async () => {
    const ids: unknown[] = [];
    for (const api of apis) {
      api.answer = (request, response) => {
        ids.push(request.headers['x-request-id']);
        response.writeHead(502).end('in its own words');
      };
    }
    const answer = await post();
    expect([answer.status, await answer.text()]).toEqual([502, 'an answer of the API']);
    expect(ids).toEqual([expect.stringMatching(/^[\da-f-]{36}$/)]);
  });

  it('lets a drained API answer its requests, sends it no new ones, and admits it again', async () => {
    const held: ServerResponse[] = [];
    for (const api of apis) api.answer = (_request, response) => held.push(response);
    const asked = [post('/slow'), post('/slow')];
    await waitFor(() => Promise.resolve(held.length === 2), { what: 'both requests', timeoutMs: 10_000 });
    // With equal load, each gets one.
    expect(apis.map(({ heard }) => heard)).toEqual([['POST /slow'], ['POST /slow']]);

    let isDrained = false;
    const draining = front.drain('api-1').then(() => (isDrained = true));
    apis[1].answer = (_request, response) => response.end('api-2');
    for (let n = 0; n < 5; n += 1) expect(await (await post()).text()).toBe('api-2');
    expect(isDrained).toBe(false);
    for (const response of held) response.end('late');
    expect(await Promise.all((await Promise.all(asked)).map((answer) => answer.text()))).toEqual([
      'late',
      'late',
    ]);
    await draining;
    expect(apis[0].heard).toEqual(['POST /slow']);

    apis[0].answer = (_request, response) => response.end('api-1');
    await front.admit('api-1');
    const reported = new Set<string>();
    for (let n = 0; n < 20; n += 1) reported.add(await (await post()).text());
    expect(reported).toEqual(new Set(['api-1', 'api-2']));
  });
});
