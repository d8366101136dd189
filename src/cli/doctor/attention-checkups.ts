import { limitKinds } from '../../controls/limits';
import { findPayoutStops } from '../../controls/stops';
import { attention, fault, ok, type Diagnosis } from '../../domain/diagnosis';
import { newestRates, rateMaxAgeMs } from '../../fx/rates';
import { refusalsSince } from '../../payments/resolve/callbacks/counts';
import { findHealth } from '../../payments/resolve/callbacks/health';
import { findStops } from '../../payments/submit/stopped-accounts';
import type { Database } from '../../store/database';
import type { CallbackHealthRow } from '../../store/tables';
import { findVerdict } from '../../verify/verdict';
import { count, ageText } from '../table';
import { faultInLive, type Checkup, type Patient } from './checkup';

/** A notification unread for longer than this is not waiting for its turn. */
const unreadMaxMs = 60_000;
/** Old rows are deleted and the books are verified each night; one night may be missed. */
const nightlyMaxMs = 2 * 86_400_000;

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
        `${count(n, 'webhook was', 'webhooks were')} given up; see malipo webhook list --state dead, then malipo webhook replay.`,
      );
    },
  },
  {
    name: 'unaddressed webhooks',
    async examine({ db }) {
      const n = await countOf(db('outbox').where({ state: 'unaddressed' }).count({ n: '*' }));
      if (n === 0) return ok('Every webhook had an address.');
      return attention(
        `${count(n, 'webhook')} had no address; set the merchant's URL, then malipo webhook replay --merchant.`,
      );
    },
  },
  {
    name: 'dead mails',
    async examine({ db }) {
      const n = await countOf(db('mails').where({ state: 'dead' }).count({ n: '*' }));
      if (n === 0) return ok('No mail was given up.');
      return attention(`${count(n, 'mail was', 'mails were')} given up; the table mails says why.`);
    },
  },
  { name: 'exchange rates', examine: examineRates },
  { name: 'pruning', examine: examinePruning },
  { name: 'books', examine: examineBooks },
  {
    name: 'open cases',
    async examine({ db }) {
      const n = await countOf(db('cases').whereNull('closed_at').count({ n: '*' }));
      return n === 0
        ? ok('No case is open.')
        : attention(`${count(n, 'case waits', 'cases wait')} for a person; see malipo case list.`);
    },
  },
  {
    name: 'stopped accounts',
    async examine({ db }) {
      const stops = await findStops(db);
      if (stops.length === 0) return ok('Nothing is stopped.');
      const which = stops
        .map(({ account, caseId, cases }) => `${account} (${casesText(caseId, cases)})`)
        .join(', ');
      return fault(
        `Nothing is started through the account of ${which}: its provider does not know what it has told of before. ` +
          'Mend the token or the environment; then malipo case resolve --all-of provider_disowns --rail <rail>.',
      );
    },
  },
  {
    name: 'stopped payouts',
    async examine({ db }) {
      const [first, ...others] = await findPayoutStops(db);
      if (!first) return ok('No payouts are stopped.');
      const since = ageText(Date.now() - first.begun_at.getTime());
      const more = others.length === 0 ? '' : `, and ${String(others.length)} more`;
      return attention(
        `Payouts are stopped for ${since} by ${first.begun_by} (${first.reason})${more}; see malipo stop list.`,
      );
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
      return attention(
        `${count(n, 'notification belongs', 'notifications belong')} to no payment that we know.`,
      );
    },
  },
];

async function examinePruning({ db }: Patient): Promise<Diagnosis> {
  const { finished_at: finishedAt } = (await db('prunings').where({ id: 1 }).first('finished_at')) ?? {};
  if (!finishedAt) return ok('Nothing was pruned yet.');
  const ageMs = Date.now() - finishedAt.getTime();
  const last = `The last pruning ended ${ageText(ageMs)} ago.`;
  if (ageMs < nightlyMaxMs) return ok(last);
  return attention(`${last} It is due each night: is a worker running? See malipo prune.`);
}

async function examineBooks({ db }: Patient): Promise<Diagnosis> {
  const { promisesBroken, lookedAt } = await findVerdict(db);
  if (!lookedAt) return ok('The books were not verified yet.');
  const ageMs = Date.now() - lookedAt.getTime();
  const last = `The books were verified ${ageText(ageMs)} ago`;
  if (promisesBroken > 0)
    return fault(
      `${last}, and ${count(promisesBroken, 'promise is', 'promises are')} BROKEN; see malipo verify.`,
    );
  if (ageMs < nightlyMaxMs) return ok(`${last}: every promise was kept.`);
  return attention(`${last}, and not since: is a worker running? See malipo verify --news.`);
}

function casesText(first: string, n: number): string {
  return n === 1 ? `case ${first}` : `${String(n)} cases, the first ${first}`;
}

