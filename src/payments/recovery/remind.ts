import { enqueueMail } from '../../mail/enqueue-mail';
import { sendMail, type MailOutcome } from '../../mail/send-mail';
import type { MailTransport } from '../../mail/transport';
import { inTransaction } from '../../store/transaction';
import type { PaymentsContext } from '../../rail-kit/context';
import { getPaymentOrThrow } from '../read/payments';
import { operationOf } from '../../rail-kit/rail';

/**
 * Mails the recipient of a queued disbursement, for the n-th time, that the money can be collected. Each of these
 * mails is written once, however often this is called.
 */
export async function remindRecipient(
  context: PaymentsContext,
  transport: MailTransport,
  paymentId: string,
  n: number,
): Promise<MailOutcome | undefined> {
  const payment = await getPaymentOrThrow(context.db, paymentId);
  if (payment.state !== 'queued') return undefined;
  const reminder = operationOf(context.rails.get(payment.rail), payment).remind?.(payment, n);
  if (!reminder) return undefined;
  const mailId = await inTransaction(context.db, (trx) =>
    enqueueMail(trx, { ...reminder, paymentId, kind: `reminder-${String(n)}` }),
  );
  return sendMail(context.db, transport, mailId);
}
