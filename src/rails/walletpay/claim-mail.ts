import { cutText } from '../../domain/cut-text';
import { formatAmount } from '../../domain/money';
import type { Reminder } from '../../rail-kit/rail';
import { creationTimeOf, wallTimeOf } from '../../payments/read/payment-clock';
import type { PaymentRow } from '../../store/tables';

const payerLengthMax = 100;

/**
 * The mail to the recipient of an unclaimed payout: how to claim the money, and until when. It contains the payer's
 * name and the amount, but no text of the merchant: only the provider shows that.
 * @param heldMs how long the provider holds the money, in milliseconds
 * @param n the number of earlier mails of this kind
 */
export function claimMail(payment: PaymentRow, heldMs: number, n: number): Reminder {
  const { details, instructed_currency: currency } = payment;
  const amount = `${formatAmount(BigInt(payment.instructed_minor), currency)} ${currency}`;
  const payer = inOneLine(details['merchant_name'] ?? 'A merchant');
  const to = details['recipient_email'] ?? '';
  const until = wallTimeOf(payment, creationTimeOf(payment).getTime() + heldMs);
  return {
    to,
    subject: n === 0 ? `${payer} has sent you ${amount}` : `Reminder: claim ${amount} from ${payer}`,
    text: [
      `${payer} has sent you ${amount} by PayPal, to this address: ${to}`,
      '',
      'You have no PayPal account with this address yet, so you need to claim the money.',
      '',
      'To claim it, open www.paypal.com yourself, then create an account with this address or add this address to the',
      'account that you have, and confirm it. You then receive the money without any further step.',
      '',
      `Please do so before ${dayOf(until)}. Money that is not claimed by then is returned to ${payer}.`,
      '',
      `Payout ${payment.payment_id}. We never ask for your password. If you do not know ${payer}, do nothing.`,
      '',
    ].join('\n'),
  };
}

/** A header must be one line, and a long name leaves no space for the rest of the subject. */
function inOneLine(name: string): string {
  const line = name.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > payerLengthMax ? `${cutText(line, payerLengthMax - 1)}…` : line;
}

/** Such as `21 December 2026`, in UTC. */
function dayOf(moment: Date): string {
  return moment.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
}
