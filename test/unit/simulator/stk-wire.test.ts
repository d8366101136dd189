import { startTestBench, type TestBench } from '../../support/simulator/bench';
import { basic, password, promptFields } from '../../support/simulator/daraja-client';
import type { Fields } from '../../support/simulator/http-client';

const SUCCESS = '254708374149';

let bench: TestBench;
beforeAll(async () => {
  bench = await startTestBench();
});
afterAll(() => bench.stop());

const envelope = (errorCode: string, errorMessage: string) => ({
  requestId: expect.stringMatching(/^\d+-\d+-1$/) as string,
  errorCode,
  errorMessage,
});

describe('GET /oauth/v1/generate', () => {
  it('gives a token and its lifetime as a text in seconds', async () => {
    const { status, body } = await bench.daraja.getToken();
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]{28}$/) as string,
      expires_in: '3599',
    });
  });

  it('refuses another secret and another grant', async () => {
    const { daraja } = bench;
    expect(await daraja.getToken(basic('wrong'))).toMatchObject({
      status: 400,
      body: envelope('400.008.01', 'Invalid Authentication passed'),
    });
    expect(await daraja.getToken(basic(), 'password')).toMatchObject({
      status: 400,
      body: envelope('400.008.02', 'Invalid grant type passed'),
    });
  });

  it('revokes the previous token with every new one', async () => {
    const own = await startTestBench();
    try {
      const { daraja } = own;
      const id = await daraja.prompt('254700000703');
      await daraja.getToken();
      expect(await daraja.query(id)).toMatchObject({ status: 404, body: { errorCode: '404.001.03' } });
    } finally {
      await own.stop();
    }
  });

  it('gives tokens that are accepted for 3599 virtual seconds', async () => {
    const own = await startTestBench();
    try {
      const id = await own.daraja.prompt('254700000703');
      await own.daraja.advance(3_590_000);
      expect((await own.daraja.query(id)).body['errorCode']).toBe('500.001.1001');
      await own.daraja.advance(10_000);
      expect(await own.daraja.query(id)).toMatchObject({
        status: 404,
        body: envelope('404.001.03', 'Invalid Access Token'),
      });
    } finally {
      await own.stop();
    }
  });
});

describe('POST /mpesa/stkpush/v1/processrequest', () => {
  it('accepts with five texts', async () => {
    const { status, body } = await bench.daraja.initiate(SUCCESS);
    expect(status).toBe(200);
    expect(body).toEqual({
      MerchantRequestID: expect.stringMatching(/^\d+-\d+-1$/) as string,
      CheckoutRequestID: expect.stringMatching(/^ws_CO_\d{20}708374149$/) as string,
      ResponseCode: '0',
      ResponseDescription: 'Success. Request accepted for processing',
      CustomerMessage: 'Success. Request accepted for processing',
    });
  });

  it('takes the amount and the shortcode as text or as number', async () => {
    const { daraja } = bench;
    expect((await daraja.initiate(SUCCESS, { Amount: '10', BusinessShortCode: 174379 })).status).toBe(200);
  });

  it.each<[string, Fields]>([
    ['BusinessShortCode', { BusinessShortCode: 'shop' }],
    ['Timestamp', { Timestamp: '20260230120000' }],
    ['Timestamp', { Timestamp: '2026-01-05 12:00' }],
    ['TransactionType', { TransactionType: 'CustomerDonation' }],
    ['Amount', { Amount: 10.5 }],
    ['Amount', { Amount: 0 }],
    ['Amount', { Amount: 150_001 }],
    ['Amount', { Amount: '10.00' }],
    ['Amount', { Amount: null }],
    ['PartyA', { PartyA: '0708374149' }],
    ['PartyB', { PartyB: '' }],
    ['PhoneNumber', { PhoneNumber: '254208374149' }],
    ['PhoneNumber', { PhoneNumber: '+254708374149' }],
    ['CallBackURL', { CallBackURL: 'ftp://127.0.0.1/in' }],
    ['CallBackURL', { CallBackURL: 'nowhere' }],
    ['AccountReference', { AccountReference: 'THIRTEEN-LONG' }],
    ['AccountReference', { AccountReference: undefined }],
    ['AccountReference', { AccountReference: 'ORDER-20260\ud83e' }],
    ['TransactionDesc', { TransactionDesc: undefined }],
    ['TransactionDesc', { TransactionDesc: '\udd7e' }],
    ['Password', { Password: undefined }],
  ])('refuses a wrong %s: %j', async (field, changes) => {
    expect(await bench.daraja.initiate(SUCCESS, changes)).toMatchObject({
      status: 400,
      body: envelope('400.002.02', `Bad Request - Invalid ${field}`),
    });
  });

  it('refuses a password made for another timestamp, and an unknown shortcode', async () => {
    const { daraja } = bench;
    expect(await daraja.initiate(SUCCESS, { Timestamp: '20260105120001' })).toMatchObject({
      status: 500,
      body: envelope('500.001.1001', 'Wrong credentials'),
    });
    expect(await daraja.initiate(SUCCESS, { BusinessShortCode: '600000' })).toMatchObject({
      status: 500,
      body: envelope('500.001.1001', 'Merchant does not exist'),
    });
  });

  it('refuses a missing or invented token and a body that is not JSON', async () => {
    const { daraja } = bench;
    const path = '/mpesa/stkpush/v1/processrequest';
    const fields = promptFields(SUCCESS, 'http://127.0.0.1/in');
    const invalidToken = { status: 404, body: envelope('404.001.03', 'Invalid Access Token') };
    expect(await daraja.post(path, fields)).toMatchObject(invalidToken);
    expect(await daraja.post(path, fields, { authorization: 'Bearer invented' })).toMatchObject(invalidToken);

    const headers = { authorization: await daraja.bearer(), 'content-type': 'application/json' };
    expect(await daraja.call(path, { method: 'POST', headers, body: '{"Amount":' })).toMatchObject({
      status: 400,
      body: envelope('400.002.02', 'Bad Request - Invalid Request Body'),
    });
  });

  it('gives every prompt unique ids and a unique receipt', async () => {
    const own = await startTestBench();
    try {
      for (let n = 0; n < 50; n += 1) await own.daraja.prompt(SUCCESS);
      await own.daraja.advance(5_000);
      const successes = await own.daraja.successes();
      expect(new Set(successes.map(({ reference }) => reference)).size).toBe(50);
      expect(new Set(successes.map(({ receipt }) => receipt)).size).toBe(50);
    } finally {
      await own.stop();
    }
  });
});

