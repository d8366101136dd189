/** Where a provider can be reached, and whether it can notify us, as far as that can be told from inside. */
import { lookup } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import { request } from 'undici';
import type { Environment } from '../../config';
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

/** Where a provider's address leads: to one of its own, to our simulator, or to something in between. */
type Place = Environment | 'simulated' | 'elsewhere';

export function placeOf(
  { baseUrl, documentedUrls }: ProviderCheckups,
  { simulatorUrl }: Pick<Deployment, 'simulatorUrl'>,
): Place {
  const { hostname, host } = new URL(baseUrl);
  const documented = (['live', 'sandbox'] as const).find(
    (name) => new URL(documentedUrls[name]).host === host,
  );
  if (documented) return documented;
  const isSimulators = simulatorUrl !== undefined && new URL(simulatorUrl).hostname === hostname;
  return isSimulators || isThisMachine(hostname) ? 'simulated' : 'elsewhere';
}

/** Whether money moves where it is meant to: live with live, sandbox with anything else. */
export function providerCheckup(provider: ProviderCheckups, deployment: Deployment): ProviderCheckup {
  return {
    name: 'provider',
    examine: () => Promise.resolve([examine(provider, deployment)]),
  };
}

function examine(provider: ProviderCheckups, deployment: Deployment): Diagnosis {
  const { title, baseUrl, baseUrlSetting, documentedUrls } = provider;
  const { environment } = deployment.config;
  const mend = `${baseUrlSetting}, which is ${documentedUrls[environment]} in ${environment}`;
  const place = placeOf(provider, deployment);
  if (place === 'elsewhere') {
    return attention(`${baseUrl} is no address that ${title} documents: everything passes through it.`, mend);
  }
  if (place === 'simulated') {
    return environment === 'live'
      ? fault(`${title} is a simulated provider at ${baseUrl}: no money would move.`, mend)
      : ok(
          `Simulated provider at ${baseUrl}: what is found here proves nothing about an account at ${title}.`,
        );
  }
  if (place !== environment) {
    const what = place === 'live' ? 'real money would move' : 'no money would move';
    return fault(`MALIPO_ENV is ${environment}, and ${baseUrl} is ${title}'s ${place}: ${what}.`, mend);
  }
  if (baseUrl.replace(/\/$/, '') !== documentedUrls[place]) {
    return attention(`${baseUrl} is not the address that ${title} documents.`, mend);
  }
  return ok(`${title}, ${place}, at ${baseUrl}.`);
}
