import { readFile } from 'node:fs/promises';
import type { X509Certificate } from 'node:crypto';
import type { RailSettings } from '../../../../rail-kit/rail';
import type { WalletpaySettings } from '../../settings';
import { isOfProvider, readCertificates, trustOf, wellKnownRoots, type Trust } from './certificate-chain';
import { download, issuersAbove, shippedIntermediates } from './certificate-issuers';

type NotTaken =
  | { kind: 'untrusted'; why: string }
  /** The certificate could not be downloaded, so nothing is known about it. */
  | { kind: 'unavailable'; why: string };
interface Kept {
  /** `unproven` has the provider's address and name, but no known authority has signed it. */
  kind: 'trusted' | 'unproven';
  certificate: X509Certificate;
  /** Milliseconds since the epoch between which it is valid. */
  from: number;
  until: number;
  keepUntil: number;
}

/** For a certificate and all of its issuers. */
const fetchTimeoutMs = 10_000;
/** The maximal number of concurrent downloads, so that an attacker who names many certificates cannot cause more. */
const fetchesMax = 8;
/** The provider has a handful of certificates. The limit keeps external input from filling the memory. */
const keptMax = 16;
/** By then, its issuer may be found. */
const reloadAfterMs = 10 * 60_000;
const urlLengthMax = 500;

/** @returns why a certificate must not be downloaded from an address, or undefined if it may be. */
export function faultOfCertUrl(text: string, ownHosts: string[]): string | undefined {
  if (text.length > urlLengthMax || !URL.canParse(text)) return 'the certificate’s address is not valid';
  const { protocol, port, hostname, host, username, password } = new URL(text);
  if (username !== '' || password !== '') return 'the certificate’s address contains credentials';
  if (ownHosts.includes(host) && (protocol === 'http:' || protocol === 'https:')) return undefined;
  // The default port of https reads as empty.
  if (protocol !== 'https:' || port !== '') return 'the certificate’s address is not https on port 443';
  return isOfProvider(hostname) ? undefined : 'the certificate’s address is not the provider’s';
}

/**
 * The provider's certificates by their address. The content of an address never changes, so each is downloaded once.
 */
export function certificateStore({ authority, certHosts }: WalletpaySettings, rail: RailSettings) {
  const kept = new Map<string, Kept>();
  const fetching = new Map<string, Promise<Kept | NotTaken>>();
  let ownRoots: X509Certificate[] | undefined;

  /** The configured additional authority; read until it succeeds once. */
  async function readOwn(signal: AbortSignal): Promise<X509Certificate[]> {
    if (!authority) return [];
    const found =
      ownRoots ??
      ('file' in authority
        ? readCertificates(await readFile(authority.file), Infinity)
        : readCertificates(await download(authority.url, signal)));
    if (found.length === 0) throw new Error('the additional authority is not a certificate');
    ownRoots = found;
    return found;
  }

  /**
   * An authority that cannot be read does not affect certificates that are proven without it. For all others the result
   * is unknown.
   */
  async function judge(certificates: X509Certificate[], signal: AbortSignal): Promise<Trust> {
    const own = await readOwn(signal).catch((error: unknown) =>
      error instanceof Error ? error : new Error(String(error)),
    );
    if (!(own instanceof Error)) return judgeBy([...own, ...wellKnownRoots()], certificates, signal);
    rail.log.error('the additional authority for wallet events cannot be read', { error: own });
    const trust = await judgeBy(wellKnownRoots(), certificates, signal);
    if (trust.kind !== 'trusted') throw own;
    return trust;
  }

  /** First with the certificates in the file and the built-in ones, because most certificates need no others. */
  async function judgeBy(
    roots: X509Certificate[],
    certificates: X509Certificate[],
    signal: AbortSignal,
  ): Promise<Trust> {
    const known = [...certificates, ...shippedIntermediates()];
    let trust = trustOf(known, roots);
    if (trust.kind !== 'unproven') return trust;
    for await (const issuer of issuersAbove(trust.certificate, certHosts, signal)) {
      known.push(issuer);
      trust = trustOf(known, roots);
      if (trust.kind === 'trusted') break;
    }
    return trust;
  }

  async function fetchCertificate(url: string): Promise<Kept | NotTaken> {
    const startedAt = performance.now();
    let label = 'none';
    try {
      const signal = AbortSignal.timeout(fetchTimeoutMs);
      const certificates = readCertificates(await download(url, signal));
      if (certificates.length === 0) return { kind: 'unavailable', why: 'the address has no certificate' };
      const trust = await judge(certificates, signal);
      label = trust.kind;
      if (trust.kind === 'unfit') return { kind: 'untrusted', why: trust.why };
      const { certificate } = trust;
      const [from, until] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
      if (trust.kind === 'trusted') return keep(url, { ...trust, keepUntil: trust.until });
      rail.log.warn('a wallet event’s certificate has an unknown issuer', {
        url,
        issuer: certificate.issuer,
      });
      return keep(url, {
        kind: 'unproven',
        certificate,
        from,
        until,
        keepUntil: Math.min(until, Date.now() + reloadAfterMs),
      });
    } catch (error) {
      return { kind: 'unavailable', why: error instanceof Error ? error.message : String(error) };
    } finally {
      rail.observe('walletpay', 'certificate', label, performance.now() - startedAt);
    }
  }

  function keep(url: string, certificate: Kept): Kept {
    const [oldest] = kept.keys();
    if (kept.size >= keptMax && oldest !== undefined) kept.delete(oldest);
    kept.set(url, certificate);
    return certificate;
  }

  function fetchOnce(url: string): Promise<Kept | NotTaken> {
    const running = fetching.get(url);
    if (running) return running;
    if (fetching.size >= fetchesMax) {
      return Promise.resolve({ kind: 'unavailable', why: 'too many certificates are being downloaded' });
    }
    const begun = fetchCertificate(url).finally(() => fetching.delete(url));
    fetching.set(url, begun);
    return begun;
  }

  return {
    /** @param url an address that `faultOfCertUrl` accepts */
    async find(url: string): Promise<Kept | NotTaken> {
      const before = kept.get(url);
      if (before && before.keepUntil < Date.now()) kept.delete(url);
      const found = kept.get(url) ?? (await fetchOnce(url));
      if (found.kind === 'untrusted' || found.kind === 'unavailable') return found;
      const now = Date.now();
      if (found.from <= now && now <= found.until) return found;
      kept.delete(url);
      return { kind: 'untrusted', why: 'the certificate, or one above it, is not valid now' };
    },
  };
}
