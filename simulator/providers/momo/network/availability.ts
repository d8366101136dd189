/** The current status of each provider's operations; OPERATIONAL until the control API changes it. */
import type { Journal } from '../../../journal';
import type { Operation } from '../operations';

export const availabilities = ['OPERATIONAL', 'DELAYED', 'CLOSED'] as const;
export type Availability = (typeof availabilities)[number];

export interface AvailabilityBoard {
  of(provider: string, operation: Operation): Availability;
  set(provider: string, operation: Operation, availability: Availability): void;
}

export function openAvailability(journal: Journal): AvailabilityBoard {
  const changed = journal.collection<Availability>('momo.availability');
  const idOf = (provider: string, operation: Operation) => `${provider}:${operation}`;
  return {
    of: (provider, operation) => changed.get(idOf(provider, operation)) ?? 'OPERATIONAL',
    set: (provider, operation, availability) => changed.put(idOf(provider, operation), availability),
  };
}
