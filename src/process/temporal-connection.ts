/** How every process reaches Temporal: one place, so that none of them leaves out the protection of the line. */
import { readFileSync } from 'node:fs';
import { ConfigError, type Config } from '../config';

/** What the connections of the client and of the worker both take. */
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

/** @throws ConfigError naming the setting whose file cannot be read. */
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
    // Temporal Cloud finds the account's namespace by this header where a key is used.
    ...(apiKey && { apiKey, metadata: { 'temporal-namespace': namespace } }),
  };
}

/** An empty file would be a line without a key; it may be one that is just being written. */
function keyOf(setting: string, path: string): string {
  const key = fileOf(setting, path).toString('utf8').trim();
  if (key === '') throw new ConfigError(`${setting}: the file is empty`);
  return key;
}

function fileOf(setting: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigError(
      `${setting}: the file cannot be read (${(error as NodeJS.ErrnoException).code ?? ''})`,
      { cause: error },
    );
  }
}
