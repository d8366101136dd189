const { readFileSync } = require('node:fs');
const { relative } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Seconds of the files that take longest, so that none of them is what the run waits for in the end. Jest goes by
 * what it has measured itself as soon as it has; a fresh clone has measured nothing.
 */
const usualSeconds = {
  'test/faults/chaos/chaos.test.ts': 320,
  'test/e2e/portal/moments.browser.test.ts': 250,
  'test/e2e/portal/every-page.browser.test.ts': 200,
  'test/tools/docs-site/samples.test.ts': 170,
  'test/faults/contract/momo.test.ts': 166,
  'test/e2e/rails/momo/queued-too-long.test.ts': 111,
  'test/faults/step-kill.test.ts': 107,
  'test/e2e/workflows/versions.test.ts': 90,
  'test/faults/restore.test.ts': 85,
  'test/faults/random-kills.test.ts': 84,
  'test/faults/chaos/planted.test.ts': 120,
  'test/e2e/worker/temporal-rotation.test.ts': 80,
  'test/faults/commit-cut.test.ts': 76,
  'test/faults/deploy.test.ts': 69,
  'test/faults/temporal-restart.test.ts': 66,
  'test/e2e/rails/walletpay/returned.test.ts': 65,
  'test/faults/contract/stk.test.ts': 64,
  'test/e2e/reconciliation/nightly-statements.test.ts': 63,
  'test/faults/contract/xb-intasend.test.ts': 63,
  'test/e2e/rails/momo/lost-sending.test.ts': 62,
  'test/faults/contract/walletpay.test.ts': 62,
  'test/e2e/rails/walletpay/at-once.test.ts': 61,
  'test/e2e/rails/momo/cancel-payout.test.ts': 61,
  'test/e2e/rails/walletpay/chargebacks.test.ts': 60,
  'test/faults/contract/cardproc.test.ts': 57,
  'test/faults/starvation.test.ts': 51,
  'test/tools/bench/stack.test.ts': 51,
  'test/e2e/portal/pages.browser.test.ts': 48,
  'test/e2e/payments/resolve/callbacks-stop.test.ts': 46,
  'test/faults/merchant-endpoint.test.ts': 43,
  'test/e2e/workflows/first-versions.test.ts': 42,
  'test/e2e/telemetry/processes.test.ts': 42,
  'test/faults/controls/kill-switch.test.ts': 41,
  'test/integration/store/unanswered.test.ts': 40,
  'test/e2e/portal/operations.browser.test.ts': 40,
  'test/e2e/portal/money.browser.test.ts': 40,
  'test/faults/mysql-restart.test.ts': 40,
  'test/tools/lab/crash/crash-points.test.ts': 39,
  'test/e2e/rails/stk/stk-push-provider.test.ts': 38,
  'test/e2e/webhooks/endpoints.test.ts': 37,
  'test/tools/sandbox/start-ports.test.ts': 37,
  'test/e2e/rails/walletpay/refund-races.test.ts': 35,
  'test/e2e/simulator/cardproc-checkout.browser.test.ts': 34,
  'test/e2e/rails/momo/races.test.ts': 34,
  'test/faults/rails/walletpay/kills.test.ts': 33,
  'test/faults/store/migrating.test.ts': 31,
  'test/e2e/rails/stk/receipts.test.ts': 31,
  'test/faults/attacks/hints.test.ts': 30,
  'test/e2e/cli/developer.test.ts': 29,
  'test/faults/attacks/route-walk.test.ts': 28,
  'test/faults/hostile-provider.test.ts': 28,
  'test/faults/failover.test.ts': 28,
};

/**
 * Which shared stack a file has, by its own words: 0 for none. A stack that waits for its next file costs a twentieth of a
 * processor, so that files of the same stack follow each other, after all that have none.
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
