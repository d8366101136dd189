/** A provider that does not know what it has told of before: twice is a person's question, and that once. */
import type { Finding } from '../../../../src/domain/outcome';
import { closeAllOf, closeCase, openCase } from '../../../../src/controls/cases';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { review } from '../../../../src/payments/resolve/review';
import { findStops } from '../../../../src/payments/submit/stopped-accounts';
import type { PaymentRow } from '../../../../src/store/tables';
import { insertPayment } from '../../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { open } from '../../../support/payments/evidence';
import { fakeContext, type FakeContext } from '../../../support/payments/fakes';

const disowned: Finding = { kind: 'open', text: 'NOT_FOUND', disowned: true };
const neverReceived: Finding = {
  kind: 'failed',
  code: 'NOT_RECEIVED',
  text: 'never received',
  neverReceived: true,
};

describe('a payment that its provider disowns', () => {
  let database: TestDatabase;
  let context: FakeContext;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  beforeEach(async () => {
    context = fakeContext(database.db);
    await database.db('cases').delete();
  });
  afterAll(() => database.drop());

  const pending = (changes: Partial<PaymentRow> = {}) =>
    insertPayment(database.db, {
      ...{ state: 'pending', accepted_at: new Date(Date.now() - 3_600_000), provider_reference: null },
      ...changes,
    });
  const named = (id: string) =>
    database.db('payments').where({ payment_id: id }).update({ provider_reference: id });
  async function disownable(): Promise<string> {
    const id = await pending();
    await named(id);
    return id;
  }
  const look = (paymentId: string, finding: Finding) => {
    context.provider.finding = finding;
    return review(context, { paymentId, cause: 'check', patient: true, ask: (_rail, call) => call() });
  };
  /** Its own clock, and no other's, moves forward. */
  const later = (id: string) =>
    database
      .db('payments')
      .where({ payment_id: id })
      .update({ clock_ahead_ms: database.db.raw('clock_ahead_ms + 60000') });
  async function disown(id: string): Promise<void> {
    await look(id, disowned);
    await later(id);
    await look(id, disowned);
  }
  const casesOf = (id: string) => database.db('cases').where({ payment_id: id }).orderBy('case_id');
  const stops = async () => (await findStops(database.db)).map(({ account }) => account);

  it('is a case at the second look, is asked about no more after a person has closed it, and anew once it was known', async () => {
    const id = await disownable();
    expect(await look(id, disowned)).toMatchObject({ unconfirmed: true, state: 'pending' });
    expect([await casesOf(id), await stops()]).toEqual([[], []]);
    await later(id);
    expect(await look(id, disowned)).toMatchObject({ unconfirmed: false, state: 'pending' });
    const [found] = await casesOf(id);
    expect(found).toMatchObject({ reason: 'provider_disowns', stops: 'stk', closed_at: null });
    expect(await stops()).toEqual(['stk']);

    await closeCase(database.db, found?.case_id ?? '', 'amina', 'it was the token of the sandbox');
    expect(await stops()).toEqual([]);
    await later(id);
    await disown(id);
    expect(await casesOf(id)).toHaveLength(1);

    await look(id, open);
    await later(id);
    await disown(id);
    expect(await casesOf(id)).toHaveLength(2);
    expect(await stops()).toEqual(['stk']);
  });

  it('that it is known again is noted, and stops its account until a person decides: another token may be wrong still', async () => {
    const id = await disownable();
    for (let n = 0; n < 3; n += 1) {
      await disown(id);
      await look(id, open);
      expect(await stops()).toEqual(['stk']);
      await later(id);
    }
    expect(await casesOf(id)).toMatchObject([
      { closed_at: null, detail: 'the provider knew it again later: NOT_FOUND' },
    ]);
    await look(id, { kind: 'failed', code: '1', text: 'declined' });
    expect(await getPaymentOrThrow(database.db, id)).toMatchObject({ state: 'failed' });
    expect(await stops()).toEqual(['stk']);
    await closeAllOf(database.db, { reason: 'provider_disowns', rail: 'stk' }, 'amina', 'mended');
    expect(await stops()).toEqual([]);
  });

  it('stops its account by the case that is open, too, which a process of an earlier version opened', async () => {
    const id = await disownable();
    await openCase(database.db, id, { reason: 'provider_disowns', detail: 'seen before' });
    expect(await stops()).toEqual([]);
    await disown(id);
    expect(await casesOf(id)).toMatchObject([{ detail: 'seen before', closed_at: null }]);
    expect(await stops()).toEqual(['stk']);
    await openCase(database.db, id, { reason: 'provider_disowns', detail: 'again', stops: 'momo' });
    expect(await stops()).toEqual(['stk']);
  });

  it('is one case, however many learn of it at once', async () => {
    const id = await disownable();
    await look(id, disowned);
    await later(id);
    await Promise.all(Array.from({ length: 8 }, () => look(id, disowned)));
    expect(await casesOf(id)).toHaveLength(1);
  });

  it('makes that nothing is believed never to have been received, until it is decided', async () => {
    const [id, other] = [await disownable(), await disownable()];
    await disown(id);
    expect(await look(other, neverReceived)).toMatchObject({ state: 'pending' });
    const [found] = await casesOf(id);
    await closeCase(database.db, found?.case_id ?? '', 'amina', 'a slip of theirs');
    expect(await look(other, neverReceived)).toMatchObject({ state: 'failed' });
    expect(await getPaymentOrThrow(database.db, other)).toMatchObject({ result_code: 'NOT_RECEIVED' });
  });
});
