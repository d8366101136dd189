/** Run with `node --test` after compilation. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { isLater, verifyWebhook, WebhookError } from '../src/index.js';

const secret = 'whsec_YSBzZWNyZXQgb2YgdGhpcnR5LXR3byBieXRlcyAuLi4u';
const body = '{"transaction_id":"0199","status":"Success","name":"Wanjikũ"}';
const ours = 'v1,pLxnjxn8aU2impiYNchp1L5F/X1n11gwu8AclSZpabA=';
const ofOtherSecret = 'v1,2SUx8mUtMMj8HPmEaDUddRov7gKD1QmhkwBqnGlxh9Y=';
const ofEmptySecret = 'v1,47VWFz5AiB9Q9SOEXuB5Xp53c1mfxfJPhJXFwDZQPHY=';
const at = 1_700_000_000;
const signed = (signature: string) => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(at),
  'webhook-signature': signature,
  'x-callback-type': 'Mobile-Money',
});
const verify = (signature: string, { text = body, key = secret, nowS = at + 5 } = {}) =>
  verifyWebhook(text, signed(signature), key, nowS);

await test('an authentic webhook is read', () => {
  const webhook = verify(ours);
  assert.deepEqual([webhook.id, webhook.type], ['msg_1', 'Mobile-Money']);
  assert.equal((webhook.body as { name?: string }).name, 'Wanjikũ');
});

await test('either of two signatures is accepted while a secret changes', () => {
  assert.equal(verify(`${ofOtherSecret} ${ours}`).id, 'msg_1');
  assert.equal(verify(`${ours} ${ofOtherSecret}`).id, 'msg_1');
});

await test('a foreign or changed webhook is rejected', () => {
  for (const signature of [ofOtherSecret, '', 'v1,', 'v1', ours.replace('v1', 'v2'), `${ours}A`]) {
    assert.throws(() => verify(signature), WebhookError);
  }
  assert.throws(() => verify(ours, { text: `${body} ` }), WebhookError);
  assert.throws(() => verifyWebhook(body, {}, secret, at), WebhookError);
});

await test('a webhook older than five minutes or from the future is rejected', () => {
  assert.equal(verify(ours, { nowS: at + 299 }).id, 'msg_1');
  for (const nowS of [at + 300, at - 300, Number.NaN])
    assert.throws(() => verify(ours, { nowS }), WebhookError);
});

await test('an invalid secret is an error of the shop', () => {
  for (const key of [
    '',
    'whsec_',
    'whsec_c2hvcnQ=',
    'whsec_*'.repeat(9),
    secret.slice(6),
    `${secret}\n`,
    'undefined',
    undefined,
    null,
  ]) {
    const typeError = { name: 'TypeError', message: /^A webhook secret is/ };
    assert.throws(() => verifyWebhook(body, signed(ofEmptySecret), key as string, at), typeError);
  }
});

const sign = (text: string) =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(`msg_1.${String(at)}.${text}`)
    .digest('base64')}`;

await test('the type comes from the signed body, not from the header', () => {
  const text = '{"callback_type":"STK-Push","event_type":"deposit.timed_out","sequence":4}';
  const webhook = verify(sign(text), { text });
  assert.deepEqual([webhook.type, webhook.eventType], ['STK-Push', 'deposit.timed_out']);
});

await test('headers are read in any letter case and shape', () => {
  const titled = Object.entries(signed(ours)).map(([name, value]): [string, string] => [
    name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()),
    value,
  ]);
  const shapes = [
    Object.fromEntries(titled),
    new Headers(titled),
    new Map(titled.map(([name, value]) => [name, value])) as never,
    Object.fromEntries(titled.map(([name, value]) => [name, [value]])),
    titled,
    titled.flat(),
    new Request('http://127.0.0.1/', { headers: titled }),
    // Express, Fastify and Koa have Node's own headers; a serverless event has an object.
    { method: 'POST', headers: signed(ours) },
  ];
  for (const headers of shapes) assert.equal(verifyWebhook(body, headers, secret, at).id, 'msg_1');
});

await test('a header that comes twice counts with both values', () => {
  for (const [name, value] of [
    ['webhook-id', 'msg_2'],
    ['Webhook-Timestamp', String(at + 1)],
  ] as const) {
    const pairs = [...Object.entries(signed(ours)), [name, value] as const];
    const lists = Object.fromEntries(
      pairs.map(([one, first]) => [one, one === name ? [first, first] : [first]]),
    );
    for (const headers of [
      pairs,
      pairs.flat(),
      lists,
      new Headers(pairs.map(([one, first]) => [one, first])),
    ])
      assert.throws(() => verifyWebhook(body, headers, secret, at), WebhookError);
  }
});

await test('the body may be text, bytes or a buffer', () => {
  const bytes = new TextEncoder().encode(body);
  for (const received of [body, bytes, Buffer.from(bytes), bytes.buffer])
    assert.equal(verifyWebhook(received, signed(ours), secret, at).id, 'msg_1');
});

await test('an invalid body or header raises a WebhookError', () => {
  for (const text of ['', '[]', 'null', '3', '"a"', '{', '\u0000'])
    assert.throws(() => verify(sign(text), { text }), WebhookError);
  for (const parsed of [{}, undefined, null, 3])
    assert.throws(() => verifyWebhook(parsed as never, signed(ours), secret, at), WebhookError);
  for (const headers of [null, undefined, [], { 'webhook-id': 3, 'webhook-timestamp': {} }])
    assert.throws(() => verifyWebhook(body, headers as never, secret, at), WebhookError);
  for (const time of ['', ' ', '1e9', '0x65', '-1', '٣', '9'.repeat(40)]) {
    const headers = { ...signed(ours), 'webhook-timestamp': time };
    assert.throws(() => verifyWebhook(body, headers, secret, at), WebhookError);
  }
});

await test('only a webhook with a higher sequence is later', () => {
  assert.equal(isLater({ sequence: 3 }, undefined), true);
  assert.equal(isLater({ sequence: 4 }, 3), true);
  assert.equal(isLater({ sequence: 3 }, 3), false);
  assert.equal(isLater({ sequence: 2 }, 3), false);
  assert.equal(isLater({ data: { sequence: 4 } }, 3), true);
  assert.equal(isLater({ type: 'test' }, undefined), false);
});
