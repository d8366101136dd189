import { expectClean } from '../../../support/expect-clean';
import { atRest, webhooksOf } from '../../../support/payment-story';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import {
  eventTaken,
  floatOf,
  mayPayOut,
  newPayout,
  payoutRequest,
  post,
  shownAs,
  stored,
  toldOf,
} from '../../../support/rails/walletpay/payment-story';

/** Whatever the provider, the recipient and the network do: the money is sent once, or back in the float. */
describe('a payout, whatever happens', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 60 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'walletpay');
    await mayPayOut(stack, merchant, 100_000_000n);
  });
  afterAll(async () => {
    await expectClean({ ...stack, simulatorUrl: stack.simulatorUrl });
    await stack.stop();
  });

  const statusesOf = async (id: string) => (await webhooksOf(stack.db, id)).map(({ status }) => status);
  const reserved = async () => (await floatOf(stack, merchant)).reserved;
  const freeNow = async () => (await floatOf(stack, merchant)).free;

  it('11: that succeeds is spent once', async () => {
    const before = await freeNow();
    const id = await newPayout(stack, merchant);
    await toldOf(merchant, id, 'Success');
    await atRest(stack.db, id);
    expect(await freeNow()).toBe(before - 4_000n);
    expect(await statusesOf(id)).toEqual(['Success']);
  });

  it.each([
    ['11: fails', 'failed', 'RECEIVER_ACCOUNT_LOCKED'],
    ['13: is denied with its batch', 'denied', 'RISK_DECLINE'],
    ['13: is blocked', 'blocked', 'REGULATORY_BLOCKED'],
  ])('%s, and its float is back', async (_what, name, reason) => {
    const before = await freeNow();
    const id = await newPayout(stack, merchant, { recipient_email: `${name}@example.org` });
    const told = await toldOf(merchant, id, 'Failed');
    expect(told.body).toMatchObject({ failure_code: reason, failure_message: expect.any(String) });
    await atRest(stack.db, id);
    expect(await freeNow()).toBe(before);
  });

  it('12: unclaimed in a batch that is SUCCESS is announced as Pending, and is paid once it is claimed', async () => {
    const before = await freeNow();
    const id = await newPayout(stack, merchant, { recipient_email: 'unclaimed@example.org' });
    await eventTaken(provider, id, 'PAYMENT.PAYOUTSBATCH.SUCCESS');
    await stored(stack, id, { state: 'queued' });
    const told = await toldOf(merchant, id, 'Pending');
    expect(told.body).toMatchObject({
      type: 'payout',
      failure_code: 'RECEIVER_UNREGISTERED',
      failure_message: expect.stringContaining('30 days'),
      credited_amount: null,
    });
    expect(await statusesOf(id)).toEqual(['Pending']);
    expect(await reserved()).toBeGreaterThanOrEqual(4_000n);
    await provider.tell(`items/${id}`, { action: 'claim' });
    await toldOf(merchant, id, 'Success');
    await atRest(stack.db, id);
    expect(await freeNow()).toBe(before - 4_000n);
  });

  it('12: unclaimed and returned by the provider fails, and its float is back', async () => {
    const before = await freeNow();
    const id = await newPayout(stack, merchant, { recipient_email: 'unclaimed@example.org' });
    await stored(stack, id, { state: 'queued' });
    await provider.tell(`items/${id}`, { action: 'return' });
    const told = await toldOf(merchant, id, 'Failed');
    expect(told.body).toMatchObject({ failure_code: 'UNCLAIMED_RETURNED' });
    await atRest(stack.db, id);
    expect(await freeNow()).toBe(before);
  });

  it('13: held stays Pending until the provider has looked at it', async () => {
    const id = await newPayout(stack, merchant, { recipient_email: 'held@example.org' });
    await shownAs(stack, merchant, 'payout_status', { payout_id: id }, { item_status: 'ONHOLD' });
    await provider.tell(`items/${id}`, { action: 'claim' });
    await toldOf(merchant, id, 'Success');
  });

  it('14: whose answer was lost is sent once', async () => {
    const before = await freeNow();
    const id = await newPayout(stack, merchant, { recipient_email: 'lost@example.org' });
    await toldOf(merchant, id, 'Success');
    await atRest(stack.db, id);
    expect(await freeNow()).toBe(before - 4_000n);
  });

  it('14: that nobody answered for is found by its own name, and sent once', async () => {
    const before = await freeNow();
    const request = payoutRequest({ recipient_email: 'ana@example.org' });
    const where = { receiver: 'ana@example.org' };
    await provider.next({ call: 'payout', behave: 'act_then_500', where, times: 1 });
    await provider.next({ call: 'payout', behave: '500', where, times: 1 });
    const { body } = await post(stack, merchant, 'create_payout', request);
    const id = String(body.data?.payout_id);
    const told = await toldOf(merchant, id, 'Success');
    expect(told.body['provider_reference']).toMatch(/^[A-Z0-9]{13}$/);
    await atRest(stack.db, id);
    expect(await freeNow()).toBe(before - 4_000n);
  });

  it('9: whose events are lost is found by asking', async () => {
    const where = { receiver: 'silent@example.org' };
    await provider.next({ call: 'callback', behave: 'drop', where, times: 10 });
    const id = await newPayout(stack, merchant, { recipient_email: 'silent@example.org' });
    await toldOf(merchant, id, 'Success');
  });
});
