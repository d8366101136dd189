import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  verify,
  type KeyObject,
} from 'node:crypto';
import { signatureHeaders } from '../../../simulator/providers/momo/http-signature';
import { createSimulator } from '../../../simulator/simulator';
import { startTestBench, type TestBench } from '../../support/simulator/bench';
import type { ReceivedCallback } from '../../support/simulator/callback-receiver';
import { credentials } from '../../support/simulator/credentials';
import { bearer, depositFields, type MomoClient } from '../../support/simulator/momo-client';

const SUCCESS = '260763456789';
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const MOMO_REQUEST_PUBLIC_KEY = publicKey.export({ type: 'spki', format: 'pem' }) as string;

let bench: TestBench;
let momo: MomoClient;
beforeEach(async () => {
  bench = await startTestBench({ env: { MOMO_REQUEST_PUBLIC_KEY } });
  momo = bench.momo;
});
afterEach(() => bench.stop());

/** Checks a received notification by RFC 9421, without the simulator's own code. */
function examine(
  { headers, path, text }: ReceivedCallback,
  publicKeyOf: (id: string) => KeyObject | undefined,
) {
  const header = (name: string) => String(headers[name]);
  const parameters = header('signature-input').replace(/^sig-pp=/, '');
  const names = [...(parameters.split(')')[0] ?? '').matchAll(/"([^"]+)"/g)].map(([, name]) => String(name));
  const derived: Record<string, string> = { '@method': 'POST', '@authority': header('host'), '@path': path };
  const lines = names.map((name) => `"${name}": ${derived[name] ?? header(name)}`);
  const base = [...lines, `"@signature-params": ${parameters}`].join('\n');
  const signature = Buffer.from(/^sig-pp=:(.*):$/.exec(header('signature'))?.[1] ?? '', 'base64');
  const key = publicKeyOf(/keyid="([^"]+)"/.exec(parameters)?.[1] ?? '');
  const dsaEncoding = signature.length === 64 ? ('ieee-p1363' as const) : ('der' as const);
  return {
    names,
    parameters,
    signature,
    hasRightDigest:
      header('content-digest') === `sha-512=:${createHash('sha512').update(text).digest('base64')}:`,
    isKnownKey: key !== undefined,
    isSigned: key !== undefined && verify('sha256', Buffer.from(base), { key, dsaEncoding }, signature),
    isInTime: Number(/expires=(\d+)/.exec(parameters)?.[1]) * 1_000 > Date.now(),
  };
}

async function received() {
  await momo.deposit(SUCCESS);
  await momo.advance(3_000);
  const { body } = await momo.get<{ id: string; key: string }[]>('public-key/http');
  const keys = new Map(body.map(({ id, key }) => [id, createPublicKey(key)]));
  const callback = bench.receiver.received.at(-1);
  if (!callback) throw new Error('there was no callback');
  return { callback, examined: examine(callback, (id) => keys.get(id)) };
}

const sound = { hasRightDigest: true, isKnownKey: true, isSigned: true, isInTime: true };

describe('row 17: a notification', () => {
  it('is signed with a key in the list of public keys, DER encoded', async () => {
    const { callback, examined } = await received();
    expect(examined).toMatchObject(sound);
    expect(examined.signature[0]).toBe(0x30);
    expect(examined.names).toEqual([
      '@method',
      '@authority',
      '@path',
      'signature-date',
      'content-digest',
      'content-type',
      'content-length',
    ]);
    expect(examined.parameters).toMatch(
      /^\("@method" .*\);alg="ecdsa-p256-sha256";keyid="HTTP_EC_P256_KEY:1";created=\d+;expires=\d+$/,
    );
    expect(Date.parse(String(callback.headers['signature-date']))).toBeLessThanOrEqual(Date.now());
  });

  it('has the raw r and s once the account is switched', async () => {
    const { body } = await momo.control('account', { signature_encoding: 'raw' });
    expect(body).toEqual({
      success: true,
      signed_requests_only: false,
      signed_callbacks: true,
      signature_encoding: 'raw',
    });
    const { examined } = await received();
    expect(examined).toMatchObject(sound);
    expect(examined.signature).toHaveLength(64);
  });

  it.each([
    ['bad_digest', { hasRightDigest: false }],
    ['expired_signature', { isInTime: false }],
    ['aged_signature', {}],
    ['unknown_key', { isKnownKey: false, isSigned: false }],
  ])('with the fault %s has only that fault', async (behave, wrong) => {
    await momo.next({ call: 'callback', behave });
    const { examined } = await received();
    expect(examined).toMatchObject({ ...sound, ...wrong });
    expect((await received()).examined).toMatchObject(sound);
  });

  it.each(['rule', 'account'])('is unsigned with %s', async (what) => {
    if (what === 'rule') await momo.next({ call: 'callback', behave: 'unsigned' });
    else await momo.control('account', { signed_callbacks: false });
    await momo.deposit(SUCCESS);
    await momo.advance(3_000);
    const headers = Object.keys(bench.receiver.received[0]?.headers ?? {});
    expect(headers).not.toEqual(expect.arrayContaining(['signature']));
    expect(headers).not.toEqual(expect.arrayContaining(['content-digest']));
  });

  it('can be preceded by two forged ones, signed with no key of the list', async () => {
    await momo.next({ call: 'callback', behave: 'forge' });
    await momo.deposit('260763000049');
    await momo.advance(3_000);
    const [unsigned, otherKey, right] = bench.receiver.received;
    expect([unsigned, otherKey, right].map((callback) => callback?.body['status'])).toEqual([
      'COMPLETED',
      'COMPLETED',
      'FAILED',
    ]);
    expect(unsigned?.headers).not.toHaveProperty('signature');
    expect(String(otherKey?.headers['signature-input'])).toContain('keyid="HTTP_EC_P256_KEY:unknown"');
    expect(otherKey?.body['depositId']).not.toBe(right?.body['depositId']);
    expect(unsigned?.body['depositId']).toBe(right?.body['depositId']);
    expect(await momo.books()).toEqual({});
  });

  it('has a new signature at every retry, with the same key after a restart', async () => {
    bench.receiver.answerWith(500);
    await momo.deposit(SUCCESS);
    await momo.advance(3_000);
    await bench.restart();
    momo = bench.momo;
    await momo.advance(60_000);
    const { body } = await momo.get<{ id: string; key: string }[]>('public-key/http');
    const key = createPublicKey(String(body[0]?.key));
    expect(bench.receiver.received.length).toBeGreaterThan(2);
    for (const callback of bench.receiver.received) expect(examine(callback, () => key)).toMatchObject(sound);
    const signatures = bench.receiver.received.map(({ headers }) => headers['signature']);
    expect(new Set(signatures).size).toBe(signatures.length);
  });
});

