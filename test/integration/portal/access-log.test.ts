import type { Log } from '../../../src/domain/log';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { call, startPortal, type TestPortal } from '../../support/portal/portal-support';

const lines: [level: keyof Log, message: string, fields: Record<string, unknown>][] = [];
const write =
  (level: keyof Log): Log[keyof Log] =>
  (message, fields = {}) =>
    void lines.push([level, message, fields]);
let portal: TestPortal;
beforeAll(async () => {
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  portal = await startPortal({ log });
});
afterAll(() => portal.stop());

it('has a line for each request at the default level, without the secret of a mailed link', async () => {
  await call(portal, { method: 'GET', path: '/invitation/secret-of-a-link' });
  const [line] = await waitFor(() => Promise.resolve(lines.length > 0 && lines), {
    ...{ what: 'a line', timeoutMs: 10_000, everyMs: 5 },
  });
  expect(line).toEqual([
    'info',
    'request',
    expect.objectContaining({ method: 'GET', route: '/invitation/:token', address: 'loopback' }),
  ]);
  expect(JSON.stringify(lines)).not.toContain('secret-of-a-link');
});
