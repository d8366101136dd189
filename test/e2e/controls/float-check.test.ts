/** Wallets at the simulated providers in the running product: slightly short, paused, and resumed. */
import { randomBytes } from 'node:crypto';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { malipo } from '../../faults/support/malipo';
import { fund, idOf, submissionsOf, post, notifiedOf, transferBody } from '../../support/rails/momo/payments';
import { accepted, ended } from '../../support/rails/stk/payments';
import { simulatorControl, type SimulatorControl } from '../../support/rails/simulator-control';
import { expectClean } from '../../support/expect-clean';
import { startStack, type Stack, type TestMerchant } from '../../support/stack';

let stack: Stack;
let provider: SimulatorControl;
let merchant: TestMerchant;
beforeAll(async () => {
  stack = await startStack({
    timeScale: 20,
    env: { STK_INITIATOR: 'tester', STK_SECURITY_CREDENTIAL: randomBytes(32).toString('base64') },
  });
  provider = simulatorControl(stack.simulatorUrl, 'momo');
  merchant = await stack.createMerchant();
  await fund(stack, merchant, 100_000n);
});
afterAll(async () => {
  await expectClean(stack);
  await stack.stop();
});

interface Wallet {
  provider: string;
  country: string | null;
  currency: string;
  verdict: string;
  difference: string;
  note: string;
}

/** The command ends with 1 while anything is missing. */
async function proved(): Promise<Wallet[]> {
  await malipo(stack, 'float-check', 'run').catch(() => undefined);
  const list = await malipo(stack, 'float-check', 'list', '--json');
  return (JSON.parse(list) as { wallets: Wallet[] }).wallets;
}
const ofZambia = (wallets: Wallet[]) => wallets.find(({ country }) => country === 'ZMB');
const reported = (fields: object) => provider.notify('told', { country: 'ZMB', currency: 'ZMW', ...fields });
const casesOpen = () => stack.db('cases').whereNull('closed_at').select('reason', 'detail');

it('payouts from a wallet that is short are on hold until an operator resumes them, and others continue', async () => {
  const first = await proved();
  expect([...new Set(first.map(({ provider: name }) => name))]).toEqual([
    'daraja',
    'intasend',
    'pawapay',
    'paypal',
  ]);
  expect([...new Set(first.map(({ verdict }) => verdict))]).toEqual(['agrees']);
  await notifiedOf(merchant, idOf(await post(stack, merchant, 'payout', transferBody())), 'Success');
  expect(ofZambia(await proved())).toMatchObject({ verdict: 'agrees', difference: '0.00' });

  // A provider without an answer, or without a number in it, has reported nothing.
  await reported({ says: '1,200.00' });
  expect(ofZambia(await proved())).toMatchObject({ verdict: 'agrees', note: '"1,200.00" is not a balance' });
  await provider.next({ call: 'balances', behave: '429' });
  expect(ofZambia(await proved())).toMatchObject({
    verdict: 'agrees',
    note: expect.stringContaining('429') as unknown,
  });

  await reported({ short_by: '0.01' });
  expect(ofZambia(await proved())).toMatchObject({ verdict: 'short', difference: '-0.01' });
  expect(await casesOpen()).toEqual([]);
  await proved();
  expect(await casesOpen()).toEqual([
    {
      reason: 'float_short',
      detail: expect.stringMatching(/^the pawaPay ZMB ZMW wallet has .*: 0\.01 too little$/) as unknown,
    },
  ]);
  // The API knows it as of a second ago; until then a merchant would wait for a start that does not come.
  await waitFor(
    async () =>
      (await (await fetch(`${stack.opsUrl}/metrics`)).text()).includes(
        'malipo_payout_pauses{environment="sandbox"} 1',
      ),
    { what: 'the API to know of the pause', timeoutMs: 60_000 },
  );
  const waiting = await post(stack, merchant, 'payout', transferBody());
  expect(waiting.body).toMatchObject({ status: 'ENQUEUED', hold_reason: 'PAYOUTS_STOPPED' });
  const kenya = { country: 'KEN', currency: 'KES' } as const;
  await fund(stack, merchant, 1_000_000n, kenya);
  const other = await post(
    stack,
    merchant,
    'payout',
    transferBody({ ...kenya, phone_number: '+254700000789', amount: '1250.00' }),
  );
  await notifiedOf(merchant, idOf(other), 'Success');

  await reported({});
  expect(ofZambia(await proved())).toMatchObject({ verdict: 'agrees', difference: '0.00' });
  expect(await casesOpen()).toEqual([]);
  expect(await malipo(stack, 'payouts', 'list')).toContain('float check');
  expect(await submissionsOf(provider, idOf(waiting))).toEqual([]);
  await malipo(stack, 'payouts', 'resume', '--rail', 'momo', '--country', 'ZMB', '--as', 'amina');
  await notifiedOf(merchant, idOf(waiting), 'Success');
  expect(await submissionsOf(provider, idOf(waiting))).toHaveLength(1);
  const last = await proved();
  expect([...new Set(last.map(({ verdict }) => verdict))]).toEqual(['agrees']);
  const metrics = await (await fetch(`${stack.opsUrl}/metrics`)).text();
  expect(metrics).toMatch(
    /^malipo_float_difference_minor_units\{provider="pawapay",country="ZMB",currency="ZMW",environment="sandbox"\} -?\d/m,
  );
});

it('a balance that is reported by a notification opens a case and pauses nothing', async () => {
  const daraja = simulatorControl(stack.simulatorUrl, 'stk');
  const proven = async () => (await proved()).find(({ provider: name }) => name === 'daraja');
  const before = await stack.db('float_wallets').where({ provider: 'daraja' }).first('balance_minor');
  const { payment_id: id } = await accepted(stack, merchant, { phone_number: '254712345678' });
  const { confirmed_minor: paid } = await ended(stack.db, id, ['succeeded']);
  expect(await proven()).toMatchObject({ verdict: 'agrees', difference: '0.00', currency: 'KES' });
  const after = await stack.db('float_wallets').where({ provider: 'daraja' }).first('balance_minor');
  expect(BigInt(after?.balance_minor ?? 0) - BigInt(before?.balance_minor ?? 0)).toBe(BigInt(paid ?? 0));

  await daraja.notify('told', { says: '1,200.00' });
  expect(await proven()).toMatchObject({ verdict: 'agrees', note: '"1,200.00" is not a balance' });
  await daraja.next({ call: 'balance', behave: '429' });
  expect(await proven()).toMatchObject({
    verdict: 'agrees',
    note: expect.stringContaining('429') as unknown,
  });
  await daraja.notify('told', { short_by: '100000.00' });
  expect(await proven()).toMatchObject({ verdict: 'short' });
  expect(await proven()).toMatchObject({ verdict: 'short' });
  expect(await casesOpen()).toEqual([
    { reason: 'float_short', detail: expect.stringMatching(/^the Safaricom Daraja KES wallet /) as unknown },
  ]);
  expect(await stack.db('payout_pauses').whereNull('ended_at')).toEqual([]);
  await daraja.notify('told', {});
  expect(await proven()).toMatchObject({ verdict: 'agrees' });
  expect(await casesOpen()).toEqual([]);
});
