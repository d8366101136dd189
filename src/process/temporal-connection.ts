/** How every process connects to Temporal. One function, so that no connection misses TLS. */
import { readFileSync } from 'node:fs';
import { ConfigError, type Config } from '../config';
import { shownPath } from '../secret-files';

/** Options of both the client's and the worker's connections. */
export interface TemporalConnectionOptions {
  address: string;
  tls?: {
    serverNameOverride?: string;
    serverRootCACertificate?: Buffer;
    clientCertPair?: { crt: Buffer; key: Buffer };
  };
  apiKey?: string;
  metadata?: Record<string, string>;
}

export type TemporalSettings = Pick<Config, 'temporalAddress' | 'temporalNamespace' | 'temporalLine'>;

/** @throws ConfigError with the setting whose file is unreadable. */
export function temporalOptionsOf({
  temporalAddress: address,
  temporalNamespace: namespace,
  temporalLine: line,
}: TemporalSettings): TemporalConnectionOptions {
  const apiKey = line.apiKeyFile && keyOf('TEMPORAL_API_KEY_FILE', line.apiKeyFile);
  return {
    address,
    ...(line.tls && {
      tls: {
        ...(line.serverName !== undefined && { serverNameOverride: line.serverName }),
        ...(line.caFile !== undefined && {
          serverRootCACertificate: fileOf('TEMPORAL_TLS_SERVER_CA_CERT_PATH', line.caFile),
        }),
        ...(line.certFile !== undefined &&
          line.keyFile !== undefined && {
            clientCertPair: {
              crt: fileOf('TEMPORAL_TLS_CLIENT_CERT_PATH', line.certFile),
              key: fileOf('TEMPORAL_TLS_CLIENT_KEY_PATH', line.keyFile),
            },
          }),
      },
    }),
    // With an API key, Temporal Cloud finds the namespace by this header.
    ...(apiKey && { apiKey, metadata: { 'temporal-namespace': namespace } }),
  };
}

/** An empty file would mean no key. It may be a file that is being written. */
function keyOf(setting: string, path: string): string {
  const key = fileOf(setting, path).toString('utf8').trim();
  if (key === '') throw new ConfigError(`${setting}: ${shownPath(path)} is empty`);
  return key;
}

function fileOf(setting: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigError(
      `${setting}: ${shownPath(path)} cannot be read (${(error as NodeJS.ErrnoException).code ?? ''})`,
      { cause: error },
    );
  }
}
