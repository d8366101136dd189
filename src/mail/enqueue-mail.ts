import { v7 as uuidV7 } from 'uuid';
import type { Transaction } from '../store/database';
import { classifyDatabaseError } from '../store/transaction';

export interface NewMail {
  /** The payment it is about; null for a mail about none, which is then never recognised as a repeat. */
  paymentId: string | null;
  /** What it tells, in one word such as `claim_reminder_3`: each payment has one mail of a kind. */
  kind: string;
  to: string;
  /** Never with a secret: a subject stays. */
  subject: string;
  /** Plain text. */
  text: string;
  /** For a mail with a secret: what is kept of the text once it is sent. */
  redactedText?: string;
}

/** The columns' widths; the text's in bytes. */
const subjectLengthMax = 200;
const textBytesMax = 16 * 1024;

/**
 * Writes a mail to be sent, in the transaction of what it tells about. The first of a payment and kind stays, so that
 * whoever does something twice mails once.
 * @returns the mail id, of the earlier one where there is one.
 * @throws RangeError for what is no address, or no header: neither can come from here into somebody's header.
 */
export async function enqueueMail(trx: Transaction, mail: NewMail): Promise<string> {
  const { paymentId, kind, to, subject, text, redactedText = null } = mail;
  if (!isMailAddress(to)) throw new RangeError('the recipient is no mail address');
  if (!isHeaderText(subject) || subject.trim() === '' || subject.length > subjectLengthMax) {
    throw new RangeError('the subject is no single line');
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

// Which texts we take for the address of a mail: what SMTP carries unquoted, in ASCII, and nothing that is two things.

/** The columns' width, and what RFC 5321 (4.5.3.1.3) leaves of a path. */
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
  /** What the recipient sees beside the address; may be empty. */
  name: string;
  address: string;
}

/** Reads `ana@example.org` and `Ana of Duka <ana@example.org>`. */
export function readMailbox(text: string): Mailbox | undefined {
  const [, name = '', address = ''] = /^([^<>"]*)<([^<>]+)>$/.exec(text) ?? ['', '', text];
  return isMailAddress(address) && isHeaderText(name) ? { name: name.trim(), address } : undefined;
}