describe('POST /mpesa/stkpushquery/v1/query', () => {
  it('answers 500.001.1001 while the prompt is open', async () => {
    const { daraja } = bench;
    expect(await daraja.query(await daraja.prompt('254700000703'))).toMatchObject({
      status: 500,
      body: envelope('500.001.1001', 'The transaction is being processed'),
    });
  });

  it('returns the result code as text, and no receipt, amount or phone', async () => {
    const { daraja } = bench;
    const accepted = (await daraja.initiate('254722334455')).body;
    const id = accepted['CheckoutRequestID'] as string;
    await daraja.advance(3_000);
    const { status, body } = await daraja.query(id);
    expect(status).toBe(200);
    expect(body).toEqual({
      ResponseCode: '0',
      ResponseDescription: expect.any(String) as string,
      MerchantRequestID: accepted['MerchantRequestID'],
      CheckoutRequestID: id,
      ResultCode: '1032',
      ResultDesc: 'Request cancelled by user.',
    });
  });

  it('refuses an unknown id and a wrong password', async () => {
    const { daraja } = bench;
    expect(await daraja.query('ws_CO_0')).toMatchObject({
      status: 400,
      body: envelope('400.002.02', 'Bad Request - Invalid CheckoutRequestID'),
    });
    expect(await daraja.query('ws_CO_0', { Password: password('another') })).toMatchObject({
      status: 500,
      body: envelope('500.001.1001', 'Wrong credentials'),
    });
  });
});

describe('the notification', () => {
  it('is written byte for byte as Daraja writes it', async () => {
    const own = await startTestBench();
    try {
      const accepted = (await own.daraja.initiate(SUCCESS)).body;
      await own.daraja.advance(3_000);
      const [callback] = own.receiver.received;
      const [success] = await own.daraja.successes();
      const nairobi = new Date(Date.parse(String(success?.['at'])) + 3 * 3_600_000).toISOString();
      const date = nairobi.replace(/\D/g, '').slice(0, 14);
      expect(callback?.contentType).toBe('application/json');
      expect(callback?.text).toBe(
        `{"Body":{"stkCallback":{"MerchantRequestID":"${String(accepted['MerchantRequestID'])}",` +
          `"CheckoutRequestID":"${String(accepted['CheckoutRequestID'])}","ResultCode":0,` +
          '"ResultDesc":"The service request is processed successfully.","CallbackMetadata":{"Item":[' +
          `{"Name":"Amount","Value":1250.00},{"Name":"MpesaReceiptNumber","Value":"${String(success?.['receipt'])}"},` +
          `{"Name":"Balance"},{"Name":"TransactionDate","Value":${date}},` +
          '{"Name":"PhoneNumber","Value":254708374149}]}}}}',
      );
    } finally {
      await own.stop();
    }
  });

  it('is sent once, whatever the receiver answers', async () => {
    const own = await startTestBench();
    try {
      own.receiver.answerWith(500);
      await own.daraja.prompt(SUCCESS);
      await own.daraja.advance(600_000);
      expect(own.receiver.received).toHaveLength(1);
    } finally {
      await own.stop();
    }
  });

  it('to an address without a listener is recorded and not repeated', async () => {
    const own = await startTestBench();
    try {
      await own.daraja.prompt(SUCCESS, { CallBackURL: 'http://127.0.0.1:1/in' });
      await own.daraja.advance(600_000);
      const sent = (await own.daraja.requests()).filter(({ call }) => call === 'callback');
      expect(sent).toMatchObject([{ url: 'http://127.0.0.1:1/in', answer: { ended: 'failed' } }]);
    } finally {
      await own.stop();
    }
  });
});

it('answers an unknown path in its own envelope', async () => {
  expect(await bench.daraja.call('/mpesa/unknown')).toMatchObject({
    status: 404,
    body: envelope('404.001.01', 'Resource not found'),
  });
});
