/** PayPal serves its certificate alone: where those above it are found, and who is asked where they are not. */
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pki } from 'node-forge';
import { paypalProvider } from '../../../../src/rails/walletpay/providers/paypal';
import { trustOf, wellKnownRoots } from '../../../../src/rails/walletpay/providers/paypal/certificate-chain';
import { mayServeIssuers } from '../../../../src/rails/walletpay/providers/paypal/certificate-issuers';
import { knownIntermediates } from '../../../../src/rails/walletpay/providers/paypal/known-intermediates';
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
const question = `POST ${questionPath}`;
const issuerPath = '/certs/middle.crt';
/** With spaces and an escape that no JSON writer would write again. */
const body = Buffer.from('{"id":"WH-2", "amount": 1.50,"name":"Zo\\u00eb é"}');

let paypal: ScriptedProvider;
let folder: string;
let [root, middle, leaf] = [] as unknown as [Identity, Identity, Identity];
let leafKey: string;

beforeAll(async () => {
  paypal = await startScriptedProvider();
  folder = mkdtempSync(join(tmpdir(), 'malipo-issuers-'));
  root = newCertificate({ commonName: 'Test Root', isAuthority: true });
  middle = newCertificate({ commonName: 'Middle', issuer: root, isAuthority: true });
  leafKey = newKey();
  leaf = leafNaming(`${paypal.url}${issuerPath}`);
  writeFileSync(join(folder, 'ca.pem'), root.pem);
});
beforeEach(() => paypal.reset());
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await paypal.close();
});

const leafNaming = (...issuersAt: string[]) =>
  newCertificate({ commonName, issuer: middle, issuersAt, keyPem: leafKey });

function verifier(changes: Partial<WalletpaySettings> = {}) {
  const { host } = new URL(paypal.url);
  const authority = { file: join(folder, 'ca.pem') };
  const settings = walletpaySettings(paypal.url, { certHosts: [host], authority, ...changes });
  return paypalProvider(settings, railSettings({ environment: 'live' })).verifyWebhook;
}

const file = (text: string): Reply => ({ status: 200, text });
const der = ({ pem }: Identity): Reply => ({
  status: 200,
  bytes: Buffer.from(pki.pemToDer(pem).getBytes(), 'binary'),
});
const says = (status: string): Reply => ({ status: 200, json: { verification_status: status } });
const headersOf = (changes: Partial<Event> = {}) =>
  signedHeaders({ body, certUrl: `${paypal.url}/certs/C1`, keyPem: leafKey, ...changes });
const heardAt = (path: string) => paypal.heard.filter((each) => each.path === path);

describe('an authority that we know', () => {
  it.each(knownIntermediates)('$name is what its row says, and leads to a root of Node’s', (row) => {
    const certificate = new X509Certificate(row.pem);
    const day = (text: string) => new Date(text).toISOString().slice(0, 10);
    expect({
      serialNumber: certificate.serialNumber,
      fingerprint: certificate.fingerprint256,
      from: day(certificate.validFrom),
      until: day(certificate.validTo),
    }).toEqual({
      serialNumber: row.serialNumber,
      fingerprint: row.fingerprint,
      from: row.from,
      until: row.until,
    });
    expect(certificate.subject).toContain(`CN=${row.name}`);
    const issuer = wellKnownRoots().find((each) => certificate.checkIssued(each));
    expect(issuer?.subject).toContain(`CN=${row.issuer}`);
    expect([certificate.ca, issuer && certificate.verify(issuer.publicKey)]).toEqual([true, true]);
  });

  it('is no root: what it has not signed is not trusted', () => {
    const own = newCertificate({ commonName, keyPem: leafKey });
    const known = knownIntermediates.map(({ pem }) => new X509Certificate(pem));
    expect(trustOf([new X509Certificate(own.pem), ...known], wellKnownRoots()).kind).toBe('unproven');
  });
});

