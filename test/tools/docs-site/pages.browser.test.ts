/** The documentation in a browser, under the policy with which it is served: on a desk and on a phone, light and dark. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createOpsApp } from '../../../src/api/health';
import { listen, type Listening } from '../../../src/api/listen';
import { createMetrics } from '../../../src/telemetry/metrics';
import { describeInBrowser, looks, useVisitor } from '../../support/portal/browser-support';
import { silentLog } from '../../support/silent-log';

const siteFolder = join(__dirname, '..', '..', '..', 'dist', 'site');
const pages = readdirSync(siteFolder, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.html') && !name.startsWith('reference'),
);

describeInBrowser('the documentation', () => {
  let ops: Listening;
  let url: string;
  beforeAll(async () => {
    const app = createOpsApp({ readiness: [], metrics: createMetrics(), log: silentLog, siteFolder });
    ops = await listen(app, { host: '127.0.0.1', port: 0, drainIdleMs: 0 });
    url = `http://127.0.0.1:${String(ops.port)}`;
  });
  afterAll(() => ops.close());
  const visitor = useVisitor(() => url);

  it.each(['desktop, light, English', 'phone, dark, English'] as const)(
    'is there for everybody: %s',
    async (look) => {
      await visitor.open(looks[look]);
      for (const page of pages) await visitor.inspect(`/docs/${page}`, look);
    },
  );

  it.each(['desktop, light, English', 'phone, dark, English'] as const)(
    'has a reference that its own script draws, and asks nobody else: %s',
    async (look) => {
      await visitor.open(looks[look]);
      const asked: string[] = [];
      visitor.page().on('request', (request) => asked.push(request.url()));
      expect(await visitor.at('/docs/reference/#operation/stkPush')).toBe(200);
      await visitor.page().locator('[id="operation/stkPush"]').first().waitFor();
      const tooWide = await visitor
        .page()
        .evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect(Math.max(0, tooWide)).toBe(0);
      expect(asked.filter((one) => !one.startsWith(url) && !one.startsWith('data:'))).toEqual([]);
    },
  );

  it('has a reference without a script, too', async () => {
    await visitor.open(looks['phone, dark, English'], false);
    expect(await visitor.at('/docs/reference/')).toBe(200);
    await visitor.see('POST /api/v1/stk_push');
  });
});
