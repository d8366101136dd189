/** Secrets and personal data that are planted in a payment, and searched for where they must not be. */
import { Client, Connection } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { everythingEndsWell } from '../support/ending-well';
import { raw } from '../../support/api/serve';
import { accepted, callbackBody, ended, notify, push } from '../../support/rails/stk/payments';
import { call, stkPush, type ApiAnswer } from '../../support/merchant-client';
import { testTemporalAddress } from '../../support/temporal';
import { startStack, type OwnStack, type TestMerchant } from '../../support/stack';

const planted = {
  consumerKey: 'canary-consumer-key-1f4a',
  consumerSecret: 'canary-consumer-secret-7c2e',
  passkey: 'canary-passkey-93bd',
  phone: '254729555123',
  email: 'canary.payer@example.com',
  /** Neither secret nor personal by its form: a caller's text that nothing may repeat. */
  word: 'canarytext5e1d',
  card: '4111111111111111',
};

describe('secret and personal data', () => {
  let stack: OwnStack;
  let merchant: TestMerchant;
  const answers: ApiAnswer[] = [];
  let canaries: Record<string, string[]>;

  beforeAll(async () => {
    stack = await startStack({
      timeScale: 20,
      env: {
        MALIPO_LOG_LEVEL: 'debug',
        STK_CONSUMER_KEY: planted.consumerKey,
        STK_CONSUMER_SECRET: planted.consumerSecret,
        STK_PASSKEY: planted.passkey,
      },
    });
    merchant = await stack.createMerchant();
    const secretsInBody = { api_key: merchant.apiKey, api_secret: merchant.apiSecret };
    const metadata = { email: planted.email };
    const payer = { phone_number: planted.phone, metadata };

    // A payment that succeeds, and one whose provider and merchant fail.
    const paid = await accepted(stack, merchant, { ...payer, ...secretsInBody });
    merchant.receiver.answerWith((_request, response) => {
      response.statusCode = 500;
      response.end(`${planted.email} ${planted.phone} ${merchant.webhookSecret}`);
      merchant.receiver.answerWith((_next, answer) => answer.end('ok'));
    });
    const lost = await accepted(stack, merchant, { phone_number: '254700000707', metadata });
    await ended(stack.db, paid.payment_id);
    await ended(stack.db, lost.payment_id);

    // Everything that can be rejected, with the secrets in it.
    const post = (body: unknown, by?: TestMerchant) => call(stack, by, 'POST', '/api/v1/stk_push', body);
    answers.push(
      await post(stkPush({ ...payer, ...secretsInBody, amount: planted.phone })),
      await post(stkPush({ ...payer, api_key: merchant.apiKey, api_secret: `${merchant.apiSecret}x` })),
      await post(`{"api_secret":"${merchant.apiSecret}","phone_number":"${planted.phone}"`, merchant),
      await push(stack, merchant, { ...payer, account_reference: { email: planted.email } }),
      await push(stack, merchant, { phone_number: `${planted.phone} ${planted.email}` }),
      await push(stack, merchant, { phone_number: '254700000709', metadata }),
      await call(stack, merchant, 'POST', '/api/v1/stk_push', stkPush({ phone_number: '254700000709' }), {
        'X-Request-Id': planted.phone,
      }),
      await call(stack, merchant, 'GET', `/api/v1/stk_push/status?payment_id=${merchant.apiSecret}`),
      await call(stack, merchant, 'GET', `/nowhere/${merchant.apiSecret}?token=${merchant.webhookSecret}`),
    );
    // A target that makes Node warn and quote it, and one that does not decode.
    const port = Number(new URL(stack.apiUrl).port);
    await raw(
      port,
      `GET http://x:9x/?reference=${planted.word} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    await raw(port, `GET /in/%zz${planted.word} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    answers.push(
      await push(stack, merchant, { ...payer, transaction_desc: `card ${planted.card}` }),
      await push(stack, merchant, { ...payer, metadata: `${planted.word} {"card":${planted.card}}` }),
      await call(stack, merchant, 'GET', `/api/v1/stk_push/status?${planted.word}=1&${planted.word}=1`),
    );
    await notify(stack, paid, callbackBody(paid, { checkoutRequestId: planted.phone }));
    await notify(stack, paid, callbackBody(paid, { checkoutRequestId: planted.card }));
    await notify(stack, paid, callbackBody(paid), { token: randomUUID().replaceAll('-', '') });
    // The provider is down for a while.
    await stack.kill('simulator');
    answers.push(await push(stack, merchant, payer));
    await stack.start('simulator');
    await everythingEndsWell(stack, { merchants: [merchant] });

    canaries = {
      'the API secret': [merchant.apiSecret],
      'the webhook secret': [merchant.webhookSecret, merchant.webhookSecret.replace('whsec_', '')],
      'the consumer key and secret': [
        planted.consumerKey,
        planted.consumerSecret,
        Buffer.from(`${planted.consumerKey}:${planted.consumerSecret}`).toString('base64'),
      ],
      'the passkey': [planted.passkey],
      'the phone number': [planted.phone, planted.phone.slice(3), `0${planted.phone.slice(3)}`],
      'the e-mail address': [planted.email],
      'a rejected text': [planted.word],
      'the card number': [planted.card],
      'the path tokens of callbacks': await callbackTokens(),
      'the access tokens': await accessTokens(),
    };
  });
  afterAll(() => stack.stop());

  async function callbackTokens(): Promise<string[]> {
    const rows = await stack.db('payments').whereNotNull('callback_token').select('callback_token');
    return rows.map(({ callback_token: token }) => token ?? '');
  }

  /** Every token that the provider has issued, from its own state. */
  async function accessTokens(): Promise<string[]> {
    const journal = await readFile(join(stack.env['MALIPO_SIMULATOR_STATE'] ?? '', 'journal.jsonl'), 'utf8');
    const tokens = journal
      .split('\n')
      .filter((line) => line.includes('stk.tokens'))
      .flatMap((line) => /"text":"([\w-]{28})"/.exec(line)?.[1] ?? []);
    expect(tokens.length).toBeGreaterThan(0);
    return tokens;
  }

  function expectNone(text: string): void {
    expect(text.length).toBeGreaterThan(0);
    const found = Object.entries(canaries).filter(([, words]) => words.some((word) => text.includes(word)));
    expect(found.map(([name]) => name)).toEqual([]);
  }

  it('is in no log of the API and the worker', async () => {
    const logs = await stack.logs();
    expect(logs).toContain('"level":"debug"');
    expectNone(logs);
  });

  it('is not printed by Node, past the log', async () => {
    const logs = await stack.logs();
    expect(logs).toContain('"code":"DEP0170"');
    expect(logs).not.toMatch(/^\(node:\d+\)/m);
  });

  it('is logged as one JSON object per line, whatever is logged', async () => {
    const lines = (await stack.logs()).split('\n').filter((line) => line !== '');
    const unreadable = lines.filter((line) => !/^\{.*\}$/.test(line));
    expect(unreadable).toEqual([]);
  });

  it('is in no error to a caller', () => {
    expect(answers.map(({ status }) => status >= 400)).toEqual(answers.map(() => true));
    expectNone(JSON.stringify(answers.map(({ body }) => body)));
  });

  it('is in no history, memo or search attribute of a workflow', async () => {
    const connection = await Connection.connect({ address: testTemporalAddress() });
    try {
      const client = new Client({ connection });
      const rows = await stack.db('payments').select('workflow_id');
      const histories = await Promise.all(
        rows.map(async ({ workflow_id: id }) => {
          const handle = client.workflow.getHandle(id);
          return [
            await handle.fetchHistory().catch(() => undefined),
            await handle.describe().catch(() => undefined),
          ];
        }),
      );
      const text = JSON.stringify(histories, decoded);
      for (const { payment_id: id } of await stack.db('payments'))
        expect(text).toContain(`"reference":"${id}"`.replaceAll('"', '\\"'));
      expectNone(text);
    } finally {
      await connection.close();
    }
  });

  it('is in no metric', async () => {
    const urls = [`${stack.opsUrl}/metrics`, `http://${stack.env['MALIPO_WORKER_HEALTH'] ?? ''}/metrics`];
    const texts = await Promise.all(urls.map(async (url) => (await fetch(url)).text()));
    for (const text of texts) expectNone(text);
    expectNone(await (await fetch(`http://${stack.env['MALIPO_WORKER_METRICS'] ?? ''}/metrics`)).text());
  });
});

/** Payloads are in base64; the decoded text must be searched. */
function decoded(name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  return name === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : value;
}
