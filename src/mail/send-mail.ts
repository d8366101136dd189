import type { Database, Transaction } from '../store/database';
import type { MailRow } from '../store/tables';
import type { MailTransport } from './transport';

export type MailOutcome =
  | { kind: 'sent' | 'already_settled' }
  /** The recipient does not exist, so nobody will try again. */
  | { kind: 'dead'; code: string }
  /** Not sent, as far as we know. When to try again, and when to give up, is the caller's to say. */
  | { kind: 'retry'; code: string };

/**
 * Sends one mail, at least once: a worker that dies between sending and writing leaves it to be sent again, under the
 * same Message-ID. Nothing that this returns names a person.
 * @throws what the database throws, and an Error for an id that does not exist.
 */
export async function sendMail(db: Database, transport: MailTransport, mailId: string): Promise<MailOutcome> {
  const mail = await db('mails').where({ mail_id: mailId }).first();
  if (!mail) throw new Error(`no mail ${mailId}`);
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

/** For a mail that was tried for long enough, or is not wanted any more. One that was sent stays sent. */
export async function giveUpMail(trx: Database | Transaction, mailId: string): Promise<void> {
  await settle(trx, mailId, { state: 'dead' });
}

/** What will not be sent again need not be kept: a secret in the text goes now. */
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
