/** Checks the addresses of a provider and of our API, as far as this is possible from our side. */
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

/** @param isSimulated the provider runs on this machine, so an address that only this machine reaches is enough. */
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

/** @returns why nobody outside can reach the URL, as a sentence; undefined if there is no such reason. */
export async function whyNotFromOutside({ protocol, hostname }: URL): Promise<string | undefined> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isThisMachine(hostname)) return 'this is the machine itself, which no provider can reach.';
  if (ipaddr.isValid(host)) {
    return isPublicAddress(host, 'live')
      ? 'an IP address instead of a name; providers find no valid certificate for it.'
      : 'a private address, which no provider can reach.';
  }
  if (protocol !== 'https:') return 'not https, which providers require.';
  try {
    const addresses = await lookup(host, { all: true });
    const inside = addresses.find(({ address }) => !isPublicAddress(address, 'live'));
    return inside && `the name resolves to ${inside.address} here, which no provider can reach.`;
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    return `the name does not resolve (${code ?? name}).`;
  }
}

/** Calls our API over its public address: name, TLS and proxy. The route from outside may be another one. */
async function askOurselves(publicUrl: string, timeoutMs: number): Promise<Diagnosis> {
  const url = `${publicUrl}/healthz`;
  try {
    const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(timeoutMs) });
    const text = await textOf(body);
    if (statusCode === 200 && text.replace(/\s/g, '') === '{"status":"alive"}') {
      return ok(`Our API answers at ${url}, called from this machine.`);
    }
    return fault(
      `Something else than our API answers at ${url} (HTTP ${String(statusCode)}).`,
      `${setting}, and the proxy in front of the API: it must forward all paths, without a redirect`,
    );
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    return fault(
      `Nothing answers at ${url}, called from this machine (${code ?? name}).`,
      `${setting}, the API, the proxy in front of it and its certificate; some networks cannot reach their own public address: then try from outside`,
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

/** What a provider's address is: one that it documents, our simulator, or something else. */
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

/** Checks that live uses the live provider, and that the sandbox does not. */
export function providerCheckup(provider: ProviderCheckups, deployment: Deployment): ProviderCheckup {
  return {
    name: 'provider',
    examine: () => Promise.resolve([examine(provider, deployment)]),
  };
}

function examine(provider: ProviderCheckups, deployment: Deployment): Diagnosis {
  const { title, baseUrl, baseUrlSetting, documentedUrls } = provider;
  const { environment } = deployment.config;
  const remedy = `${baseUrlSetting}; in ${environment} it is ${documentedUrls[environment]}`;
  const place = placeOf(provider, deployment);
  if (place === 'elsewhere') {
    return attention(
      `${baseUrl} is not an address that ${title} documents, and gets all our requests to ${title}.`,
      remedy,
    );
  }
  if (place === 'simulated') {
    return environment === 'live'
      ? fault(`${title} is a simulated provider at ${baseUrl}: no real money would move.`, remedy)
      : ok(`Simulated provider at ${baseUrl}: these checks prove nothing about an account at ${title}.`);
  }
  if (place !== environment) {
    const what = place === 'live' ? 'real money would move' : 'no real money would move';
    return fault(`MALIPO_ENV is ${environment}, and ${baseUrl} is ${title}'s ${place}: ${what}.`, remedy);
  }
  if (baseUrl.replace(/\/$/, '') !== documentedUrls[place]) {
    return attention(`${baseUrl} is not the address that ${title} documents.`, remedy);
  }
  return ok(`${title}, ${place}, at ${baseUrl}.`);
}
