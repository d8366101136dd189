/** The benchmark's own stack comes up, pays, verifies and goes. What that costs is the benchmark's to measure. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as BenchStack from '../../bench/ours/stack';
import { waitFor } from '../../src/ops/services/wait-for';
import { stkPush } from '../support/merchant-client';
import { startReceiver } from '../support/webhook-receiver';

jest.setTimeout(120_000);

/** The build, because its processes are started from beside it. */
const built = join(__dirname, '..', '..', 'dist', 'bench', 'ours', 'stack.js');

it('pays one customer on the stack of the benchmark', async () => {
  const { startStack } = (await import(built)) as typeof BenchStack;
  const folder = await mkdtemp(join(tmpdir(), 'malipo-bench-stack-'));
  const receiver = await startReceiver();
  try {
    const stack = await startStack(folder, receiver.url);
    try {
      const { api_key: key, api_secret: secret } = stack.merchant;
      const response = await fetch(`${stack.apiUrl}/api/v1/stk_push`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-API-Key': key, 'X-API-Secret': secret },
        body: JSON.stringify(stkPush()),
      });
      expect(response.status).toBe(200);
      await waitFor(
        () => Promise.resolve(receiver.received.some(({ body }) => body['status'] === 'Success')),
        {
          what: 'the webhook',
          timeoutMs: 30_000,
        },
      );
      await stack.verify();
    } finally {
      await stack.stop();
    }
  } finally {
    await receiver.close();
    await rm(folder, { recursive: true, force: true });
  }
});
