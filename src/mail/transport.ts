import { createTransport } from 'nodemailer';
import { cutText } from '../domain/cut-text';
import { isMailAddress } from './enqueue-mail';
import type { MailSettings } from './settings';

export interface OutgoingMail {
  mailId: string;
  to: string;
  subject: string;
  text: string;
  writtenAt: Date;
}

/**
 * The result of handing a mail to the server. The server's texts stay out of logs, because they repeat the recipient.
 */
export type Handover =
  | { kind: 'taken' }
  /** The recipient's address does not exist. Another attempt would get the same answer. */
  | { kind: 'no_such_recipient'; code: string; detail: string }
  /** Not accepted, or unknown. Another attempt has the same Message-ID. */
  | { kind: 'not_taken'; code: string; detail: string };

export interface MailTransport {
  /** Never throws; the result reports every fault. */
  handOver(mail: OutgoingMail): Promise<Handover>;
}

/** The timeout of the whole conversation with the server; silence ends it earlier. */
const handoverTimeoutMs = 60_000;
const silenceTimeoutMs = 20_000;
const detailLengthMax = 500;

/**
 * Replies that the mailbox or its domain does not exist (RFC 3463, X.1.x), or no longer accepts mail (X.2.1). Other
 * permanent errors may be about us, such as a relay that does not know us or a block list.
 */
const noSuchRecipient = /^5\d\d[ -]5\.(?:1\.(?:1|2|3|6|10)|2\.1)\b/;

export function createMailTransport({ host, port, tls, account, from }: MailSettings): MailTransport {
  const transporter = createTransport({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'required',
    ignoreTLS: tls === 'none',
    ...(account && { auth: account }),
    connectionTimeout: silenceTimeoutMs,
    greetingTimeout: silenceTimeoutMs,
    socketTimeout: silenceTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return {
    async handOver({ mailId, to, subject, text, writtenAt }) {
      // The library would read a text with line ends as another address. A row from outside Malipo could contain one.
      if (!isMailAddress(to)) {
        return { kind: 'no_such_recipient', code: 'EADDRESS', detail: 'the recipient is not a mail address' };
      }
      try {
        await transporter.sendMail({
          // One address each, never parsed as a list, a group or a name.
          envelope: { from: from.address, to: [to] },
          from,
          to: { name: '', address: to },
          subject,
          text,
          messageId: `<${mailId}@${domain}>`,
          date: writtenAt,
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal: AbortSignal.timeout(handoverTimeoutMs),
        });
        return { kind: 'taken' };
      } catch (error) {
        return handoverErrorOf(error);
      }
    },
  };
}

interface SmtpFault {
  code?: string;
  command?: string;
  response?: string;
  responseCode?: number;
  message?: string;
}

function handoverErrorOf(error: unknown): Handover {
  const { code = 'UNKNOWN', command = '', response, responseCode, message = '' } = error as SmtpFault;
  const kind =
    command === 'RCPT TO' && noSuchRecipient.test(response ?? '') ? 'no_such_recipient' : 'not_taken';
  return {
    kind,
    code: responseCode === undefined ? code : String(responseCode),
    detail: cutText(`${command}: ${response ?? message}`, detailLengthMax),
  };
}
