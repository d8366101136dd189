import { cutText } from '../../domain/cut-text';
import { formatAmount } from '../../domain/money';
import type { Reminder } from '../../rail-kit/rail';
import { acceptanceOf, wallTimeOf } from '../../payments/read/payment-clock';
import type { PaymentRow } from '../../store/tables';

const payerLengthMax = 100;

/**
 * Tells the recipient of an unclaimed payout that money waits for them, until when, and how to get it. It names who
 * pays and how much, and carries nothing of what the merchant wrote: that is the provider's to show.
 * @param heldMs how long the provider holds the money, in milliseconds
 * @param n how many mails of the kind went before
 */
export function claimMail(payment: PaymentRow, heldMs: number, n: number): Reminder {
  const { details, instructed_currency: currency } = payment;
  const amount = `${formatAmount(BigInt(payment.instructed_minor), currency)} ${currency}`;
  const payer = inOneLine(details['merchant_name'] ?? 'A merchant');
  const to = details['recipient_email'] ?? '';
  const until = wallTimeOf(payment, acceptanceOf(payment).getTime() + heldMs);
  return {
    to,
    subject: n === 0 ? `${payer} has sent you ${amount}` : `Reminder: ${amount} from ${payer} waits for you`,
    text: [
      `${payer} has sent you ${amount} by PayPal, to this address: ${to}`,
      '',
      'You have no PayPal account with this address yet, so the money waits for you.',
      '',
      'To claim it, open www.paypal.com yourself, then create an account with this address or add this address to the',
      'account that you have, and confirm it. The money is then yours without any further step.',
      '',
      `Please do so before ${dayOf(until)}. What is not claimed by then goes back to ${payer}.`,
      '',
      `Payout ${payment.payment_id}. We never ask for your password. If you do not know ${payer}, do nothing.`,
      '',
    ].join('\n'),
  };
}

/** Two lines would not fit into a header, nor a long name beside the rest of a subject. */
function inOneLine(name: string): string {
  const line = name.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > payerLengthMax ? `${cutText(line, payerLengthMax - 1)}…` : line;
}

/** Such as `21 December 2026`, as UTC has it. */
function dayOf(moment: Date): string {
  return moment.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
}
