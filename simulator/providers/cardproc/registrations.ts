/** The accounts' notification addresses. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock';
import type { Journal } from '../../journal';
import type { Registration } from './notification';

export interface Registrations {
  add(account: string, wanted: Pick<Registration, 'url' | 'type'>): Registration;
  find(account: string, ipnId: string): Registration | undefined;
  of(account: string): Registration[];
  all(): Registration[];
  /** Deletes all, and returns their number; from now on orders with their ids are rejected. */
  revoke(): number;
}

export function openRegistrations(journal: Journal, clock: Clock): Registrations {
  const registrations = journal.collection<Registration>('cardproc.registrations');
  const all = () => [...registrations.values()];
  let counted = Math.max(0, ...all().map(({ number }) => number));
  return {
    add(account, { url, type }) {
      const ipnId = randomUUID();
      const registration = {
        ipnId,
        number: (counted += 1),
        account,
        url,
        type,
        createdAt: clock.callersNow(),
      };
      registrations.put(ipnId, registration);
      return registration;
    },
    find(account, ipnId) {
      const registration = registrations.get(ipnId);
      return registration?.account === account ? registration : undefined;
    },
    of: (account) => all().filter((registration) => registration.account === account),
    all,
    revoke() {
      const living = all();
      for (const { ipnId } of living) registrations.delete(ipnId);
      return living.length;
    },
  };
}
