import type { Operation } from './rail';

type Actions = Required<Pick<Operation, 'initiate' | 'recover' | 'retrieveStatus' | 'readNotification'>>;

/** A provider that payments have begun with, and whose account is set no more: nothing can be said of them, good or bad. */
export function absentProvider(
  name: string,
): Actions & { checkups?: undefined; wallets?: undefined; statementSource?: undefined } {
  const unknown = { kind: 'unknown', text: `no account at ${name} is set` } as const;
  return {
    initiate: () => Promise.resolve({ ...unknown, kind: 'not_sent' }),
    recover: () => Promise.resolve(unknown),
    retrieveStatus: () => Promise.resolve(unknown),
    readNotification: () => unknown,
  };
}
