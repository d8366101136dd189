/** `malipo trigger`: creates a sandbox payment that follows one of the scenarios. */
import { request } from 'undici';
import { table } from '../../src/cli/table';
import { closest } from '../../src/domain/closest';
import { ActionError, textOf } from '../../src/operator-actions/errors';
import type { Served } from '../../src/rail-kit/sandbox';
import type { Io, Report } from './answers';
import { merchantApi, taken, type MerchantApi } from './merchant-api';
import { askUntil } from './patience';
import { readProfile, type Keys } from './profile';
import { bringAbout, hasRecipe, type Scenario } from './recipes';

export interface TriggerOptions {
  profile: string;
  /** How long to wait for the end of the payment, in seconds. */
  wait?: number;
}

interface ShownPayment {
  payment_id: string;
  state: string;
  is_final: boolean;
}

export async function trigger(
  io: Io,
  { profile, wait }: TriggerOptions,
  name: string | undefined,
): Promise<Report> {
  const keys = await readProfile(io, profile);
  const simulatorUrl = simulatorOf(keys);
  const scenarios = (await scenariosOf(simulatorUrl)).filter(hasRecipe);
  if (name === undefined) return listed(scenarios);
  const scenario = scenarios.find((one) => one.name === name);
  if (!scenario) {
    const meant = closest(
      name,
      scenarios.map((one) => one.name),
    );
    const guess = meant === undefined ? '' : ` Did you mean ${meant}?`;
    throw new ActionError(`There is no scenario ${name}.${guess} malipo trigger lists them.`);
  }
  const api = merchantApi(keys);
  const customer = (path: string, action: Record<string, unknown>) => notify(simulatorUrl, path, action);
  const served = await bringAbout({ api, customer }, scenario);
  const payments = wait === undefined ? await paymentsOf(api, served) : await ended(api, served, wait);
  return reportOf(scenario, served, payments);
}

function simulatorOf({ api_key: key, simulator_url: url }: Keys): string {
  if (key.startsWith('pk_live_')) throw new ActionError('Only a sandbox has scenarios.');
  if (url === undefined)
    throw new ActionError(
      'The address of the simulator is unknown: set MALIPO_SIMULATOR_URL (source .malipo/env sets it).',
    );
  return url;
}

async function scenariosOf(simulatorUrl: string): Promise<Scenario[]> {
  const body = await simulator('GET', `${simulatorUrl}/control/scenarios`);
  return (JSON.parse(body) as { scenarios: Scenario[] }).scenarios;
}

async function notify(simulatorUrl: string, path: string, action: Record<string, unknown>): Promise<void> {
  await simulator('POST', `${simulatorUrl}/control/${path}`, JSON.stringify(action));
}

async function simulator(method: 'GET' | 'POST', url: string, body: string | null = null): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const answer = await request(url, { method, headers, body }).catch((error: unknown) => {
    throw new ActionError(`The simulator cannot be reached at ${url} (${textOf(error)}).`);
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new ActionError(`The simulator denied the request: ${text}`);
  return text;
}

/** Newest first; empty if the API denied the request and stored no payment. */
async function paymentsOf(api: MerchantApi, { reference }: Served): Promise<ShownPayment[]> {
  return taken(await api.get('/api/v1/payments', { reference }))['payments'] as ShownPayment[];
}

async function ended(api: MerchantApi, served: Served, seconds: number): Promise<ShownPayment[]> {
  let last: ShownPayment[] = [];
  await askUntil(async () => {
    last = await paymentsOf(api, served);
    return last.every(({ is_final: isFinal }) => isFinal) || undefined;
  }, seconds * 1_000);
  return last;
}

function listed(scenarios: readonly Scenario[]): Report {
  const rows = scenarios.map(({ name, value, behaviour }) => [name, value, behaviour]);
  return { text: table(['scenario', 'test value', 'what happens'], rows), json: { scenarios } };
}

function reportOf(scenario: Scenario, { path, answer }: Served, payments: ShownPayment[]): Report {
  const { status, body } = answer;
  const lines = [
    `${scenario.title}: ${scenario.behaviour}`,
    `POST ${path} answered ${String(status)}${status === 200 ? '' : ` ${String(body['code'])}: ${String(body['message'])}`}`,
    ...payments.map(({ payment_id: id, state, is_final: isFinal }) => `${id} ${state}${isFinal ? '' : ' …'}`),
  ];
  const reported = payments.map(({ payment_id, state, is_final }) => ({ payment_id, state, is_final }));
  return {
    text: lines.join('\n'),
    json: {
      scenario: scenario.name,
      path,
      status,
      code: body['code'] ?? null,
      payments: reported,
    },
  };
}
