import { createOpsApp, type ReadinessCheck } from '../../../src/api/health';
import { listen } from '../../../src/api/listen';
import { createMetrics } from '../../../src/telemetry/metrics';
import { raw, serve, silentLog } from '../../support/api/serve';

/** Calls the operations port. */
async function get(path: string, readiness: ReadinessCheck[] = []): Promise<Response> {
  const app = createOpsApp({ readiness, metrics: createMetrics(), log: silentLog });
  const ops = await listen(app, { host: '127.0.0.1', port: 0, drainIdleMs: 0 });
  try {
    return await fetch(`http://127.0.0.1:${String(ops.port)}${path}`);
  } finally {
    await ops.close();
  }
}

const gone = () => Promise.reject(new Error('gone'));
const sound = { name: 'database', check: () => Promise.resolve() };

describe('health', () => {
  it('/healthz is 200 while the process lives, whatever its dependencies do', async () => {
    const response = await get('/healthz', [{ ...sound, check: gone }]);
    expect([response.status, await response.json()]).toEqual([200, { status: 'alive' }]);
  });

  it('/readyz is 200 when every check passes', async () => {
    const response = await get('/readyz', [sound, { ...sound, name: 'temporal' }]);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'ready', checks: { database: 'ok', temporal: 'ok' } });
  });

  it('/readyz is 503 and names the failed check, but not the reason', async () => {
    const broken = { name: 'temporal', check: () => Promise.reject(new Error('10.0.0.5:7233 refused')) };
    const response = await get('/readyz', [sound, broken]);
    const text = await response.text();
    expect(response.status).toBe(503);
    expect(JSON.parse(text)).toEqual({ status: 'not ready', checks: { database: 'ok', temporal: 'failed' } });
  });

  it('/servez ignores dependencies that notifications do not need', async () => {
    const temporal = { name: 'temporal', callbacksGoOn: true as const, check: gone };
    const without = await get('/servez', [sound, temporal]);
    expect([without.status, await without.json()]).toEqual([
      200,
      { status: 'ready', checks: { database: 'ok' } },
    ]);
    expect((await get('/readyz', [sound, temporal])).status).toBe(503);

    const broken = await get('/servez', [{ ...sound, check: gone }, temporal]);
    expect(broken.status).toBe(503);
  });

  it('/readyz waits two seconds and no longer', async () => {
    const hanging = { name: 'database', check: () => new Promise<void>(() => undefined) };
    const begun = Date.now();
    expect((await get('/readyz', [hanging])).status).toBe(503);
    // A slow machine may take longer; the check itself would never end.
    expect(Date.now() - begun).toBeLessThan(15_000);
  });

  it('/metrics has the Prometheus format', async () => {
    const response = await get('/metrics');
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await response.text()).toContain('# TYPE malipo_http_request_duration_seconds histogram');
  });

  it('answers HEAD without a body, for load balancers', async () => {
    const api = await serve();
    const answer = await raw(api.port, 'HEAD /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await api.close();
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(answer.split('\r\n\r\n')[1]).toBe('');
  });

  it('rejects every request while its database does not fit, and stays alive', async () => {
    const api = await serve({ misfit: () => 'it is of another version' });
    const paths = ['/healthz', '/api/v1/look_up', '/api/v1/unknown'];
    const answers = await Promise.all(paths.map((path) => fetch(api.url + path)));
    const reported = await answers[1]?.json();
    await api.close();
    expect(answers.map(({ status }) => status)).toEqual([200, 503, 503]);
    expect(reported).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(JSON.stringify(reported)).not.toContain('another version');
  });

  it('names at its root what it serves', async () => {
    const answer = await get('/');
    expect([answer.status, await answer.json()]).toEqual([
      404,
      expect.objectContaining({ message: 'Not found. Here are /healthz, /readyz, /servez, /metrics.' }),
    ]);
    expect(await (await get('/metric')).json()).toMatchObject({ message: 'Not found' });
  });

  it('shows merchants only that it is alive, without dependencies and metrics', async () => {
    const api = await serve();
    const statuses = await Promise.all(
      ['/healthz', '/readyz', '/servez', '/metrics'].map(
        async (path) => (await fetch(api.url + path)).status,
      ),
    );
    await api.close();
    expect(statuses).toEqual([200, 404, 404, 404]);
  });
});
