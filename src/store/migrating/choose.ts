/** Which of the pending migrations are applied now. */
import type { Migration, Migrations } from '../migrations/migration';
import { NotMigrated } from './not-migrated';

export interface Choice {
  /** The last one to apply, by its name or its number. */
  to?: string;
  /** Only what adds: nothing that comes after the first one that does more. */
  expandOnly?: boolean;
}

/** @throws NotMigrated where `to` names none, or more than one. */
export function chosenOf(
  pending: [string, Migration][],
  { to, expandOnly = false }: Choice,
  migrations: Migrations,
): [string, Migration][] {
  const last = to === undefined ? undefined : named(to, Object.keys(migrations));
  const names = Object.keys(migrations);
  const wanted = pending.filter(([name]) => last === undefined || names.indexOf(name) <= names.indexOf(last));
  const more = expandOnly ? wanted.findIndex(([, { kind }]) => kind !== 'expand') : -1;
  return more === -1 ? wanted : wanted.slice(0, more);
}

function named(to: string, names: string[]): string {
  const found = names.filter((name) => name === to || name.slice(0, 3) === to);
  const [one, other] = found;
  if (one === undefined) throw new NotMigrated(`this version has no migration ${to}`);
  if (other !== undefined) throw new NotMigrated(`${to} may be any of ${found.join(', ')}`);
  return one;
}
