/** What an account may do, as the server itself tells, beside what the service's account should be able to do. */
import type { Database } from './database';
import { serviceProcedures, servicePrivileges } from './service-privileges';

export interface Grant {
  kind: 'TABLE' | 'PROCEDURE' | 'SCHEMA' | 'OTHER';
  /** The table or procedure of our schema; for OTHER, what else it is about, such as `*.*`. */
  on: string;
  privileges: string[];
}

export interface GrantDifference {
  missing: Grant[];
  /** In our schema: the migrator takes it away. */
  excess: Grant[];
  /** Beyond our schema: only an administrator can take it away. */
  beyond: Grant[];
}

/** The grants of the connected account, without what says nothing (USAGE). */
export async function grantsOf(account: Database, schema: string): Promise<Grant[]> {
  const [rows] = (await account.raw('SHOW GRANTS')) as unknown as [Record<string, string>[]];
  return rows.flatMap((row) => readGrant(Object.values(row)[0] ?? '', schema));
}

/** Exported for tests: both servers' spellings. The statement may hold a password's hash and is never shown. */
export function readGrant(statement: string, schema: string): Grant[] {
  const match =
    /^GRANT (?<privileges>.+?) ON (?:(?<routine>PROCEDURE|FUNCTION) )?(?<schema>`[^`]+`|\*)\.(?<name>`[^`]+`|\*) TO /.exec(
      statement,
    );
  if (!match?.groups) return [{ kind: 'OTHER', on: 'a role or a proxy', privileges: ['USE'] }];
  const { privileges = '', routine, schema: on = '', name = '' } = match.groups;
  // Privileges on single columns carry their names in parentheses.
  const list = (privileges.match(/[^,(]+(?:\([^()]*\))?/g) ?? [])
    .map((privilege) => privilege.trim())
    .filter((privilege) => privilege !== 'USAGE')
    .flatMap(byColumn);
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

/** One for each column, in whatever order the server names them. */
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
  return {
    missing: without(wanted, held),
    excess: without(
      held.filter(({ kind }) => kind !== 'OTHER'),
      wanted,
    ),
    beyond: held.filter(({ kind }) => kind === 'OTHER'),
  };
}

/** What is in `these` and not in `those`. */
function without(these: readonly Grant[], those: readonly Grant[]): Grant[] {
  return these.flatMap((grant) => {
    const others = those
      .filter(({ kind, on }) => kind === grant.kind && on === grant.on)
      .flatMap(({ privileges }) => privileges);
    const privileges = grant.privileges.filter((privilege) => !others.includes(privilege));
    return privileges.length === 0 ? [] : [{ ...grant, privileges }];
  });
}
