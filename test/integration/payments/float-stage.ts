/** A rail with scripted wallet balances, on a real database. */
import type { Environment } from '../../../src/config';
import { openAccount } from '../../../src/ledger/accounts';
import { postEntry } from '../../../src/ledger/post-entry';
import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import { railsOf, type PaymentsContext } from '../../../src/rail-kit/context';
import type { AskableWallets, WalletsAnswer, ReportedWallet } from '../../../src/rail-kit/provider-wallets';
import { checkAllFloats } from '../../../src/floats/check-run';
import type { FloatWalletRow } from '../../../src/store/control-tables';
import type { Database } from '../../../src/store/database';
import { inTransaction } from '../../../src/store/transaction';
import { testContext } from '../../support/verify/books-support';

export interface FloatStage {
  context: PaymentsContext;
  wallets: AskableWallets;
  /** The provider's answer from now on; a function is called each time. */
  answers(answer: WalletsAnswer | (() => Promise<WalletsAnswer>)): void;
  /** Sets Kenya's wallet in shillings to this many cents. */
  holds(balanceMinor: bigint): void;
  /** Queries now. @returns the result for Kenya's wallet. */
  prove(keepsPerMille?: number, environment?: Environment): Promise<FloatWalletRow | undefined>;
  row(): Promise<FloatWalletRow | undefined>;
  cases(): Promise<string[]>;
  stops(): Promise<unknown[]>;
}

/** No entry in the books is recent, unless a test makes one. */
export const nothingIsYoung = -3_600_000;

export function createFloatStage(db: Database, provider: string, railName = 'loud'): FloatStage {
  let next: () => Promise<WalletsAnswer>;
  const wallets: AskableWallets = {
    provider,
    title: provider,
    payments: [{ rail: railName }],
    baseUrl: 'http://127.0.0.1:1',
    behindMs: nothingIsYoung,
    keepsPerMille: 0,
    paysOut: true,
    ask: () => next(),
  };
  const context = testContext(db);
  const rails = context.rails.all.map((rail) => (rail.name === railName ? { ...rail, wallets } : rail));
  const stage: FloatStage = {
    context: { ...context, rails: railsOf(rails) },
    wallets,
    answers(answer) {
      next = typeof answer === 'function' ? answer : () => Promise.resolve(answer);
    },
    holds(balanceMinor) {
      stage.answers(reportedOf({ country: 'KEN', currency: 'KES', balanceMinor }));
    },
    async prove(keepsPerMille = 0, environment: Environment = 'live') {
      wallets.keepsPerMille = keepsPerMille;
      await checkAllFloats(stage.context, { environment });
      return stage.row();
    },
    row: () => db('float_wallets').where({ provider, country: 'KEN', currency: 'KES' }).first(),
    async cases() {
      const rows = await db('cases').whereNull('closed_at').orderBy('case_id');
      return rows.map(({ reason, detail }) => `${reason}: ${detail}`);
    },
    stops: () =>
      db('payout_pauses').whereNull('ended_at').select('rail', 'country', 'begun_by', 'with_refunds'),
  };
  stage.holds(0n);
  return stage;
}

/** Each test has its own provider, and its books start with it. */
let providers = 0;

/** Creates a new one, without anything of the test before. */
export async function nextFloatStage(db: Database): Promise<FloatStage> {
  await db('cases').whereNull('closed_at').update({ closed_at: new Date(), open_key: null });
  await db('payout_pauses').whereNull('ended_at').update({ ended_at: new Date() });
  await db('payments').where({ is_final: 0 }).update({ is_final: 1, state: 'timed_out' });
  providers += 1;
  return createFloatStage(db, `pay${String(providers)}`);
}

export const reportedOf = (...wallets: ReportedWallet[]): WalletsAnswer => ({ kind: 'reported', wallets });

export async function fund(db: Database, merchantId: string, amountMinor = 1_000_000n): Promise<void> {
  await transferByHand(db, {
    from: { class: 'bank', currency: 'KES' },
    to: { class: 'float', merchantId, rail: 'loud', country: 'KEN', currency: 'KES' },
    amountMinor,
    reason: 'the float of a test',
    whenShort: 'FLOAT_INSUFFICIENT',
  });
}

/** As the code that submits a payment writes it. */
export async function isSent(db: Database, paymentId: string): Promise<void> {
  await db('attempts').insert({
    payment_id: paymentId,
    n: 1,
    operation: 'initiate',
    provider_key: 'key',
    state: 'sent',
    sent_at: new Date(),
  });
}

/** As a statement's unmatched receipt or fee is booked: long after the money has moved. */
export async function bookedByStatement(
  db: Database,
  { wallets }: FloatStage,
  sourceType: 'unmatched' | 'provider_fee',
  amountMinor: bigint,
): Promise<void> {
  const clearing = await openAccount(db, { class: 'clearing', rail: 'loud', currency: 'KES' });
  const bank = await openAccount(db, { class: 'bank', currency: 'KES' });
  await inTransaction(db, (trx) =>
    postEntry(trx, {
      source: { type: sourceType, id: wallets.provider, leg: 'told' },
      lines: [
        { account: clearing, amountMinor },
        { account: bank, amountMinor: -amountMinor },
      ],
    }),
  );
}
