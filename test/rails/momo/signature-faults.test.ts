/** What the check of a callback's signature says, without anybody who sends one; signatures.test.ts sends them. */
import { faultOfSignature } from '../../../src/rails/momo/providers/pawapay/signature';
import { digestOf, genuineWays, keysOfTest, nowS, signed, type Changes, type Sent } from './callback-signing';
import { forgeries } from './forgeries';

const authority = 'pay.example';
const body = JSON.stringify({ depositId: 'D-1', amount: '25.5' });

const faultOf = ({ body: sent, headers }: Sent) =>
  faultOfSignature(
    { method: 'POST', url: `https://${authority}/in/momo`, headers, rawBody: Buffer.from(sent) },
    (keyId) => Promise.resolve(keysOfTest.find(({ id }) => id === keyId)?.key),
  );
const signedWith = (changes: Changes) => faultOf(signed(body, authority, changes));

it.each(genuineWays)('a callback is the provider’s: %s', async (_what, changes) => {
  expect(await signedWith(changes)).toBeUndefined();
});

it('it is so with a SHA-256 digest, too, and with the length that it came with', async () => {
  expect(await signedWith({ values: { 'content-digest': digestOf(body, 'sha256') } })).toBeUndefined();
  const { headers } = signed(body, authority);
  const length = String(Buffer.byteLength(body));
  expect(await faultOf({ body, headers: { ...headers, 'content-length': length } })).toBeUndefined();
  expect(await faultOf({ body, headers: { ...headers, 'content-length': '1' } })).toBeDefined();
});

it.each(forgeries)('a callback is not the provider’s: one %s', async (_what, forge) => {
  expect(await faultOf(forge(body, authority))).toMatch(/^(?:no|the) /);
});

it('says which part of it is wrong, and nothing that was sent', async () => {
  const sent = signed(body, authority);
  const having = (headers: Record<string, string>) =>
    faultOf({ body, headers: { ...sent.headers, ...headers } });
  expect(await having({ 'content-digest': 'sha-512=:?:' })).toBe('no Content-Digest that can be checked');
  expect(await having({ 'content-digest': `x${digestOf(body)}` })).toBe(
    'no Content-Digest that can be checked',
  );
  expect(await having({ 'content-digest': `${digestOf(body)}x` })).toBe(
    'no Content-Digest that can be checked',
  );
  expect(await having({ 'content-digest': 'sha-512=:YQ==:' })).toBe(
    'the body is not the one that was signed',
  );
  expect(await having({ signature: 'sig-pp=:YQ==:' })).toBe('the signature is wrong or missing');
  expect(await having({ 'signature-input': '(' })).toBe('the signature cannot be read');
});

it('takes a clock that is a minute away, and none that is two', async () => {
  const minutes = (n: number) => nowS() + n * 60;
  expect(await signedWith({ created: nowS() + 50 })).toBeUndefined();
  expect(await signedWith({ created: minutes(2), expires: minutes(9) })).toBeDefined();
  expect(await signedWith({ created: minutes(-5), expires: nowS() - 50 })).toBeUndefined();
  expect(await signedWith({ created: minutes(-5), expires: minutes(-2) })).toBeDefined();
  expect(await signedWith({ created: nowS() - 29 * 60 - 50, expires: undefined })).toBeUndefined();
  expect(await signedWith({ created: minutes(-32), expires: undefined })).toBeDefined();
});
