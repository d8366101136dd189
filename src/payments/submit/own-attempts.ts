import type { Attempt } from './write-attempt';

/**
 * The attempts that this process has written down. One of them that is found without an answer is lost for certain,
 * because a process has one call for a payment under way at a time; another process's may still be on its way.
 */
export interface OwnAttempts {
  add(paymentId: string, attempt: Pick<Attempt, 'n' | 'writtenAt'>): void;
  has(paymentId: string, attempt: Pick<Attempt, 'n' | 'writtenAt'>): boolean;
}

/** One that is forgotten is only looked up later. */
const knownMax = 10_000;

export function ownAttempts(): OwnAttempts {
  const known = new Set<string>();
  const nameOf = (paymentId: string, { n, writtenAt }: Pick<Attempt, 'n' | 'writtenAt'>) =>
    [paymentId, n, writtenAt.getTime()].join(' ');
  return {
    add(paymentId, attempt) {
      known.add(nameOf(paymentId, attempt));
      const [oldest = ''] = known;
      if (known.size > knownMax) known.delete(oldest);
    },
    has: (paymentId, attempt) => known.has(nameOf(paymentId, attempt)),
  };
}
