/** Jobs that workers run by themselves, and that an operator can also start. */
import Joi from 'joi';
import { formatAmount } from '../domain/money';
import { differenceOf, listWallets } from '../floats/opening-adjustment';
import { checkAllFloats } from '../floats/check-run';
import { shownHead } from '../ledger/chain';
import { daysDue, writeDayDigests } from '../ledger/day-digests';
import { reEncryptSecrets, encryptedColumns, encryptedIn, type SecretBox } from '../merchants/secrets';
import { beforeSignal, inPages, unfinishedIds } from '../payments/recovery/sweeper';
import type { PaymentsContext } from '../rail-kit/context';
import type { LedgerLinkRow } from '../store/ledger-tables';
import type { Database } from '../store/database';
import type { FloatWalletRow } from '../store/tables';
import { reEncryptSecondFactors } from '../users/second-factor';
import { jobsOf, countPrunable, prune, type Counts } from '../worker/prune/prune';
import { defineAction, type Change } from './action';
import { ActionError } from './errors';
import { forEachWorkflow, type Signalled } from './workflows';

export interface ReEncrypted {
  /** The newest key, which encrypted them. */
  key: string;
  re_encrypted: number;
  current: number;
  /** Merchants and users with a secret that no configured key decrypts. */
  unreadable: string[];
  unreadable_users: string[];
}

export interface ShownLink {
  day: string;
  head: string;
  postings: string;
  digested_at: string;
}

export interface Resumed {
  unfinished: number;
  resumed: number;
  not_resumed: Signalled['failed'];
  not_tried: number;
}

export interface QueriedWallets {
  wallets: ShownWallet[];
  cannot_be_asked: { provider: string; why: string }[];
}

export function shownLink(link: LedgerLinkRow): ShownLink {
  return {
    day: link.day,
    head: shownHead(link),
    postings: link.postings,
    digested_at: link.digested_at.toISOString(),
  };
}

/** Decimal texts in the currency. */
export function shownWallet(row: FloatWalletRow) {
  const { provider, country, currency, verdict, fee_per_mille, opening_by, opening_at } = row;
  const amount = (minor: string | null) => (minor === null ? null : formatAmount(BigInt(minor), currency));
  return {
    ...{ provider, country: country || null, currency, verdict, balance: amount(row.balance_minor) },
    difference: formatAmount(differenceOf(row), currency),
    /** Money in the wallet that our books do not have: at least, and at most. */
    beside_our_books: [amount(row.offset_lo), amount(row.offset_hi)],
    ...{ coming: amount(row.coming_minor), going: amount(row.going_minor) },
    ...{ asked_at: row.asked_at, reported_at: row.reported_at, note: row.note },
    ...{ fee_per_mille, opening_by, opening_at },
  };
}

export type ShownWallet = ReturnType<typeof shownWallet>;

/** The last reported balance of each wallet, and the providers that report none. */
export async function queriedWallets({ db, rails }: PaymentsContext): Promise<QueriedWallets> {
  const silent = rails.all.flatMap(({ wallets }) => (wallets && 'cannotBeAsked' in wallets ? [wallets] : []));
  return {
    wallets: (await listWallets(db)).map(shownWallet),
    cannot_be_asked: silent.map(({ provider, cannotBeAsked }) => ({ provider, why: cannotBeAsked })),
  };
}

/** How many secrets are encrypted with an older key, by table. */
async function staleSecrets(db: Database, box: SecretBox): Promise<Change[]> {
  const stale: Record<string, number> = {};
  const count = (table: string, secrets: readonly (string | null)[]) => {
    const old = secrets.filter((encrypted) => encrypted !== null && !box.isCurrent(encrypted));
    stale[table] = (stale[table] ?? 0) + old.length;
  };
  for (const table of Object.keys(encryptedIn) as (keyof typeof encryptedIn)[])
    for (const row of await db(table as 'merchants').select(...encryptedColumns))
      count(table, Object.values(row));
  const users = await db('users').whereNotNull('totp_secret').pluck('totp_secret');
  count('users', users);
  return Object.entries(stale)
    .filter(([, n]) => n > 0)
    .map(([table, n]) => ({
      of: { kind: table, id: '' },
      field: 'with_older_key',
      from: n,
      to: 0,
    }));
}

const nothing = Joi.object<object>({});
const common = { version: 1, right: 'act', approval: 'never', writes: 'elsewhere', schema: nothing } as const;
const about = (kind: string) => () => ({ kind, id: '' });

