import { limitKinds } from '../../controls/limits';
import { findPayoutPauses } from '../../controls/pauses';
import { attention, fault, ok, type Diagnosis } from '../../domain/diagnosis';
import { newestRates, rateMaxAgeMs } from '../../fx/rates';
import { denialsSince } from '../../payments/resolve/notifications/counts';
import { findHealth } from '../../payments/resolve/notifications/health';
import { findStops } from '../../payments/submit/stopped-accounts';
import type { Database } from '../../store/database';
import type { CallbackHealthRow } from '../../store/tables';
import { findVerdict } from '../../verify/verdict';
import { count, ageText } from '../table';
import { faultInLive, type Checkup, type Patient } from './checkup';

/** A worker processes every notification sooner than this. */
const unreadMaxMs = 60_000;
/** Old rows are deleted and the books are verified each night; one night may be missed. */
const nightlyMaxMs = 2 * 86_400_000;

/** Checks the public settings, and lists what an operator must review. */
export const attentionCheckups: Checkup[] = [
  {
    name: 'public URL',
    examine({ config }) {
      const { publicUrl, environment } = config;
      const isHttps = publicUrl.startsWith('https://');
      if (environment === 'live' && !isHttps)
        return resolvedWith(fault(`Providers would notify us at ${publicUrl}, which is not https.`));
      return resolvedWith(ok(`Providers notify us at ${publicUrl}.`));
    },
  },
  {
    name: 'dead webhooks',
    async examine({ db }) {
      const n = await countOf(db('outbox').where({ state: 'dead' }).count({ n: '*' }));
      if (n === 0) return ok('No webhook is dead.');
      return attention(
        `${count(n, 'webhook is', 'webhooks are')} dead: all tries failed. See malipo webhook list --state dead, then malipo webhook replay.`,
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
      if (n === 0) return ok('No mail is dead.');
      return attention(
        `${count(n, 'mail is', 'mails are')} dead: all tries failed. The table mails has the reason.`,
      );
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
        : attention(`${count(n, 'case is', 'cases are')} open for review; see malipo case list.`);
    },
  },
  {
    name: 'stopped accounts',
    async examine({ db }) {
      const stops = await findStops(db);
      if (stops.length === 0) return ok('No account is stopped.');
      const which = stops
        .map(({ account, caseId, cases }) => `${account} (${casesText(caseId, cases)})`)
        .join(', ');
      return fault(
        `No payment is started through the account of ${which}: its provider does not know payments that it reported before. ` +
          'Correct the token or the environment; then malipo case resolve --all-of unknown_to_provider --rail <rail>.',
      );
    },
  },
  {
    name: 'stopped payouts',
    async examine({ db }) {
      const [first, ...others] = await findPayoutPauses(db);
      if (!first) return ok('No payouts are paused.');
      const since = ageText(Date.now() - first.begun_at.getTime());
      const more = others.length === 0 ? '' : `, and ${String(others.length)} more`;
      return attention(
        `Payouts are paused since ${since} ago by ${first.begun_by} (${first.reason})${more}; see malipo payouts list.`,
      );
    },
  },
  {
    name: 'unread notifications',
    async examine({ db }) {
      const oldest = await oldestUnread(db);
      if (!oldest) return ok('Every notification is processed.');
      const ageMs = Date.now() - oldest.getTime();
      const seconds = String(Math.max(0, Math.round(ageMs / 1_000)));
      if (ageMs < unreadMaxMs) return ok(`The oldest unprocessed notification is ${seconds} s old.`);
      return fault(
        `A notification has not been processed for ${seconds} s: money that arrived is not booked. Is a worker running?`,
      );
    },
  },
  {
    name: 'parked notifications',
    async examine({ db }) {
      const n = await countOf(db('inbox').where({ state: 'parked' }).count({ n: '*' }));
      if (n === 0) return ok('Every notification belongs to a payment.');
      return attention(`${count(n, 'notification belongs', 'notifications belong')} to no known payment.`);
    },
  },
];

async function examinePruning({ db }: Patient): Promise<Diagnosis> {
  const { finished_at: finishedAt } = (await db('prunings').where({ id: 1 }).first('finished_at')) ?? {};
  if (!finishedAt) return ok('Nothing has been pruned yet.');
  const ageMs = Date.now() - finishedAt.getTime();
  const last = `The last pruning ended ${ageText(ageMs)} ago.`;
  if (ageMs < nightlyMaxMs) return ok(last);
  return attention(`${last} It runs each night: is a worker running? See malipo prune.`);
}

async function examineBooks({ db }: Patient): Promise<Diagnosis> {
  const { violationCount, checkedAt } = await findVerdict(db);
  if (!checkedAt) return ok('The books have not been verified yet.');
  const ageMs = Date.now() - checkedAt.getTime();
  const last = `The books were verified ${ageText(ageMs)} ago`;
  if (violationCount > 0)
    return fault(`${last}, and ${count(violationCount, 'check')} FAILED; see malipo verify.`);
  if (ageMs < nightlyMaxMs) return ok(`${last}: all checks passed.`);
  return attention(`${last} and not since: is a worker running? See malipo verify --changes.`);
}

function casesText(first: string, n: number): string {
  return n === 1 ? `case ${first}` : `${String(n)} cases, the first ${first}`;
}

/** A payment that needs a fresh rate waits for it, so old rates are a fault only if there is a source. */
async function examineRates(patient: Patient): Promise<Diagnosis> {
  const { config, db } = patient;
  const ages = (await newestRates(db)).map(({ base, quote, observed_at: observedAt }) => ({
    pair: `${base}/${quote}`,
    ageMs: Date.now() - observedAt.getTime(),
  }));
  if (config.fxSource === undefined && config.environment === 'live') {
    return attention('MALIPO_FX_SOURCE is not set: there are no exchange rates, and no amount is converted.');
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

function resolvedWith<T>(diagnosis: T): Promise<T> {
  return Promise.resolve(diagnosis);
}

async function countOf(rows: PromiseLike<{ n?: string | number }[]>): Promise<number> {
  return Number((await rows)[0]?.n ?? 0);
}

/** An unverified event waits from the time when a worker may first process it. */
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

/** Checks that an operator has set limits on the payouts of each merchant. */
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
      if (n === 0) return ok('Every merchant has a limit on payouts.');
      const bound = outflowDefaults ? 'only the default limits' : 'no limits';
      const sentence = `${count(n, 'merchant has', 'merchants have')} ${bound} on payouts; see malipo limit set.`;
      return config.environment === 'live' ? attention(sentence) : ok(sentence);
    },
  },
];

