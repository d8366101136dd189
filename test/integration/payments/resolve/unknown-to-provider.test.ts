/** A provider that does not know a payment that it reported before: after the second time, one case is opened. */
import type { ProviderResult } from '../../../../src/domain/outcome';
import { closeAllOf, closeCase, openCase } from '../../../../src/controls/cases';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { review } from '../../../../src/payments/resolve/review';
import { findStops } from '../../../../src/payments/submit/stopped-accounts';
import type { PaymentRow } from '../../../../src/store/tables';
import { insertPayment } from '../../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { open } from '../../../support/payments/evidence';
import { fakeContext, type FakeContext } from '../../../support/payments/fakes';

const unknownToProvider: ProviderResult = { kind: 'open', text: 'NOT_FOUND', unknownToProvider: true };
const neverReceived: ProviderResult = {
  kind: 'failed',
  code: 'NOT_RECEIVED',
  text: 'never received',
  neverReceived: true,
};

describe('a payment that is unknown to its provider', () => {
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
  const check = (paymentId: string, providerResult: ProviderResult) => {
    context.provider.providerResult = providerResult;
    return review(context, { paymentId, cause: 'check', patient: true, ask: (_rail, call) => call() });
  };
  /** Only its own clock moves forward. */
  const later = (id: string) =>
    database
      .db('payments')
      .where({ payment_id: id })
      .update({ clock_ahead_ms: database.db.raw('clock_ahead_ms + 60000') });
  async function forget(id: string): Promise<void> {
    await check(id, unknownToProvider);
    await later(id);
    await check(id, unknownToProvider);
  }
  const casesOf = (id: string) => database.db('cases').where({ payment_id: id }).orderBy('case_id');
  const stops = async () => (await findStops(database.db)).map(({ account }) => account);

  it('opens a case at the second check, none after an operator closed it, and a new one once it was known', async () => {
    const id = await disownable();
    expect(await check(id, unknownToProvider)).toMatchObject({ unconfirmed: true, state: 'pending' });
    expect([await casesOf(id), await stops()]).toEqual([[], []]);
    await later(id);
    expect(await check(id, unknownToProvider)).toMatchObject({ unconfirmed: false, state: 'pending' });
    const [found] = await casesOf(id);
    expect(found).toMatchObject({ reason: 'unknown_to_provider', stops: 'stk', closed_at: null });
    expect(await stops()).toEqual(['stk']);

    await closeCase(database.db, found?.case_id ?? '', 'amina', 'it was the token of the sandbox');
    expect(await stops()).toEqual([]);
    await later(id);
    await forget(id);
    expect(await casesOf(id)).toHaveLength(1);

    await check(id, open);
    await later(id);
    await forget(id);
    expect(await casesOf(id)).toHaveLength(2);
    expect(await stops()).toEqual(['stk']);
  });

  it('that is known again is recorded, but its account stays paused until an operator decides: another token may still be wrong', async () => {
    const id = await disownable();
    for (let n = 0; n < 3; n += 1) {
      await forget(id);
      await check(id, open);
      expect(await stops()).toEqual(['stk']);
      await later(id);
    }
    expect(await casesOf(id)).toMatchObject([
      { closed_at: null, detail: 'the provider later recognised the payment: NOT_FOUND' },
    ]);
    await check(id, { kind: 'failed', code: '1', text: 'declined' });
    expect(await getPaymentOrThrow(database.db, id)).toMatchObject({ state: 'failed' });
    expect(await stops()).toEqual(['stk']);
    await closeAllOf(database.db, { reason: 'unknown_to_provider', rail: 'stk' }, 'amina', 'mended');
    expect(await stops()).toEqual([]);
  });

  it('pauses its account also through an open case of an earlier version', async () => {
    const id = await disownable();
    await openCase(database.db, id, { reason: 'unknown_to_provider', detail: 'seen before' });
    expect(await stops()).toEqual([]);
    await forget(id);
    expect(await casesOf(id)).toMatchObject([{ detail: 'seen before', closed_at: null }]);
    expect(await stops()).toEqual(['stk']);
    await openCase(database.db, id, { reason: 'unknown_to_provider', detail: 'again', stops: 'momo' });
    expect(await stops()).toEqual(['stk']);
  });

  it('opens one case, however many processes notice at once', async () => {
    const id = await disownable();
    await check(id, unknownToProvider);
    await later(id);
    await Promise.all(Array.from({ length: 8 }, () => check(id, unknownToProvider)));
    expect(await casesOf(id)).toHaveLength(1);
  });

  it('makes "never received" invalid for its account until the case is closed', async () => {
    const [id, other] = [await disownable(), await disownable()];
    await forget(id);
    expect(await check(other, neverReceived)).toMatchObject({ state: 'pending' });
    const [found] = await casesOf(id);
    await closeCase(database.db, found?.case_id ?? '', 'amina', 'a slip of theirs');
    expect(await check(other, neverReceived)).toMatchObject({ state: 'failed' });
    expect(await getPaymentOrThrow(database.db, other)).toMatchObject({ result_code: 'NOT_RECEIVED' });
  });
});
