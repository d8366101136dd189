/** Whether a webhook event comes from the provider: every step of the check, and every way to fail it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { trustOf } from '../../../../src/rails/walletpay/providers/paypal/certificate-chain';
import { paypalProvider } from '../../../../src/rails/walletpay/providers/paypal';
import type { RailSettings } from '../../../../src/rail-kit/rail';
import type { WalletpaySettings } from '../../../../src/rails/walletpay/settings';
import {
  newCertificate,
  newKey,
  signedHeaders,
  type Event,
  type Identity,
} from '../../../support/rails/walletpay/paypal-certificates';
import {
  html,
  railSettings,
  startScriptedProvider,
  walletpaySettings,
  type Reply,
  type ScriptedProvider,
} from './paypal-support';

const commonName = 'messageverificationcerts.paypal.com';
const questionPath = '/v1/notifications/verify-webhook-signature';
/** With characters that JSON serialisers write differently. */
const body = Buffer.from('{"id":"WH-2","amount": 1.50,"name":"Zo\\u00eb é"}');

let paypal: ScriptedProvider;
let folder: string;
let root: Identity;
let signer: Identity;

beforeAll(async () => {
  paypal = await startScriptedProvider();
  folder = mkdtempSync(join(tmpdir(), 'malipo-ca-'));
  root = newCertificate({ commonName: 'Test Root', isAuthority: true });
  signer = newCertificate({ commonName, issuer: root });
  writeFileSync(join(folder, 'ca.pem'), root.pem);
});
beforeEach(() => paypal.reset());
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await paypal.close();
});

function verifier(
  changes: Partial<WalletpaySettings> = {},
  environment: RailSettings['environment'] = 'sandbox',
) {
  const { host } = new URL(paypal.url);
  const authority = { file: join(folder, 'ca.pem') };
  const settings = walletpaySettings(paypal.url, { certHosts: [host], authority, ...changes });
  return paypalProvider(settings, railSettings({ environment })).verifyWebhook;
}

const file = (text: string): Reply => ({ status: 200, text });

/** The check of a valid event with this file at its certificate's address. */
async function judged(reply: Reply, verify = verifier()) {
  paypal.answers('GET /certs/C1.pem', reply);
  return verify(headersOf(), body);
}

const headersOf = ({
  keyPem = signer.keyPem,
  certUrl = `${paypal.url}/certs/C1.pem`,
  ...rest
}: Partial<Event> = {}) => signedHeaders({ body, certUrl, keyPem, ...rest });

describe('an event', () => {
  const check = async (headers: Record<string, string | string[] | undefined>, bytes = body) => {
    paypal.answers('GET /certs/C1.pem', file(signer.pem));
    return verifier()(headers, bytes);
  };

  it('signed by the provider for our webhook is authentic', async () => {
    expect(await check(headersOf())).toEqual({ kind: 'genuine' });
  });

  it('with one changed byte is rejected, although the JSON means the same', async () => {
    const rewritten = Buffer.from(JSON.stringify(JSON.parse(body.toString())));
    expect(await check(headersOf(), rewritten)).toMatchObject({
      kind: 'forged',
      why: 'the signature is wrong',
    });
    expect(await check(headersOf(), Buffer.from(`${body.toString()} `))).toMatchObject({ kind: 'forged' });
  });

  it.each([
    ['for another webhook', { webhookId: 'WEBHOOK_ID' }],
    ['over another digest', { algorithm: 'RSA-SHA1' }],
  ])('signed %s is rejected', async (_what, wish) => {
    expect(
      await check(
        signedHeaders({ body, certUrl: `${paypal.url}/certs/C1.pem`, keyPem: signer.keyPem, ...wish }),
      ),
    ).toMatchObject({ kind: 'forged' });
  });

  it('signed with another key is rejected', async () => {
    expect(await check(headersOf({ keyPem: newKey() }))).toMatchObject({ kind: 'forged' });
  });

  it.each([
    ['id', 'other'],
    ['time', new Date(Date.now() - 1_000).toISOString()],
  ])('with another PAYPAL-TRANSMISSION-%s than the signed one is rejected', async (name, other) => {
    expect(await check({ ...headersOf(), [`paypal-transmission-${name}`]: other })).toMatchObject({
      kind: 'forged',
      why: 'the signature is wrong',
    });
  });

  it('without a signature is unsigned in the sandbox, and rejected in live', async () => {
    expect(await verifier()({}, body)).toEqual({ kind: 'unsigned' });
    expect(await verifier({}, 'live')({}, body)).toMatchObject({
      kind: 'forged',
      why: 'a header of the signature is missing',
    });
    expect(paypal.heard).toEqual([]);
  });

  const minute = 60_000;
  const sentAgo = (ms: number) => headersOf({ time: new Date(Date.now() - ms).toISOString() });
  const days = (n: number) => n * 24 * 60 * minute;

  it.each([
    ['almost three days ago', days(3) - minute],
    ['in four minutes', -4 * minute],
  ])('sent %s is authentic: it is delivered again for three days, and clocks differ', async (_what, ms) => {
    expect(await check(sentAgo(ms))).toEqual({ kind: 'genuine' });
  });
});

