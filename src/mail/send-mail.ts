import type { Database, Transaction } from '../store/database';
import type { MailRow } from '../store/tables';
import type { MailTransport } from './transport';

export type MailOutcome =
  | { kind: 'sent' | 'already_settled' }
  /** The recipient does not exist, so there is no further attempt. */
  | { kind: 'dead'; code: string }
  /** Probably not sent. The caller decides about the next attempt. */
  | { kind: 'retry'; code: string };

/**
 * Sends one mail, at least once. If the process dies between sending and writing, the mail is sent again with the same
 * Message-ID. The result contains no personal data.
 * @throws database errors, and an Error for an id that does not exist.
 */
export async function sendMail(db: Database, transport: MailTransport, mailId: string): Promise<MailOutcome> {
  const mail = await db('mails').where({ mail_id: mailId }).first();
  if (!mail) throw new Error(`there is no mail ${mailId}`);
  if (mail.state !== 'new') return { kind: 'already_settled' };
  await db('mails').where({ mail_id: mailId }).increment('tries', 1);

  const handover = await transport.handOver({
    mailId,
    to: mail.recipient,
    subject: mail.subject,
    text: mail.body,
    writtenAt: mail.created_at,
  });
  switch (handover.kind) {
    case 'taken':
      await settle(db, mailId, { state: 'sent', error: null });
      return { kind: 'sent' };
    case 'no_such_recipient':
      await settle(db, mailId, { state: 'dead', error: handover.detail });
      return { kind: 'dead', code: handover.code };
    case 'not_taken':
      await db('mails').where({ mail_id: mailId, state: 'new' }).update({ error: handover.detail });
      return { kind: 'retry', code: handover.code };
  }
}

/** Stops the attempts of a mail that failed for too long or is no longer needed. A sent mail stays sent. */
export async function giveUpMail(trx: Database | Transaction, mailId: string): Promise<void> {
  await settle(trx, mailId, { state: 'dead' });
}

/** Ends a mail. A secret in its text is removed now, because it is not sent again. */
async function settle(
  trx: Database | Transaction,
  mailId: string,
  end: { state: 'sent' | 'dead'; error?: MailRow['error'] },
): Promise<void> {
  await trx('mails')
    .where({ mail_id: mailId, state: 'new' })
    .update({
      ...end,
      sent_at: end.state === 'sent' ? trx.raw<Date>('UTC_TIMESTAMP(3)') : null,
      body: trx.raw<string>('COALESCE(redacted_body, body)'),
    });
}