describe('row 17: an account that accepts signed requests only', () => {
  beforeEach(() => momo.control('account', { signed_requests_only: true }));

  const send = (
    changes: { body?: string; encoding?: 'der' | 'raw'; key?: KeyObject; ageS?: number } = {},
  ) => {
    const body = JSON.stringify(depositFields(SUCCESS));
    const createdS = Math.floor(Date.now() / 1_000) - (changes.ageS ?? 0);
    const headers = signatureHeaders(
      {
        method: 'POST',
        authority: new URL(bench.momo.origin).host,
        path: '/v2/deposits',
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(body),
      },
      {
        key: changes.key ?? privateKey,
        keyId: 'MERCHANT:1',
        encoding: changes.encoding ?? 'der',
        createdS,
        expiresS: createdS + 60,
      },
    );
    return momo.call('/v2/deposits', {
      method: 'POST',
      headers: { ...bearer, 'content-type': 'application/json', ...headers },
      body: changes.body ?? body,
    });
  };
  const refused = { status: 403, body: { failureReason: { failureCode: 'HTTP_SIGNATURE_ERROR' } } };

  it('accepts requests signed with its key, in both encodings', async () => {
    expect((await send()).body['status']).toBe('ACCEPTED');
    expect((await send({ encoding: 'raw' })).body['status']).toBe('ACCEPTED');
    const { body } = await momo.get('active-conf?country=KEN');
    expect(body['signatureConfiguration']).toEqual({ signedRequestsOnly: true, signedCallbacks: true });
  });

  it('refuses requests that are unsigned, changed, too old, or signed with another key', async () => {
    expect(await momo.send('deposits', depositFields(SUCCESS))).toMatchObject(refused);
    expect(await momo.send('refunds', { refundId: randomUUID() })).toMatchObject(refused);
    expect(await momo.post('/v2/payouts/bulk', [], bearer)).toMatchObject(refused);
    expect(await send({ body: JSON.stringify(depositFields(SUCCESS)) })).toMatchObject(refused);
    expect(await send({ ageS: 120 })).toMatchObject(refused);
    const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    expect(await send({ key: otherKey })).toMatchObject(refused);
  });

  it('requires no signature for calls that pay nothing', async () => {
    expect((await momo.get(`deposits/${randomUUID()}`)).body).toEqual({ status: 'NOT_FOUND' });
    expect((await momo.post('/v2/predict-provider', { phoneNumber: SUCCESS }, bearer)).status).toBe(200);
  });
});

describe('the settings', () => {
  it('require signatures from the start, and need the key for it', async () => {
    const strict = await startTestBench({ env: { MOMO_REQUEST_PUBLIC_KEY, MOMO_SIGNED_REQUESTS_ONLY: '1' } });
    expect((await strict.momo.send('deposits', depositFields(SUCCESS))).status).toBe(403);
    await strict.stop();
    const start = (env: Record<string, string>) =>
      createSimulator({ env: { ...credentials, ...env }, stateFolder: 'unused' });
    await expect(start({ MOMO_SIGNED_REQUESTS_ONLY: '1' })).rejects.toThrow(
      'MOMO_SIGNED_REQUESTS_ONLY needs MOMO_REQUEST_PUBLIC_KEY',
    );
    await expect(start({ MOMO_SIGNED_REQUESTS_ONLY: 'yes' })).rejects.toThrow(
      'MOMO_SIGNED_REQUESTS_ONLY must be 0 or 1',
    );
    await expect(start({ MOMO_REQUEST_PUBLIC_KEY: 'no key' })).rejects.toThrow(
      'MOMO_REQUEST_PUBLIC_KEY must be a public key in PEM',
    );
  });

  it('accept a PEM written on one line', async () => {
    const oneLine = MOMO_REQUEST_PUBLIC_KEY.replaceAll('\n', '\\n');
    await (await startTestBench({ env: { MOMO_REQUEST_PUBLIC_KEY: oneLine } })).stop();
  });
});