describe('a certificate’s address', () => {
  it('is called once, however many events name it', async () => {
    const verify = verifier();
    paypal.answers('GET /certs/C1.pem', file(signer.pem));
    const verdicts = await Promise.all(Array.from({ length: 5 }, () => verify(headersOf(), body)));
    verdicts.push(await verify(headersOf(), body));
    expect(verdicts).toEqual(Array(6).fill({ kind: 'genuine' }));
    expect(paypal.heard).toHaveLength(1);
  });

  it('is called again after it returned nothing', async () => {
    const verify = verifier();
    expect(await judged(html(503), verify)).toMatchObject({ kind: 'unknown' });
    expect(await judged(file(signer.pem), verify)).toEqual({ kind: 'genuine' });
  });

  it.each<[string, Reply]>([
    ['500', html(500)],
    ['404', html(404)],
    ['a page', html(200)],
    ['no answer', 'close'],
    ['more than a certificate', { status: 200, text: 'x'.repeat(100_000) }],
    ['nothing', { status: 200, text: '' }],
    ['what only looks like one', file('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----')],
  ])('that returns %s leaves the event unknown, so that it is sent again', async (_what, reply) => {
    expect(await judged(reply)).toMatchObject({ kind: 'unknown' });
  });

  it('that redirects is not followed', async () => {
    paypal.answers('GET /elsewhere.pem', file(signer.pem));
    expect(await judged({ status: 302, location: `${paypal.url}/elsewhere.pem` })).toMatchObject({
      kind: 'unknown',
    });
    expect(paypal.heard.map(({ path }) => path)).toEqual(['/certs/C1.pem']);
  });
});

