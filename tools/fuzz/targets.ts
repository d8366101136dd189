/** The targets: every endpoint and notification route that the API serves with these settings. */
import { balanceEndpoints } from '../../src/api/balance';
import type { AnyEndpoint } from '../../src/rail-kit/endpoint';
import type { RailApi, RailSettings } from '../../src/rail-kit/rail';
import { createRails } from '../../src/rails';
import { voucherEndpoints } from '../../src/vouchers/routes';

export interface Field {
  name: string;
  type: string;
  required: boolean;
}

export interface Target {
  method: string;
  path: string;
  kind: 'endpoint' | 'notification';
  rail: string;
  /** As the endpoint's joi schema describes them. */
  fields: Field[];
  acceptsKeysInBody: boolean;
}

interface Described {
  keys?: Record<string, { type?: string; flags?: { presence?: string } }>;
}

function fieldsOf({ input }: AnyEndpoint): Field[] {
  const { keys = {} } = input.describe() as Described;
  return Object.entries(keys).map(([name, { type = 'any', flags }]) => ({
    name,
    type,
    required: flags?.presence === 'required',
  }));
}

/** No handler is called here, so no database or engine is needed. */
export function targetsOf(env: Record<string, string>): Target[] {
  const rails = createRails({
    environment: 'sandbox',
    publicUrl: env['MALIPO_PUBLIC_URL'] ?? 'http://127.0.0.1',
    timezone: 'Africa/Nairobi',
    timeScale: 1,
    env,
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    tokens: {} as RailSettings['tokens'],
    observe: nothing,
  });
  const api = {} as RailApi;
  const shared = [
    ...balanceEndpoints({ walletBalance: () => Promise.resolve(0n), timezone: 'UTC' }),
    ...voucherEndpoints({ db: undefined as never, signalOrStart: () => Promise.resolve() }, 'UTC'),
  ].map((endpoint) => ({ rail: '', endpoint }));
  const ofRails = rails.flatMap((rail) =>
    rail.endpoints(api).map((endpoint) => ({ rail: rail.name, endpoint })),
  );
  return [
    ...[...shared, ...ofRails].map(({ rail, endpoint }) => ({
      method: endpoint.method,
      path: endpoint.path,
      kind: 'endpoint' as const,
      rail,
      fields: fieldsOf(endpoint),
      acceptsKeysInBody: endpoint.access === 'keys',
    })),
    ...rails.flatMap((rail) =>
      rail.notificationRoutes(api).map(({ method, path }) => ({
        method,
        path,
        kind: 'notification' as const,
        rail: rail.name,
        fields: [],
        acceptsKeysInBody: false,
      })),
    ),
  ];
}

function nothing(): void {
  // Neither logged nor counted.
}
