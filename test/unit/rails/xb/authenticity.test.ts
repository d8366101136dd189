import { createHmac } from 'node:crypto';
import { authenticityFault } from '../../../../src/rails/xb/providers/intasend/authenticity';

const challenge = 'a-challenge-of-thirty-two-characters';
const webhookSecret = 'the-secret-of-its-signatures';
const text = JSON.stringify({ invoice_id: 'QX7PL2K', state: 'COMPLETE', challenge });
const signed = (secret: string, of = text) => ({
  'x-intasend-signature': createHmac('sha256', secret).update(of).digest('hex'),
});
const { 'x-intasend-signature': right } = signed(webhookSecret);
type Sent = Record<string, string | string[]>;
function reviewReason(headers: Sent, reported: unknown, secret?: string): string | undefined {
  return authenticityFault(
    headers,
    Buffer.from(text),
    { challenge: reported },
    { challenge, webhookSecret: secret },
  );
}

describe('a notification is authentic', () => {
  it.each<[string, Sent, unknown, string | undefined]>([
    ['by the challenge in its body', {}, challenge, undefined],
    ['by the challenge in a header', { 'x-intasend-challenge': challenge }, undefined, undefined],
    ['by either of the two', { 'x-intasend-challenge': 'another' }, challenge, undefined],
    ['by its signature alone', signed(webhookSecret), undefined, webhookSecret],
    ['in digits of any case', { 'x-intasend-signature': right.toUpperCase() }, undefined, webhookSecret],
    ['by the challenge, where the account signs and this one is unsigned', {}, challenge, webhookSecret],
    [
      'by the challenge, where we have no secret to check a signature with',
      signed('theirs'),
      challenge,
      undefined,
    ],
  ])('%s', (_how, headers, reported, secret) => {
    expect(reviewReason(headers, reported, secret)).toBeUndefined();
  });
});

describe('a notification has no proof', () => {
  it.each<[string, Sent, unknown, string | undefined]>([
    ['without either', {}, undefined, undefined],
    ['with another challenge', { 'x-intasend-challenge': 'another' }, 'another', undefined],
    ['with a challenge that is no text', {}, [challenge], undefined],
    ['whose signature is wrong, whatever its challenge', signed('another'), challenge, webhookSecret],
    ['whose signature is of another body', signed(webhookSecret, '{}'), challenge, webhookSecret],
    ['whose signature came twice', { 'x-intasend-signature': [right, right] }, challenge, webhookSecret],
    ['whose signature is none', { 'x-intasend-signature': '' }, challenge, webhookSecret],
  ])('%s', (_how, headers, reported, secret) => {
    expect(reviewReason(headers, reported, secret)).toMatch(/^wrong/);
  });
});
