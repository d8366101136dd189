import { v7 as uuid } from 'uuid';
import { enqueueMail, type NewMail } from '../../../src/mail/enqueue-mail';
import { giveUpMail, sendMail } from '../../../src/mail/send-mail';
import type { MailSettings } from '../../../src/mail/settings';
import { createMailTransport } from '../../../src/mail/transport';
import type { MailRow } from '../../../src/store/tables';
import { inTransaction } from '../../../src/store/transaction';
import { freePort } from '../../../tools/sandbox/services/free-port';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { reply, startMailServer, type MailServer } from '../../support/mail/mail-support';

let test: TestDatabase;
let server: MailServer;
beforeAll(async () => {
  test = await createTestDatabase();
});
beforeEach(async () => {
  server = await startMailServer();
});
afterEach(() => server.close());
afterAll(() => test.drop());

const recipient = 'ana@example.org';

function settingsFor(port: number, changes: Partial<MailSettings> = {}): MailSettings {
  const from = { name: 'Duka Payments', address: 'payments@duka.example' };
  return { host: '127.0.0.1', port, tls: 'none', from, ...changes };
}

const transportTo = (port: number, changes?: Partial<MailSettings>) =>
  createMailTransport(settingsFor(port, changes));

function enqueue(changes: Partial<NewMail> = {}): Promise<string> {
  const mail = {
    paymentId: uuid(),
    kind: 'claim',
    to: recipient,
    subject: 'Claim your money',
    text: 'Hello',
  };
  return inTransaction(test.db, (trx) => enqueueMail(trx, { ...mail, ...changes }));
}

async function rowOf(mailId: string): Promise<MailRow> {
  const row = await test.db('mails').where({ mail_id: mailId }).first();
  if (!row) throw new Error(`no mail ${mailId}`);
  return row;
}

async function only(): Promise<MailServer['received'][number]> {
  const [mail, ...others] = server.received;
  if (!mail || others.length > 0) throw new Error(`${String(server.received.length)} mails have arrived`);
  return Promise.resolve(mail);
}

describe('a mail', () => {
  it('arrives as plain text, from our address, only at its recipient', async () => {
    const mailId = await enqueue({ text: 'Hello Ana,\n40.00 USD wait for you.\n' });
    expect(await sendMail(test.db, transportTo(server.port), mailId)).toEqual({ kind: 'sent' });
    const mail = await only();
    expect(mail).toMatchObject({
      from: 'payments@duka.example',
      to: [recipient],
      body: 'Hello Ana,\r\n40.00 USD wait for you.\r\n',
      headers: {
        from: 'Duka Payments <payments@duka.example>',
        to: recipient,
        subject: 'Claim your money',
        'message-id': `<${mailId}@duka.example>`,
        'auto-submitted': 'auto-generated',
        'content-type': 'text/plain; charset=utf-8',
      },
    });
    const row = await rowOf(mailId);
    expect(row).toMatchObject({
      state: 'sent',
      tries: 1,
      sent_at: expect.any(Date),
      body: expect.stringContaining('40.00'),
    });
    expect(Date.parse(mail.headers['date'] ?? '')).toBe(Math.floor(row.created_at.getTime() / 1_000) * 1_000);
  });

  it('can have any language, encoded for every server', async () => {
    const mailId = await enqueue({ subject: 'Pesa zako, María', text: 'Karibu, María – 40 €' });
    await sendMail(test.db, transportTo(server.port), mailId);
    const { raw, headers, body } = await only();
    expect(raw).toMatch(/^[\x00-\x7f]*$/);
    expect(headers['subject']).toBe('=?UTF-8?Q?Pesa_zako=2C_Mar=C3=ADa?=');
    const bytes = body
      .trim()
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
    expect(Buffer.from(bytes, 'latin1').toString('utf8')).toBe('Karibu, María – 40 €');
  });

  it('is sent once for repeated calls', async () => {
    const mailId = await enqueue();
    const transport = transportTo(server.port);
    expect(await sendMail(test.db, transport, mailId)).toEqual({ kind: 'sent' });
    expect(await sendMail(test.db, transport, mailId)).toEqual({ kind: 'already_settled' });
    expect((await only()).to).toEqual([recipient]);
    expect((await rowOf(mailId)).tries).toBe(1);
  });

  it('that may have been sent is sent again with the same Message-ID', async () => {
    await server.close();
    let n = 0;
    const messages: string[] = [];
    server = await startMailServer({
      onData(stream, _, done) {
        let raw = '';
        stream.on('data', (chunk: Buffer) => (raw += chunk.toString()));
        stream.on('end', () => {
          messages.push(raw);
          n += 1;
          // The server accepted the first one too, although it answered otherwise.
          done(n === 1 ? reply(451, 'try again later') : null);
        });
      },
    });
    const mailId = await enqueue();
    const transport = transportTo(server.port);
    expect(await sendMail(test.db, transport, mailId)).toEqual({ kind: 'retry', code: '451' });
    expect(await sendMail(test.db, transport, mailId)).toEqual({ kind: 'sent' });
    expect(messages).toHaveLength(2);
    expect(messages[0]).toContain(`Message-ID: <${mailId}@duka.example>`);
    expect(messages[1]).toBe(messages[0]);
    expect(await rowOf(mailId)).toMatchObject({ state: 'sent', tries: 2, error: null });
  });

  it('that does not exist is an error', async () => {
    await expect(sendMail(test.db, transportTo(server.port), uuid())).rejects.toThrow('no mail');
  });
});

