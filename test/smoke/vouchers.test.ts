import { codeMailedTo, create, fund, redeem, walletOf } from '../support/vouchers/vouchers';
import { smoke } from './stage';

const stage = smoke();

it('a voucher is mailed, redeemed once, and its money returns to the wallet', async () => {
  const { stack, merchant } = stage;
  await fund(stack, merchant, 100_000n);
  const created = await create(stack, merchant, { email: 'smoke@example.org', amount: '250.00' });
  expect(created.body).toMatchObject({ success: true, data: { status: 'Active' } });
  expect(await walletOf(stack, merchant)).toBe(75_000n);
  const code = await codeMailedTo(stack, 'smoke@example.org');
  expect((await redeem(stack, merchant, code)).body).toMatchObject({ data: { status: 'Redeemed' } });
  expect(await walletOf(stack, merchant)).toBe(100_000n);
  expect((await redeem(stack, merchant, code)).body).toMatchObject({ code: 'VOUCHER_NOT_ACTIVE' });
});
