import type { Environment } from '../../config';
import { attention, fault, ok, type Diagnosis } from '../../domain/diagnosis';
import { isThisMachine } from '../../domain/ip-address';
import type { ProviderCheckup, ProviderCheckups } from '../../rail-kit/provider-checkups';
import type { Deployment } from './live';

/** Where a provider's address leads: to one of its own, to our simulator, or to something in between. */
export type Place = Environment | 'simulated' | 'elsewhere';

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
