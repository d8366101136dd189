import { voucherMail } from '../../../src/vouchers/create-voucher';

describe('the mail of a voucher', () => {
  const voucher = {
    email: 'ana@example.org',
    currency: 'KES' as const,
    amount_minor: '100000',
    code_last4: 'WXYZ',
    // Half past one of the next day in Nairobi.
    expires_at: new Date('2027-05-27T22:30:00Z'),
  };
  it.each([
    ['Africa/Nairobi', '2027-05-28'],
    ['UTC', '2027-05-27'],
    ['America/New_York', '2027-05-27'],
  ])('names the last day in the zone %s', (zone, day) => {
    const { text, redactedText } = voucherMail(voucher, { name: 'Shop', zone }, 'ABCDEFGHJKLMWXYZ');
    expect([text, redactedText]).toEqual([
      expect.stringContaining(`until ${day}.`),
      expect.stringContaining(`until ${day}.`),
    ]);
  });
});
