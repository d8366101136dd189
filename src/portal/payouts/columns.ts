/** What a payout has, for who fills it in: the fields of each rail's single payout, by the rail. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/mobile';
import { alpha2ToAlpha3 } from '../../domain/countries';

/** One payout under the names of its rail. */
export type PayoutFields = Record<string, string>;

export interface PayoutForm {
  /** Who is paid. */
  recipient: string;
  /** What its merchant calls it. */
  reference: string;
  /** What the recipient reads. */
  message: string;
  needed: readonly string[];
  columns: readonly string[];
  /** A line of the file that people start from. */
  example: readonly string[];
}

export const payoutForms: Readonly<Record<string, PayoutForm>> = {
  momo: {
    recipient: 'phone_number',
    reference: 'account_reference',
    message: 'customer_message',
    needed: ['phone_number', 'amount', 'currency', 'account_reference'],
    columns: [
      ...['phone_number', 'amount', 'currency', 'account_reference'],
      ...['customer_message', 'country', 'provider'],
    ],
    example: ['260763456789', '150.00', 'ZMW', 'SALARY-JAN-01', 'Salary of January', '', ''],
  },
  walletpay: {
    recipient: 'recipient_email',
    reference: 'order_id',
    message: 'note',
    needed: ['recipient_email', 'amount', 'currency', 'order_id'],
    columns: ['recipient_email', 'amount', 'currency', 'order_id', 'note'],
    example: ['amina@example.com', '150.00', 'USD', 'SALARY-JAN-01', 'Salary of January'],
  },
};

/** Spreadsheets take the plus of a number away, and people write numbers in groups. */
function phoneOf(text: string): string {
  const digits = text.replace(/^'/, '').replace(/[\s().-]/g, '');
  const plain = digits.replace(/^00/, '+');
  return /^[1-9]\d{5,14}$/.test(plain) ? `+${plain}` : plain;
}

/** @returns the payout as its rail takes it: what is empty left out, and the country of a number found by it. */
export function payoutOf(rail: string, cells: PayoutFields): PayoutFields {
  const filled = Object.fromEntries(Object.entries(cells).filter(([, text]) => text !== ''));
  if (rail !== 'momo') return filled;
  const phone = phoneOf(cells['phone_number'] ?? '');
  const { country } = parsePhoneNumberFromString(phone) ?? {};
  return {
    ...(country && { country: alpha2ToAlpha3(country) ?? '' }),
    ...filled,
    phone_number: phone,
    currency: (cells['currency'] ?? '').toUpperCase(),
  };
}
