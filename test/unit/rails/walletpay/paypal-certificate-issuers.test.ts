/** PayPal serves only its certificate: where its issuers are found, and which provider is queried otherwise. */
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pki } from 'node-forge';
import { paypalProvider } from '../../../../src/rails/walletpay/providers/paypal';
import { trustOf, wellKnownRoots } from '../../../../src/rails/walletpay/providers/paypal/certificate-chain';
import { canServeIssuers } from '../../../../src/rails/walletpay/providers/paypal/certificate-issuers';
import { knownIntermediates } from '../../../../src/rails/walletpay/providers/paypal/known-intermediates';
import type { WalletpaySettings } from '../../../../src/rails/walletpay/settings';
import { recorded } from '../../../support/recorded';
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
/** With spaces and an escape that no JSON serialiser would write. */
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

describe('a built-in authority', () => {
  it.each(knownIntermediates)('$name matches its row, and leads to its root', (row) => {
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
    // Later releases of Node do not ship the older root.
    const roots = [...wellKnownRoots(), new X509Certificate(recorded('paypal', 'signed-event-root.pem'))];
    const issuer = roots.find((each) => certificate.checkIssued(each));
    expect(issuer?.subject).toContain(`CN=${row.issuer}`);
    expect([certificate.ca, issuer && certificate.verify(issuer.publicKey)]).toEqual([true, true]);
  });

  it('is not a root: it does not make others trusted', () => {
    const own = newCertificate({ commonName, keyPem: leafKey });
    const known = knownIntermediates.map(({ pem }) => new X509Certificate(pem));
    expect(trustOf([new X509Certificate(own.pem), ...known], wellKnownRoots()).kind).toBe('unproven');
  });
});

describe('the issuer’s address in a certificate', () => {
  it('is called once, for any number of events, and the event is authentic', async () => {
    const verify = verifier();
    paypal.answers('GET /certs/C1', file(leaf.pem));
    paypal.answers(`GET ${issuerPath}`, der(middle));
    const verdicts = await Promise.all(Array.from({ length: 5 }, () => verify(headersOf(), body)));
    expect([...verdicts, await verify(headersOf(), body)]).toEqual(Array(6).fill({ kind: 'genuine' }));
    expect(heardAt(issuerPath)).toHaveLength(1);
    expect(heardAt(questionPath)).toEqual([]);
  });

  it('is followed upwards, for at most three steps', async () => {
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
  ])('may return %s: then the provider is queried', async (_what, reply) => {
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
  ])('%s is allowed: %s', (url, may) => {
    expect(canServeIssuers(url, ['127.0.0.1:3240'])).toBe(may);
  });

  it('elsewhere is never called', async () => {
    const { host } = new URL(paypal.url);
    paypal.answers('GET /certs/C1', file(leafNaming(`http://user:pass@${host}${issuerPath}`).pem));
    paypal.answers(question, says('SUCCESS'));
    expect(await verifier()(headersOf(), body)).toEqual({ kind: 'genuine' });
    expect(heardAt(issuerPath)).toEqual([]);
  });
});

describe('a query to the provider about a signature with an unknown issuer', () => {
  let verify: ReturnType<typeof verifier>;
  beforeEach(() => {
    verify = verifier();
    paypal.answers('GET /certs/C1', file(leafNaming().pem));
  });

  it('has the documented fields, with the event’s own bytes, once for each event', async () => {
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
  ])('rejects the event by %s', async (_what, reply) => {
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
  ])('answered with %s leaves it unknown, and is repeated with the event', async (_what, reply) => {
    paypal.answers(question, reply);
    const headers = headersOf();
    expect(await verify(headers, body)).toMatchObject({ kind: 'unknown' });
    paypal.answers(question, says('SUCCESS'));
    expect(await verify(headers, body)).toEqual({ kind: 'genuine' });
  });

  it('is not sent for a caller without the key of a certificate at the provider’s address', async () => {
    const otherHeaders = headersOf({ keyPem: middle.keyPem });
    expect(await verify(otherHeaders, body)).toEqual({ kind: 'forged', why: 'the signature is wrong' });
    expect(await verify(headersOf({ webhookId: 'WH-OTHER' }), body)).toMatchObject({ kind: 'forged' });
    expect(heardAt(questionPath)).toEqual([]);
  });

  it('is not sent for a body that is not an event', async () => {
    for (const text of ['{}, "webhook_id": "WH-2"', '[]', 'null', 'x']) {
      const bytes = Buffer.from(text);
      expect(await verify(headersOf({ body: bytes }), bytes)).toMatchObject({ kind: 'forged' });
    }
    expect(heardAt(questionPath)).toEqual([]);
  });

  it('is sent for eight at a time, and the others must be sent again', async () => {
    paypal.answers(question, 'hang');
    const events = Array.from({ length: 9 }, (_, index) => Buffer.from(`{"id":"WH-${String(index)}"}`));
    const verdicts = events.map((bytes) => verify(headersOf({ body: bytes }), bytes));
    expect(await Promise.race(verdicts)).toEqual({
      kind: 'unknown',
      why: 'too many signatures are being verified',
    });
    paypal.closeOpen();
    await Promise.all(verdicts);
    expect(heardAt(questionPath)).toHaveLength(8);
  });
});

describe('an additional authority', () => {
  const given = (changes: Partial<WalletpaySettings>) => {
    const direct = newCertificate({ commonName, issuer: root, keyPem: leafKey });
    paypal.answers('GET /certs/C1', file(direct.pem));
    paypal.answers(question, says('FAILURE'));
    return verifier(changes);
  };

  it('that the operator configured is trusted in live, too, and without it the same event is rejected', async () => {
    expect(await given({})(headersOf(), body)).toEqual({ kind: 'genuine' });
    const without = given({ authority: undefined });
    expect(await without(headersOf(), body)).toMatchObject({ kind: 'forged' });
  });

  it('that cannot be read leaves the result unknown for certificates that need it', async () => {
    const verify = given({ authority: { file: join(folder, 'none.pem') } });
    expect(await verify(headersOf(), body)).toMatchObject({ kind: 'unknown' });
  });

  it('is also downloaded from its address in the sandbox', async () => {
    const verify = given({ authority: { url: `${paypal.url}/certs/ca.pem` } });
    for (const reply of [html(503), html(200)]) {
      paypal.answers('GET /certs/ca.pem', reply);
      expect(await verify(headersOf(), body)).toMatchObject({ kind: 'unknown' });
    }
    paypal.answers('GET /certs/ca.pem', file(root.pem));
    expect(await verify(headersOf(), body)).toEqual({ kind: 'genuine' });
  });
});
