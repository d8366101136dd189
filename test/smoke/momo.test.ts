import { creditsOf } from '../support/payment-story';
import {
  accepted,
  floatOf,
  fund,
  paidDeposit,
  post,
  toldOf,
  transferBody,
  walletOf,
} from '../support/rails/momo/payment-story';
import { verifySignature } from '../support/webhook-receiver';
import { smoke } from './stage';

const stage = smoke();

it('a deposit is paid and booked, and a part of it is refunded', async () => {
  const { stack, merchant } = stage;
  const depositId = await paidDeposit(stack, merchant);
  const told = await toldOf(merchant, depositId, 'Success');
  verifySignature(told, merchant.webhookSecret);
  expect(told.body).toMatchObject({ type: 'deposit', amount: '25.50', provider: 'MTN_MOMO_ZMB' });
  expect(await creditsOf(stack.db, depositId)).toEqual([2_550n]);

  const refundId = await accepted(stack, merchant, 'refund', { transaction_id: depositId, amount: '5.00' });
  expect((await toldOf(merchant, refundId, 'Success')).body).toMatchObject({
    type: 'refund',
    amount: '5.00',
  });
  expect(await walletOf(stack, merchant)).toEqual({ free: 2_050n, reserved: 0n });
});

it('a payout goes out of the float, and only of what is in it', async () => {
  const { stack, merchant } = stage;
  const short = await post(stack, merchant, 'payout', transferBody());
  expect(short.body).toMatchObject({ success: false, code: 'FLOAT_INSUFFICIENT' });
  await fund(stack, merchant, 100_000n);
  const payoutId = await accepted(stack, merchant, 'payout', transferBody());
  expect((await toldOf(merchant, payoutId, 'Success')).body).toMatchObject({
    type: 'payout',
    amount: '25.50',
  });
  expect(await floatOf(stack, merchant)).toEqual({ free: 97_450n, reserved: 0n });
});