describe('where a certificate says that its issuer’s lies', () => {
  it('is asked once, for any number of events, and the event is genuine', async () => {
    const verify = verifier();
    paypal.answers('GET /certs/C1', file(leaf.pem));
    paypal.answers(`GET ${issuerPath}`, der(middle));
    const verdicts = await Promise.all(Array.from({ length: 5 }, () => verify(headersOf(), body)));
    expect([...verdicts, await verify(headersOf(), body)]).toEqual(Array(6).fill({ kind: 'genuine' }));
    expect(heardAt(issuerPath)).toHaveLength(1);
    expect(heardAt(questionPath)).toEqual([]);
  });

  it('is followed upwards, and no further than three steps', async () => {
    const url = `${paypal.url}${issuerPath}`;
    const self = newCertificate({ commonName: 'Self', isAuthority: true, issuersAt: [url] });
    const below = newCertificate({ commonName, issuer: self, issuersAt: [url], keyPem: leafKey });
    paypal.answers('GET /certs/C1', file(below.pem));
    paypal.answers(`GET ${issuerPath}`, der(self));
    paypal.answers(question, says('FAILURE'));
    expect(await verifier()(headersOf(), body)).toMatchObject({ kind: 'forged' });
    expect(heardAt(issuerPath)).toHaveLength(3);
  });

  it.each<[string, () => Reply]>([
    ['a page', () => html(200)],
    ['an error', () => html(500)],
    ['nothing at all', () => 'close'],
    ['too much', () => file('x'.repeat(100_000))],
    ['another authority', () => der(newCertificate({ commonName: 'Other', isAuthority: true }))],
    ['a way to somewhere else', () => ({ status: 302, location: `${paypal.url}/elsewhere` })],
  ])('may give %s: then the provider is asked', async (_what, reply) => {
    paypal.answers('GET /certs/C1', file(leaf.pem));
    paypal.answers(`GET ${issuerPath}`, reply());
    paypal.answers('GET /elsewhere', der(middle));
    paypal.answers(question, says('SUCCESS'));
    expect(await verifier()(headersOf(), body)).toEqual({ kind: 'genuine' });
    expect(heardAt('/elsewhere')).toEqual([]);
    expect(heardAt(questionPath)).toHaveLength(1);
  });

  it.each([
    ['http://cacerts.digicert.com/DigiCertSHA2ExtendedValidationServerCA.crt', true],
    ['https://cacerts.digicert.com/DigiCertEVRSACAG2.crt', true],
    ['http://127.0.0.1:3240/certs/server-ca.crt', true],
    ['http://127.0.0.1:3241/certs/server-ca.crt', false],
    ['http://cacerts.digicert.com:8080/a.crt', false],
    ['http://cacerts.digicert.com.attacker.example/a.crt', false],
    ['http://cacerts.digicert.com@attacker.example/a.crt', false],
    ['http://attacker.example/cacerts.digicert.com', false],
    ['http://169.254.169.254/latest/meta-data', false],
    ['http://127.0.0.1/a.crt', false],
    ['http://[::1]/a.crt', false],
    ['ldap://cacerts.digicert.com/a.crt', false],
    ['file:///etc/passwd', false],
    [`http://cacerts.digicert.com/${'c'.repeat(600)}`, false],
    ['', false],
  ])('%s may be asked: %s', (url, may) => {
    expect(mayServeIssuers(url, ['127.0.0.1:3240'])).toBe(may);
  });

  it('elsewhere is not asked at all', async () => {
    const { host } = new URL(paypal.url);
    paypal.answers('GET /certs/C1', file(leafNaming(`http://user:pass@${host}${issuerPath}`).pem));
    paypal.answers(question, says('SUCCESS'));
    expect(await verifier()(headersOf(), body)).toEqual({ kind: 'genuine' });
    expect(heardAt(issuerPath)).toEqual([]);
  });
});

