/**
 * What `malipo doctor --live` examines at a provider before the first payment: the account, its settings and ours. A
 * checkup reads; it moves no money and changes nothing there. No sentence of it tells the value of a credential.
 */
import type { Environment } from '../config';
import { fault, type Diagnosis } from '../domain/diagnosis';
import type { ProviderAnswer } from './provider-http';
import type { ProviderCall } from './rail';

export interface ProviderCheckup {
  name: string;
  examine(call: ProviderCall): Promise<Diagnosis[]>;
}

/** One provider as this deployment is set up for it. */
export interface ProviderCheckups {
  /** As people call it. */
  title: string;
  baseUrl: string;
  /** The name of the setting that says it. */
  baseUrlSetting: string;
  /** Where the provider itself is, by what is moved there. */
  documentedUrls: Record<Environment, string>;
  /** Where it notifies us. */
  notificationUrl: string;
  checkups: ProviderCheckup[];
}

type Answer = ProviderAnswer | { kind: 'account_refused'; text: string };

/**
 * What an answer tells; anything but a 200 in JSON is a diagnosis of its own.
 * @param credentials where they are mended: the settings, and the page of the provider.
 */
export function readAnswer(answer: Answer, credentials: string): { json: unknown } | { wrong: Diagnosis } {
  if (answer.kind === 'account_refused') {
    return { wrong: fault(`The provider refuses our credentials (${answer.text}).`, credentials) };
  }
  if (answer.kind !== 'answered') return { wrong: fault(`The provider gave no answer (${answer.text}).`) };
  const { status, json } = answer;
  if (status === 401 || status === 403) {
    return { wrong: fault(`The provider refuses our credentials (HTTP ${String(status)}).`, credentials) };
  }
  if (status !== 200) return { wrong: fault(`The provider answers HTTP ${String(status)}.`) };
  return json === undefined
    ? { wrong: fault('The provider answers with something that is not JSON.') }
    : { json };
}
