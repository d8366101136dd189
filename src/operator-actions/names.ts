/** Looks up names for the phrases. An unknown id stays as it is. */
import { money, languages } from '../portal/format';
import type { Database } from '../store/database';
import type { Names, Words } from './action';
import { isAscii } from './read';
import type { Currency } from '../domain/money';

export function amountWords(minor: bigint | string, currency: Currency): Words {
  return Object.fromEntries(
    languages.map((language) => [language, money(minor, currency, language)]),
  ) as Words;
}

export async function merchantName(
  db: Database,
  merchantId: string | null | undefined,
): Promise<string | undefined> {
  if (!merchantId || !isAscii(merchantId)) return undefined;
  const merchant = await db('merchants').where({ merchant_id: merchantId }).first('name');
  return merchant?.name ?? merchantId;
}

/** The merchant and the amount of a payment. */
export async function paymentNames(db: Database, paymentId: string | null | undefined): Promise<Names> {
  const payment =
    paymentId && isAscii(paymentId)
      ? await db('payments').where({ payment_id: paymentId }).first()
      : undefined;
  if (!payment) return {};
  const { merchant_id: merchantId, requested_minor: minor, currency } = payment;
  return { merchant: await merchantName(db, merchantId), amount: amountWords(minor, currency) };
}
