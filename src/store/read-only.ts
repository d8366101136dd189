/** A server that takes no writes: a primary that was demoted, or a replica that a name or a proxy leads to by mistake. */

/** --read-only and --super-read-only (1290), a transaction that may only read (1792), InnoDB's own (1836). */
const readOnlyErrno = new Set([1290, 1792, 1836]);

/** The server has answered so: what it refused, a COMMIT included, was rolled back. */
export function isReadOnly(error: unknown): boolean {
  const { errno } = (error ?? {}) as { errno?: number };
  return errno !== undefined && readOnlyErrno.has(errno);
}

export const askReadOnly =
  'SELECT @@global.read_only AS read_only, @@global.innodb_read_only AS innodb_read_only';

/** @throws what the first write would be answered with. */
export function refuseReadOnly(rows: unknown): void {
  const [row = {}] = rows as Record<string, string | number>[];
  if (Object.values(row).every((value) => ['0', 'OFF'].includes(String(value)))) return;
  throw Object.assign(new Error('the database takes no writes'), {
    errno: 1290,
    code: 'ER_OPTION_PREVENTS_STATEMENT',
  });
}
