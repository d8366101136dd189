/** `node --test`, once it is JavaScript. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyWebhook, WebhookError } from '../src/index.js';

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

await test('a webhook of ours is read', () => {
  const webhook = verify(ours);
  assert.deepEqual([webhook.id, webhook.type], ['msg_1', 'Mobile-Money']);
  assert.equal((webhook.body as { name?: string }).name, 'Wanjikũ');
});

await test('while a secret changes there are two signatures, and either will do', () => {
  assert.equal(verify(`${ofOtherSecret} ${ours}`).id, 'msg_1');
  assert.equal(verify(`${ours} ${ofOtherSecret}`).id, 'msg_1');
});

await test('what somebody else has signed, or changed, is refused', () => {
  for (const signature of [ofOtherSecret, '', 'v1,', 'v1', ours.replace('v1', 'v2'), `${ours}A`]) {
    assert.throws(() => verify(signature), WebhookError);
  }
  assert.throws(() => verify(ours, { text: `${body} ` }), WebhookError);
  assert.throws(() => verifyWebhook(body, {}, secret, at), WebhookError);
});

await test('what is older than five minutes is refused, and what comes from the future', () => {
  assert.equal(verify(ours, { nowS: at + 299 }).id, 'msg_1');
  for (const nowS of [at + 300, at - 300]) assert.throws(() => verify(ours, { nowS }), WebhookError);
});

await test('a secret that is none is an error of the shop, whatever was signed with it', () => {
  for (const key of [
    '',
    'whsec_',
    'whsec_c2hvcnQ=',
    'whsec_*'.repeat(9),
    secret.slice(6),
    `${secret}\n`,
    'undefined',
  ]) {
    assert.throws(() => verify(ofEmptySecret, { key }), TypeError);
  }
});
