/** Plants customers' data in payments, and searches for it where database errors are reported. */
import { Client, Connection } from '@temporalio/client';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { nothingIsOpen } from '../support/ending-well';
import { hostOf, startProxy, type Proxy } from '../support/proxy';
import { idOf, places, post, transferBody } from '../../support/rails/momo/payments';
import { accepted, callbackBody, notify } from '../../support/rails/stk/payments';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { testTemporalAddress } from '../../support/temporal';
import { startStack, type Stack, type TestMerchant } from '../../support/stack';

/** No form or field name identifies these values. */
const planted = { word: 'Rent Canary Doe flat 4', code: 'canary-code-739' };

describe('personal data, when the database fails', () => {
  let database: TestDatabase;
  let mysql: Proxy;
  let connection: Connection;
  let stack: Stack;
  let merchant: TestMerchant;
  beforeAll(async () => {
    database = await createTestDatabase();
    mysql = await startProxy(hostOf(database.url));
    connection = await Connection.connect({ address: testTemporalAddress() });
    stack = await startStack({
      timeScale: 20,
      database,
      env: { MALIPO_LOG_LEVEL: 'debug' },
      envOf: { api: { DATABASE_URL: mysql.via(database.url) } },
    });
    merchant = await stack.createMerchant();
  });
  afterAll(async () => {
    await stack.stop();
    await mysql.close();
    await connection.close();
  });

  async function expectNoneInLogs(): Promise<void> {
    const logs = await stack.logs();
    expect(Object.values(planted).filter((text) => logs.includes(text))).toEqual([]);
  }

  it("reaches neither Temporal, with an activity's error, nor the logs", async () => {
    // As a server that became read-only, or a column that is too short, rejects it.
    await stack.db.raw(`CREATE TRIGGER planted_fault BEFORE UPDATE ON payments FOR EACH ROW
      BEGIN IF NEW.details <> OLD.details THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'planted'; END IF; END`);
    const message = { customer_message: planted.word, preauth_code: planted.code };
    const answer = post(stack, merchant, 'deposit', transferBody({ ...places.burkina, ...message }));
    const id = await waitFor(
      async () => (await stack.db('payments').where({ state: 'initiating' }).first())?.workflow_id,
      { what: 'the payment to be sent', timeoutMs: 30_000 },
    );
    const handle = new Client({ connection }).workflow.getHandle(id);
    const pending = await waitFor(
      async () => {
        const { raw } = await handle.describe();
        return raw.pendingActivities?.find(({ lastFailure }) => lastFailure?.message);
      },
      { what: 'the activity to fail', timeoutMs: 30_000 },
    );
    expect(pending.lastFailure).toMatchObject({
      message: 'planted',
      applicationFailureInfo: { type: 'ER_SIGNAL_EXCEPTION' },
    });
    await stack.db.raw('DROP TRIGGER planted_fault');
    expect(idOf(await answer)).toBeTruthy();
    await nothingIsOpen(stack.db);

    const text = JSON.stringify([pending, await handle.fetchHistory()], decoded);
    expect(text).toContain('paymentId');
    expect(Object.values(planted).filter((word) => text.includes(word))).toEqual([]);
    await expectNoneInLogs();
  });

  it('does not reach the logs when the connection breaks during a statement with it', async () => {
    const payment = await accepted(stack, merchant);
    const body = { ...(callbackBody(payment) as object), note: planted.word };
    await stack.db.transaction(async (trx) => {
      await trx.raw('LOCK TABLES inbox WRITE');
      const notified = notify(stack, payment, body);
      const waiting = () =>
        database.db('information_schema.processlist').where('info', 'like', 'insert%into `inbox`%').first();
      await waitFor(waiting, { what: 'the notification to be stored', timeoutMs: 30_000 });
      mysql.cut();
      expect((await notified).status).toBe(503);
      await trx.raw('UNLOCK TABLES');
    });
    await nothingIsOpen(stack.db);
    expect(await stack.logs()).toContain('PROTOCOL_CONNECTION_LOST');
    await expectNoneInLogs();
  });
});

/** Payloads are in base64; the decoded text must be searched. */
function decoded(name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  return name === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : value;
}
