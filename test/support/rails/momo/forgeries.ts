/** Callbacks that are not the provider's, each by one thing. */
import {
  byLargerHash,
  byLargerKey,
  byStranger,
  covered,
  digestOf,
  nowS,
  signed,
  type Changes,
  type Sent,
} from './callback-signing';

/** @param authority the host and port that it is sent to. */
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

/** Of a callback that names 25.5 as its amount. */
export const forgeries: [string, Forge][] = [
  ['signed with another key than its id says', changed({ sign: byStranger })],
  ['signed with another key of the provider', changed({ sign: byLargerKey })],
  ['with a key id that nobody knows', changed({ keyid: 'P256:2' })],
  ['with no key id', changed({ keyid: undefined })],
  ['with no algorithm', changed({ alg: undefined })],
  ['that does not say when it was signed', changed({ created: undefined })],
  ['with an algorithm nobody knows', changed({ alg: 'hmac-sha256' })],
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
  ['with no digest', without('content-digest')],
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
  ['with no signature at all', without('signature', 'signature-input', 'content-digest')],
  ['with a digest and no signature', without('signature', 'signature-input')],
  ['with no Signature', without('signature')],
  ['with no Signature-Input', without('signature-input')],
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
