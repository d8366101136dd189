import { getPaymentOrThrow } from '../../../src/payments/payments';
import { expectClean } from '../../support/expect-clean';
import { caseOpened, ended, openCasesOf } from '../../support/payment-story';
import { startStack, type Stack, type TestMerchant } from '../../support/stack';
import { simulatorControl, type SimulatorControl } from '../simulator-control';
import {
  floatOf,
  fund,
  idOf,
  instructionsOf,
  paidDeposit,
  places,
  post,
  toldOf,
  transferBody,
  walletOf,
} from './payment-story';

/** What the second sending is answered says nothing of the first; what was received stays so, whatever is said later. */
describe('An instruction', () => {
  /** Long after the second sending was refused, and long before anybody gives it up. */
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
    provider.tell('wallets', { country: 'ZMB', currency: 'ZMW', balance });
  const attemptsOf = async (id: string) =>
    (await stack.db('attempts').where({ payment_id: id }).orderBy('n')).map(({ state }) => state);
  const answersTo = async (id: string) =>
    (await instructionsOf(provider, id)).map(({ answer }) => answer?.status);
  async function payer(): Promise<TestMerchant> {
    const merchant = await stack.createMerchant();
    await fund(stack, merchant, 10_000n);
    return merchant;
  }

  describe('whose first sending got no answer and arrives late', () => {
    it.each([
      ['our token is refused', '+260763040001', 'expired_token', 403],
      ['it is one request too many', '+260763040002', '429', 429],
    ])(
      'payout: %s the second time, so it stays open, held, and is paid once',
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

        await toldOf(merchant, id, 'Success');
        expect(await floatOf(stack, merchant)).toEqual({ free: 7_450n, reserved: 0n });
        expect(await answersTo(id)).toHaveLength(2);
      },
    );

    it('payout: our purse there is empty the second time, so it stays open, held, and is paid once', async () => {
      const merchant = await payer();
      const phone_number = '+260763040003';
      await arrivesLate({ phone_number: phone_number.slice(1) });
      await setBalance('0.00');
      const answer = await post(stack, merchant, 'payout', transferBody({ phone_number }));
      await setBalance('1000000.00');
      expect([answer.status, answer.body.status]).toEqual([200, 'ACCEPTED']);
      expect(await floatOf(stack, merchant)).toEqual({ free: 7_450n, reserved: 2_550n });
      await toldOf(merchant, idOf(answer), 'Success');
      expect(await floatOf(stack, merchant)).toEqual({ free: 7_450n, reserved: 0n });
      expect(await openCasesOf(stack.db, idOf(answer))).toEqual([]);
    });

    it('refund: refused the second time, it stays open and held, and is given back once', async () => {
      const merchant = await stack.createMerchant();
      const phone_number = '+260763040004';
      const deposit = await paidDeposit(stack, merchant, { phone_number });
      const where = { phone_number: phone_number.slice(1), operation: 'REFUND' };
      await arrivesLate(where);
      await provider.next({ call: 'initiate', behave: 'expired_token', where });
      const answer = await post(stack, merchant, 'refund', { transaction_id: deposit });
      expect(answer.status).toBe(200);
      await toldOf(merchant, idOf(answer), 'Success');
      expect(await attemptsOf(idOf(answer))).toEqual(['unknown']);
      expect(await walletOf(stack, merchant)).toEqual({ free: 0n, reserved: 0n });
    });

    it('deposit: its words are refused the second time, as they were the first: it has failed', async () => {
      const merchant = await stack.createMerchant();
      const body = { ...places.burkina, preauth_code: '000000' };
      await provider.next({ call: 'initiate', behave: 'drop', where: { phone_number: '22605000789' } });
      const answer = await post(stack, merchant, 'deposit', transferBody(body));
      expect([answer.status, answer.body.code]).toEqual([400, 'PROVIDER_REJECTED_REQUEST']);
      expect(await attemptsOf(idOf(answer))).toEqual(['refused']);
    });
  });

  describe('that the provider has told of, and does not know any more,', () => {
    const forget = (phone_number: string) =>
      provider.next({ call: 'status', behave: 'not_found', times: 1_000, where: { phone_number } });
    /** A quarter of an hour passes, in the time of the sandbox. */
    async function grow(id: string) {
      const { accepted_at: at } = await getPaymentOrThrow(stack.db, id);
      await stack
        .db('payments')
        .where({ payment_id: id })
        .update({ accepted_at: new Date((at ?? new Date()).getTime() - 15 * 60_000) });
    }

    it('keeps its hold and is a person’s to judge: NOT_FOUND is no failure of it', async () => {
      const merchant = await payer();
      const phone_number = '+260763050129';
      const id = idOf(await post(stack, merchant, 'payout', transferBody({ phone_number })));
      await forget(phone_number.slice(1));
      await grow(id);
      expect(await caseOpened(stack.db, id)).toEqual(['provider_disowns']);
      expect(await getPaymentOrThrow(stack.db, id)).toMatchObject({ is_final: 0 });
      expect(await floatOf(stack, merchant)).toEqual({ free: 7_450n, reserved: 2_550n });
    });

    it('keeps its hold, too, where only a look has shown that the provider had it', async () => {
      const merchant = await payer();
      const phone_number = '+260763060129';
      const where = { phone_number: phone_number.slice(1) };
      await provider.next({ call: 'initiate', behave: 'act_then_drop', where });
      await provider.next({ call: 'status', behave: '503', where });
      const id = idOf(await post(stack, merchant, 'payout', transferBody({ phone_number })));
      expect(await attemptsOf(id)).toEqual(['unknown']);
      await ended(stack.db, id, ['processing']);
      await forget(where.phone_number);
      await grow(id);
      expect(await caseOpened(stack.db, id)).toEqual(['provider_disowns']);
      expect(await floatOf(stack, merchant)).toEqual({ free: 7_450n, reserved: 2_550n });
    });
  });
});
