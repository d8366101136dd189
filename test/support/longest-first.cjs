const { relative } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Seconds of the files that take longest, so that none of them is what the run waits for in the end. Jest goes by
 * what it has measured itself as soon as it has; a fresh clone has measured nothing.
 */
const usualSeconds = {
  'test/chaos/chaos.test.ts': 320,
  'test/portal/moments.browser.test.ts': 250,
  'test/portal/every-page.browser.test.ts': 200,
  'test/site/samples.test.ts': 170,
  'test/contract/momo.test.ts': 166,
  'test/rails/momo/queued-too-long.test.ts': 111,
  'test/faults/step-kill.test.ts': 107,
  'test/workflows/versions.test.ts': 90,
  'test/faults/restore.test.ts': 85,
  'test/faults/random-kills.test.ts': 84,
  'test/chaos/planted.test.ts': 120,
  'test/ops/temporal-rotation.test.ts': 80,
  'test/faults/commit-cut.test.ts': 76,
  'test/faults/deploy.test.ts': 69,
  'test/faults/temporal-restart.test.ts': 66,
  'test/rails/walletpay/returned.test.ts': 65,
  'test/contract/stk.test.ts': 64,
  'test/reconciliation/nightly-statements.test.ts': 63,
  'test/contract/xb-intasend.test.ts': 63,
  'test/rails/momo/lost-sending.test.ts': 62,
  'test/contract/walletpay.test.ts': 62,
  'test/rails/walletpay/at-once.test.ts': 61,
  'test/rails/momo/cancel-payout.test.ts': 61,
  'test/rails/walletpay/chargebacks.test.ts': 60,
  'test/contract/cardproc.test.ts': 57,
  'test/faults/starvation.test.ts': 51,
  'test/bench/stack.test.ts': 51,
  'test/portal/pages.browser.test.ts': 48,
  'test/payments/callbacks-stop.test.ts': 46,
  'test/faults/merchant-endpoint.test.ts': 43,
  'test/workflows/first-versions.test.ts': 42,
  'test/tracing/processes.test.ts': 42,
  'test/controls/kill-switch.test.ts': 41,
  'test/store/unanswered.test.ts': 40,
  'test/portal/operations.browser.test.ts': 40,
  'test/portal/money.browser.test.ts': 40,
  'test/faults/mysql-restart.test.ts': 40,
  'test/crash/crash-points.test.ts': 39,
  'test/rails/stk/stk-push-provider.test.ts': 38,
  'test/webhooks/endpoints.test.ts': 37,
  'test/ops/start-ports.test.ts': 37,
  'test/rails/walletpay/refund-races.test.ts': 35,
  'test/simulator/cardproc-checkout.browser.test.ts': 34,
  'test/rails/momo/races.test.ts': 34,
  'test/rails/walletpay/kills.test.ts': 33,
  'test/store/migrating.test.ts': 31,
  'test/rails/stk/receipts.test.ts': 31,
  'test/attacks/hints.test.ts': 30,
  'test/cli/developer.test.ts': 29,
  'test/portal/route-walk.test.ts': 28,
  'test/faults/hostile-provider.test.ts': 28,
  'test/faults/failover.test.ts': 28,
};

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const seconds = (test) => {
      const measuredMs = this.time(test);
      const path = relative(test.context.config.rootDir, test.path).replaceAll('\\', '/');
      return measuredMs === undefined ? (usualSeconds[path] ?? 0) : measuredMs / 1_000;
    };
    return super.sort([...tests]).sort((a, b) => seconds(b) - seconds(a));
  }
};
