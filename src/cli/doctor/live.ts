/** Examines what a rail's providers tell of our account there. Nothing is moved, and nothing is changed. */
import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuid } from 'uuid';
import type { Config } from '../../config';
import { attention, fault, type Diagnosis } from '../../domain/diagnosis';
import type { ProviderCheckup, ProviderCheckups } from '../../rail-kit/provider-checkups';
import type { Rail } from '../../rail-kit/rail';
import { textOf } from '../../operator-actions/errors';
import { redactText } from '../../telemetry/redact';
import type { Finding } from './checkup';
import { callbackAddressCheckup } from './callback-address';
import { placeOf, providerCheckup } from './provider-address';
import { providerClockCheckup } from './provider-clock';

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
