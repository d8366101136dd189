const { readFileSync } = require('node:fs');
const { relative } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Seconds of the slowest files, so that the run does not wait for one of them at the end. Jest prefers its own
 * measurements; a fresh clone has none.
 */
const usualSeconds = {
  'test/e2e/portal/money.test.ts': 367,
  'test/faults/starvation.test.ts': 304,
  'test/e2e/workflows/versions.test.ts': 251,
  'test/faults/chaos/planted.test.ts': 240,
  'test/faults/contract/momo.test.ts': 209,
  'test/e2e/rails/momo/queued-too-long.test.ts': 161,
  'test/faults/commit-cut.test.ts': 143,
  'test/faults/chaos/chaos.test.ts': 143,
  'test/e2e/portal/every-page.browser.test.ts': 135,
  'test/tools/lab/verify/checks.test.ts': 124,
  'test/e2e/rails/walletpay/returned.test.ts': 123,
  'test/faults/step-kill.test.ts': 120,
  'test/e2e/webhooks/endpoints.test.ts': 120,
  'test/e2e/rails/walletpay/at-once.test.ts': 118,
  'test/faults/random-kills.test.ts': 116,
  'test/e2e/worker/temporal-rotation.test.ts': 110,
  'test/tools/lab/sequences/database.test.ts': 106,
  'test/e2e/portal/money.browser.test.ts': 106,
  'test/faults/deploy.test.ts': 104,
  'test/tools/bench/stack.test.ts': 97,
  'test/faults/restore.test.ts': 97,
  'test/e2e/workflows/replay.test.ts': 96,
  'test/e2e/rails/momo/bulk-payout.test.ts': 96,
  'test/faults/contract/walletpay.test.ts': 82,
  'test/faults/contract/xb-intasend.test.ts': 76,
  'test/e2e/rails/momo/cancel-payout.test.ts': 76,
  'test/e2e/rails/momo/races.test.ts': 75,
  'test/faults/contract/cardproc.test.ts': 74,
  'test/faults/contract/stk.test.ts': 69,
  'test/e2e/rails/momo/refund.test.ts': 69,
  'test/faults/temporal-restart.test.ts': 68,
  'test/tools/sandbox/start.test.ts': 66,
  'test/e2e/portal/pages.browser.test.ts': 65,
  'test/e2e/workflows/first-versions.test.ts': 64,
  'test/e2e/rails/momo/lost-sending.test.ts': 63,
  'test/e2e/rails/momo/deposit.test.ts': 61,
  'test/e2e/cli/developer.test.ts': 61,
  'test/integration/verify/provider-books.test.ts': 60,
  'test/integration/cli/time.test.ts': 60,
  'test/e2e/portal/moments.browser.test.ts': 60,
  'test/e2e/webhooks/endpoint-deliveries.test.ts': 59,
  'test/e2e/rails/walletpay/refund.test.ts': 57,
  'test/e2e/portal/operations.browser.test.ts': 57,
  'test/e2e/payments/resolve/notifications-stop.test.ts': 57,
  'test/tools/fuzz/spreadsheets.properties.test.ts': 56,
  'test/e2e/rails/walletpay/create-order.test.ts': 56,
  'test/e2e/controls/float-check.test.ts': 55,
  'test/e2e/rails/walletpay/refund-races.test.ts': 54,
  'test/faults/rails/walletpay/kills.test.ts': 53,
  'test/faults/attacks/route-walk.test.ts': 51,
  'test/e2e/rails/walletpay/create-payout.test.ts': 51,
  'test/tools/clients/shops.test.ts': 50,
  'test/tools/lab/crash/crash-points.test.ts': 47,
  'test/integration/payments/recovery/sweeper.test.ts': 47,
  'test/integration/verify/verify.test.ts': 46,
  'test/integration/store/unanswered.test.ts': 46,
  'test/e2e/reconciliation/simulated-statements.test.ts': 46,
  'test/tools/docs-site/samples.test.ts': 45,
  'test/faults/release-data.test.ts': 90,
  'test/e2e/telemetry/processes.test.ts': 45,
  'test/e2e/cli/doctor.test.ts': 45,
  'test/e2e/workflows/continue-as-new.test.ts': 44,
  'test/e2e/rails/stk/one-token.test.ts': 44,
  'test/e2e/rails/momo/deposit-provider.test.ts': 44,
  'test/e2e/rails/walletpay/chargebacks.test.ts': 43,
  'test/faults/merchant-endpoint.test.ts': 42,
  'test/e2e/rails/walletpay/timers.test.ts': 42,
  'test/e2e/rails/cardproc/after-its-end.test.ts': 60,
  'test/integration/operator-actions/webhook.test.ts': 41,
  'test/faults/store/migrating.test.ts': 41,
  'test/faults/hostile-provider.test.ts': 41,
  'test/e2e/simulator/cardproc-checkout.browser.test.ts': 41,
  'test/e2e/rails/stk/stk-push-provider.test.ts': 41,
  'test/e2e/rails/stk/query-balance.test.ts': 40,
  'test/e2e/rails/xb/scenarios.test.ts': 39,
  'test/e2e/rails/momo/scenarios.test.ts': 39,
  'test/e2e/payments/recovery/idle.test.ts': 39,
  'test/tools/docs-site/pages.browser.test.ts': 38,
  'test/e2e/rails/walletpay/capture.test.ts': 38,
  'test/tools/lab/portal/first-byte.test.ts': 36,
  'test/e2e/rails/stk/notifications.test.ts': 36,
  'test/e2e/rails/momo/notifications.test.ts': 36,
  'test/e2e/portal/passkeys.browser.test.ts': 36,
  'test/e2e/portal/one-person.test.ts': 36,
  'test/e2e/payments/create/double-clicks.test.ts': 36,
  'test/faults/attacks/unverified-events.test.ts': 35,
  'test/e2e/rails/walletpay/webhook.test.ts': 35,
  'test/e2e/rails/momo/signatures.test.ts': 34,
  'test/e2e/rails/stk/receipts.test.ts': 33,
  'test/e2e/rails/stk/stk-push-once.test.ts': 32,
  'test/tools/sandbox/start-ports.test.ts': 31,
  'test/faults/overload.test.ts': 31,
  'test/faults/mysql-restart.test.ts': 31,
  'test/e2e/webhooks/superseded.test.ts': 29,
  'test/e2e/rails/xb/notifications.test.ts': 45,
  'test/e2e/rails/stk/scenarios.test.ts': 29,
  'test/e2e/rails/momo/providers.test.ts': 29,
  'test/faults/controls/kill-switch.test.ts': 28,
  'test/e2e/rails/cardproc/submit-order.test.ts': 28,
};

/**
 * Which shared stack a file uses, from its source: 0 for none. An idle stack uses 5 % of a processor. So files of the
 * same stack run one after the other, after all files without one.
 */
function sharedBy(path) {
  const [, settings] = /\bsharedStack\(([^)]*)\)/.exec(readFileSync(path, 'utf8')) ?? [];
  if (settings === undefined) return 0;
  return /timeScale: 1\b/.test(settings) ? 1 : 2;
}

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const seconds = (test) => {
      const measuredMs = this.time(test);
      const path = relative(test.context.config.rootDir, test.path).replaceAll('\\', '/');
      return measuredMs === undefined ? (usualSeconds[path] ?? 0) : measuredMs / 1_000;
    };
    return super
      .sort([...tests])
      .map((test) => ({ test, stack: sharedBy(test.path), seconds: seconds(test) }))
      .sort((a, b) => a.stack - b.stack || b.seconds - a.seconds)
      .map(({ test }) => test);
  }
};
