import type { Statements } from './migration';

/**
 * SQL that MySQL 8.4 and MariaDB 10.11 read in the same way. References compare byte by byte: 'ABC' is not 'abc', and
 * 'a' is not 'a '. Only the name of the collation without padding differs between the servers.
 */
export async function tableOptions(schema: Statements): Promise<string> {
  const [[{ version }]] = (await schema.raw('SELECT VERSION() AS version')) as [[{ version: string }]];
  const collation = version.includes('MariaDB') ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin';
  return `ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=${collation}`;
}

/** The column types of every table. */
export const id = 'CHAR(36) CHARACTER SET ascii COLLATE ascii_bin';
export const word = (length: number) => `VARCHAR(${length}) CHARACTER SET ascii COLLATE ascii_bin`;
export const text = (length: number) => `VARCHAR(${length})`;
export const at = 'DATETIME(3)';
