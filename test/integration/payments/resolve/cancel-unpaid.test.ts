import type { ReviewCause } from '../../../../src/domain/commands';
import type { ProviderResult } from '../../../../src/domain/outcome';
import { review } from '../../../../src/payments/resolve/review';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { Operation, UnpaidCancellation } from '../../../../src/rail-kit/rail';
import type { PaymentRow } from '../../../../src/store/tables';
import { insertPayment } from '../../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { fakeContext, type FakeContext } from '../../../support/payments/fakes';

const open: ProviderResult = { kind: 'open', text: 'payment_details_not_found' };
const paid: ProviderResult = { kind: 'succeeded', code: 'COMPLETED', text: 'Visa', amountMinor: 125_000n };
const failed: ProviderResult = { kind: 'failed', code: 'FAILED', text: 'declined' };
const cancellation = (kind: UnpaidCancellation['kind']): UnpaidCancellation => ({
  kind,
  text: `it is ${kind}`,
});

describe('an unpaid payment that is cancelled at its provider', () => {
  let database: TestDatabase;
  let context: FakeContext;
  let deposit: Operation;
  /** The provider's answers to queries, in order; the last one is repeated. */
  let answers: ProviderResult[];
  let cancellations: (UnpaidCancellation | 'never')[];
  /** The requests to the provider, oldest first. */
  let heard: ('question' | 'cancellation')[];
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  beforeEach(() => {
    context = fakeContext(database.db);
    const { deposit: operation } = context.rails.get('stk').operations;
    if (!operation) throw new Error('the rail takes no deposits');
    deposit = operation;
    deposit.uncertainty.whenFailed = 'go_on_checking';
    [answers, cancellations, heard] = [[open], [cancellation('cancelled')], []];
    const next = <T>(reported: T[]): T => {
      const [first, ...later] = reported;
      if (first === undefined) throw new Error('nothing more is said');
      if (later.length > 0) reported.shift();
      return first;
    };
    deposit.retrieveStatus = async () => {
      heard.push('question');
      return next(answers);
    };
    deposit.cancelUnpaid = async (_payment, { timeoutMs }) => {
      heard.push('cancellation');
      const answer = next(cancellations);
      if (answer !== 'never') return answer;
      await new Promise((resolve) => setTimeout(resolve, Math.min(timeoutMs, 50)));
      return cancellation('unknown');
    };
  });
  afterAll(() => database.drop());

  const order = (changes: Partial<PaymentRow> = {}) =>
    insertPayment(database.db, {
      state: 'pending',
      provider_reference: `ref-${String(Math.random())}`,
      accepted_at: new Date(),
      ...changes,
    });
  const check = (paymentId: string, cause: ReviewCause = 'deadline', patient = true) =>
    review(context, { paymentId, cause, patient, ask: (_rail, call) => call() });
  const stateOf = async (paymentId: string) => (await getPaymentOrThrow(database.db, paymentId)).state;
  const triesOf = async (paymentId: string) =>
    (await database.db('attempts').where({ payment_id: paymentId, operation: 'cancel' }).orderBy('n')).map(
      ({ state, detail }) => [state, detail],
    );

  it('is queried first, cancelled, and ends unpaid; the answer is stored', async () => {
    const id = await order();
    await check(id);
    expect(heard).toEqual(['question', 'cancellation']);
    expect([await stateOf(id), await triesOf(id)]).toEqual(['timed_out', [['accepted', 'it is cancelled']]]);
  });

  it('is not cancelled before its time is over', async () => {
    const id = await order();
    await check(id, 'check');
    expect([await stateOf(id), heard]).toEqual(['pending', ['question']]);
  });

  it('is cancelled once, however often it is checked', async () => {
    const id = await order();
    await check(id);
    await check(id, 'check');
    await check(id, 'watch_end');
    expect(heard.filter((what) => what === 'cancellation')).toHaveLength(1);
  });

  it.each(['refused', 'unknown'] as const)('paid meanwhile (%s) ends as paid', async (kind) => {
    const id = await order();
    answers = [open, paid];
    cancellations = [cancellation(kind)];
    await check(id);
    expect([await stateOf(id), (await triesOf(id)).map(([state]) => state)]).toEqual(['succeeded', [kind]]);
    expect(await database.db('outbox').where({ payment_id: id })).toHaveLength(1);
  });

  it('paid before the query is never cancelled', async () => {
    const id = await order();
    answers = [paid];
    await check(id);
    expect([await stateOf(id), heard]).toEqual(['succeeded', ['question']]);
  });

  it('is not cancelled unless the provider says that it is unpaid', async () => {
    const id = await order();
    answers = [{ kind: 'unknown', text: '<html>' }];
    await check(id);
    expect([await stateOf(id), heard]).toEqual(['timed_out', ['question']]);
  });

  it('is left to a patient check after a quick one got no answer', async () => {
    const id = await order();
    cancellations = ['never', cancellation('cancelled')];
    expect(await check(id, 'deadline', false)).toMatchObject({ state: 'pending', unanswered: true });
    await check(id);
    expect((await triesOf(id)).map(([state]) => state)).toEqual(['unknown', 'accepted']);
  });

  it('ends on time without an answer, and is cancelled in later checks, with a maximal number of attempts', async () => {
    const id = await order({ accepted_at: new Date(Date.now() - 1_000) });
    cancellations = ['never'];
    await check(id);
    expect(await stateOf(id)).toBe('timed_out');
    for (let checks = 0; checks < 10; checks += 1) await check(id, 'check');
    expect(await triesOf(id)).toHaveLength(8);
    expect(await stateOf(id)).toBe('timed_out');
  });

  it('that failed, and may be retried at the provider, is cancelled when its time is over', async () => {
    const id = await order({ state: 'failed', is_final: 1, finished_at: new Date() });
    answers = [failed];
    await check(id, 'check');
    expect(heard).toEqual(['question']);
    await check(id);
    expect([await stateOf(id), await triesOf(id)]).toEqual(['failed', [['accepted', 'it is cancelled']]]);
  });

  it('is cancelled once by two concurrent checks', async () => {
    const id = await order();
    await Promise.all([check(id), check(id)]);
    expect((await triesOf(id)).map(([state]) => state)).toEqual(['accepted']);
    expect(heard.filter((what) => what === 'cancellation')).toHaveLength(1);
  });

  it('is not cancelled by a check during another cancellation', async () => {
    const id = await order();
    const { cancelUnpaid } = deposit;
    deposit.cancelUnpaid = async (payment, call) => {
      await check(id);
      return (await cancelUnpaid?.(payment, call)) ?? cancellation('unknown');
    };
    await check(id);
    expect((await triesOf(id)).map(([state]) => state)).toEqual(['accepted']);
    expect(heard.filter((what) => what === 'cancellation')).toHaveLength(1);
  });

  it('whose cancellation was started by a dead process is cancelled by the next', async () => {
    const id = await order();
    deposit.cancelUnpaid = () => Promise.reject(new Error('killed'));
    await expect(check(id)).rejects.toThrow('killed');
    expect((await triesOf(id)).map(([state]) => state)).toEqual(['sent']);
    const aWhileAgo = new Date(Date.now() - 20_000);
    await database.db('attempts').where({ payment_id: id }).update({ sent_at: aWhileAgo });
    deposit.cancelUnpaid = () => Promise.resolve(cancellation('refused'));
    await check(id);
    expect([await stateOf(id), (await triesOf(id)).map(([state]) => state)]).toEqual([
      'timed_out',
      ['sent', 'refused'],
    ]);
  });
});
