/** The check of a callback's signature, without a sender; signatures.test.ts sends callbacks. */
import { constants, generateKeyPairSync, sign } from 'node:crypto';
import { faultOfSignature } from '../../../../src/rails/momo/providers/pawapay/signature';
import {
  digestOf,
  genuineWays,
  keysOfTest,
  nowS,
  pemOf,
  signed,
  type Changes,
  type Sent,
} from '../../../support/rails/momo/callback-signing';
import { forgeries } from '../../../support/rails/momo/forgeries';

const authority = 'pay.example';
const body = JSON.stringify({ depositId: 'D-1', amount: '25.5' });

const foundOfTest = (keyId: string) => Promise.resolve(keysOfTest.find(({ id }) => id === keyId)?.key);
const faultOf = ({ body: sent, headers }: Sent, findKey = foundOfTest) =>
  faultOfSignature(
    { method: 'POST', url: `https://${authority}/in/momo`, headers, rawBody: Buffer.from(sent) },
    findKey,
  );
const signedWith = (changes: Changes) => faultOf(signed(body, authority, changes));

it.each(genuineWays)('a callback is authentic: %s', async (_what, changes) => {
  expect(await signedWith(changes)).toBeUndefined();
});

it('with a SHA-256 digest, too, and with its content length', async () => {
  expect(await signedWith({ values: { 'content-digest': digestOf(body, 'sha256') } })).toBeUndefined();
  const { headers } = signed(body, authority);
  const length = String(Buffer.byteLength(body));
  expect(await faultOf({ body, headers: { ...headers, 'content-length': length } })).toBeUndefined();
  expect(await faultOf({ body, headers: { ...headers, 'content-length': '1' } })).toBeDefined();
});

it('with a key that is only for RSA-PSS', async () => {
  const pair = generateKeyPairSync('rsa-pss', { modulusLength: 2048 });
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 };
  const sent = signed(body, authority, {
    ...{ alg: 'rsa-pss-sha512', keyid: 'PSS:1' },
    sign: (base) => sign('sha512', base, { key: pair.privateKey, ...padding }),
  });
  expect(await faultOf(sent, () => Promise.resolve(pemOf(pair)))).toBeUndefined();
});

it('all of several signatures must have known keys', async () => {
  const [{ headers }, other] = [signed(body, authority), signed(body, authority, { keyid: 'P256:2' })];
  const both = (name: string) =>
    `${headers[name] ?? ''}, ${(other.headers[name] ?? '').replace('sig-pp', 'sig-b')}`;
  const two = { 'signature-input': both('signature-input'), signature: both('signature') };
  expect(await faultOf({ body, headers: { ...headers, ...two } })).toBeDefined();
});

it('no key is looked up without a name', async () => {
  const asked: string[] = [];
  const findKey = (keyId: string) => (asked.push(keyId), Promise.resolve(undefined));
  for (const keyid of [undefined, 'P256:2'])
    expect(await faultOf(signed(body, authority, { keyid }), findKey)).toBeDefined();
  expect(asked).toEqual(['P256:2']);
});

it.each(forgeries)('a callback is rejected: one %s', async (_what, forge) => {
  expect(await faultOf(forge(body, authority))).toMatch(/^(?:no|the) /);
});

it('names the faulty part, and nothing that was sent', async () => {
  const sent = signed(body, authority);
  const having = (headers: Record<string, string>) =>
    faultOf({ body, headers: { ...sent.headers, ...headers } });
  const twice = { ...sent.headers, 'content-digest': [digestOf(body)] } as unknown as Sent['headers'];
  expect(await faultOf({ body, headers: twice })).toBe('no Content-Digest with a known algorithm');
  expect(await having({ 'content-digest': 'sha-512=:?:' })).toBe('no Content-Digest with a known algorithm');
  expect(await having({ 'content-digest': `x${digestOf(body)}` })).toBe(
    'no Content-Digest with a known algorithm',
  );
  expect(await having({ 'content-digest': `${digestOf(body)}x` })).toBe(
    'no Content-Digest with a known algorithm',
  );
  expect(await having({ 'content-digest': 'sha-512=:YQ==:' })).toBe(
    'the body is not the one that was signed',
  );
  expect(await having({ signature: 'sig-pp=:YQ==:' })).toBe('the signature is wrong or missing');
  expect(await having({ 'signature-input': '(' })).toBe('the signature cannot be read');
});

it('accepts a clock difference of one minute, and not of two', async () => {
  const minutes = (n: number) => nowS() + n * 60;
  expect(await signedWith({ created: nowS() + 50 })).toBeUndefined();
  expect(await signedWith({ created: minutes(2), expires: minutes(9) })).toBeDefined();
  expect(await signedWith({ created: minutes(-5), expires: nowS() - 50 })).toBeUndefined();
  expect(await signedWith({ created: minutes(-5), expires: minutes(-2) })).toBeDefined();
  expect(await signedWith({ created: nowS() - 29 * 60 - 50, expires: undefined })).toBeUndefined();
  expect(await signedWith({ created: minutes(-32), expires: undefined })).toBeDefined();
});
