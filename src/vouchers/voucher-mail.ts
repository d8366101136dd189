import { formatAmount } from '../domain/money';
import { dayIn } from '../domain/time';
import type { NewMail } from '../mail/enqueue-mail';
import type { VoucherRow } from '../store/tables';
import { inGroups } from './voucher-code';

type Told = Pick<VoucherRow, 'email' | 'currency' | 'amount_minor' | 'code_last4' | 'expires_at'>;

/** The mail that carries the code. What is kept of it once it is sent ends with the code's last four characters. */
export function voucherMail(
  voucher: Told,
  merchant: { name: string; /** IANA name */ zone: string },
  code: string,
): NewMail {
  const from = merchant.name.replace(/\p{Cc}+/gu, ' ');
  const worth = `${voucher.currency} ${formatAmount(BigInt(voucher.amount_minor), voucher.currency)}`;
  const text = (shown: string) =>
    [
      `You have received a voucher worth ${worth} from ${from}.`,
      '',
      `Your code: ${shown}`,
      '',
      `Give it to ${from} to use it. It can be used once, until ${dayIn(merchant.zone, voucher.expires_at)}.`,
      'Keep it to yourself: whoever has the code can use the voucher.',
      '',
    ].join('\n');
  return {
    paymentId: null,
    kind: 'voucher',
    to: voucher.email,
    subject: `A voucher worth ${worth}`,
    text: text(inGroups(code)),
    redactedText: text(`****-****-****-${voucher.code_last4}`),
  };
}
