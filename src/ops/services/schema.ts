import { createConnection, type Connection } from 'mysql2/promise';

/** @returns the URL of the database, which is created unless it exists. */
export async function createSchema(adminUrl: string, name: string): Promise<string> {
  await withConnection(adminUrl, (connection) =>
    connection.query(`CREATE DATABASE IF NOT EXISTS ?? CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`, [name]),
  );
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

export async function dropSchema(adminUrl: string, name: string): Promise<void> {
  await withConnection(adminUrl, (connection) => connection.query('DROP DATABASE IF EXISTS ??', [name]));
}

export async function isMysqlReady(adminUrl: string): Promise<boolean> {
  await withConnection(adminUrl, (connection) => connection.query('SELECT 1'));
  return true;
}

async function withConnection<T>(url: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const { hostname, port, username, password } = new URL(url);
  const connection = await createConnection({
    host: hostname,
    port: Number(port || 3306),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    connectTimeout: 2_000,
  });
  try {
    return await work(connection);
  } finally {
    await connection.end();
  }
}
