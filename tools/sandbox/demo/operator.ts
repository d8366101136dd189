/** The demo's operator: runs the `malipo` commands in this process. */
import { parseAmount, type Currency } from '../../../src/domain/money';
import type { Balances, Operator, UnmatchedReceipt, Reconciliation } from '../../../src/rail-kit/demo';
import { openSession } from '../../../src/cli/session';
import { runCli } from '../../../src/cli/run-cli';
import type { VerifyReport } from '../../../src/verify/verify';

type Shown = Record<'wallets' | 'floats', { currency: Currency; available: string }[]>;

export function operator(env: NodeJS.ProcessEnv, merchantId: string): Operator {
  async function malipo(...args: string[]): Promise<{ ok: boolean; out: string; reported: string }> {
    let [out, err] = ['', ''];
    const code = await runCli([...args, '--json'], {
      out: (text) => (out += text),
      err: (text) => (err += text),
      env,
      folder: process.cwd(),
      openSession,
    });
    return {
      ok: code === 0,
      out,
      reported: `malipo ${args.join(' ')} ended with ${String(code)}: ${err.trim()}`,
    };
  }

  async function answerOf<T>(...args: string[]): Promise<T> {
    const { ok, out, reported } = await malipo(...args);
    if (!ok) throw new Error(reported);
    return JSON.parse(out) as T;
  }

  return {
    async addFloat({ rail, country, currency, amount }) {
      const place = country === undefined ? [] : ['--country', country];
      const account = ['--rail', rail, ...place, '--currency', currency];
      await answerOf('float', 'add', merchantId, ...account, '--amount', amount, '--reason', 'the demo');
    },
    async permit(permission) {
      await answerOf('merchant', 'set', merchantId, '--permission', permission);
    },
    async limit(kind, currency, options) {
      const about = ['--merchant', merchantId, '--currency', currency, '--reason', 'the demo'];
      const set = await answerOf<{ limit_id: string }>('limit', 'set', kind, ...about, ...options);
      return set.limit_id;
    },
    async unlimit(limitId) {
      await answerOf('limit', 'remove', limitId, '--reason', 'the demo is over');
    },
    async release(paymentId, note) {
      await answerOf('hold', 'release', paymentId, '--note', note, '--as', 'second-person');
    },
    async reconcile(rail, { from, to }, options) {
      const period = ['--from', from.toISOString(), '--to', to.toISOString()];
      const { out, reported } = await malipo('reconcile', rail, ...period, ...options);
      if (out === '') throw new Error(reported);
      return JSON.parse(out) as Reconciliation;
    },
    async unmatchedReceipts(provider, state) {
      const list = ['unmatched', 'list', '--provider', provider, '--state', state];
      return (await answerOf<{ unmatched_receipts: UnmatchedReceipt[] }>(...list)).unmatched_receipts;
    },
    async claim(unmatchedId, reason) {
      await answerOf('unmatched', 'assign', unmatchedId, '--merchant', merchantId, '--reason', reason);
    },
    async advance(duration, paymentId) {
      await answerOf('sandbox', 'advance', duration, '--payment', paymentId);
    },
    async workflowOf(id) {
      const { payment } = await answerOf<{ payment: { workflow_id: string } }>('payment', 'show', id);
      return payment.workflow_id;
    },
    async balances() {
      const [{ wallets }, { floats }] = await Promise.all([
        answerOf<Shown>('wallet', 'show', merchantId),
        answerOf<Shown>('float', 'show', merchantId),
      ]);
      const balances: Balances = {};
      for (const [kind, shown] of Object.entries({ wallet: wallets, float: floats })) {
        for (const { currency, available } of shown) {
          const account = `${currency} ${kind}`;
          balances[account] = (balances[account] ?? 0n) + (parseAmount(available, currency) ?? 0n);
        }
      }
      return balances;
    },
    async verify({ withSimulator }) {
      const { out, reported } = await malipo('verify', ...(withSimulator ? ['--with-simulator'] : []));
      if (out === '') return [reported];
      const { checks } = JSON.parse(out) as VerifyReport;
      return checks.flatMap(({ id, promise, violations: [first, ...others] }) =>
        first === undefined
          ? []
          : [
              `malipo verify, ${id}: ${promise}, but ${first.id} ${first.detail} (and ${String(others.length)} more)`,
            ],
      );
    },
  };
}