describe('a certificate', () => {
  const forged = (why: string) => ({ kind: 'forged', why });
  /** Its issuer is unknown, so the provider is queried, and does not know it either. */
  const notOwn = forged('the provider says that the signature is not authentic');
  beforeEach(() => {
    paypal.answers(`POST ${questionPath}`, { status: 200, json: { verification_status: 'FAILURE' } });
  });
  const notNow = forged('the certificate, or one above it, is not valid now');
  const notTheirs = forged('the certificate does not have the provider’s name');

  it('that leads to the root through others is trusted', async () => {
    const middle = newCertificate({ commonName: 'Middle', issuer: root, isAuthority: true });
    const leaf = newCertificate({ commonName, issuer: middle, keyPem: signer.keyPem });
    expect(await judged(file(`${leaf.pem}${root.pem}${middle.pem}`))).toEqual({ kind: 'genuine' });
    expect(await judged(file(leaf.pem), verifier())).toEqual(notOwn);
  });

  it('with another root, or self-signed, is not', async () => {
    const otherAuthority = newCertificate({ commonName: 'Test Root', isAuthority: true });
    const leaf = newCertificate({ commonName, issuer: otherAuthority, keyPem: signer.keyPem });
    expect(await judged(file(`${leaf.pem}${otherAuthority.pem}`))).toEqual(notOwn);
    const own = newCertificate({ commonName, keyPem: signer.keyPem });
    expect(await judged(file(own.pem))).toEqual(notOwn);
  });

  it('with an unknown issuer causes a query to the provider with the original event', async () => {
    const own = newCertificate({ commonName, keyPem: signer.keyPem });
    const headers = headersOf();
    paypal.answers('GET /certs/C1.pem', file(own.pem));
    expect(await verifier()(headers, body)).toEqual(notOwn);
    const asked = paypal.heard.filter(({ path }) => path === questionPath).map(({ text }) => text);
    const question = {
      ...{ auth_algo: 'SHA256withRSA', cert_url: headers['paypal-cert-url'] },
      ...{ transmission_id: headers['paypal-transmission-id'] },
      ...{ transmission_sig: headers['paypal-transmission-sig'] },
      ...{ transmission_time: headers['paypal-transmission-time'], webhook_id: 'WH-1' },
    };
    const asText = JSON.stringify(question).slice(0, -1);
    expect(asked).toEqual([`${asText},"webhook_event":${body.toString()}}`]);
  });

  it('is trusted for no root of the sandbox if none is configured', async () => {
    const verify = verifier({ authority: undefined });
    expect(await judged(file(signer.pem), verify)).toEqual(notOwn);
  });

  it('that has expired, or is not valid yet, is rejected', async () => {
    for (const validDays of [
      [-3, -1],
      [1, 3],
    ] as [number, number][]) {
      const leaf = newCertificate({ commonName, issuer: root, validDays, keyPem: signer.keyPem });
      expect(await judged(file(leaf.pem))).toEqual(notNow);
    }
    const middle = newCertificate({
      commonName: 'Old',
      issuer: root,
      isAuthority: true,
      validDays: [-3, -1],
    });
    const leaf = newCertificate({ commonName, issuer: middle, keyPem: signer.keyPem });
    expect(await judged(file(`${leaf.pem}${middle.pem}`))).toEqual(notNow);
  });

  it.each([
    ['messageverificationcerts.sandbox.paypal.com', undefined],
    ['messageverificationcerts2.paypal.com', undefined],
    [undefined, [commonName]],
  ])('named %s for %s is the provider’s', async (name, alternatives) => {
    const leaf = newCertificate({
      commonName: name,
      issuer: root,
      keyPem: signer.keyPem,
      ...(alternatives && { alternatives }),
    });
    expect(await judged(file(leaf.pem))).toEqual({ kind: 'genuine' });
  });

  it.each([
    ['attacker.example', undefined],
    ['paypal.com', undefined],
    ['api.paypal.com', undefined],
    ['messageverificationcerts.paypal.com.attacker.example', undefined],
    ['messageverificationcerts.notpaypal.com', undefined],
    ['PayPal, Inc.', undefined],
    [`attacker.example, CN=${commonName}`, undefined],
    [undefined, undefined],
    [undefined, [commonName, 'attacker.example']],
    ['attacker.example', [commonName]],
  ])('named %s for %s is not', async (name, alternatives) => {
    const leaf = newCertificate({
      commonName: name,
      issuer: root,
      keyPem: signer.keyPem,
      ...(alternatives && { alternatives }),
    });
    expect(await judged(file(leaf.pem))).toEqual(notTheirs);
  });

  it('of a well-known root does not make it the provider’s', () => {
    const roots = rootCertificates.map((pem) => new X509Certificate(pem));
    const rsa = roots.find(({ publicKey }) => publicKey.asymmetricKeyType === 'rsa');
    expect(rsa && trustOf([rsa], roots)).toEqual({ kind: 'unfit', why: notTheirs.why });
  });
});
