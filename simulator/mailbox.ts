/** Mails to users: those that providers would send, and those that arrive by SMTP. The sandbox stores them here. */
import type { Journal } from './journal';

export interface Mail {
  id: string;
  from?: string;
  /** Several addresses are separated by commas. */
  to: string;
  subject: string;
  text: string;
  /** Virtual time, ISO 8601. */
  at: string;
}

export interface Mailbox {
  keep(mail: Mail): void;
  find(id: string): Mail | undefined;
  /** Newest last. */
  list(): Mail[];
}

/** Enough for a user, and little enough for the disk of a long run. */
const KEPT_MAX = 1_000;

export function openMailbox(journal: Journal): Mailbox {
  const mails = journal.collection<Mail>('mails');
  return {
    keep(mail) {
      mails.put(mail.id, mail);
      for (const { id } of [...mails.values()].slice(0, Math.max(0, mails.size - KEPT_MAX))) mails.delete(id);
    },
    find: (id) => mails.get(id),
    list: () => [...mails.values()],
  };
}
