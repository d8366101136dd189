/** The figures of the overview: collected, refunded or reversed, fees and net. */
import { readFigures } from '../../../src/portal/merchant-figures';
import type { PaymentRow } from '../../../src/store/tables';
import { aMerchant, createPerson } from '../../support/users/users-support';
import { insertPayment } from '../../support/verify/books-support';
import { call, sessionOf, startPortal, type TestPortal } from '../../support/portal/portal-support';

let portal: TestPortal;
beforeAll(async () => {
  portal = await startPortal();
});
afterAll(() => portal.stop());

const collected = { state: 'succeeded', confirmed_minor: '10000', fee_minor: '150' } as const;

/** The effect of a payment of 100.00 KES on the sums. */
const cases: Record<string, [with_: Partial<PaymentRow>, sums: object]> = {
  'a successful payment': [collected, { collected: 10_000n, fees: 150n, wentBack: 0n, paidOut: 0n }],
  'a payment of a smaller amount': [
    { ...collected, confirmed_minor: '6000', fee_minor: '90' },
    { collected: 6_000n, fees: 90n, wentBack: 0n },
  ],
  'a reversed payment': [
    { ...collected, state: 'reversed', returned_minor: '10000' },
    { collected: 10_000n, fees: 0n, wentBack: 10_000n },
  ],
  'a payment with a third refunded': [
    { ...collected, state: 'refunded', returned_minor: '3333' },
    { collected: 10_000n, fees: 101n, wentBack: 3_333n },
  ],
  'a refund by the merchant': [
    { ...collected, kind: 'refund', fee_minor: '0' },
    { collected: 0n, fees: 0n, wentBack: 10_000n },
  ],
  'a payout with a fee': [
    { ...collected, kind: 'payout' },
    { collected: 0n, fees: 150n, paidOut: 10_000n },
  ],
  'a failed payment': [
    { ...collected, state: 'failed' },
    { collected: 0n, fees: 0n, succeeded: 0, ended: 1 },
  ],
  'an open payment': [
    { state: 'pending', fee_minor: '150' },
    { collected: 0n, fees: 0n, waiting: 1 },
  ],
  'a reversed payment in dollars': [
    {
      ...{ state: 'reversed', instructed_currency: 'USD', instructed_minor: '77', confirmed_minor: '77' },
      returned_minor: '77',
    },
    { collected: 10_000n, wentBack: 10_000n },
  ],
  'a fee in dollars': [
    { ...collected, credited_currency: 'USD', credited_minor: '77' },
    { collected: 10_000n, fees: 0n, feesElsewhere: 1 },
  ],
};

it.each(Object.entries(cases))('%s', async (_name, [of, sums]) => {
  const merchantId = await aMerchant(portal.db, portal.box);
  await insertPayment(portal.test.db, { merchantId, rail: 'stk', with: of });
  const [figure] = await readFigures(portal.db, merchantId, [new Date(Date.now() - 3_600_000)]);
  expect(figure).toMatchObject({ rail: 'stk', currency: 'KES', ...sums });
});

describe('the overview page', () => {
  const read = async (of: Partial<PaymentRow>) => {
    const merchantId = await aMerchant(portal.db, portal.box);
    await insertPayment(portal.test.db, { merchantId, rail: 'stk', with: of });
    const email = `${merchantId}@duka.example`;
    const token = await sessionOf(
      portal,
      await createPerson(portal.db, email, { merchantId, role: 'owner' }),
    );
    const { text } = await call(portal, { method: 'GET', path: `/m/${merchantId}`, token });
    const cell = (label: string) => new RegExp(`data-label="${label}">([^<]*)<`).exec(text)?.[1];
    return ['Collected', 'Refunded or reversed', 'Fees', 'Net collected'].map(cell);
  };

  it('shows the net amount without refunds, reversals and fees', async () => {
    expect(await read({ ...collected, state: 'refunded', returned_minor: '3333' })).toEqual([
      'KES 100.00',
      'KES 33.33',
      'KES 1.01',
      'KES 65.66',
    ]);
  });

  it('shows no sum of fees in two currencies', async () => {
    expect(await read({ ...collected, credited_currency: 'USD', credited_minor: '77' })).toEqual([
      'KES 100.00',
      'KES 0.00',
      '–',
      '–',
    ]);
  });
});
