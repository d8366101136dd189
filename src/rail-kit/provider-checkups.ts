/**
 * What `malipo doctor --live` examines at a provider before the first payment: the account, its settings and ours. A
 * checkup only reads: it moves no money and changes nothing there. No sentence of it contains a credential's value.
 */
import type { Environment } from '../config';
import { fault, type Diagnosis } from '../domain/diagnosis';
import type { ProviderResponse } from './provider-http';
import type { ProviderCall } from './rail';

export interface ProviderCheckup {
  name: string;
  examine(call: ProviderCall): Promise<Diagnosis[]>;
}

/** One provider, as this deployment is configured for it. */
export interface ProviderCheckups {
  /** Its common name. */
  title: string;
  baseUrl: string;
  /** The name of the setting with this address. */
  baseUrlSetting: string;
  /** The provider's own address for each environment. */
  documentedUrls: Record<Environment, string>;
  /** The address of the provider's notifications to us. */
  notificationUrl: string;
  checkups: ProviderCheckup[];
}

type Answer = ProviderResponse | { kind: 'account_refused'; text: string };

/**
 * Reads an answer. Anything but a 200 in JSON is a diagnosis of its own.
 * @param credentials where to correct them: the settings, and the provider's page.
 */
export function readAnswer(answer: Answer, credentials: string): { json: unknown } | { wrong: Diagnosis } {
  if (answer.kind === 'account_refused') {
    return { wrong: fault(`The provider rejects our credentials (${answer.text}).`, credentials) };
  }
  if (answer.kind !== 'answered') return { wrong: fault(`The provider gave no answer (${answer.text}).`) };
  const { status, json } = answer;
  if (status === 401 || status === 403) {
    return { wrong: fault(`The provider rejects our credentials (HTTP ${String(status)}).`, credentials) };
  }
  if (status !== 200) return { wrong: fault(`The provider answers HTTP ${String(status)}.`) };
  return json === undefined
    ? { wrong: fault('The provider answers with something that is not JSON.') }
    : { json };
}
