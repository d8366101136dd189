import { creditsOf } from '../support/payments/timeline';
import {
  accepted,
  floatOf,
  fund,
  paidDeposit,
  post,
  notifiedOf,
  transferBody,
  walletOf,
} from '../support/rails/momo/payments';
import { verifySignature } from '../support/webhook-receiver';
import { smoke } from './stage';

const stage = smoke();

it('a deposit is paid and booked, and partly refunded', async () => {
  const { stack, merchant } = stage;
  const depositId = await paidDeposit(stack, merchant);
  const reported = await notifiedOf(merchant, depositId, 'Success');
  verifySignature(reported, merchant.webhookSecret);
  expect(reported.body).toMatchObject({ type: 'deposit', amount: '25.50', provider: 'MTN_MOMO_ZMB' });
  expect(await creditsOf(stack.db, depositId)).toEqual([2_550n]);

  const refundId = await accepted(stack, merchant, 'refund', { transaction_id: depositId, amount: '5.00' });
  expect((await notifiedOf(merchant, refundId, 'Success')).body).toMatchObject({
    type: 'refund',
    amount: '5.00',
  });
  expect(await walletOf(stack, merchant)).toEqual({ free: 2_050n, reserved: 0n });
});

it('a payout is paid from the float, up to its balance', async () => {
  const { stack, merchant } = stage;
  const short = await post(stack, merchant, 'payout', transferBody());
  expect(short.body).toMatchObject({ success: false, code: 'FLOAT_INSUFFICIENT' });
  await fund(stack, merchant, 100_000n);
  const payoutId = await accepted(stack, merchant, 'payout', transferBody());
  expect((await notifiedOf(merchant, payoutId, 'Success')).body).toMatchObject({
    type: 'payout',
    amount: '25.50',
  });
  expect(await floatOf(stack, merchant)).toEqual({ free: 97_450n, reserved: 0n });
});
