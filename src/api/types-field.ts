import { eventTypes, type EventType } from '../domain/event';
import { optionalText, refuse } from '../rail-kit/fields';

/** Types of events as a query names them: `deposit.succeeded,payout.*`. */
export const typesField = optionalText(1_000).custom((text: string, helpers) => {
  const types = typesNamed(text.split(','));
  return types ?? refuse(helpers, 'must name types of events, such as deposit.succeeded or payout.*');
});

/** @returns the types that names and patterns mean; undefined where one means none. */
export function typesNamed(names: readonly string[]): EventType[] | undefined {
  const meant = names.map((name) =>
    eventTypes.filter((type) => type === name || `${type.split('.')[0] ?? ''}.*` === name),
  );
  return meant.some((types) => types.length === 0) ? undefined : [...new Set(meant.flat())];
}