describe('the provider, asked about a signature whose certificate nobody known has given', () => {
  let verify: ReturnType<typeof verifier>;
  beforeEach(() => {
    verify = verifier();
    paypal.answers('GET /certs/C1', file(leafNaming().pem));
  });

  it('is sent what it documents, with the event’s own bytes, once for each event', async () => {
    paypal.answers(question, says('SUCCESS'));
    const headers = headersOf();
    const verdicts = await Promise.all(Array.from({ length: 5 }, () => verify(headers, body)));
    expect([...verdicts, await verify(headers, body)]).toEqual(Array(6).fill({ kind: 'genuine' }));
    const [asked, ...again] = heardAt(questionPath);
    expect(again).toEqual([]);
    expect(asked?.text).toContain(`,"webhook_event":${body.toString()}}`);
    expect(asked?.body).toEqual({
      auth_algo: 'SHA256withRSA',
      cert_url: headers['paypal-cert-url'],
      transmission_id: headers['paypal-transmission-id'],
      transmission_sig: headers['paypal-transmission-sig'],
      transmission_time: headers['paypal-transmission-time'],
      webhook_id: 'WH-1',
      webhook_event: JSON.parse(body.toString()) as unknown,
    });
  });

  it.each<[string, Reply]>([
    ['FAILURE', says('FAILURE')],
    ['that the question is wrong', { status: 400, json: { name: 'VALIDATION_ERROR' } }],
  ])('refuses the event by %s', async (_what, reply) => {
    paypal.answers(question, reply);
    expect(await verify(headersOf(), body)).toMatchObject({ kind: 'forged' });
  });

  it.each<[string, Reply]>([
    ['500', html(500)],
    ['503', { status: 503, json: { name: 'SERVICE_UNAVAILABLE' } }],
    ['429', { status: 429, json: { name: 'RATE_LIMIT_REACHED' } }],
    ['a page', html(200)],
    ['another word', says('success')],
    ['no word', { status: 200, json: {} }],
    ['nothing', 'close'],
    ['that our token is wrong', { status: 401, json: {} }],
  ])('that answers %s leaves it unknown, and is asked again when it is sent again', async (_what, reply) => {
    paypal.answers(question, reply);
    const headers = headersOf();
    expect(await verify(headers, body)).toMatchObject({ kind: 'unknown' });
    paypal.answers(question, says('SUCCESS'));
    expect(await verify(headers, body)).toEqual({ kind: 'genuine' });
  });

  it('is not asked by whoever has no key of a certificate that lies at the provider’s', async () => {
    const stranger = headersOf({ keyPem: middle.keyPem });
    expect(await verify(stranger, body)).toEqual({ kind: 'forged', why: 'the signature is wrong' });
    expect(await verify(headersOf({ webhookId: 'WH-OTHER' }), body)).toMatchObject({ kind: 'forged' });
    expect(heardAt(questionPath)).toEqual([]);
  });

  it('is not asked about what is no event', async () => {
    for (const text of ['{}, "webhook_id": "WH-2"', '[]', 'null', 'x']) {
      const bytes = Buffer.from(text);
      expect(await verify(headersOf({ body: bytes }), bytes)).toMatchObject({ kind: 'forged' });
    }
    expect(heardAt(questionPath)).toEqual([]);
  });

  it('is asked about eight at a time, and the others come again', async () => {
    paypal.answers(question, 'hang');
    const events = Array.from({ length: 9 }, (_, index) => Buffer.from(`{"id":"WH-${String(index)}"}`));
    const verdicts = events.map((bytes) => verify(headersOf({ body: bytes }), bytes));
    expect(await Promise.race(verdicts)).toEqual({
      kind: 'unknown',
      why: 'too many signatures are being asked about',
    });
    paypal.closeOpen();
    await Promise.all(verdicts);
    expect(heardAt(questionPath)).toHaveLength(8);
  });
});

describe('a further authority', () => {
  const given = (changes: Partial<WalletpaySettings>) => {
    const direct = newCertificate({ commonName, issuer: root, keyPem: leafKey });
    paypal.answers('GET /certs/C1', file(direct.pem));
    paypal.answers(question, says('FAILURE'));
    return verifier(changes);
  };

  it('that the operator names is trusted in live, too, and without it the same event is refused', async () => {
    expect(await given({})(headersOf(), body)).toEqual({ kind: 'genuine' });
    const without = given({ authority: undefined });
    expect(await without(headersOf(), body)).toMatchObject({ kind: 'forged' });
  });

  it('that cannot be read leaves unknown what is not proven without it', async () => {
    const verify = given({ authority: { file: join(folder, 'none.pem') } });
    expect(await verify(headersOf(), body)).toMatchObject({ kind: 'unknown' });
  });

  it('is had by its address, too, in the sandbox, once it lies there', async () => {
    const verify = given({ authority: { url: `${paypal.url}/certs/ca.pem` } });
    for (const reply of [html(503), html(200)]) {
      paypal.answers('GET /certs/ca.pem', reply);
      expect(await verify(headersOf(), body)).toMatchObject({ kind: 'unknown' });
    }
    paypal.answers('GET /certs/ca.pem', file(root.pem));
    expect(await verify(headersOf(), body)).toEqual({ kind: 'genuine' });
  });
});
