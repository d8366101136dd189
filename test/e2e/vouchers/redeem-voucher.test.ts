import type { VoucherResult } from '../../../src/domain/commands';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { checkVoucher } from '../../../src/vouchers/end-voucher';
import { createVoucherEngine } from '../../../src/vouchers/voucher-engine';
import { expectClean } from '../../support/expect-clean';
import { call } from '../../support/merchant-client';
import { silentLog } from '../../support/silent-log';
import { sharedStack } from '../../support/shared-stack';
import type { Stack, TestMerchant } from '../../support/stack';
import { connectEngine, type TestEngine } from '../../support/workflows/temporal-client';
import {
  codeMailedTo,
  create,
  fund,
  mailsTo,
  redeem,
  stateOf,
  walletOf,
} from '../../support/vouchers/vouchers';

describe('POST /api/v1/redeem_voucher', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let engine: TestEngine;
  beforeAll(async () => {
    stack = await sharedStack();
    merchant = await stack.createMerchant();
    await fund(stack, merchant, 1_000_000n);
    engine = await connectEngine(stack);
  });
  afterAll(async () => {
    await engine.close();
    await expectClean(stack);
    await stack.stop();
  });

  const voucherRow = async (id: unknown) => {
    const row = await stack
      .db('vouchers')
      .where({ voucher_id: String(id) })
      .first();
    if (!row) throw new Error(`no voucher ${String(id)}`);
    return row;
  };
  const workflowEnd = async (id: unknown): Promise<unknown> =>
    engine.client.workflow
      .getHandle<() => Promise<VoucherResult>>((await voucherRow(id)).workflow_id)
      .result();

  it('200 returns the amount to the wallet, once, and ends the workflow', async () => {
    const created = await create(stack, merchant, { email: 'once@example.org' });
    const before = await walletOf(stack, merchant);
    const code = await codeMailedTo(stack, 'once@example.org');
    const { status, body } = await redeem(stack, merchant, code.toLowerCase().replaceAll('-', ' '));
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, data: { ...created.body.data, status: 'Redeemed' } });
    expect((await walletOf(stack, merchant)) - before).toBe(25_000n);
    expect(await workflowEnd(created.body.data?.['voucher_id'])).toMatchObject({ status: 'redeemed' });
  });

  it('is found in Temporal by the same keys as payments', async () => {
    const created = await create(stack, merchant, { email: 'found@example.org' });
    const { voucher_id: voucherId, workflow_id: workflowId } = await voucherRow(
      created.body.data?.['voucher_id'],
    );
    const described = await engine.client.workflow.getHandle(workflowId).describe();
    const attributes = [...described.typedSearchAttributes.getAll()].map(({ key, value }) => [
      key.name,
      value,
    ]);
    expect(Object.fromEntries(attributes)).toMatchObject({
      MalipoMerchant: merchant.merchantId,
      MalipoRail: 'voucher',
      MalipoStatus: 'active',
      MalipoReference: voucherId,
    });
  });

  it('409 for a second request, and of twenty concurrent ones only one succeeds', async () => {
    await create(stack, merchant, { email: 'twenty@example.org' });
    const code = await codeMailedTo(stack, 'twenty@example.org');
    const before = await walletOf(stack, merchant);
    const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(stack, merchant, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === 'VOUCHER_NOT_ACTIVE')).toHaveLength(19);
    expect((await walletOf(stack, merchant)) - before).toBe(25_000n);
  });

  it("404 for an unknown code and for another merchant's, with the same answer", async () => {
    await create(stack, merchant, { email: 'other@example.org' });
    const code = await codeMailedTo(stack, 'other@example.org');
    const otherMerchant = await stack.createMerchant();
    const theirs = await redeem(stack, otherMerchant, code);
    const nobodys = await redeem(stack, otherMerchant, '0000-0000-0000-0000');
    expect([theirs.status, theirs.body.code]).toEqual([404, 'VOUCHER_NOT_FOUND']);
    expect([nobodys.status, nobodys.body.error]).toEqual([404, theirs.body.error]);
    expect((await redeem(stack, merchant, code)).status).toBe(200);
  });

  it.each([undefined, '', 7, {}])('400 for the code %j', async (code) => {
    expect((await redeem(stack, merchant, code)).status).toBe(400);
  });

  it('401 without credentials', async () => {
    expect((await call(stack, undefined, 'POST', '/api/v1/redeem_voucher', { code: 'x' })).status).toBe(401);
  });

  describe('after 90 days', () => {
    it('it is expired, and the money is back in the wallet', async () => {
      const created = await create(stack, merchant, { email: 'late@example.org' });
      const code = await codeMailedTo(stack, 'late@example.org');
      const before = await walletOf(stack, merchant);
      const vouchers = createVoucherEngine(engine.client, {
        db: stack.db,
        log: silentLog,
        taskQueue: stack.env['MALIPO_TASK_QUEUE'] ?? '',
        environment: 'sandbox',
      });
      const voucher = await voucherRow(created.body.data?.['voucher_id']);
      await vouchers.advance(voucher, 89 * 86_400_000);
      expect(await stateOf(stack, created)).toBe('active');
      await vouchers.advance(voucher, 86_400_000);
      expect(await workflowEnd(voucher.voucher_id)).toMatchObject({ status: 'expired' });
      expect((await walletOf(stack, merchant)) - before).toBe(25_000n);
      const { status, body } = await redeem(stack, merchant, code);
      expect([status, body.code]).toEqual([409, 'VOUCHER_NOT_ACTIVE']);
    });

    it('the first of redemption and expiry wins', async () => {
      const emails = Array.from({ length: 10 }, (_, n) => `race${String(n)}@example.org`);
      const created = await Promise.all(emails.map((email) => create(stack, merchant, { email })));
      const codes = await Promise.all(emails.map((email) => codeMailedTo(stack, email)));
      const before = await walletOf(stack, merchant);
      await Promise.all(
        created.flatMap(({ body }, n) => [
          redeem(stack, merchant, codes[n]),
          checkVoucher(stack.db, { voucherId: String(body.data?.['voucher_id']), isOver: true }),
        ]),
      );
      expect((await walletOf(stack, merchant)) - before).toBe(250_000n);
    });
  });

  it('returns the money at once when the recipient does not exist', async () => {
    const before = await walletOf(stack, merchant);
    const created = await create(stack, merchant, { email: 'nobody@invalid.example' });
    const { mail_id: mailId } = await voucherRow(created.body.data?.['voucher_id']);
    await waitFor(
      async () =>
        (await stateOf(stack, created)) === 'expired' ||
        (await mailsTo(stack, 'nobody@invalid.example')).length > 0,
      {
        what: 'the mail to end',
        timeoutMs: 30_000,
      },
    );
    expect(await stack.db('mails').where({ mail_id: mailId }).first()).toMatchObject({ state: 'dead' });
    expect(await walletOf(stack, merchant)).toBe(before);
  });
});
