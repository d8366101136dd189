/** Whether a provider can notify us, as far as that can be told from inside. */
import { lookup } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import { request } from 'undici';
import { attention, fault, ok, type Diagnosis } from '../../domain/diagnosis';
import { isThisMachine } from '../../domain/ip-address';
import { isPublicAddress } from '../../merchants/allowed-url';
import type { ProviderCheckup, ProviderCheckups } from '../../rail-kit/provider-checkups';
import type { Deployment } from './live';

const setting = 'MALIPO_PUBLIC_URL';
const answerBytesMax = 1_024;

/** @param isSimulated where the provider is on this machine, so that what only this machine reaches is good enough. */
export function callbackAddressCheckup(
  { title, notificationUrl }: ProviderCheckups,
  { config: { publicUrl } }: Deployment,
  isSimulated: boolean,
): ProviderCheckup {
  return {
    name: 'callback address',
    async examine({ timeoutMs }) {
      const [unreachable, own] = await Promise.all([
        whyNotFromOutside(new URL(publicUrl)),
        askOurselves(publicUrl, timeoutMs),
      ]);
      if (unreachable === undefined) return [ok(`${title} notifies us at ${notificationUrl}.`), own];
      const sentence = `${notificationUrl}: ${unreachable}`;
      return isSimulated
        ? [attention(`${sentence} Only the simulated provider can notify us.`, setting), own]
        : [fault(`${sentence} ${title} cannot notify us.`, setting), own];
    },
  };
}

/** @returns a sentence, or undefined where nothing speaks against it. */
export async function whyNotFromOutside({ protocol, hostname }: URL): Promise<string | undefined> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isThisMachine(hostname)) return 'this is the machine itself, which nobody outside reaches.';
  if (ipaddr.isValid(host)) {
    return isPublicAddress(host, 'live')
      ? 'an address in place of a name, for which providers find no valid certificate.'
      : 'a private address, which nobody outside reaches.';
  }
  if (protocol !== 'https:') return 'not https, which providers demand.';
  try {
    const addresses = await lookup(host, { all: true });
    const inside = addresses.find(({ address }) => !isPublicAddress(address, 'live'));
    return inside && `the name resolves to ${inside.address} here, which nobody outside reaches.`;
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    return `the name does not resolve (${code ?? name}).`;
  }
}

/** The way over the public address: name, TLS, proxy and API. It may be another one for those outside. */
async function askOurselves(publicUrl: string, timeoutMs: number): Promise<Diagnosis> {
  const url = `${publicUrl}/healthz`;
  try {
    const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(timeoutMs) });
    const text = await textOf(body);
    if (statusCode === 200 && text.replace(/\s/g, '') === '{"status":"alive"}') {
      return ok(`Our API answers at ${url}, as seen from here.`);
    }
    return fault(
      `${url} is answered by something else than our API (HTTP ${String(statusCode)}).`,
      `${setting}, and what stands before the API: it must pass all paths on, without a redirect`,
    );
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    return fault(
      `Nobody answers at ${url}, as seen from here (${code ?? name}).`,
      `${setting}, the API, the proxy before it and its certificate; some networks cannot reach their own public address, then ask from outside`,
    );
  }
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of body) {
    text += chunk.toString('utf8');
    if (text.length > answerBytesMax) return text;
  }
  return text;
}
