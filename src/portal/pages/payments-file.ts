/** The payments of a list as a file that a spreadsheet opens: those that the page's own filter shows, all of them. */
import { csvField } from '../../domain/csv-field';
import { formatAmount, type Currency } from '../../domain/money';
import { dayIn } from '../../domain/time';
import { chargedOf } from '../../payments/transition/fees';
import { listPayments, type WantedPayments } from '../../payments/read/list-payments';
import type { Database } from '../../store/database';
import type { ListPlace } from '../../store/list-place';
import type { PaymentRow } from '../../store/tables';
import { csvDownload, timeIn } from '../csv';
import { zoneOf, type Answer, type MerchantVisit } from '../visit';
import { mayTakeFile } from './parts';
import { maskedPhone, shownStateOf } from './payment-words';
import { filterOf } from './payments';
import { overrun } from './refusals';

const amountIn = (minor: string | null, currency: Currency | null) =>
  minor === null || currency === null ? '' : formatAmount(BigInt(minor), currency);

/** Numbers of customers by their last digits alone, as in the list: a file is kept and sent on. */
const columns: Readonly<Record<string, (payment: PaymentRow, timeOf: (at: Date) => string) => string>> = {
  created_at: ({ created_at: at }, timeOf) => timeOf(at),
  payment_id: ({ payment_id: id }) => id,
  kind: ({ kind }) => kind,
  rail: ({ rail }) => rail,
  state: shownStateOf,
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
  finished_at: ({ finished_at: at }, timeOf) => (at ? timeOf(at) : ''),
};

/** What it costs, and what the merchant has of it: appended after the zone, so that earlier columns stay where they were. */
const costs: Readonly<Record<string, (payment: PaymentRow) => string>> = {
  fee: (payment) => {
    const { minor, currency } = chargedOf(payment);
    return minor === 0n ? '' : formatAmount(minor, currency);
  },
  net: netOf,
  net_currency: (payment) => (netOf(payment) === '' ? '' : walletOf(payment)),
};

const walletOf = (payment: PaymentRow): Currency =>
  payment.kind === 'refund' ? (payment.credited_currency ?? payment.currency) : chargedOf(payment).currency;

/** Of what is booked: what a deposit left in the wallet, or what a payout took from the float, its fee counted. */
function netOf(payment: PaymentRow): string {
  const { minor: fee, currency } = chargedOf(payment);
  const { kind, state, confirmed_minor: confirmed, credited_minor: credited } = payment;
  if (kind === 'deposit') {
    // What was credited in another currency has gone back at its own rate: only the statement has its sum.
    if (confirmed === null || (credited !== null && payment.given_back_minor !== '0')) return '';
    const kept = credited === null ? BigInt(confirmed) - BigInt(payment.given_back_minor) : BigInt(credited);
    return formatAmount(kept - fee, currency);
  }
  if (kind === 'payout' && state === 'succeeded')
    return formatAmount(-(BigInt(payment.requested_minor) + fee), payment.currency);
  if (kind === 'refund' && state === 'succeeded')
    return formatAmount(-BigInt(credited ?? payment.requested_minor), walletOf(payment));
  return '';
}

const batch = 500;

interface File {
  merchantId: string;
  wanted: WantedPayments;
  zone: string;
}

const lineOf = (fields: readonly string[], numbers: readonly string[] = []) =>
  `${[...fields.map((field) => csvField(field)), ...numbers.map((one) => csvField(one, true))].join(',')}\r\n`;

async function* linesOf(db: Database, { merchantId, wanted, zone }: File): AsyncGenerator<string> {
  yield lineOf([...Object.keys(columns), 'time_zone', ...Object.keys(costs)]);
  const timeOf = timeIn(zone);
  for (let before: ListPlace | undefined; ;) {
    const { payments, next } = await listPayments(db, merchantId, wanted, { before, limit: batch });
    yield payments
      .map((payment) =>
        lineOf(
          [...Object.values(columns).map((of) => of(payment, timeOf)), zone],
          Object.values(costs).map((of) => of(payment)),
        ),
      )
      .join('');
    if (!next) return;
    before = next;
  }
}

export async function paymentsFile(visit: MerchantVisit): Promise<Answer> {
  const { db, place } = visit;
  const { wanted } = filterOf(visit);
  const may = await mayTakeFile(visit, 'payments.export');
  if (!may.allowed) return overrun(visit, 429, may);
  const { merchant_id: merchantId } = place.merchant;
  // Newest first, from the newest of now on: what comes meanwhile is no part of it.
  const zone = zoneOf(visit);
  const today = dayIn(zone, new Date());
  return csvDownload(`payments-${today}.csv`, linesOf(db, { merchantId, zone, wanted }));
}
