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

/** How handing a mail to the server ended. Texts of the server stay out of logs: they repeat the recipient. */
export type Handover =
  | { kind: 'taken' }
  /** The recipient's address does not exist: another try would hear the same. */
  | { kind: 'no_such_recipient'; code: string; detail: string }
  /** Not taken, or perhaps taken. Another try may do better, and carries the same Message-ID. */
  | { kind: 'not_taken'; code: string; detail: string };

export interface MailTransport {
  /** Never throws: whatever goes wrong is told by the result. */
  handOver(mail: OutgoingMail): Promise<Handover>;
}

/** For the whole conversation with the server, in milliseconds; silence ends it sooner. */
const handoverTimeoutMs = 60_000;
const silenceTimeoutMs = 20_000;
const detailLengthMax = 500;

/**
 * Replies that say the mailbox or its domain does not exist (RFC 3463, X.1.x), or takes no mail any more (X.2.1). Other
 * refusals, however permanent they call themselves, may be about us: a relay that does not know us, a list we are on.
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
      // The library reads a text with line ends as some other address; a row written past us must not get that far.
      if (!isMailAddress(to)) {
        return { kind: 'no_such_recipient', code: 'EADDRESS', detail: 'the recipient is no mail address' };
      }
      try {
        await transporter.sendMail({
          // One address each, as it is: nothing here is read as a list, a group or a name.
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
        return refusalOf(error);
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

function refusalOf(error: unknown): Handover {
  const { code = 'UNKNOWN', command = '', response, responseCode, message = '' } = error as SmtpFault;
  const kind =
    command === 'RCPT TO' && noSuchRecipient.test(response ?? '') ? 'no_such_recipient' : 'not_taken';
  return {
    kind,
    code: responseCode === undefined ? code : String(responseCode),
    detail: cutText(`${command}: ${response ?? message}`, detailLengthMax),
  };
}
