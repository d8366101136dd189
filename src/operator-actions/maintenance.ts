/** What an operator starts by hand, and workers do by themselves as well. */
import Joi from 'joi';
import { formatAmount } from '../domain/money';
import { differenceOf, listWallets } from '../floats/opening-adjustment';
import { proveFloats } from '../floats/round';
import { shownHead } from '../ledger/chain';
import { daysDue, sealDays } from '../ledger/day-digests';
import { resealSecrets, sealedColumns, sealedIn, type SecretBox } from '../merchants/secrets';
import { beforeWaking, inPages, unfinishedIds } from '../payments/recovery/sweeper';
import type { PaymentsContext } from '../rail-kit/context';
import type { LedgerLinkRow } from '../store/ledger-tables';
import type { Database } from '../store/database';
import type { FloatWalletRow } from '../store/tables';
import { resealSecondFactors } from '../users/second-factor';
import { choresOf, countPrunable, prune, type Counts } from '../worker/prune/prune';
import { defineAction, type Change } from './action';
import { ActionError } from './errors';
import { forEachWorkflow, type Waking } from './workflows';

export interface Resealed {
  /** The newest key, which has sealed them. */
  key: string;
  resealed: number;
  current: number;
  /** Merchants, and users, with a secret that no configured key opens. */
  unreadable: string[];
  unreadable_users: string[];
}

export interface ShownLink {
  day: string;
  head: string;
  postings: string;
  sealed_at: string;
}

export interface Resumed {
  unfinished: number;
  resumed: number;
  not_resumed: Waking['failed'];
  not_tried: number;
}

export interface AskedWallets {
  wallets: ShownWallet[];
  cannot_be_asked: { provider: string; why: string }[];
}

export function shownLink(link: LedgerLinkRow): ShownLink {
  return {
    day: link.day,
    head: shownHead(link),
    postings: link.postings,
    sealed_at: link.sealed_at.toISOString(),
  };
}

/** Decimal texts in the currency. */
export function shownWallet(row: FloatWalletRow) {
  const { provider, country, currency, verdict, fee_per_mille, baseline_by, baseline_at } = row;
  const amount = (minor: string | null) => (minor === null ? null : formatAmount(BigInt(minor), currency));
  return {
    ...{ provider, country: country || null, currency, verdict, balance: amount(row.balance_minor) },
    difference: formatAmount(differenceOf(row), currency),
    /** What is there and our books do not know of: at least, and at most. */
    beside_our_books: [amount(row.offset_lo), amount(row.offset_hi)],
    ...{ coming: amount(row.coming_minor), going: amount(row.going_minor) },
    ...{ asked_at: row.asked_at, told_at: row.told_at, note: row.note },
    ...{ fee_per_mille, baseline_by, baseline_at },
  };
}

export type ShownWallet = ReturnType<typeof shownWallet>;

/** What each wallet held when its provider was asked last, and which providers cannot be asked. */
export async function askedWallets({ db, rails }: PaymentsContext): Promise<AskedWallets> {
  const silent = rails.all.flatMap(({ wallets }) => (wallets && 'cannotBeAsked' in wallets ? [wallets] : []));
  return {
    wallets: (await listWallets(db)).map(shownWallet),
    cannot_be_asked: silent.map(({ provider, cannotBeAsked }) => ({ provider, why: cannotBeAsked })),
  };
}

/** Secrets that an older key has sealed, by table. */
async function staleSecrets(db: Database, box: SecretBox): Promise<Change[]> {
  const stale: Record<string, number> = {};
  const count = (table: string, secrets: readonly (string | null)[]) => {
    const old = secrets.filter((sealed) => sealed !== null && !box.isCurrent(sealed));
    stale[table] = (stale[table] ?? 0) + old.length;
  };
  for (const table of Object.keys(sealedIn) as (keyof typeof sealedIn)[])
    for (const row of await db(table as 'merchants').select(...sealedColumns))
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
  'secrets.reseal': defineAction<object, Resealed>({
    ...common,
    phrase: {
      en: 'encrypt every stored secret again with the newest key',
      sw: 'kusimba upya kila siri iliyohifadhiwa kwa ufunguo mpya zaidi',
    },
    subject: about('secrets'),
    preview: ({ context, box }) => staleSecrets(context.db, box),
    async run({ context, box, config }) {
      const people = await resealSecondFactors(context.db, box);
      const merchants = await resealSecrets(context.db, box);
      return {
        key: config.secretKeys[0]?.id ?? '',
        resealed: merchants.resealed + people.resealed,
        current: merchants.current + people.current,
        unreadable: merchants.unreadable,
        unreadable_users: people.unreadable,
      };
    },
  }),

  'ledger.seal': defineAction<object, { sealed: ShownLink[] }>({
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
    run: async ({ context }) => ({ sealed: (await sealDays(context.db)).map(shownLink) }),
  }),

  prune: defineAction<object, { pruned: Counts }>({
    ...common,
    phrase: {
      en: 'delete what is old and no longer needed',
      sw: 'kufuta data ya zamani isiyohitajika tena',
    },
    subject: about('prune'),
    async preview({ context, config }) {
      const counts = await countPrunable(context.db, choresOf(config));
      return Object.entries(counts).map(([what, n]) => ({
        of: { kind: 'prunable', id: what },
        field: 'old_rows',
        from: n,
        to: 0,
      }));
    },
    async run({ context: { db }, config }) {
      return { pruned: await prune(db, choresOf(config)) };
    },
  }),

  resume: defineAction<object, Resumed>({
    ...common,
    phrase: {
      en: 'start or wake the workflow of every unfinished payment',
      sw: 'kuanzisha au kuamsha mtiririko wa kazi wa kila malipo ambayo hayajakamilika',
    },
    subject: about('resume'),
    async preview({ context }) {
      const { length } = await unfinishedIds(context);
      return [{ of: { kind: 'payments', id: 'unfinished' }, field: 'woken', from: 0, to: length }];
    },
    async run({ context, engine }) {
      const ids = await unfinishedIds(context);
      const woken: Waking = { done: 0, failed: [] };
      let left = ids.length;
      for await (const payments of inPages(context.db, ids)) {
        const { done, failed } = await forEachWorkflow(payments, async (payment) => {
          // A customer is not asked today for what they wanted to pay before the night, nor is a merchant's payout begun.
          await beforeWaking(context, payment);
          await engine.wake(payment);
        });
        woken.done += done;
        woken.failed.push(...failed);
        left -= done + failed.length;
        // Where nothing can be reached, each page would wait for it anew.
        if (done === 0 && failed.length > 0) break;
      }
      return { unfinished: ids.length, resumed: woken.done, not_resumed: woken.failed, not_tried: left };
    },
  }),

  'float-proof.run': defineAction<object, AskedWallets>({
    ...common,
    phrase: {
      en: 'ask the providers what their wallets hold',
      sw: 'kuwauliza watoa huduma pochi zao zina kiasi gani',
    },
    subject: about('float-proof'),
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
      const proofs = await proveFloats(context, { environment });
      if (!proofs)
        throw new ActionError('The providers are being asked just now; see malipo float-proof list.');
      return askedWallets(context);
    },
  }),
};
