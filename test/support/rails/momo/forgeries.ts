/** Notifications that are not the provider's, each with one fault. */
import {
  byLargerHash,
  byLargerKey,
  byUnknownKey,
  covered,
  digestOf,
  nowS,
  signed,
  type Changes,
  type Sent,
} from './callback-signing';

/** @param authority the host and port of the receiver. */
type Forge = (body: string, authority: string) => Sent;

const altered = (body: string) => body.replace('25.5', '26.5');
const changed =
  (changes: Changes): Forge =>
  (body, authority) =>
    signed(body, authority, changes);
const uncovered = (name: string) => changed({ components: covered.filter((other) => other !== name) });
const over = (name: string, value: string) => changed({ values: { [name]: value } });
const without =
  (...names: string[]): Forge =>
  (body, authority) => {
    const headers = Object.entries(signed(body, authority).headers).filter(([name]) => !names.includes(name));
    return { body, headers: Object.fromEntries(headers) };
  };
const replaced =
  (name: string, valueOf: (body: string, authority: string) => string): Forge =>
  (body, authority) => ({
    body,
    headers: { ...signed(body, authority).headers, [name]: valueOf(body, authority) },
  });
const signatureOf = (body: string, authority: string) => signed(body, authority).headers['signature'] ?? '';
const anHour = 3_600;

/** For a notification with the amount 25.5. */
export const forgeries: [string, Forge][] = [
  ['signed with another key than its id says', changed({ sign: byUnknownKey })],
  ['signed with another key of the provider', changed({ sign: byLargerKey })],
  ['with an unknown key id', changed({ keyid: 'P256:2' })],
  ['without a key id', changed({ keyid: undefined })],
  ['without an algorithm', changed({ alg: undefined })],
  ['without the time of its signature', changed({ created: undefined })],
  ['with an unknown algorithm', changed({ alg: 'hmac-sha256' })],
  ['with an algorithm for another kind of key', changed({ alg: 'rsa-v1_5-sha256' })],
  ['with an algorithm for another curve', changed({ alg: 'ecdsa-p384-sha384', sign: byLargerHash })],
  ['with an altered body', (body, authority) => ({ ...signed(body, authority), body: altered(body) })],
  ['with a space after the body', (body, authority) => ({ ...signed(body, authority), body: `${body} ` })],
  [
    'with an altered body and its digest',
    (body, authority) => ({
      ...replaced('content-digest', () => digestOf(altered(body)))(body, authority),
      body: altered(body),
    }),
  ],
  ['without a digest', without('content-digest')],
  ['signed with the digest of another body', over('content-digest', digestOf('{}'))],
  ['signed with an empty digest', over('content-digest', 'sha-512=::')],
  [
    'signed with an MD5 digest',
    (body, authority) => over('content-digest', digestOf(body, 'md5'))(body, authority),
  ],
  ['that does not cover its digest', uncovered('content-digest')],
  ['that does not cover the method', uncovered('@method')],
  ['that does not cover the path', uncovered('@path')],
  ['that has expired', changed({ created: nowS() - 600, expires: nowS() - 300 })],
  ['that is an hour old', changed({ created: nowS() - anHour, expires: nowS() + anHour })],
  ['that is an hour old and never expires', changed({ created: nowS() - anHour, expires: undefined })],
  ['from the future', changed({ created: nowS() + anHour, expires: nowS() + 2 * anHour })],
  ['without any signature', without('signature', 'signature-input', 'content-digest')],
  ['with a digest and without a signature', without('signature', 'signature-input')],
  ['without Signature', without('signature')],
  ['without Signature-Input', without('signature-input')],
  ['with an empty signature', replaced('signature', () => 'sig-pp=::')],
  [
    'with a signature under another label',
    replaced('signature', (body, authority) => signatureOf(body, authority).replace('-pp', '')),
  ],
  ['with an unreadable Signature-Input', replaced('signature-input', () => 'sig-pp=("@method')],
  [
    'with the signature of another callback',
    replaced('signature', (_, authority) => signatureOf('{}', authority)),
  ],
  ['signed over another path', over('@path', '/in/xb')],
  ['signed over another method', over('@method', 'PUT')],
  ['signed over another length', over('content-length', '1')],
  ['signed over the host of another', over('@authority', 'shop.example')],
  ['with an altered date', replaced('signature-date', () => '2026-01-01T00:00:00.000Z')],
];
