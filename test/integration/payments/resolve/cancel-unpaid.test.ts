import type { ReviewCause } from '../../../../src/domain/commands';
import type { Finding } from '../../../../src/domain/outcome';
import { review } from '../../../../src/payments/resolve/review';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { Operation, UnpaidCancellation } from '../../../../src/rail-kit/rail';
import type { PaymentRow } from '../../../../src/store/tables';
import { insertPayment } from '../../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { fakeContext, type FakeContext } from '../../../support/payments/fakes';

const open: Finding = { kind: 'open', text: 'payment_details_not_found' };
const paid: Finding = { kind: 'succeeded', code: 'COMPLETED', text: 'Visa', amountMinor: 125_000n };
const failed: Finding = { kind: 'failed', code: 'FAILED', text: 'declined' };
const said = (kind: UnpaidCancellation['kind']): UnpaidCancellation => ({ kind, text: `it is ${kind}` });

describe('a payment that its provider must be told to take no more', () => {
  let database: TestDatabase;
  let context: FakeContext;
  let deposit: Operation;
  /** What the provider answers to questions, in their order; the last one stays. */
  let answers: Finding[];
  let cancellations: (UnpaidCancellation | 'never')[];
  /** What was asked of it, oldest first. */
  let heard: ('question' | 'cancellation')[];
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  beforeEach(() => {
    context = fakeContext(database.db);
    const { deposit: operation } = context.rails.get('stk').operations;
    if (!operation) throw new Error('the rail takes no deposits');
    deposit = operation;
    deposit.inDoubt.whenFailed = 'go_on_checking';
    [answers, cancellations, heard] = [[open], [said('cancelled')], []];
    const next = <T>(told: T[]): T => {
      const [first, ...later] = told;
      if (first === undefined) throw new Error('nothing more is said');
      if (later.length > 0) told.shift();
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
      return said('unknown');
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
  const look = (paymentId: string, cause: ReviewCause = 'deadline', patient = true) =>
    review(context, { paymentId, cause, patient, ask: (_rail, call) => call() });
  const stateOf = async (paymentId: string) => (await getPaymentOrThrow(database.db, paymentId)).state;
  const triesOf = async (paymentId: string) =>
    (await database.db('attempts').where({ payment_id: paymentId, operation: 'cancel' }).orderBy('n')).map(
      ({ state, detail }) => [state, detail],
    );

  it('is asked about first, cancelled, and ends unpaid; what was said is kept', async () => {
    const id = await order();
    await look(id);
    expect(heard).toEqual(['question', 'cancellation']);
    expect([await stateOf(id), await triesOf(id)]).toEqual(['timed_out', [['accepted', 'it is cancelled']]]);
  });

  it('is left alone before its time is over', async () => {
    const id = await order();
    await look(id, 'check');
    expect([await stateOf(id), heard]).toEqual(['pending', ['question']]);
  });

  it('is cancelled once, however often it is looked at', async () => {
    const id = await order();
    await look(id);
    await look(id, 'check');
    await look(id, 'watch_end');
    expect(heard.filter((what) => what === 'cancellation')).toHaveLength(1);
  });

  it.each(['refused', 'unknown'] as const)('paid meanwhile (%s) ends as paid', async (kind) => {
    const id = await order();
    answers = [open, paid];
    cancellations = [said(kind)];
    await look(id);
    expect([await stateOf(id), (await triesOf(id)).map(([state]) => state)]).toEqual(['succeeded', [kind]]);
    expect(await database.db('outbox').where({ payment_id: id })).toHaveLength(1);
  });

  it('paid before it was asked about is never cancelled', async () => {
    const id = await order();
    answers = [paid];
    await look(id);
    expect([await stateOf(id), heard]).toEqual(['succeeded', ['question']]);
  });

  it('is not cancelled while the provider does not say that it is unpaid', async () => {
    const id = await order();
    answers = [{ kind: 'unknown', text: '<html>' }];
    await look(id);
    expect([await stateOf(id), heard]).toEqual(['timed_out', ['question']]);
  });

  it('is given to a patient look where a hasty one was not answered', async () => {
    const id = await order();
    cancellations = ['never', said('cancelled')];
    expect(await look(id, 'deadline', false)).toMatchObject({ state: 'pending', unanswered: true });
    await look(id);
    expect((await triesOf(id)).map(([state]) => state)).toEqual(['unknown', 'accepted']);
  });

  it('ends by its time though the provider never answers, and is tried in later looks, a bounded number of times', async () => {
    const id = await order({ accepted_at: new Date(Date.now() - 1_000) });
    cancellations = ['never'];
    await look(id);
    expect(await stateOf(id)).toBe('timed_out');
    for (let looks = 0; looks < 10; looks += 1) await look(id, 'check');
    expect(await triesOf(id)).toHaveLength(8);
    expect(await stateOf(id)).toBe('timed_out');
  });

  it('that failed, and may be tried again at the provider, is cancelled when its time is over', async () => {
    const id = await order({ state: 'failed', is_final: 1, finished_at: new Date() });
    answers = [failed];
    await look(id, 'check');
    expect(heard).toEqual(['question']);
    await look(id);
    expect([await stateOf(id), await triesOf(id)]).toEqual(['failed', [['accepted', 'it is cancelled']]]);
  });

  it('is cancelled once by two who look at the same moment', async () => {
    const id = await order();
    await Promise.all([look(id), look(id)]);
    expect((await triesOf(id)).map(([state]) => state)).toEqual(['accepted']);
    expect(heard.filter((what) => what === 'cancellation')).toHaveLength(1);
  });

  it('is left alone by who looks while it is being cancelled', async () => {
    const id = await order();
    const { cancelUnpaid } = deposit;
    deposit.cancelUnpaid = async (payment, call) => {
      await look(id);
      return (await cancelUnpaid?.(payment, call)) ?? said('unknown');
    };
    await look(id);
    expect((await triesOf(id)).map(([state]) => state)).toEqual(['accepted']);
    expect(heard.filter((what) => what === 'cancellation')).toHaveLength(1);
  });

  it('whose cancellation was begun by a process that died is cancelled by the next', async () => {
    const id = await order();
    deposit.cancelUnpaid = () => Promise.reject(new Error('killed'));
    await expect(look(id)).rejects.toThrow('killed');
    expect((await triesOf(id)).map(([state]) => state)).toEqual(['sent']);
    const aWhileAgo = new Date(Date.now() - 20_000);
    await database.db('attempts').where({ payment_id: id }).update({ sent_at: aWhileAgo });
    deposit.cancelUnpaid = () => Promise.resolve(said('refused'));
    await look(id);
    expect([await stateOf(id), (await triesOf(id)).map(([state]) => state)]).toEqual([
      'timed_out',
      ['sent', 'refused'],
    ]);
  });
});
