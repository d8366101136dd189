import { readFile } from 'node:fs/promises';
import type { X509Certificate } from 'node:crypto';
import { request } from 'undici';
import type { RailSettings } from '../../../../payments/rail';
import type { WalletpaySettings } from '../../settings';
import {
  isOfProvider,
  readCertificates,
  trustOf,
  wellKnownRoots,
  type TrustedCertificate,
} from './certificate-chain';

type NotTrusted =
  | { kind: 'untrusted'; why: string }
  /** It could not be had: nothing is known about it. */
  | { kind: 'unavailable'; why: string };
type CertificateAnswer = { kind: 'trusted'; certificate: X509Certificate } | NotTrusted;

const fetchTimeoutMs = 5_000;
const bytesMax = 64 * 1024;
/** A stranger who names many certificates makes us ask for this many at a time, and no more. */
const fetchesMax = 8;
/** The provider has a handful; what is kept must not grow with what we are told. */
const keptMax = 16;
const urlLengthMax = 500;

/** @returns why a certificate must not be fetched from an address, or undefined where it may. */
export function faultOfCertUrl(text: string, ownHosts: string[]): string | undefined {
  if (text.length > urlLengthMax || !URL.canParse(text)) return 'the certificate’s address is none';
  const { protocol, port, hostname, host, username, password } = new URL(text);
  if (username !== '' || password !== '') return 'the certificate’s address carries credentials';
  if (ownHosts.includes(host) && (protocol === 'http:' || protocol === 'https:')) return undefined;
  // The default port of https reads as none.
  if (protocol !== 'https:' || port !== '') return 'the certificate’s address is not https on port 443';
  return isOfProvider(hostname) ? undefined : 'the certificate’s address is not the provider’s';
}

/** The provider's certificates by their address. What an address holds never changes, so it is fetched once. */
export function certificateStore(settings: WalletpaySettings, rail: RailSettings) {
  const kept = new Map<string, TrustedCertificate>();
  const fetching = new Map<string, Promise<TrustedCertificate | NotTrusted>>();
  let ownRoots: X509Certificate[] | undefined;

  async function rootsOf(): Promise<X509Certificate[]> {
    const { authority } = settings;
    if (!authority) return wellKnownRoots();
    if (!ownRoots) {
      const pem =
        'file' in authority ? await readFile(authority.file, 'utf8') : await download(authority.url);
      const found = readCertificates(pem);
      if (found.length === 0) throw new Error('the sandbox’s authority is no certificate');
      ownRoots = found;
    }
    return [...ownRoots, ...wellKnownRoots()];
  }

  async function fetchTrusted(url: string): Promise<TrustedCertificate | NotTrusted> {
    const startedAt = performance.now();
    try {
      const certificates = readCertificates(await download(url));
      if (certificates.length === 0) return { kind: 'unavailable', why: 'no certificate lies there' };
      const trust = trustOf(certificates, await rootsOf());
      if ('fault' in trust) return { kind: 'untrusted', why: trust.fault };
      const [oldest] = kept.keys();
      if (kept.size >= keptMax && oldest !== undefined) kept.delete(oldest);
      kept.set(url, trust);
      return trust;
    } catch (error) {
      return { kind: 'unavailable', why: error instanceof Error ? error.message : String(error) };
    } finally {
      const label = kept.has(url) ? 'trusted' : 'none';
      rail.observe('walletpay', 'certificate', label, performance.now() - startedAt);
    }
  }

  function fetchOnce(url: string): Promise<TrustedCertificate | NotTrusted> {
    const running = fetching.get(url);
    if (running) return running;
    if (fetching.size >= fetchesMax) {
      return Promise.resolve({ kind: 'unavailable', why: 'too many certificates are being fetched' });
    }
    const begun = fetchTrusted(url).finally(() => fetching.delete(url));
    fetching.set(url, begun);
    return begun;
  }

  return {
    /** @param url one that `faultOfCertUrl` finds no fault with */
    async find(url: string): Promise<CertificateAnswer> {
      const known = kept.get(url) ?? (await fetchOnce(url));
      if ('kind' in known) return known;
      const now = Date.now();
      if (known.from <= now && now <= known.until) {
        return { kind: 'trusted', certificate: known.certificate };
      }
      kept.delete(url);
      return { kind: 'untrusted', why: 'the certificate, or one above it, is not valid now' };
    },
  };
}

/**
 * Follows no redirects: an address we may ask must not send us to one we may not.
 * @throws Error for anything but a text of a certificate's size.
 */
async function download(url: string): Promise<string> {
  const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(fetchTimeoutMs) });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bytesMax) throw new Error('the answer is too large for a certificate');
    chunks.push(chunk);
  }
  if (statusCode !== 200) throw new Error(`the certificate’s address answered ${String(statusCode)}`);
  return Buffer.concat(chunks).toString('utf8');
}
