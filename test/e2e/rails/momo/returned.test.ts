/** A network returns a payout. The provider does not report it, so an operator enters it. */
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { contract } from '../../../faults/contract/rails/momo';
import { malipo } from '../../../faults/support/malipo';
import { expectClean } from '../../../support/expect-clean';
import { atRest, caseOpened } from '../../../support/payments/timeline';
import { sharedStack } from '../../../support/shared-stack';
import type { Stack, TestMerchant } from '../../../support/stack';
import {
  accepted,
  callbacksOf,
  floatOf,
  fund,
  idOf,
  paidDeposit,
  post,
  shownAs,
  notifiedOf,
  transferBody,
  walletOf,
} from '../../../support/rails/momo/payments';

describe('a payment that its network returned after it was COMPLETED', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  beforeAll(async () => {
    stack = await sharedStack({ timeScale: 20 });
    merchant = await stack.createMerchant();
    await fund(stack, merchant, 10_000n);
  });
  afterAll(async () => {
    // Not compared with the provider's books, which have no return.
    const { db, env, formerMerchants } = stack;
    await expectClean({ db, env, formerMerchants });
    await stack.stop();
  });

  /** The provider contradicts itself, and the operator reads its statement. */
  async function takenBack(id: string): Promise<void> {
    await notifiedOf(merchant, id, 'Success');
    await contract.contradict?.(stack, await getPaymentOrThrow(stack.db, id));
    expect(await caseOpened(stack.db, id)).toEqual(['contradictory_outcome']);
    const found = await stack.db('cases').where({ payment_id: id }).first('case_id');
    const decision = ['--outcome', 'returned', '--note', 'the statement shows it', '--as', 'amina'];
    await malipo(stack, 'case', 'resolve', found?.case_id ?? '', ...decision);
    await notifiedOf(merchant, id, 'Failed');
    await atRest(stack.db, id);
  }
  const asReported = {
    requested_amount: '25.50',
    amount: '0.00',
    returned_amount: '25.50',
    failure_code: 'PAYOUT_RETURNED',
    failure_message: expect.any(String) as unknown,
  };

  it('a payout: its float has it again, and the merchant is notified', async () => {
    const before = await floatOf(stack, merchant);
    const id = await accepted(stack, merchant, 'payout', transferBody());
    await takenBack(id);
    expect(await floatOf(stack, merchant)).toEqual(before);
    const reported = callbacksOf(merchant, id).map(({ body }) => body);
    expect(reported.map(({ status }) => status)).toEqual(['Success', 'Failed']);
    expect(reported.at(-1)).toMatchObject({ ...asReported, type: 'payout', correction: true });
    const { body } = await shownAs(stack, merchant, id, { status: 'FAILED', payment_status: 'Failed' });
    expect(body).toMatchObject({ ...asReported, is_final: true, cancellable: false });
  });

  it('a refund: the wallet has it again, and the provider decides about another refund', async () => {
    const deposit = await paidDeposit(stack, merchant);
    const before = await walletOf(stack, merchant);
    const id = await accepted(stack, merchant, 'refund', { transaction_id: deposit });
    await takenBack(id);
    expect(await walletOf(stack, merchant)).toEqual(before);
    expect(callbacksOf(merchant, id).at(-1)?.body).toMatchObject({ ...asReported, type: 'refund' });
    // We may send it; this provider, which knows of no return, rejects it.
    const again = idOf(await post(stack, merchant, 'refund', { transaction_id: deposit }));
    const refused = await notifiedOf(merchant, again, 'Failed');
    expect(refused.body).toMatchObject({ failure_code: 'REFUND_EXCEEDS_REMAINDER' });
    expect(await walletOf(stack, merchant)).toEqual(before);
  });
});
