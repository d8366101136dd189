import type { Database } from '../../store/database';
import { attention, fault, ok, type Checkup } from './checkup';

/** A notification unread for longer than this is not waiting for its turn. */
const unreadMaxMs = 60_000;

/** Settings of the outside world, and what waits for a person. */
export const attentionCheckups: Checkup[] = [
  {
    name: 'public URL',
    examine({ config }) {
      const { publicUrl, environment } = config;
      const isHttps = publicUrl.startsWith('https://');
      if (environment === 'live' && !isHttps)
        return told(fault(`Providers would notify us at ${publicUrl}, which is not https.`));
      return told(ok(`Providers notify us at ${publicUrl}.`));
    },
  },
  {
    name: 'dead webhooks',
    async examine({ db }) {
      const n = await countOf(db('outbox').where({ state: 'dead' }).count({ n: '*' }));
      if (n === 0) return ok('No webhook was given up.');
      return attention(
        `${String(n)} webhooks were given up; see malipo webhook list --state dead, then malipo webhook replay.`,
      );
    },
  },
  {
    name: 'unaddressed webhooks',
    async examine({ db }) {
      const n = await countOf(db('outbox').where({ state: 'unaddressed' }).count({ n: '*' }));
      if (n === 0) return ok('Every webhook had an address.');
      return attention(
        `${String(n)} webhooks had no address; set the merchant's URL, then malipo webhook replay --merchant.`,
      );
    },
  },
  {
    name: 'open cases',
    async examine({ db }) {
      const n = await countOf(db('cases').whereNull('closed_at').count({ n: '*' }));
      return n === 0
        ? ok('No case is open.')
        : attention(`${String(n)} cases wait for a person; see malipo case list.`);
    },
  },
  {
    name: 'unread notifications',
    async examine({ db }) {
      const oldest = await oldestUnread(db);
      if (!oldest) return ok('Every notification was looked at.');
      const ageMs = Date.now() - oldest.getTime();
      const seconds = String(Math.max(0, Math.round(ageMs / 1_000)));
      if (ageMs < unreadMaxMs) return ok(`The oldest unread notification is ${seconds} s old.`);
      return fault(
        `A notification is unread for ${seconds} s: money that arrived is not booked. Is a worker running?`,
      );
    },
  },
  {
    name: 'parked notifications',
    async examine({ db }) {
      const n = await countOf(db('inbox').where({ state: 'parked' }).count({ n: '*' }));
      if (n === 0) return ok('Every notification belongs to a payment.');
      return attention(`${String(n)} notifications belong to no payment that we know.`);
    },
  },
];

function told<T>(diagnosis: T): Promise<T> {
  return Promise.resolve(diagnosis);
}

async function countOf(rows: PromiseLike<{ n?: string | number }[]>): Promise<number> {
  return Number((await rows)[0]?.n ?? 0);
}

async function oldestUnread(db: Database): Promise<Date | undefined> {
  const row = await db('inbox')
    .where({ state: 'new' })
    .whereNull('processed_at')
    .orderBy('received_at')
    .first('received_at');
  return row?.received_at;
}