const hour = 3_600_000;

/** Checks that providers send notifications. Without them only status checks report an outcome. */
export const callbackCheckups: Checkup[] = [
  {
    name: 'callbacks',
    async examine({ db, config }) {
      const [health, refused] = await Promise.all([
        findHealth(db),
        denialsSince(db, new Date(Date.now() - hour)),
      ]);
      const stopped = health.filter(({ verdict }) => verdict === 'stopped');
      if (stopped.length > 0) {
        const which = stopped.map((row) => `${nameOf(row)} (for ${sinceText(row)})`).join(', ');
        const rails = [...new Set(stopped.map(({ rail }) => rail))];
        const errors = rails.map((rail) => `${String(refused.get(rail) ?? 0)} of ${rail}`).join(', ');
        return attention(
          `Notifications about ${which} have stopped: payments settle late, by status checks. Denied in the last hour: ${errors}.`,
          `the callback URL at the provider (it must lead to ${config.publicUrl}), the firewall and the proxy in front of the API, the list of allowed addresses, the key or secret of its signatures; see malipo doctor --live ${rails[0] ?? ''}`,
        );
      }
      const late = health.filter(({ verdict }) => verdict === 'late');
      if (late.length > 0)
        return attention(
          `Notifications about ${late.map(nameOf).join(', ')} arrive late, or not all arrive; see malipo notifications.`,
        );
      return health.length === 0
        ? ok('No payment with an expected notification ended more than two minutes ago.')
        : ok('Notifications arrive, or too few payments end to judge.');
    },
  },
];

function nameOf({ rail, account, kind }: CallbackHealthRow): string {
  return `${rail} ${kind}s${account === rail ? '' : ` through ${account}`}`;
}

function sinceText({ since }: CallbackHealthRow): string {
  return ageText(Date.now() - since.getTime());
}