export const maintenanceActions = {
  'secrets.re-encrypt': defineAction<object, ReEncrypted>({
    ...common,
    phrase: {
      en: 'encrypt every stored secret again with the newest key',
      sw: 'kusimba upya kila siri iliyohifadhiwa kwa ufunguo mpya zaidi',
    },
    subject: about('secrets'),
    preview: ({ context, box }) => staleSecrets(context.db, box),
    async run({ context, box, config }) {
      const persons = await reEncryptSecondFactors(context.db, box);
      const merchants = await reEncryptSecrets(context.db, box);
      return {
        key: config.secretKeys[0]?.id ?? '',
        re_encrypted: merchants.re_encrypted + persons.re_encrypted,
        current: merchants.current + persons.current,
        unreadable: merchants.unreadable,
        unreadable_users: persons.unreadable,
      };
    },
  }),

  'ledger.digest': defineAction<object, { digests: ShownLink[] }>({
    ...common,
    phrase: {
      en: 'make the digest of each ledger day that is over',
      sw: 'kutengeneza muhtasari wa kila siku ya leja iliyokwisha',
    },
    subject: about('ledger'),
    async preview({ context }) {
      const due = await daysDue(context.db);
      return due.map((day) => ({
        of: { kind: 'ledger_day', id: day },
        field: 'sealed',
        from: false,
        to: true,
      }));
    },
    run: async ({ context }) => ({ digests: (await writeDayDigests(context.db)).map(shownLink) }),
  }),

  prune: defineAction<object, { pruned: Counts }>({
    ...common,
    phrase: {
      en: 'delete what is old and no longer needed',
      sw: 'kufuta data ya zamani isiyohitajika tena',
    },
    subject: about('prune'),
    async preview({ context, config }) {
      const counts = await countPrunable(context.db, jobsOf(config));
      return Object.entries(counts).map(([what, n]) => ({
        of: { kind: 'prunable', id: what },
        field: 'old_rows',
        from: n,
        to: 0,
      }));
    },
    async run({ context: { db }, config }) {
      return { pruned: await prune(db, jobsOf(config)) };
    },
  }),

  resume: defineAction<object, Resumed>({
    ...common,
    phrase: {
      en: 'start or signal the workflow of every unfinished payment',
      sw: 'kuanzisha au kuamsha mtiririko wa kazi wa kila malipo ambayo hayajakamilika',
    },
    subject: about('resume'),
    async preview({ context }) {
      const { length } = await unfinishedIds(context);
      return [{ of: { kind: 'payments', id: 'unfinished' }, field: 'woken', from: 0, to: length }];
    },
    async run({ context, engine }) {
      const ids = await unfinishedIds(context);
      const signalled: Signalled = { done: 0, failed: [] };
      let left = ids.length;
      for await (const payments of inPages(context.db, ids)) {
        const { done, failed } = await forEachWorkflow(payments, async (payment) => {
          // First fails overdue payments: an old payment must not ask a customer for money, nor pay out, hours later.
          await beforeSignal(context, payment);
          await engine.signalOrStart(payment, 'operator');
        });
        signalled.done += done;
        signalled.failed.push(...failed);
        left -= done + failed.length;
        // If Temporal cannot be reached, each further page would wait for it again.
        if (done === 0 && failed.length > 0) break;
      }
      return {
        unfinished: ids.length,
        resumed: signalled.done,
        not_resumed: signalled.failed,
        not_tried: left,
      };
    },
  }),

  'float-check.run': defineAction<object, QueriedWallets>({
    ...common,
    phrase: {
      en: 'query the providers for the balances of our wallets',
      sw: 'kuwauliza watoa huduma pochi zao zina kiasi gani',
    },
    subject: about('float-check'),
    async preview({ context: { db, rails } }) {
      const rows = await listWallets(db);
      return rails.all.flatMap(({ wallets }): Change[] => {
        if (!wallets || 'cannotBeAsked' in wallets) return [];
        const asked = rows.filter(({ provider }) => provider === wallets.provider);
        const last = asked
          .flatMap(({ asked_at: at }) => (at === null ? [] : [at]))
          .sort((one, other) => one.getTime() - other.getTime())
          .at(-1);
        return [
          {
            of: { kind: 'provider', id: wallets.provider },
            field: 'asked_at',
            from: last ?? null,
            to: new Date(),
          },
        ];
      });
    },
    async run({ context, config: { environment } }) {
      const proofs = await checkAllFloats(context, { environment });
      if (!proofs)
        throw new ActionError('Another run is querying the providers now; see malipo float-check list.');
      return queriedWallets(context);
    },
  }),
};
