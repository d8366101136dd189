import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createMalipo, OutcomeUnknownError, RefusedError } from '../src/index.js';

/** A service with scripted answers, one per request. */
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

await test('an error has its code, status, payment id and request id', () =>
  serving([409], async (baseUrl) => {
    const refused = createMalipo({ baseUrl, ...keys }).momoRefund({ transaction_id: '7' });
    await assert.rejects(refused, (error) => {
      assert.ok(error instanceof RefusedError);
      assert.deepEqual([error.code, error.status, error.paymentId], ['SOME_CODE', 409, 'p-1']);
      assert.equal(error.requestId, 'req-1');
      return true;
    });
  }));

await test('an unknown outcome has the key of every attempt', () =>
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

const oddAddresses = [
  ...['', 'pay.example.com', 'ftp://pay.example.com', 'https://', 'https:///api', 'https://:443'],
  ...['https://user:word@pay.example.com', 'https://pay.example.com?key=1', 'https://pay.example.com/#top'],
  ...['https://pay.example.com\n', ' https://pay.example.com', 'https://pay.example.com:99999'],
  ...['https://pay.example.com:port', 'https://pay.example.com/a b', 'https://pay\\example.com'],
];

await test('invalid settings are rejected at once', () => {
  for (const wrong of [
    ...oddAddresses.map((baseUrl) => ({ baseUrl })),
    { apiKey: '' },
    { apiSecret: 'a\nb' },
  ]) {
    assert.throws(() => createMalipo({ baseUrl: 'https://pay.example.com', ...keys, ...wrong }), TypeError);
  }
});

await test('an address may have a port and a path', () => {
  for (const baseUrl of ['http://127.0.0.1:3000', 'http://[::1]:3000/', 'https://pay.example.com/malipo'])
    assert.equal(typeof createMalipo({ baseUrl, ...keys }).stkPush, 'function');
});
