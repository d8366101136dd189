/** The payments of a list as a file that a spreadsheet opens: those that the page's own filter shows, all of them. */
import { csvField } from '../../domain/csv-field';
import { formatAmount, type Currency } from '../../domain/money';
import { utcDay } from '../../ledger/utc-days';
import { listPayments, type WantedPayments } from '../../payments/record/list-payments';
import type { Database } from '../../store/database';
import type { ListPlace } from '../../store/list-place';
import type { PaymentRow } from '../../store/tables';
import type { Answer, MerchantVisit } from '../visit';
import { maskedPhone } from './payment-words';
import { filterOf } from './payments';

const amountIn = (minor: string | null, currency: Currency | null) =>
  minor === null || currency === null ? '' : formatAmount(BigInt(minor), currency);

/** Numbers of customers by their last digits alone, as in the list: a file is kept and sent on. */
const columns: Readonly<Record<string, (payment: PaymentRow) => string>> = {
  created_at: ({ created_at: at }) => at.toISOString(),
  payment_id: ({ payment_id: id }) => id,
  kind: ({ kind }) => kind,
  rail: ({ rail }) => rail,
  state: ({ state }) => state,
  amount: ({ requested_minor: minor, currency }) => amountIn(minor, currency),
  currency: ({ currency }) => currency,
  confirmed: ({ confirmed_minor: minor, instructed_currency: currency }) => amountIn(minor, currency),
  confirmed_currency: ({ confirmed_minor: minor, instructed_currency: currency }) =>
    minor === null ? '' : currency,
  given_back: ({ given_back_minor: minor, instructed_currency: currency }) => amountIn(minor, currency),
  order_id: ({ order_id: id }) => id ?? '',
  reference: ({ account_reference: reference }) => reference ?? '',
  customer: ({ phone_number: phone }) => maskedPhone(phone),
  provider_reference: ({ provider_reference: reference }) => reference ?? '',
  receipt: ({ provider_receipt: receipt }) => receipt ?? '',
  finished_at: ({ finished_at: at }) => at?.toISOString() ?? '',
};

const batch = 500;

async function* linesOf(db: Database, merchantId: string, wanted: WantedPayments): AsyncGenerator<string> {
  yield `${Object.keys(columns).join(',')}\r\n`;
  for (let before: ListPlace | undefined; ;) {
    const { payments, next } = await listPayments(db, merchantId, wanted, { before, limit: batch });
    yield payments
      .map(
        (payment) =>
          `${Object.values(columns)
            .map((of) => csvField(of(payment)))
            .join(',')}\r\n`,
      )
      .join('');
    if (!next) return;
    before = next;
  }
}

export function paymentsFile(visit: MerchantVisit): Promise<Answer> {
  const { db, place } = visit;
  const { wanted } = filterOf(visit);
  // What comes meanwhile is no part of it.
  const now = new Date();
  const { createdBefore } = wanted;
  const until = createdBefore && createdBefore < now ? createdBefore : now;
  return Promise.resolve({
    kind: 'download',
    type: 'text/csv; charset=utf-8; header=present',
    name: `payments-${utcDay(now)}.csv`,
    parts: linesOf(db, place.merchant.merchant_id, { ...wanted, createdBefore: until }),
  });
}
