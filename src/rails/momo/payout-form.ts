import { parsePhoneNumberFromString } from 'libphonenumber-js/mobile';
import { alpha2ToAlpha3 } from '../../domain/countries';
import type { PayoutForm } from '../../rail-kit/rail-definition';

/** What a payout has, for who fills it in. */
export const payoutForm: PayoutForm = {
  recipient: 'phone_number',
  reference: 'account_reference',
  message: 'customer_message',
  needed: ['phone_number', 'amount', 'currency', 'account_reference'],
  columns: [
    ...['phone_number', 'amount', 'currency', 'account_reference'],
    ...['customer_message', 'country', 'provider'],
  ],
  example: ['260763456789', '150.00', 'ZMW', 'SALARY-JAN-01', 'Salary of January', '', ''],
  /** The country of a number is found by it. */
  read(cells, filled) {
    const phone = phoneOf(cells['phone_number'] ?? '');
    const { country } = parsePhoneNumberFromString(phone) ?? {};
    return {
      ...(country && { country: alpha2ToAlpha3(country) ?? '' }),
      ...filled,
      phone_number: phone,
      currency: (cells['currency'] ?? '').toUpperCase(),
    };
  },
};

/** Spreadsheets take the plus of a number away, and people write numbers in groups. */
function phoneOf(text: string): string {
  const digits = text.replace(/^'/, '').replace(/[\s().-]/g, '');
  const plain = digits.replace(/^00/, '+');
  return /^[1-9]\d{5,14}$/.test(plain) ? `+${plain}` : plain;
}
