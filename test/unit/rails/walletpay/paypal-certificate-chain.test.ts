/** The permissions that each certificate of a chain needs, so that the first of them may sign events. */
import { X509Certificate } from 'node:crypto';
import { trustOf } from '../../../../src/rails/walletpay/providers/paypal/certificate-chain';
import {
  newCertificate,
  newKey,
  type CertificateWish,
  type Identity,
} from '../../../support/rails/walletpay/paypal-certificates';

const commonName = 'messageverificationcerts.paypal.com';
const noRoot = { kind: 'unproven', why: 'the certificate has no chain to a trusted root' };
const unfit = { kind: 'unfit', why: 'the certificate is not allowed to sign events' };
const trusted = {
  kind: 'trusted',
  from: expect.any(Number) as unknown,
  until: expect.any(Number) as unknown,
};

type Wish = Partial<CertificateWish>;

// Creating a key takes seconds on a busy machine, so there is one per level.
let keys: Record<'root' | 'upper' | 'lower' | 'leaf', string>;
let root: Identity;
beforeAll(() => {
  keys = { root: newKey(), upper: newKey(), lower: newKey(), leaf: newKey() };
  root = newCertificate({ commonName: 'Test Root', isAuthority: true, keyPem: keys.root });
});

const authority = (name: string, issuer: Identity, keyPem: string, wish: Wish = {}) =>
  newCertificate({ commonName: name, issuer, isAuthority: true, keyPem, ...wish });
const leafBelow = (issuer: Identity, wish: Wish = {}) =>
  newCertificate({ commonName, issuer, keyPem: keys.leaf, ...wish });

function judged(chain: Identity[], trustedRoot = root) {
  const [certificates, roots] = [chain, [trustedRoot]].map((all) =>
    all.map(({ pem }) => new X509Certificate(pem)),
  );
  return trustOf(certificates ?? [], roots ?? []);
}

describe('the certificate itself', () => {
  it.each<[string, Wish]>([
    ['may sign', { keyUsage: { digitalSignature: true }, extendedUsage: { serverAuth: true } }],
    ['may sign and more', { keyUsage: { digitalSignature: true, keyEncipherment: true } }],
    ['says nothing of its use', {}],
  ])('is trusted if it %s', (_what, wish) => {
    expect(judged([leafBelow(root, wish)])).toMatchObject(trusted);
  });

  it.each<[string, Wish]>([
    ['is an authority', { isAuthority: true }],
    ['may not sign', { keyUsage: { keyEncipherment: true } }],
    ['is for other purposes', { extendedUsage: { codeSigning: true, emailProtection: true } }],
  ])('is not trusted if it %s', (_what, wish) => {
    expect(judged([leafBelow(root, wish)])).toEqual(unfit);
  });
});

describe('an authority above it', () => {
  /** A leaf below two authorities, with the given properties. */
  function belowTwo(upperWish: Wish, lowerWish: Wish = {}): Identity[] {
    const upper = authority('Upper', root, keys.upper, upperWish);
    const lower = authority('Lower', upper, keys.lower, lowerWish);
    return [leafBelow(lower), lower, upper];
  }

  it.each<[string, Wish]>([
    ['allows one more below it', { pathLength: 1 }],
    ['may sign certificates', { keyUsage: { keyCertSign: true, cRLSign: true } }],
    ['is for servers', { extendedUsage: { serverAuth: true, clientAuth: true } }],
    ['says nothing of its use', {}],
  ])('is accepted if it %s', (_what, wish) => {
    expect(judged(belowTwo(wish))).toMatchObject(trusted);
  });

  it.each<[string, Wish, Wish]>([
    ['is none', { isAuthority: false }, {}],
    ['allows no other below it', { pathLength: 0 }, {}],
    ['may not sign certificates', { keyUsage: { digitalSignature: true } }, {}],
    ['may only sign lists', { keyUsage: { cRLSign: true } }, {}],
    ['is for mail only', { extendedUsage: { emailProtection: true } }, {}],
    ['is for mail only, one step lower', {}, { extendedUsage: { emailProtection: true } }],
  ])('is rejected if it %s', (_what, wish, lower) => {
    expect(judged(belowTwo(wish, lower))).toMatchObject(noRoot);
  });

  it('that is a root must respect its path length, too', () => {
    const wish = { commonName: 'Strict Root', isAuthority: true, pathLength: 0, keyPem: keys.root };
    const strict = newCertificate(wish);
    const middle = authority('Middle', strict, keys.upper);
    expect(judged([leafBelow(strict)], strict)).toMatchObject(trusted);
    expect(judged([leafBelow(middle), middle], strict)).toMatchObject(noRoot);
  });
});

describe('many authorities', () => {
  /** Each above the other, all with one name, so that any could be above any. */
  it('are each checked once, whatever their possible orders', () => {
    const limit = Array.from({ length: 7 }, () => authority('Any', root, keys.upper, { commonName: 'Any' }));
    const otherAuthority = newCertificate({ commonName: 'Any', isAuthority: true, keyPem: keys.lower });
    const verify = jest.spyOn(X509Certificate.prototype, 'verify');
    const below = (issuer: Identity) => [leafBelow(issuer), ...limit];
    expect(judged(below(otherAuthority))).toMatchObject(noRoot);
    expect(judged(below(limit[6] as Identity))).toMatchObject(trusted);
    expect(verify.mock.calls.length).toBeLessThan(60);
    verify.mockRestore();
  });

  it('with one that has expired give way to a valid one', () => {
    const [old, current] = (
      [
        [-3, -1],
        [-1, 1],
      ] as [number, number][]
    ).map((validDays) => authority('Middle', root, keys.upper, { validDays })) as [Identity, Identity];
    const leaf = leafBelow(current);
    const { until } = judged([leaf, old, current]) as { until: number };
    expect(until).toBeGreaterThan(Date.now());
    expect(judged([leaf, old])).toMatchObject(trusted);
  });
});
