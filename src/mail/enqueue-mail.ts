import { v7 as uuidV7 } from 'uuid';
import type { Transaction } from '../store/database';
import { classifyDatabaseError } from '../store/transaction';

export interface NewMail {
  /** The payment of the mail; null for other mails, which are never recognised as repeats. */
  paymentId: string | null;
  /** The kind of the mail, such as `claim_reminder_3`. Each payment has one mail of a kind. */
  kind: string;
  to: string;
  /** Never with a secret, because the subject stays stored. */
  subject: string;
  /** Plain text. */
  text: string;
  /** For a mail with a secret: the text that stays stored after sending. */
  redactedText?: string;
}

/** The widths of the columns; the text's width is in bytes. */
const subjectLengthMax = 200;
const textBytesMax = 16 * 1024;

/**
 * Stores a mail to send, in the transaction of its event. A second mail of the same payment and kind is not stored, so
 * a repeated action sends one mail.
 * @returns the mail id; the earlier one for a repeat.
 * @throws RangeError for an invalid address or subject, so that no text can add mail headers.
 */
export async function enqueueMail(trx: Transaction, mail: NewMail): Promise<string> {
  const { paymentId, kind, to, subject, text, redactedText = null } = mail;
  if (!isMailAddress(to)) throw new RangeError('the recipient is not a mail address');
  if (!isHeaderText(subject) || subject.trim() === '' || subject.length > subjectLengthMax) {
    throw new RangeError('the subject is not a single line');
  }
  if (Buffer.byteLength(text) > textBytesMax) throw new RangeError('the text is too long');
  const mailId = uuidV7();
  try {
    await trx('mails').insert({
      mail_id: mailId,
      payment_id: paymentId,
      kind,
      recipient: to,
      subject,
      body: text,
      redacted_body: redactedText,
      created_at: trx.raw<Date>('UTC_TIMESTAMP(3)'),
    });
    return mailId;
  } catch (error) {
    if (classifyDatabaseError(error) !== 'duplicate') throw error;
    const earlier = await trx('mails').where({ payment_id: paymentId, kind }).first('mail_id');
    if (!earlier) throw error;
    return earlier.mail_id;
  }
}

// The accepted mail addresses: ASCII, as SMTP carries them without quotes, and only one address.

/** The column's width, and the maximum of an RFC 5321 path (4.5.3.1.3). */
const addressLengthMax = 254;
const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const localPartLengthMax = 64;
const domain = /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$/;

/** True for `ana@example.org`; never for anything with a space, a line end, a comma, a quote or a name beside it. */
export function isMailAddress(text: string): boolean {
  if (text.length > addressLengthMax) return false;
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(0, at));
  return local.length <= localPartLengthMax && localPart.test(local) && domain.test(text.slice(at + 1));
}

/** True for text that fits into one line of a header, in any language. */
export function isHeaderText(text: string): boolean {
  return !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
}

export interface Mailbox {
  /** The display name beside the address; may be empty. */
  name: string;
  address: string;
}

/** Reads `ana@example.org` and `Ana of Duka <ana@example.org>`. */
export function readMailbox(text: string): Mailbox | undefined {
  const [, name = '', address = ''] = /^([^<>"]*)<([^<>]+)>$/.exec(text) ?? ['', '', text];
  return isMailAddress(address) && isHeaderText(name) ? { name: name.trim(), address } : undefined;
}
