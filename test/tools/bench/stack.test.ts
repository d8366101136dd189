/** The benchmark's own stack comes up, pays, is filled, verifies and goes. What that costs is the benchmark's to measure. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as Fill from '../../../tools/bench/full-house/fill';
import type * as News from '../../../tools/bench/full-house/news';
import type * as Templates from '../../../tools/bench/full-house/templates';
import type * as BenchStack from '../../../tools/bench/ours/stack';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import type { ProofReport } from '../../../src/verify/run-checks';
import { stkPush } from '../../support/merchant-client';
import { startReceiver } from '../../support/webhook-receiver';

/** The build, because its processes are started from beside it. */
const built = <Module>(name: string) =>
  import(join(__dirname, '..', '..', '..', 'dist', 'tools', 'bench', name)) as Promise<Module>;

describe('the stack of the benchmark', () => {
  let folder: string;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let stack: BenchStack.Stack;
  beforeAll(async () => {
    const { startStack } = await built<typeof BenchStack>('ours/stack.js');
    folder = await mkdtemp(join(tmpdir(), 'malipo-bench-stack-'));
    receiver = await startReceiver();
    stack = await startStack(folder, receiver.url);
  });
  afterAll(async () => {
    await stack.stop();
    await receiver.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('pays one customer', async () => {
    const { api_key: key, api_secret: secret } = stack.merchant;
    const response = await fetch(`${stack.apiUrl}/api/v1/stk_push`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': key, 'X-API-Secret': secret },
      body: JSON.stringify(stkPush()),
    });
    expect(response.status).toBe(200);
    await waitFor(() => Promise.resolve(receiver.received.some(({ body }) => body['status'] === 'Success')), {
      what: 'the webhook',
      timeoutMs: 30_000,
    });
  });

  it('is filled with payments of every kind, and no promise about any of them is broken', async () => {
    const { everyKind, makeTemplates } = await built<typeof Templates>('full-house/templates.js');
    const { fill } = await built<typeof Fill>('full-house/fill.js');
    const before = Number((await stack.db('payments').count({ n: '*' }))[0]?.n);
    const templates = await makeTemplates(stack, await everyKind(stack, 1));
    await fill(stack.admin, templates, { payments: 2_000, open: 200 });
    const [all] = await stack.db('payments').count({ n: '*' });
    const [open] = await stack.db('payments').where({ is_final: 0 }).count({ n: '*' });
    expect(Number(all?.n)).toBe(before + 2_000);
    expect(Number(open?.n)).toBe(200);
    // Of those that wait or are watched, only what was really made is soon to be looked at.
    const [soon] = await stack
      .db('payments')
      .where('next_check_at', '<', new Date(Date.now() + 3_600_000))
      .count({ n: '*' });
    expect(Number(soon?.n)).toBeLessThanOrEqual(templates.length);
    await stack.verify();

    const { addNews, newsPlan } = await built<typeof News>('full-house/news.js');
    await addNews(stack.admin, templates, newsPlan({ payments: 2_000, open: 200 }, 2_000));
    const report = JSON.parse(await stack.malipo('verify', '--json', '--news')) as ProofReport;
    expect(report.clean).toBe(true);
    // The templates are no copies, though they count, and those that wait may be looked at meanwhile. Nothing else is news.
    const lookedAt = report.news?.looked_at ?? 0;
    expect(lookedAt).toBeGreaterThanOrEqual(2_000 - templates.length);
    expect(lookedAt).toBeLessThanOrEqual(2_000 + before);
  });
});
