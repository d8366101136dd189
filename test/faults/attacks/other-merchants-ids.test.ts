/** Another merchant's ids, in every place that accepts an id. */
import { randomUUID } from 'node:crypto';
import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import { nothingIsOpen } from '../support/ending-well';
import { accepted } from '../../support/rails/stk/payments';
import { expectClean } from '../../support/expect-clean';
import { call, stkPush, paymentIdOf, type ApiAnswer } from '../../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../../support/stack';

interface Place {
  method: 'GET' | 'POST';
  path: string;
  field: string;
  /** Which of the owner's ids is tried there. */
  of: 'stkPush' | 'momoDeposit' | 'momoPayout' | 'xbPush' | 'xbReference';
}

const places: Place[] = [
  { method: 'GET', path: '/api/v1/stk_push/status', field: 'payment_id', of: 'stkPush' },
  { method: 'GET', path: '/api/v1/momo/status', field: 'transaction_id', of: 'momoDeposit' },
  { method: 'GET', path: '/api/v1/momo/status', field: 'transaction_id', of: 'momoPayout' },
  { method: 'POST', path: '/api/v1/momo/refund', field: 'transaction_id', of: 'momoDeposit' },
  { method: 'POST', path: '/api/v1/momo/cancel_payout', field: 'transaction_id', of: 'momoPayout' },
  { method: 'GET', path: '/api/v1/xb/stk_push/status', field: 'invoice_id', of: 'xbPush' },
  { method: 'GET', path: '/api/v1/xb/stk_push/status', field: 'api_ref', of: 'xbReference' },
];

describe("another merchant's id", () => {
  let stack: Stack;
  let owner: TestMerchant;
  let attacker: TestMerchant;
  const ids: Record<Place['of'], string> = {
    stkPush: '',
    momoDeposit: '',
    momoPayout: '',
    xbPush: '',
    xbReference: 'ORDER-OF-THE-OWNER',
  };

  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
    owner = await stack.createMerchant('Owner');
    attacker = await stack.createMerchant('Attacker');
    await transferByHand(stack.db, {
      from: { class: 'bank', currency: 'ZMW' },
      to: { class: 'float', merchantId: owner.merchantId, rail: 'momo', country: 'ZMB', currency: 'ZMW' },
      amountMinor: 100_000n,
      reason: 'test',
      whenShort: 'FLOAT_INSUFFICIENT',
    });
    const momo = {
      amount: '25.50',
      currency: 'ZMW',
      phone_number: '+260763000789',
      country: 'ZMB',
      account_reference: 'INV-1',
    };
    const own = (path: string, body: unknown) => call(stack, owner, 'POST', path, body);
    const deposit = await own('/api/v1/momo/deposit', momo);
    const payout = await own('/api/v1/momo/payout', momo);
    const xb = await own('/api/v1/xb/stk_push', {
      currency: 'UGX',
      country: 'UG',
      phone_number: '256700000789',
      amount: 5000,
      api_ref: ids.xbReference,
    });
    ids.stkPush = (await accepted(stack, owner)).payment_id;
    ids.momoDeposit = String(deposit.body['transaction_id']);
    ids.momoPayout = String(payout.body['transaction_id']);
    ids.xbPush = String(xb.body.data?.['invoice_id']);
    await nothingIsOpen(stack.db);
  });
  afterAll(async () => {
    await nothingIsOpen(stack.db);
    await expectClean(stack);
    await stack.stop();
  });

  function ask(by: TestMerchant, { method, path, field }: Place, id: string): Promise<ApiAnswer> {
    return method === 'GET'
      ? call(stack, by, 'GET', `${path}?${field}=${encodeURIComponent(id)}`)
      : call(stack, by, 'POST', path, { [field]: id });
  }

  /** An answer without the parts that differ each time. */
  function reported({ status, body }: ApiAnswer) {
    const { request_id: _, timestamp: __, timestamp_utc: ___, ...rest } = body;
    return { status, ...rest };
  }

  it.each(places)('looks exactly like an unknown one at $method $path ($field of $of)', async (place) => {
    const known = await ask(owner, place, ids[place.of]);
    expect(reported(known)).not.toEqual(reported(await ask(owner, place, randomUUID())));

    const stolen = await ask(attacker, place, ids[place.of]);
    const unknown = await ask(attacker, place, randomUUID());
    expect(stolen.status).toBe(404);
    expect(reported(stolen)).toEqual(reported(unknown));
    expect(JSON.stringify(stolen.body)).not.toContain(owner.merchantId);
  });

  it('used as an Idempotency-Key is a normal key: it creates the caller’s own payment', async () => {
    const key = { 'Idempotency-Key': ids.stkPush };
    const first = await call(stack, owner, 'POST', '/api/v1/stk_push', stkPush(), key);
    const second = await call(stack, attacker, 'POST', '/api/v1/stk_push', stkPush(), key);
    expect(second.status).toBe(200);
    expect(paymentIdOf(second)).not.toBe(paymentIdOf(first));
  });
});
