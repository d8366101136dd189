/** A provider's notifications stop and resume, on the running product. */
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { malipo } from '../../../faults/support/malipo';
import { simulatorControl } from '../../../support/rails/simulator-control';
import { accepted, ended } from '../../../support/rails/stk/payments';
import { expectClean } from '../../../support/expect-clean';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';

let stack: Stack;
let merchant: TestMerchant;
beforeAll(async () => {
  stack = await startStack({ timeScale: 10 });
  merchant = await stack.createMerchant();
});
afterAll(async () => {
  await expectClean(stack);
  await stack.stop();
});

const shown = async () => (await fetch(`${stack.opsUrl}/metrics`)).text();
const isShown = (line: string) =>
  waitFor(async () => (await shown()).split('\n').includes(line), {
    what: `${line} in the metrics`,
    timeoutMs: 120_000,
  });
const labels = '{rail="stk",account="stk",kind="deposit",environment="sandbox"}';

async function pay(n: number): Promise<void> {
  const payments = await Promise.all(Array.from({ length: n }, () => accepted(stack, merchant)));
  for (const { payment_id: id } of payments) await ended(stack.db, id, undefined, 120_000);
}

it('the metrics and the command line report stopped notifications, and forged ones do not count', async () => {
  const provider = simulatorControl(stack.simulatorUrl, 'stk');
  await provider.next({ call: 'callback', behave: 'drop', times: 5 });
  await pay(5);
  const address = `${stack.apiUrl}/in/stk/${'0'.repeat(32)}`;
  const forged = await fetch(address, { method: 'POST', body: '{"Body":{"stkCallback":{}}}' });
  expect(forged.status).toBe(404);
  await isShown(`malipo_provider_notifications_stopped${labels} 1`);
  await isShown(`malipo_provider_notifications_healthy${labels} 0`);
  await isShown('malipo_provider_notifications_rejected_total{rail="stk",environment="sandbox"} 1');
  const { callbacks, refused } = JSON.parse(await malipo(stack, 'notifications', '--json')) as Record<
    string,
    unknown[]
  >;
  expect(callbacks).toEqual([
    expect.objectContaining({ rail: 'stk', kind: 'deposit', state: 'stopped', expected: 5, received: 0 }),
  ]);
  expect(refused).toEqual([{ rail: 'stk', refused: 1 }]);

  await pay(6);
  await isShown(`malipo_provider_notifications_stopped${labels} 0`);
});