describe('a mail with a secret', () => {
  const secret = { text: 'Your code is WXYZ-1234.', redactedText: 'Your code is [sent].' };

  it('gives it only to the recipient: after sending, it is no longer stored', async () => {
    const mailId = await enqueue(secret);
    await sendMail(test.db, transportTo(server.port), mailId);
    expect((await only()).body).toContain('WXYZ-1234');
    const row = await rowOf(mailId);
    expect(row.body).toBe('Your code is [sent].');
    expect(JSON.stringify(row)).not.toContain('WXYZ');
  });

  it('still has it at the next attempt', async () => {
    const mailId = await enqueue(secret);
    const nobody = await freePort();
    expect(await sendMail(test.db, transportTo(nobody), mailId)).toMatchObject({ kind: 'retry' });
    await sendMail(test.db, transportTo(server.port), mailId);
    expect((await only()).body).toContain('WXYZ-1234');
  });

  it('no longer stores it when the attempts stop', async () => {
    const mailId = await enqueue(secret);
    await giveUpMail(test.db, mailId);
    expect(await rowOf(mailId)).toMatchObject({ state: 'dead', body: 'Your code is [sent].', sent_at: null });
    expect(await sendMail(test.db, transportTo(server.port), mailId)).toEqual({ kind: 'already_settled' });
    expect(server.received).toEqual([]);
  });

  it('that was sent stays sent', async () => {
    const mailId = await enqueue(secret);
    await sendMail(test.db, transportTo(server.port), mailId);
    await giveUpMail(test.db, mailId);
    expect((await rowOf(mailId)).state).toBe('sent');
  });
});

describe('a server that rejects', () => {
  async function refusing(options: Parameters<typeof startMailServer>[0], changes?: Partial<MailSettings>) {
    await server.close();
    server = await startMailServer(options);
    const mailId = await enqueue({ redactedText: 'gone' });
    const outcome = await sendMail(test.db, transportTo(server.port, changes), mailId);
    return { outcome, row: await rowOf(mailId) };
  }
  const recipientReply = (error: Error): Parameters<typeof startMailServer>[0] => ({
    onRcptTo: (_address, _session, done) => {
      done(error);
    },
  });

  it.each([
    [550, '5.1.1 <ana@example.org>: no such user'],
    [550, '5.1.2 no such domain'],
    [556, '5.1.10 the domain takes no mail'],
    [550, '5.2.1 mailbox disabled'],
  ])('an unknown recipient (%i %s) is tried once', async (code, text) => {
    const { outcome, row } = await refusing(recipientReply(reply(code, text)));
    expect(outcome).toEqual({ kind: 'dead', code: String(code) });
    expect(row).toMatchObject({
      state: 'dead',
      tries: 1,
      body: 'gone',
      error: expect.stringContaining(text),
    });
  });

  it.each([
    [450, '4.2.0 greylisted'],
    [452, '4.2.2 mailbox full'],
    [550, '5.7.1 relaying denied'],
    [550, 'blocked'],
    [554, '5.7.1 your address is on a list'],
  ])('us (%i %s) is tried again', async (code, text) => {
    const { outcome, row } = await refusing(recipientReply(reply(code, text)));
    expect(outcome).toEqual({ kind: 'retry', code: String(code) });
    expect(row).toMatchObject({
      state: 'new',
      tries: 1,
      body: 'Hello',
      error: expect.stringContaining(text),
    });
  });

  it('our sender or the message is tried again', async () => {
    const sender = await refusing({
      onMailFrom: (_address, _session, done) => {
        done(reply(550, '5.1.8 sender unknown'));
      },
    });
    expect(sender.outcome).toEqual({ kind: 'retry', code: '550' });
    const message = await refusing({
      onData: (stream, _session, done) => {
        stream.resume();
        stream.on('end', () => {
          done(reply(554, '5.6.0 content refused'));
        });
      },
    });
    expect(message.outcome).toEqual({ kind: 'retry', code: '554' });
  });

  it('our password is tried again, and accepts the right one', async () => {
    const options = {
      authOptional: false,
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: (
        { username, password }: { username?: string; password?: string | null },
        _: unknown,
        done: OnAuthDone,
      ) => {
        if (username === 'duka' && password === 'p@ss:word') done(null, { user: 'duka' });
        else done(reply(535, '5.7.8 wrong'));
      },
    } as Parameters<typeof startMailServer>[0];
    const wrong = await refusing(options, { account: { user: 'duka', pass: 'other' } });
    expect(wrong.outcome).toEqual({ kind: 'retry', code: '535' });
    const right = await refusing(options, { account: { user: 'duka', pass: 'p@ss:word' } });
    expect(right.outcome).toEqual({ kind: 'sent' });
  });

  it('the connection is tried again', async () => {
    const mailId = await enqueue();
    const nobody = await freePort();
    expect(await sendMail(test.db, transportTo(nobody), mailId)).toEqual({ kind: 'retry', code: 'ESOCKET' });
    expect(await rowOf(mailId)).toMatchObject({
      state: 'new',
      error: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('encryption gets no mail that requires it', async () => {
    const { outcome } = await refusing({}, { tls: 'required' });
    expect(outcome.kind).toBe('retry');
    expect(server.received).toEqual([]);
  });

  it('certificate validation gets no mail', async () => {
    // With the library's own self-signed certificate.
    const { outcome } = await refusing({ disabledCommands: ['AUTH'] }, { tls: 'required' });
    expect(outcome.kind).toBe('retry');
    expect(server.received).toEqual([]);
  });
});

type OnAuthDone = (error: Error | null, response?: { user: string }) => void;

describe('what Temporal and the log get', () => {
  it('contains no personal data', async () => {
    await server.close();
    server = await startMailServer({
      onRcptTo: ({ address }, _session, done) => {
        done(reply(550, `5.1.1 <${address}> is unknown`));
      },
    });
    const outcome = await sendMail(test.db, transportTo(server.port), await enqueue());
    expect(JSON.stringify(outcome)).not.toContain('ana');
  });
});
