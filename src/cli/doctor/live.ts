/** Checks our account at the providers of a rail. It moves no money and changes nothing there. */
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { v7 as uuid } from 'uuid';
import type { Config } from '../../config';
import { aheadByDateHeaderMs } from '../../domain/clock-offset';
import { attention, fault, ok, type Diagnosis } from '../../domain/diagnosis';
import { textOf } from '../../operator-actions/errors';
import type { ProviderCheckup, ProviderCheckups } from '../../rail-kit/provider-checkups';
import type { Rail } from '../../rail-kit/rail';
import { redactText } from '../../telemetry/redact';
import { callbackAddressCheckup, placeOf, providerCheckup } from './addresses';
import type { CheckupResult } from './checkup';

/** One provider of a rail, with the results of its checks. */
export interface ExaminedProvider {
  title: string;
  /** If true, the results prove nothing about a real account. */
  isSimulated: boolean;
  results: CheckupResult[];
}

/** The time limits of one check and of each of its calls, in milliseconds. */
const checkupMs = 15_000;
const callMs = 10_000;

export interface Deployment {
  config: Pick<Config, 'environment' | 'publicUrl'>;
  /** Only in the sandbox. */
  simulatorUrl: string | undefined;
}

export function examineProviders(rail: Rail, deployment: Deployment): Promise<ExaminedProvider[]> {
  const providers = rail.checkups?.() ?? [];
  return Promise.all(providers.map((provider) => examineProvider(provider, deployment)));
}

async function examineProvider(
  provider: ProviderCheckups,
  deployment: Deployment,
): Promise<ExaminedProvider> {
  const isSimulated = placeOf(provider, deployment) === 'simulated';
  const checkups = [
    providerCheckup(provider, deployment),
    providerClockCheckup(provider),
    ...provider.checkups,
    callbackAddressCheckup(provider, deployment, isSimulated),
  ];
  const results = await Promise.all(checkups.map(examine));
  return { title: provider.title, isSimulated, results: results.flat() };
}

/** A check that throws or takes too long becomes a fault. */
async function examine({ name, examine: check }: ProviderCheckup): Promise<CheckupResult[]> {
  const timer = new AbortController();
  const tooLate = delay(checkupMs, undefined, { signal: timer.signal }).then((): Diagnosis[] => [
    fault(`This check did not finish within ${String(checkupMs / 1_000)} s.`),
  ]);
  try {
    const found = await Promise.race([check({ timeoutMs: callMs, requestId: uuid() }), tooLate]);
    return found.map((diagnosis) => ({ name, ...withoutSecrets(diagnosis) }));
  } catch (error) {
    return [{ name, ...fault(`This check failed to run: ${textOf(error)}`) }];
  } finally {
    timer.abort();
    await tooLate.catch(() => undefined);
  }
}

/** A text of the provider may repeat a secret that we sent. */
function withoutSecrets({ sentence, ...rest }: Diagnosis): Diagnosis {
  return { ...rest, sentence: redactText(sentence) };
}

/** The result for a rail without checks. */
export const nothingToExamine = attention('This rail has no checks of its provider.');

/** Passwords, signatures and the expiry of tokens depend on our time: some seconds are harmless, a minute is not. */
const suspiciousMs = 5_000;
const isWrongMs = 60_000;

const remedy = 'the clocks of this machine and of those that run the API and the worker: use NTP';

/** Checks that the provider can be reached, and that its clock agrees with ours. */
function providerClockCheckup({ title, baseUrl, baseUrlSetting }: ProviderCheckups): ProviderCheckup {
  return {
    name: 'clock',
    async examine({ timeoutMs }) {
      const askedAtMs = Date.now();
      try {
        // The answer to an unauthenticated call does not matter: only its Date header is read (RFC 9110).
        const { headers, body } = await request(new URL('/', baseUrl), {
          signal: AbortSignal.timeout(timeoutMs),
        });
        await body.dump();
        const aheadMs = aheadByDateHeaderMs(headers.date, { askedAtMs, answeredAtMs: Date.now() });
        return aheadMs === undefined
          ? [attention(`${title} sends no Date header, so its clock cannot be compared with ours.`)]
          : [compare(title, aheadMs)];
      } catch (error) {
        const { code, name } = error as NodeJS.ErrnoException;
        return [
          fault(
            `${title} cannot be reached at ${baseUrl} (${code ?? name}).`,
            `${baseUrlSetting}, or the outgoing route of this network: name server, proxy, firewall`,
          ),
        ];
      }
    },
  };
}

/** @param aheadMs at least this much is the provider's clock ahead of ours; negative if it is behind. */
function compare(title: string, aheadMs: number): Diagnosis {
  const offMs = Math.abs(aheadMs);
  const seconds = String(Math.round(offMs / 1_000));
  if (offMs < suspiciousMs) return ok(`${title} and this machine agree on the time.`);
  const sentence = `This machine is ${seconds} s ${aheadMs > 0 ? 'behind' : 'ahead of'} ${title}.`;
  return offMs < isWrongMs ? attention(sentence, remedy) : fault(sentence, remedy);
}
