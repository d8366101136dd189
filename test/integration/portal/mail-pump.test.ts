import { enqueueMail, type NewMail } from '../../../src/mail/enqueue-mail';
import type { Handover, OutgoingMail } from '../../../src/mail/transport';
import { sendWaitingMails, invitationMail, userMail } from '../../../src/portal/mails';
import { openDatabase, type Database } from '../../../src/store/database';
import { inTransaction } from '../../../src/store/transaction';
import { createTestDatabase, testPatienceMs, type TestDatabase } from '../../support/database';

let test: TestDatabase;
/** The portal's database account. */
let db: Database;
beforeAll(async () => {
  test = await createTestDatabase();
  db = openDatabase(test.url, { patienceMs: testPatienceMs });
});
afterAll(async () => {
  await db.destroy();
  await test.drop();
});

const url = 'https://portal.example';
const amina = { email: 'amina@duka.example', locale: 'sw' };
const write = (mail: NewMail) => inTransaction(db, (trx) => enqueueMail(trx, mail));
const mailOf = (mailId: string) => db('mails').where({ mail_id: mailId }).first();

function server(answer: Handover) {
  const heard: OutgoingMail[] = [];
  return {
    heard,
    handOver(mail: OutgoingMail) {
      heard.push(mail);
      return Promise.resolve(answer);
    },
  };
}

it("sends each mail once in the reader's language, and removes the link's token", async () => {
  const mailId = await write(
    invitationMail(url, amina, { token: 'the-token', merchantName: 'Duka la Amina' }),
  );
  const payments = await write({ ...userMail(url, amina, 'password'), kind: 'reminder-1' });
  const transport = server({ kind: 'taken' });
  await Promise.all([sendWaitingMails(db, transport), sendWaitingMails(db, transport)]);
  await sendWaitingMails(db, transport);
  expect(transport.heard).toMatchObject([
    { mailId, to: 'amina@duka.example', subject: 'Umealikwa kwenye Malipo' },
  ]);
  expect(transport.heard[0]?.text).toContain(`${url}/invitation/the-token`);
  expect(transport.heard[0]?.text).toContain('kwa Duka la Amina');
  expect(await mailOf(mailId)).toMatchObject({
    state: 'sent',
    body: expect.not.stringContaining('the-token'),
  });
  // Workflows send the mails of payments.
  expect(await mailOf(payments)).toMatchObject({ state: 'new', tries: 0 });
});

it('retries a refused mail later, and stops when its link has expired', async () => {
  const mailId = await write(invitationMail(url, amina, { token: 'another', merchantName: undefined }));
  const transport = server({ kind: 'not_taken', code: '450', detail: 'later' });
  await sendWaitingMails(db, transport);
  await sendWaitingMails(db, transport);
  expect([transport.heard.length, (await mailOf(mailId))?.state]).toEqual([1, 'new']);
  await test.db('rate_limit_buckets').delete();
  await sendWaitingMails(db, transport);
  expect(transport.heard).toHaveLength(2);
  await test.db.raw('UPDATE mails SET created_at = created_at - INTERVAL 72 HOUR WHERE mail_id = ?', [
    mailId,
  ]);
  await sendWaitingMails(db, transport);
  expect(await mailOf(mailId)).toMatchObject({ state: 'dead', body: expect.not.stringContaining('another') });
});
