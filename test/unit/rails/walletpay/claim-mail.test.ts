import { isHeaderText } from '../../../../src/mail/enqueue-mail';
import { claimMail } from '../../../../src/rails/walletpay/claim-mail';
import { paymentRow } from '../../../support/store/rows';

describe('the mail to the recipient of an unclaimed payout', () => {
  const mailFrom = (merchant_name: string, n: number) =>
    claimMail(
      {
        ...paymentRow('merchant'),
        details: { merchant_name, recipient_email: 'ana@example.org' },
      } as Parameters<typeof claimMail>[0],
      86_400_000,
      n,
    );

  it.each([
    ['as long as a name may be', 'Duka la Ana '.repeat(20)],
    ['of two lines', 'Duka\u0085la\u2028Ana\r\nBcc: x@example.org'],
  ])('has a valid subject for a merchant with a name %s', (_, name) => {
    for (const n of [0, 1]) {
      const { subject, text } = mailFrom(name, n);
      expect([isHeaderText(subject), subject.length < 200]).toEqual([true, true]);
      expect(text).toContain('Duka la Ana');
    }
  });
});
