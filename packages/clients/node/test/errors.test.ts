import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createMalipo, OutcomeUnknownError, RefusedError } from '../src/index.js';

/** A service that answers each request as it is told, one after the other. */
async function serving(
  statuses: number[],
  work: (baseUrl: string, heard: IncomingMessage[]) => Promise<void>,
) {
  const heard: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    heard.push(request);
    const body = {
      success: false,
      code: 'SOME_CODE',
      message: 'A sentence',
      request_id: 'req-1',
      payment_id: 'p-1',
    };
    response.writeHead(statuses[heard.length - 1] ?? 200).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await work(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, heard);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const keys = { apiKey: 'pk_test_1', apiSecret: 'sk_test_1' };

await test('a refusal has its code, its status, its payment and its request', () =>
  serving([409], async (baseUrl) => {
    const refused = createMalipo({ baseUrl, ...keys }).momoRefund({ transaction_id: '7' });
    await assert.rejects(refused, (error) => {
      assert.ok(error instanceof RefusedError);
      assert.deepEqual([error.code, error.status, error.paymentId], ['SOME_CODE', 409, 'p-1']);
      assert.equal(error.requestId, 'req-1');
      return true;
    });
  }));

await test('a doubt has the key to repeat it with, which was sent with every try', () =>
  serving([500, 503], async (baseUrl, heard) => {
    const malipo = createMalipo({ baseUrl, ...keys, triesMax: 2, firstPauseMs: 1 });
    const unknown = malipo.momoRefund({ transaction_id: '7' }, { idempotencyKey: 'refund-1' });
    await assert.rejects(unknown, (error) => {
      assert.ok(error instanceof OutcomeUnknownError);
      assert.deepEqual(
        [error.idempotencyKey, error.paymentId, error.requestId],
        ['refund-1', 'p-1', 'req-1'],
      );
      return true;
    });
    assert.deepEqual(
      heard.map(({ headers }) => headers['idempotency-key']),
      ['refund-1', 'refund-1'],
    );
  }));

await test('settings that are none are refused at once', () => {
  for (const wrong of [
    { baseUrl: '' },
    { baseUrl: 'pay.example.com' },
    { apiKey: '' },
    { apiSecret: 'a\nb' },
  ]) {
    assert.throws(() => createMalipo({ baseUrl: 'https://pay.example.com', ...keys, ...wrong }), TypeError);
  }
});
