import fc from 'fast-check';
import { v7 as uuid } from 'uuid';
import { isMailAddress, enqueueMail, type NewMail } from '../../../src/mail/enqueue-mail';
import { sendMail } from '../../../src/mail/send-mail';
import { createMailTransport } from '../../../src/mail/transport';
import { inTransaction } from '../../../src/store/transaction';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { startMailServer, type MailServer } from '../../support/mail/mail-support';

let test: TestDatabase;
let server: MailServer;
beforeAll(async () => {
  test = await createTestDatabase();
  server = await startMailServer();
});
beforeEach(async () => {
  server.received.length = 0;
  await test.db('mails').delete();
});
afterAll(async () => {
  await server.close();
  await test.drop();
});

const transport = () =>
  createMailTransport({
    host: '127.0.0.1',
    port: server.port,
    tls: 'none',
    from: { name: '', address: 'payments@duka.example' },
  });

const plain = { kind: 'claim', to: 'ana@example.org', subject: 'Claim', text: 'Hello' };

function enqueue(mail: NewMail): Promise<string> {
  return inTransaction(test.db, (trx) => enqueueMail(trx, mail));
}

describe('a mail', () => {
  it('is written in the transaction of its event, or not at all', async () => {
    const work = inTransaction(test.db, async (trx) => {
      await enqueueMail(trx, { ...plain, paymentId: uuid() });
      throw new Error('the payment could not change');
    });
    await expect(work).rejects.toThrow('could not change');
    expect(await test.db('mails')).toEqual([]);
  });

  it('is written once per payment and kind; the first one stays', async () => {
    const [paymentId, other] = [uuid(), uuid()];
    const first = await enqueue({ ...plain, paymentId });
    expect(await enqueue({ ...plain, paymentId, text: 'Hello again' })).toBe(first);
    expect(await enqueue({ ...plain, paymentId, kind: 'claim_reminder' })).not.toBe(first);
    expect(await enqueue({ ...plain, paymentId: other })).not.toBe(first);
    expect(await test.db('mails')).toHaveLength(3);
    expect(await test.db('mails').where({ mail_id: first })).toMatchObject([{ body: 'Hello', state: 'new' }]);
  });

  it('is written once for two concurrent calls', async () => {
    const paymentId = uuid();
    const ids = await Promise.all(Array.from({ length: 5 }, () => enqueue({ ...plain, paymentId })));
    expect(new Set(ids).size).toBe(1);
    expect(await test.db('mails')).toHaveLength(1);
  });

  it('leaves the transaction usable if it existed before', async () => {
    const paymentId = uuid();
    await enqueue({ ...plain, paymentId });
    await inTransaction(test.db, async (trx) => {
      await enqueueMail(trx, { ...plain, paymentId });
      await enqueueMail(trx, { ...plain, paymentId, kind: 'next' });
    });
    expect(await test.db('mails')).toHaveLength(2);
  });

  it('without a payment is always a new one', async () => {
    await enqueue({ ...plain, paymentId: null });
    await enqueue({ ...plain, paymentId: null });
    expect(await test.db('mails')).toHaveLength(2);
  });
});

describe('no header line can be injected', () => {
  it.each([
    'ana@example.org\r\nBcc: eve@example.com',
    'ana@example.org\nBcc: eve@example.com',
    'ana@example.org\r',
    '\nana@example.org',
    'ana@example.org>\r\nRCPT TO:<eve@example.com',
    'ana@example.org, eve@example.com',
    'ana@example.org;eve@example.com',
    'Ana <ana@example.org>',
    '<ana@example.org>',
    '"ana\r\n"@example.org',
    '"ana eve"@example.org',
    'friends: ana@example.org, eve@example.com;',
    'ana@example.org NOTIFY=SUCCESS',
    'ana@[127.0.0.1]',
    'ana@localhost',
    'ana@example..org',
    'ana@-example.org',
    'ana@example.org\u2028Bcc: eve@example.com',
    'ana@example.org\u0000',
    '@example.org',
    'ana@',
    'ana',
    '',
    `${'a'.repeat(65)}@example.org`,
    `ana@${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.org`,
  ])('by the recipient %j', async (to) => {
    await expect(enqueue({ ...plain, to, paymentId: uuid() })).rejects.toThrow(RangeError);
    expect(await test.db('mails')).toEqual([]);
  });

  it.each([
    'Hi\r\nBcc: eve@example.com',
    'Hi\nX: y',
    'Hi\r',
    'Hi\u2028X: y',
    'Hi\u0000',
    ' ',
    '',
    'x'.repeat(201),
  ])('by the subject %j', async (subject) => {
    await expect(enqueue({ ...plain, subject, paymentId: uuid() })).rejects.toThrow(RangeError);
    expect(await test.db('mails')).toEqual([]);
  });

  it('by a row from outside', async () => {
    const row = { kind: 'x', body: 'Hello', created_at: new Date() };
    const [bySubject, byRecipient] = [uuid(), uuid()];
    await test.db('mails').insert([
      {
        ...row,
        mail_id: bySubject,
        recipient: 'ana@example.org',
        subject: 'Hi\r\nBcc: eve@example.com\r\n\r\nBody',
      },
      {
        ...row,
        mail_id: byRecipient,
        recipient: 'ana@example.org>\r\nRCPT TO:<eve@example.com',
        subject: 'Hi',
      },
    ]);
    expect(await sendMail(test.db, transport(), bySubject)).toEqual({ kind: 'sent' });
    expect(await sendMail(test.db, transport(), byRecipient)).toEqual({ kind: 'dead', code: 'EADDRESS' });
    expect(server.received).toMatchObject([{ to: ['ana@example.org'], body: 'Hello\r\n' }]);
    expect(Object.keys(server.received[0]?.headers ?? {})).not.toContain('bcc');
  });

  it('by the text, which keeps its lines', async () => {
    const text = '.\r\nMAIL FROM:<eve@example.com>\r\n.\nBcc: eve@example.com\n';
    const mailId = await enqueue({ ...plain, text, paymentId: uuid() });
    expect(await sendMail(test.db, transport(), mailId)).toEqual({ kind: 'sent' });
    expect(server.received).toHaveLength(1);
    expect(server.received[0]?.body).toBe(
      '.\r\nMAIL FROM:<eve@example.com>\r\n.\r\nBcc: eve@example.com\r\n',
    );
  });
});

describe('an address', () => {
  it.each([
    'ana@example.org',
    'ana.maria+shop@mail.example.co.ke',
    "o'brien@example.org",
    "!#$%&'*+/=?^_`{|}~-@example.org",
    `${'a'.repeat(64)}@example.org`,
  ])('%s is accepted, and reaches its one recipient', async (to) => {
    const mailId = await enqueue({ ...plain, to, paymentId: uuid() });
    expect(await sendMail(test.db, transport(), mailId)).toEqual({ kind: 'sent' });
    expect(server.received.map((mail) => mail.to)).toEqual([[to]]);
  });

  it('never contains a separator or a line end', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\r', '\n', ' ', ',', ';', '<', '>', '"', ':'),
    );
    fc.assert(
      fc.property(piece, piece, piece, (before, between, after) => {
        const text = `${before}ana${between}@example.org${after}`;
        expect(isMailAddress(text) && /[^\x21-\x7e]|[,;:<>"()[\]\\]/.test(text)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});
