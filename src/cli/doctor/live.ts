/** Examines what a rail's providers tell of our account there. Nothing is moved, and nothing is changed. */
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
import type { Finding } from './checkup';

/** One provider of a rail, and what was found there. */
export interface ExaminedProvider {
  title: string;
  /** Where "it is simulated" means that nothing here proves a real account. */
  isSimulated: boolean;
  findings: Finding[];
}

/** What one checkup may take, and what the calls of it are given, in milliseconds. */
const checkupMs = 15_000;
const callMs = 10_000;

export interface Deployment {
  config: Pick<Config, 'environment' | 'publicUrl'>;
  /** Known in the sandbox only. */
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
  const findings = await Promise.all(checkups.map(examine));
  return { title: provider.title, isSimulated, findings: findings.flat() };
}

/** What cannot be examined is a fault of its own, and the rest is examined all the same. */
async function examine({ name, examine: look }: ProviderCheckup): Promise<Finding[]> {
  const timer = new AbortController();
  const tooLate = delay(checkupMs, undefined, { signal: timer.signal }).then((): Diagnosis[] => [
    fault(`Could not be examined within ${String(checkupMs / 1_000)} s.`),
  ]);
  try {
    const found = await Promise.race([look({ timeoutMs: callMs, requestId: uuid() }), tooLate]);
    return found.map((diagnosis) => ({ name, ...withoutSecrets(diagnosis) }));
  } catch (error) {
    return [{ name, ...fault(`Could not be examined: ${textOf(error)}`) }];
  } finally {
    timer.abort();
    await tooLate.catch(() => undefined);
  }
}

/** A provider's own words may repeat what it was sent. */
function withoutSecrets({ sentence, ...rest }: Diagnosis): Diagnosis {
  return { ...rest, sentence: redactText(sentence) };
}

/** Of a rail that has nothing to examine. */
export const nothingToExamine = attention('This rail knows no way to examine its provider.');

/** Passwords, signatures and the life of tokens are made of our time: some seconds are harmless, a minute is not. */
const looksWrongMs = 5_000;
const isWrongMs = 60_000;

const mend = 'the clock of this machine, and of those that run the API and the worker: let NTP set it';

/** Whether the provider can be reached at all, and whether it has the same time as we. */
function providerClockCheckup({ title, baseUrl, baseUrlSetting }: ProviderCheckups): ProviderCheckup {
  return {
    name: 'clock',
    async examine({ timeoutMs }) {
      const askedAtMs = Date.now();
      try {
        // Whatever it answers to a stranger: its header is what is looked at (RFC 9110, Date).
        const { headers, body } = await request(new URL('/', baseUrl), {
          signal: AbortSignal.timeout(timeoutMs),
        });
        await body.dump();
        const aheadMs = aheadByDateHeaderMs(headers.date, { askedAtMs, answeredAtMs: Date.now() });
        return aheadMs === undefined
          ? [attention(`${title} does not tell its time, so that ours is not compared.`)]
          : [compare(title, aheadMs)];
      } catch (error) {
        const { code, name } = error as NodeJS.ErrnoException;
        return [
          fault(
            `${title} cannot be reached at ${baseUrl} (${code ?? name}).`,
            `${baseUrlSetting}, or the way out of this network: name server, proxy, firewall`,
          ),
        ];
      }
    },
  };
}

/** @param aheadMs the provider's time less ours, at least. */
function compare(title: string, aheadMs: number): Diagnosis {
  const offMs = Math.abs(aheadMs);
  const seconds = String(Math.round(offMs / 1_000));
  if (offMs < looksWrongMs) return ok(`${title} and this machine agree on the time.`);
  const sentence = `This machine is ${seconds} s ${aheadMs > 0 ? 'behind' : 'ahead of'} ${title}.`;
  return offMs < isWrongMs ? attention(sentence, mend) : fault(sentence, mend);
}