/** Without a fresh rate a payment that needs one waits, so old rates are a fault only where there is a source. */
async function examineRates(patient: Patient): Promise<Diagnosis> {
  const { config, db } = patient;
  const ages = (await newestRates(db)).map(({ base, quote, observed_at: observedAt }) => ({
    pair: `${base}/${quote}`,
    ageMs: Date.now() - observedAt.getTime(),
  }));
  if (config.fxSource === undefined && config.environment === 'live') {
    return attention('MALIPO_FX_SOURCE is not set: there are no exchange rates, and nothing is converted.');
  }
  if (ages.length === 0) {
    return faultInLive(
      patient,
      'There is no exchange rate yet: payments that need one wait. Is a worker running?',
    );
  }
  const stale = ages.filter(({ ageMs }) => ageMs > rateMaxAgeMs);
  if (stale.length > 0) {
    const pairs = stale.map(({ pair, ageMs }) => `${pair} (${ageText(ageMs)})`).join(', ');
    return faultInLive(patient, `Exchange rates are too old, and payments that need them wait: ${pairs}.`);
  }
  return ok(`The oldest exchange rate is ${ageText(Math.max(...ages.map(({ ageMs }) => ageMs)))} old.`);
}

function told<T>(diagnosis: T): Promise<T> {
  return Promise.resolve(diagnosis);
}

async function countOf(rows: PromiseLike<{ n?: string | number }[]>): Promise<number> {
  return Number((await rows)[0]?.n ?? 0);
}

/** A hint that nobody vouches for waits from the moment that it is followed at. */
const waitsSince = 'COALESCE(follow_at, received_at)';

async function oldestUnread(db: Database): Promise<Date | undefined> {
  const row: { since: Date } | undefined = await db('inbox')
    .where({ state: 'new' })
    .whereNull('processed_at')
    .orderByRaw(waitsSince)
    .first({ since: db.raw<Date>(waitsSince) });
  return row?.since;
}

const refusing = Object.entries(limitKinds).flatMap(([kind, { refuses }]) => (refuses ? [kind] : []));

/** Whether each merchant has limits on what it pays out that somebody has thought about. */
export const limitCheckups: Checkup[] = [
  {
    name: 'limits on payouts',
    async examine({ config, db, outflowDefaults }) {
      const unbounded = await db('merchants as m')
        .where('m.status', 'active')
        .whereNotExists(
          db('outflow_limits as l')
            .whereRaw('(l.merchant_id IS NULL OR l.merchant_id = m.merchant_id)')
            .where('l.ended_at', null)
            .whereIn('l.kind', refusing),
        )
        .count<{ n: string | number }[]>({ n: '*' });
      const n = Number(unbounded[0]?.n ?? 0);
      if (n === 0) return ok('Every merchant has a limit on what it pays out.');
      const bound = outflowDefaults ? 'but the default ones' : 'at all';
      const sentence = `${String(n)} merchants have no limit on what they pay out ${bound}; see malipo limit set.`;
      return config.environment === 'live' ? attention(sentence) : ok(sentence);
    },
  },
];

const hour = 3_600_000;

/** Whether providers tell us what becomes of payments, or we live on asking. */
export const callbackCheckups: Checkup[] = [
  {
    name: 'callbacks',
    async examine({ db, config }) {
      const [health, refused] = await Promise.all([
        findHealth(db),
        refusalsSince(db, new Date(Date.now() - hour)),
      ]);
      const stopped = health.filter(({ verdict }) => verdict === 'stopped');
      if (stopped.length > 0) {
        const which = stopped.map((row) => `${nameOf(row)} (for ${sinceText(row)})`).join(', ');
        const rails = [...new Set(stopped.map(({ rail }) => rail))];
        const refusals = rails.map((rail) => `${String(refused.get(rail) ?? 0)} of ${rail}`).join(', ');
        return attention(
          `No callback comes any more of ${which}: payments settle late, when we ask. Refused in the last hour: ${refusals}.`,
          `the callback URL at the provider (it must lead to ${config.publicUrl}), the firewall and the proxy before the API, the list of allowed addresses, the key or secret of its signatures; see malipo doctor --live ${rails[0] ?? ''}`,
        );
      }
      const late = health.filter(({ verdict }) => verdict === 'late');
      if (late.length > 0)
        return attention(
          `Callbacks of ${late.map(nameOf).join(', ')} come late, or not all of them; see malipo callbacks.`,
        );
      return health.length === 0
        ? ok('No payment that a callback was expected of ended longer than two minutes ago.')
        : ok('Callbacks come, or too few payments end to tell.');
    },
  },
];

function nameOf({ rail, account, kind }: CallbackHealthRow): string {
  return `${rail} ${kind}s${account === rail ? '' : ` through ${account}`}`;
}

function sinceText({ since }: CallbackHealthRow): string {
  return ageText(Date.now() - since.getTime());
}
