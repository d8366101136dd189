/** Mails that providers would send to people; the sandbox keeps them here instead. */
import type { Journal } from './journal';

export interface Mail {
  id: string;
  to: string;
  subject: string;
  text: string;
  /** Virtual time, ISO 8601. */
  at: string;
}

export interface Mailbox {
  keep(mail: Mail): void;
  /** Newest last. */
  list(): Mail[];
}

export function openMailbox(journal: Journal): Mailbox {
  const mails = journal.collection<Mail>('mails');
  return {
    keep: (mail) => {
      mails.put(mail.id, mail);
    },
    list: () => [...mails.values()],
  };
}
