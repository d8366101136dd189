/** Mails to people: what providers would send, and what arrives over SMTP. The sandbox keeps them here instead. */
import type { Journal } from './journal';

export interface Mail {
  id: string;
  from?: string;
  /** Several are parted by a comma. */
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

/** Enough to look back on, and too little for a long run to fill the disk. */
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
