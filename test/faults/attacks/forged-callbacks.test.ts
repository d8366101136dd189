/** An attacker reports that a payment was made. STK callbacks have no signature. */
import { randomBytes } from 'node:crypto';
import type { PaymentRow } from '../../../src/store/tables';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { simulatorControl, type SimulatorControl } from '../../support/rails/simulator-control';
import {
  accepted,
  balanceOf,
  callbackBody,
  creditsOf,
  ended,
  notify,
  openCasesOf,
} from '../../support/rails/stk/payments';
import { expectClean } from '../../support/expect-clean';
import { startStack, type Stack, type TestMerchant } from '../../support/stack';
import { nothingIsOpen } from '../support/ending-well';

describe('a forged notification', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'stk');
  });
  afterAll(() => stack.stop());

  /** Waits on the payer's handset for a decision. */
  let payers = 0;
  const waiting = (changes: Record<string, unknown> = {}): Promise<PaymentRow> => {
    payers += 1;
    return accepted(stack, merchant, {
      phone_number: `25472${String(payers).padStart(4, '0')}600`,
      ...changes,
    });
  };

  it('to an unknown path is rejected and stores nothing', async () => {
    const payment = await waiting();
    const token = randomBytes(16).toString('hex');
    expect((await notify(stack, payment, callbackBody(payment), { token })).status).toBe(404);
    for (const strange of [
      '',
      'x',
      `${payment.callback_token ?? ''}0`,
      '../../etc/passwd',
      '%00',
      "' OR 1=1",
    ]) {
      const answer = await fetch(`${stack.apiUrl}/in/stk/${strange}`, { method: 'POST', body: '{}' });
      expect([404, 405]).toContain(answer.status);
    }
    expect(await stack.db('inbox')).toEqual([]);
    expect(await creditsOf(stack.db, payment.payment_id)).toEqual([]);
  });

  it('with the right path and the id of another payment is rejected', async () => {
    const [one, other] = [await waiting(), await waiting()];
    const checkoutRequestId = other.provider_reference ?? '';
    const answer = await notify(stack, one, callbackBody(one, { checkoutRequestId }));
    expect(answer.status).toBe(400);
    expect(await stack.db('inbox').whereIn('payment_id', [one.payment_id, other.payment_id])).toEqual([]);
  });

  it.each([
    ['nothing', ''],
    ['no JSON', '<xml/>'],
    ['no callback', '{"Body":{}}'],
    ['null', 'null'],
    ['a deep nest', `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
    ['a callback without a code', '{"Body":{"stkCallback":{"CheckoutRequestID":"ws_CO_1"}}}'],
  ])('that is %s is rejected', async (_, body) => {
    const payment = await waiting();
    const answer = await fetch(`${stack.apiUrl}/in/stk/${payment.callback_token ?? ''}`, {
      method: 'POST',
      body,
    });
    expect(answer.status).toBe(400);
    expect(await creditsOf(stack.db, payment.payment_id)).toEqual([]);
  });

  it('that is correct in every field credits nothing while the provider knows no payment', async () => {
    const payment = await waiting();
    expect((await notify(stack, payment, callbackBody(payment))).status).toBe(200);
    // The provider's query result is that the prompt is still open, and later that it timed out.
    await waitFor(async () => (await provider.exchanges('query')).length > 0 || undefined, {
      what: 'the provider to be queried',
      timeoutMs: 20_000,
    });
    expect(await creditsOf(stack.db, payment.payment_id)).toEqual([]);
    expect(await balanceOf(stack, merchant)).toBe(0);
    const cases = await waitFor(
      async () => {
        const open = await openCasesOf(stack.db, payment.payment_id);
        return open.length > 0 ? open : undefined;
      },
      { what: 'a case', timeoutMs: 30_000 },
    );
    expect(cases).toEqual(['success_not_confirmed']);
    expect(await creditsOf(stack.db, payment.payment_id)).toEqual([]);
  });

  it('after a cancellation credits nothing', async () => {
    const payment = await waiting();
    await provider.decide(payment.provider_reference ?? '', 'cancel');
    await ended(stack.db, payment.payment_id, ['cancelled']);
    expect((await notify(stack, payment, callbackBody(payment))).status).toBe(200);
    await waitFor(async () => (await openCasesOf(stack.db, payment.payment_id)).length > 0 || undefined, {
      what: 'a case',
      timeoutMs: 30_000,
    });
    expect((await ended(stack.db, payment.payment_id)).state).toBe('cancelled');
    expect(await creditsOf(stack.db, payment.payment_id)).toEqual([]);
  });

  it('of a failure after a success debits nothing', async () => {
    const payment = await accepted(stack, merchant);
    await ended(stack.db, payment.payment_id, ['succeeded']);
    expect((await notify(stack, payment, callbackBody(payment, { resultCode: 1032 }))).status).toBe(200);
    await waitFor(async () => (await openCasesOf(stack.db, payment.payment_id)).length > 0 || undefined, {
      what: 'a case',
      timeoutMs: 30_000,
    });
    expect((await ended(stack.db, payment.payment_id)).state).toBe('succeeded');
    expect(await creditsOf(stack.db, payment.payment_id)).toEqual([125_000n]);
  });

  it('leaves books that agree with the provider’s, once each case is resolved', async () => {
    // An unconfirmed report stays unread until an operator decides; it was never booked.
    await stack.db('inbox').where({ state: 'new' }).update({ state: 'ignored', reason: 'forged' });
    await nothingIsOpen(stack.db);
    await expectClean(stack);
  });
});
