import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { malipo } from '../../../faults/support/malipo';
import { expectClean } from '../../../support/expect-clean';
import { call, type ApiAnswer } from '../../../support/merchant-client';
import { caseOpened, ended, openCasesOf } from '../../../support/payments/timeline';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import {
  floatOf,
  fund,
  idOf,
  submissionsOf,
  paidDeposit,
  places,
  post,
  notifiedOf,
  transferBody,
  walletOf,
} from '../../../support/rails/momo/payments';

/**
 * The answer to the second submission says nothing about the first; a received payment stays received, whatever is
 * reported later.
 */
describe('A submission', () => {
  /** Long after the second submission was rejected, and long before the payment ends. */
  const lateMs = 6_000;
  let stack: Stack;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 5 });
    provider = simulatorControl(stack.simulatorUrl, 'momo');
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const arrivesLate = (where: Record<string, string>) =>
    provider.next({ call: 'initiate', behave: 'act_late', ms: lateMs, where });
  const setBalance = (balance: string) =>
    provider.notify('wallets', { country: 'ZMB', currency: 'ZMW', balance });
  const attemptsOf = async (id: string) =>
    (await stack.db('attempts').where({ payment_id: id }).orderBy('n')).map(({ state }) => state);
  const answersTo = async (id: string) =>
    (await submissionsOf(provider, id)).map(({ answer }) => answer?.status);
  async function payer(): Promise<TestMerchant> {
    const merchant = await stack.createMerchant();
    await fund(stack, merchant, 10_000n);
    return merchant;
  }

  describe('whose first attempt got no answer and arrives late', () => {
    it.each([
      ['our token is refused', '+260763040001', 'expired_token', 403],
      ['it is one request too many', '+260763040002', '429', 429],
    ])(
      'payout: %s the second time, so it stays open with its reserve, and is paid once',
      async (_why, phone, how, status) => {
        const merchant = await payer();
        await arrivesLate({ phone_number: phone.slice(1) });
        await provider.next({ call: 'initiate', behave: how, where: { phone_number: phone.slice(1) } });
        const answer = await post(stack, merchant, 'payout', transferBody({ phone_number: phone }));
        expect([answer.status, answer.body.status]).toEqual([200, 'ACCEPTED']);
        const id = idOf(answer);
        expect(await getPaymentOrThrow(stack.db, id)).toMatchObject({ state: 'pending', is_final: 0 });
        expect(await attemptsOf(id)).toEqual(['unknown']);
        expect(await answersTo(id)).toEqual([undefined, status]);
        expect(await floatOf(stack, merchant)).toEqual({ free: 7_450n, reserved: 2_550n });

        await notifiedOf(merchant, id, 'Success');
        expect(await floatOf(stack, merchant)).toEqual({ free: 7_450n, reserved: 0n });
        expect(await answersTo(id)).toHaveLength(2);
      },
    );

    it('payout: our balance there is empty the second time, so it stays open with its reserve, and is paid once', async () => {
      const merchant = await payer();
      const phone_number = '+260763040003';
      await arrivesLate({ phone_number: phone_number.slice(1) });
      await setBalance('0.00');
      const answer = await post(stack, merchant, 'payout', transferBody({ phone_number }));
      await setBalance('1000000.00');
      expect([answer.status, answer.body.status]).toEqual([200, 'ACCEPTED']);
      expect(await floatOf(stack, merchant)).toEqual({ free: 7_450n, reserved: 2_550n });
      await notifiedOf(merchant, idOf(answer), 'Success');
      expect(await floatOf(stack, merchant)).toEqual({ free: 7_450n, reserved: 0n });
      expect(await openCasesOf(stack.db, idOf(answer))).toEqual([]);
    });

    it('refund: rejected the second time, it stays open with its reserve, and is refunded once', async () => {
      const merchant = await stack.createMerchant();
      const phone_number = '+260763040004';
      const deposit = await paidDeposit(stack, merchant, { phone_number });
      const where = { phone_number: phone_number.slice(1), operation: 'REFUND' };
      await arrivesLate(where);
      await provider.next({ call: 'initiate', behave: 'expired_token', where });
      const answer = await post(stack, merchant, 'refund', { transaction_id: deposit });
      expect(answer.status).toBe(200);
      await notifiedOf(merchant, idOf(answer), 'Success');
      expect(await attemptsOf(idOf(answer))).toEqual(['unknown']);
      expect(await walletOf(stack, merchant)).toEqual({ free: 0n, reserved: 0n });
    });

    it('deposit: its content is rejected the second time, as the first time: it has failed', async () => {
      const merchant = await stack.createMerchant();
      const body = { ...places.burkina, preauth_code: '000000' };
      await provider.next({ call: 'initiate', behave: 'drop', where: { phone_number: '22605000789' } });
      const answer = await post(stack, merchant, 'deposit', transferBody(body));
      expect([answer.status, answer.body.code]).toEqual([400, 'PROVIDER_REJECTED_REQUEST']);
      expect(await attemptsOf(idOf(answer))).toEqual(['refused']);
    });
  });

  describe('that the provider has reported, and does not know any more,', () => {
    const forget = (phone_number: string) =>
      provider.next({ call: 'status', behave: 'not_found', times: 1_000, where: { phone_number } });
    /** This much of the payment's own time passes, and a check is due. */
    const pass = (id: string, ms: number) =>
      stack
        .db('payments')
        .where({ payment_id: id })
        .update({ clock_ahead_ms: stack.db.raw('clock_ahead_ms + ?', [ms]), next_check_at: new Date() });
    /** Minutes after its submission the provider does not know it in two checks, half a minute apart. */
    async function unknownToProvider(id: string): Promise<void> {
      await pass(id, 15 * 60_000);
      await waitFor(
        async () => {
          const { unknown_to_provider: since = '' } = (await getPaymentOrThrow(stack.db, id)).details;
          return since !== '' || undefined;
        },
        { what: `payment ${id} to be disowned once`, timeoutMs: 40_000 },
      );
      await pass(id, 30_000);
      expect(await caseOpened(stack.db, id)).toEqual(['unknown_to_provider']);
    }
    const resolveAll = () =>
      malipo(
        stack,
        ...['case', 'resolve', '--all-of', 'unknown_to_provider', '--rail', 'momo'],
        ...['--note', 'the token was that of the sandbox', '--as', 'amina'],
      );
    /** Retries until the process has read the operator's change. */
    const until = (send: () => Promise<ApiAnswer>, status: number) =>
      waitFor(
        async () => {
          const answer = await send();
          return answer.status === status ? answer : undefined;
        },
        { what: `an answer ${String(status)}`, timeoutMs: 20_000 },
      );
    /** It ends with an error if there is one, and reports the same. */
    const doctor = () => malipo(stack, 'doctor').catch((error: unknown) => (error as Error).message);

    it("keeps its reserve and becomes an operator's case; until then nothing is started, and earlier payments are on hold", async () => {
      const merchant = await payer();
      const deposit = await paidDeposit(stack, merchant);
      const id = idOf(await post(stack, merchant, 'payout', transferBody({ phone_number: '+260763050129' })));
      // Two of a bulk that do not get through, and are retried.
      const late = '+260763050789';
      const many = () =>
        call(stack, merchant, 'POST', '/api/v1/momo/bulk_payout', {
          order_id: `MANY-${id}`,
          payouts: ['ROW-1', 'ROW-2'].map((account_reference) =>
            transferBody({ phone_number: late, account_reference }),
          ),
        });
      const where = { phone_number: late.slice(1) };
      await provider.next({ call: 'initiate', behave: '429', times: 1_000, where });
      const { body: taken } = await many();
      const [row = '', dropped = ''] = (taken['payouts'] as Record<string, string>[]).map(
        ({ transaction_id: rowId }) => rowId,
      );
      await forget('260763050129');
      await unknownToProvider(id);
      expect(await getPaymentOrThrow(stack.db, id)).toMatchObject({ is_final: 0 });

      const held = await floatOf(stack, merchant);
      expect(held).toEqual({ free: 2_350n, reserved: 7_650n });
      const refused = await until(() => post(stack, merchant, 'deposit', transferBody()), 503);
      expect(refused.body).toMatchObject({ code: 'PROVIDER_TEMPORARILY_UNAVAILABLE' });
      expect(refused.body).not.toHaveProperty('transaction_id');
      const others = [
        await post(stack, merchant, 'payout', transferBody()),
        await post(stack, merchant, 'refund', { transaction_id: deposit }),
        await call(stack, merchant, 'POST', '/api/v1/momo/bulk_payout', {
          order_id: `OTHERS-${id}`,
          payouts: [transferBody()],
        }),
      ];
      expect(others.map(({ status }) => status)).toEqual([503, 503, 503]);
      expect(await floatOf(stack, merchant)).toEqual(held);
      await waitFor(
        async () => {
          const shown = await (await fetch(`${stack.opsUrl}/metrics`)).text();
          return (
            shown.includes('malipo_provider_account_paused{account="momo",environment="sandbox"} 1') ||
            undefined
          );
        },
        { what: 'the metrics to tell of it', timeoutMs: 20_000 },
      );
      expect(await doctor()).toMatch(/No payment is started through the account of momo \(case \d+\)/);

      for (const each of [row, dropped]) {
        await waitFor(
          async () => (await getPaymentOrThrow(stack.db, each)).details['on_hold'] !== undefined || undefined,
          { what: `row ${each} to be held back`, timeoutMs: 40_000 },
        );
      }
      const cancelled = await post(stack, merchant, 'cancel_payout', { transaction_id: dropped });
      expect([cancelled.status, cancelled.body.status]).toEqual([200, 'CANCELLED']);
      expect(await floatOf(stack, merchant)).toEqual({ free: 4_900n, reserved: 5_100n });
      await notifiedOf(merchant, dropped, 'Cancelled');
      // A repeat of the request is answered as before.
      expect((await many()).status).toBe(200);

      expect(await resolveAll()).toContain('1 case unknown_to_provider of momo closed by amina.');
      await until(() => post(stack, merchant, 'deposit', transferBody()), 200);
      expect(await doctor()).toContain('No account is stopped.');
      await fetch(`${stack.simulatorUrl}/control/reset`, { method: 'POST' });
      await notifiedOf(merchant, row, 'Success');
    });

    it('keeps its reserve, too, if only a check has shown that the provider had it', async () => {
      const merchant = await payer();
      const phone_number = '+260763060129';
      const where = { phone_number: phone_number.slice(1) };
      await provider.next({ call: 'initiate', behave: 'act_then_drop', where });
      await provider.next({ call: 'status', behave: '503', where });
      const id = idOf(
        await until(() => post(stack, merchant, 'payout', transferBody({ phone_number })), 200),
      );
      expect(await attemptsOf(id)).toEqual(['unknown']);
      await ended(stack.db, id, ['processing']);
      await forget(where.phone_number);
      await unknownToProvider(id);
      expect(await floatOf(stack, merchant)).toEqual({ free: 7_450n, reserved: 2_550n });
      await resolveAll();
    });
  });
});
