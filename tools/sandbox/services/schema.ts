/** Work that needs an administrator of the database server: schemas and accounts. */
import { createConnection, type Connection } from 'mysql2/promise';
import { readDatabaseUrl, withSchema } from '../../../src/store/database-address';
import type { SchemaAccounts } from '../../../src/store/prepare-schema';

/** @returns the URL of the database, which is created if it does not exist. */
export async function createSchema(adminUrl: string, name: string): Promise<string> {
  await withConnection(adminUrl, (connection) =>
    connection.query(`CREATE DATABASE IF NOT EXISTS ?? CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`, [name]),
  );
  return withSchema(adminUrl, name);
}

export async function dropSchema(adminUrl: string, name: string): Promise<void> {
  await withConnection(adminUrl, (connection) => connection.query('DROP DATABASE IF EXISTS ??', [name]));
}

export interface Login {
  user: string;
  password: string;
  /** The host of its logins, as the server sees it: an address, or % for any. */
  host: string;
}

/**
 * Creates both accounts, or gives them these passwords and exactly these privileges. If the administrator uses a
 * certificate, so do they.
 */
export async function createAccounts(
  adminUrl: string,
  schema: string,
  { migrate, service }: { migrate: Login; service: Login },
): Promise<SchemaAccounts> {
  const proof = new URL(adminUrl).searchParams.has('ssl-cert') ? 'X509' : 'NONE';
  await withConnection(adminUrl, async (connection) => {
    for (const { user, host, password } of [migrate, service]) {
      await connection.query('CREATE USER IF NOT EXISTS ?@? IDENTIFIED BY ?', [user, host, password]);
      await connection.query(`ALTER USER ?@? IDENTIFIED BY ? REQUIRE ${proof}`, [user, host, password]);
      // The migrator grants the service's privileges, table by table.
      await connection.query('REVOKE ALL PRIVILEGES, GRANT OPTION FROM ?@?', [user, host]);
    }
    // In the name of a schema, _ matches any character.
    const literal = schema.replaceAll(/[_%]/g, '\\$&');
    await connection.query('GRANT ALL PRIVILEGES ON ??.* TO ?@? WITH GRANT OPTION', [
      literal,
      migrate.user,
      migrate.host,
    ]);
  });
  return { migrateUrl: urlFor(adminUrl, schema, migrate), serviceUrl: urlFor(adminUrl, schema, service) };
}

export async function dropAccount(adminUrl: string, { user, host }: Login): Promise<void> {
  await withConnection(adminUrl, (connection) => connection.query('DROP USER IF EXISTS ?@?', [user, host]));
}

function urlFor(adminUrl: string, schema: string, { user, password }: Login): string {
  const url = new URL(withSchema(adminUrl, schema));
  url.username = user;
  url.password = password;
  return url.href;
}

export async function isMysqlReady(adminUrl: string): Promise<boolean> {
  await withConnection(adminUrl, (connection) => connection.query('SELECT 1'));
  return true;
}

async function withConnection<T>(url: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const { database: _, ...address } = readDatabaseUrl(url);
  const connection = await createConnection({ ...address, connectTimeout: 10_000 });
  try {
    return await work(connection);
  } finally {
    await connection.end();
  }
}
