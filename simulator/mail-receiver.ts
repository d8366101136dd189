/** A mail server that accepts every mail except to `nobody@…`, and delivers none: the mailbox stores them. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerEnvelope } from 'smtp-server';
import { complain } from './complain';
import type { Clock } from './clock';
import type { Mailbox } from './mailbox';

export interface MailReceiver {
  port: number;
  close(): Promise<void>;
}

const SIZE_MAX = 1_048_576;
/** Every recipient exists, except this one. */
const nobody = /^nobody@/i;
const CLOSING_PATIENCE_MS = 500;

export async function receiveMail(
  parts: { mailbox: Mailbox; clock: Clock },
  host: string,
  port: number,
): Promise<MailReceiver> {
  const server = new SMTPServer({
    // Any login and password is accepted; the sandbox has no secrets behind it.
    authOptional: true,
    allowInsecureAuth: true,
    onAuth({ username = 'anybody' }, _session, done) {
      done(null, { user: username });
    },
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    size: SIZE_MAX,
    closeTimeout: CLOSING_PATIENCE_MS,
    onRcptTo({ address }, _session, done) {
      if (!nobody.test(address)) done();
      else done(Object.assign(new Error('5.1.1 The mailbox does not exist'), { responseCode: 550 }));
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => {
        // An oversized mail is read to its end, as the protocol requires, but not stored.
        if (!stream.sizeExceeded) chunks.push(chunk);
      });
      stream.on('end', () => {
        if (stream.sizeExceeded) {
          done(Object.assign(new Error('The mail is too large'), { responseCode: 552 }));
          return;
        }
        keep(parts, envelope, Buffer.concat(chunks)).then(() => {
          done();
        }, done);
      });
    },
  });
  // A client that disconnects must not end the simulator. The promise below reports a port in use.
  server.on('error', (error: unknown) => {
    if (server.server.listening) complain('the mail receiver:', error);
  });
  server.listen(port, host);
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
      }),
  };
}

async function keep(
  { mailbox, clock }: { mailbox: Mailbox; clock: Clock },
  { mailFrom, rcptTo }: SMTPServerEnvelope,
  raw: Buffer,
): Promise<void> {
  const { subject = '', text, html = '' } = await PostalMime.parse(raw);
  mailbox.keep({
    id: randomUUID(),
    ...(mailFrom !== false && { from: mailFrom.address }),
    to: rcptTo.map(({ address }) => address).join(', '),
    subject,
    // Pages show only text, so a mail without text is shown as its HTML source.
    text: (text ?? html).trimEnd(),
    at: new Date(clock.callersNow()).toISOString(),
  });
}
