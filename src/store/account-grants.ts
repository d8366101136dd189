/** Compares the account's rights, as the server reports them, with those that the service's account should have. */
import type { Database } from './database';
import { serviceProcedures, servicePrivileges } from './service-privileges';

export interface Grant {
  kind: 'TABLE' | 'PROCEDURE' | 'SCHEMA' | 'OTHER';
  /** The table or procedure of our schema; for OTHER, another target such as `*.*`. */
  on: string;
  privileges: string[];
}

export interface GrantDifference {
  missing: Grant[];
  /** Rights in our schema: the migrator revokes them. */
  excess: Grant[];
  /** Rights outside our schema: only an administrator can revoke them. */
  beyond: Grant[];
}

/** The grants of the connected account, without USAGE, which grants nothing. */
export async function grantsOf(account: Database, schema: string): Promise<Grant[]> {
  const [rows] = (await account.raw('SHOW GRANTS')) as unknown as [Record<string, string>[]];
  return rows.flatMap((row) => readGrant(Object.values(row)[0] ?? '', schema));
}

const all = 'ALL PRIVILEGES';
/** Some of the privileges on a whole server: an account with these has all. */
const everyPrivilege = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'EXECUTE', 'SHUTDOWN', 'CREATE TABLESPACE'];

/** Exported for tests: both servers' spellings. The statement may contain a password's hash and is never shown. */
export function readGrant(statement: string, schema: string): Grant[] {
  const match =
    /^GRANT (?<privileges>.+?) ON (?:(?<routine>PROCEDURE|FUNCTION) )?(?<schema>`[^`]+`|\*)\.(?<name>`[^`]+`|\*) TO /.exec(
      statement,
    );
  if (!match?.groups) return [{ kind: 'OTHER', on: 'a role or a proxy', privileges: ['USE'] }];
  const { privileges = '', routine, schema: on = '', name = '' } = match.groups;
  // Privileges on single columns list the columns in parentheses.
  const list = (privileges.match(/[^,(]+(?:\([^()]*\))?/g) ?? [])
    .map((privilege) => privilege.trim())
    .filter((privilege) => privilege !== 'USAGE')
    .flatMap(byColumn);
  // MySQL writes them one by one.
  if (everyPrivilege.every((privilege) => list.includes(privilege))) list.splice(0, list.length, all);
  if (/ WITH (?:.* )?GRANT OPTION/.test(statement)) list.push('GRANT OPTION');
  if (list.length === 0) return [];
  // In a grant on a whole schema, _ and % are wildcards and may be escaped.
  if (on.slice(1, -1).replaceAll('\\', '') !== schema) {
    return [{ kind: 'OTHER', on: `${on}.${name}`.replaceAll('`', ''), privileges: list }];
  }
  if (name === '*') return [{ kind: 'SCHEMA', on: '', privileges: list }];
  const kind = routine === 'PROCEDURE' ? 'PROCEDURE' : routine === undefined ? 'TABLE' : 'OTHER';
  return [{ kind, on: name.slice(1, -1), privileges: list }];
}

/** One privilege for each column, because servers order the columns differently. */
function byColumn(privilege: string): string[] {
  const [, name = '', columns = ''] = /^(\w+) ?\(([^()]*)\)$/.exec(privilege) ?? [];
  if (name === '') return [privilege];
  return columns.split(',').map((column) => `${name} (${column.trim().replaceAll('`', '')})`);
}

const wanted: Grant[] = [
  ...Object.entries(servicePrivileges).map(([on, privileges]) => ({
    kind: 'TABLE' as const,
    on,
    privileges: [...privileges],
  })),
  ...serviceProcedures.map((on) => ({ kind: 'PROCEDURE' as const, on, privileges: ['EXECUTE'] })),
];

export function differenceOf(held: readonly Grant[]): GrantDifference {
  // A privilege on the whole schema or server counts for each table and column.
  const broad = held.filter(({ kind, on }) => kind === 'SCHEMA' || on === '*.*');
  const isBroadly = (privilege: string) =>
    broad.some(({ privileges }) =>
      [all, privilege.replace(/ \(.*/, '')].some((name) => privileges.includes(name)),
    );
  return {
    missing: without(wanted, held)
      .map((grant) => ({ ...grant, privileges: grant.privileges.filter((name) => !isBroadly(name)) }))
      .filter(({ privileges }) => privileges.length > 0),
    excess: without(
      held.filter(({ kind }) => kind !== 'OTHER'),
      wanted,
    ),
    beyond: held.filter(({ kind }) => kind === 'OTHER'),
  };
}

/** @returns the grants in `these` that are not in `those`. */
function without(these: readonly Grant[], those: readonly Grant[]): Grant[] {
  return these.flatMap((grant) => {
    const others = those
      .filter(({ kind, on }) => kind === grant.kind && on === grant.on)
      .flatMap(({ privileges }) => privileges);
    const privileges = grant.privileges.filter((privilege) => !others.includes(privilege));
    return privileges.length === 0 ? [] : [{ ...grant, privileges }];
  });
}
