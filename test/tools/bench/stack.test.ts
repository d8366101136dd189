/** The benchmark's own stack starts, pays, is filled, verifies and stops. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as Fill from '../../../tools/bench/volume/fill';
import type * as News from '../../../tools/bench/volume/changes';
import type * as Templates from '../../../tools/bench/volume/templates';
import type * as BenchStack from '../../../tools/bench/ours/stack';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import type { VerifyRunReport } from '../../../src/verify/run-checks';
import { stkPush } from '../../support/merchant-client';
import { startReceiver } from '../../support/webhook-receiver';

/** The build, because its processes are started from its folder. */
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

  it('is filled with payments of every kind, without any violation', async () => {
    const { everyKind, makeTemplates } = await built<typeof Templates>('volume/templates.js');
    const { fill } = await built<typeof Fill>('volume/fill.js');
    const before = Number((await stack.db('payments').count({ n: '*' }))[0]?.n);
    const templates = await makeTemplates(stack, await everyKind(stack, 1));
    await fill(stack.admin, templates, { payments: 2_000, open: 200 });
    const [all] = await stack.db('payments').count({ n: '*' });
    const [open] = await stack.db('payments').where({ is_final: 0 }).count({ n: '*' });
    expect(Number(all?.n)).toBe(before + 2_000);
    expect(Number(open?.n)).toBe(200);
    // Of the open or watched ones, only real payments are checked soon.
    const [soon] = await stack
      .db('payments')
      .where('next_check_at', '<', new Date(Date.now() + 3_600_000))
      .count({ n: '*' });
    expect(Number(soon?.n)).toBeLessThanOrEqual(templates.length);
    await stack.verify();

    const { addChanges: addNews, changesPlan: newsPlan } = await built<typeof News>('volume/changes.js');
    await addNews(stack.admin, templates, newsPlan({ payments: 2_000, open: 200 }, 2_000));
    const report = JSON.parse(await stack.malipo('verify', '--json', '--changes')) as VerifyRunReport;
    expect(report.clean).toBe(true);
    // The templates are not copies, though they count, and open ones may be checked meanwhile. All other changes are
    // the new payments.
    const checkedAt = report.changes?.checked_at ?? 0;
    expect(checkedAt).toBeGreaterThanOrEqual(2_000 - templates.length);
    expect(checkedAt).toBeLessThanOrEqual(2_000 + before);
  });
});
