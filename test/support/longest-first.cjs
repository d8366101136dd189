const { relative } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Seconds of the files that take longest, so that none of them is what the run waits for in the end. Jest goes by
 * what it has measured itself as soon as it has; a fresh clone has measured nothing.
 */
const usualSeconds = {
  'test/contract/momo.test.ts': 176,
  'test/rails/momo/queued-too-long.test.ts': 111,
  'test/faults/step-kill.test.ts': 103,
  'test/workflows/versions.test.ts': 94,
  'test/faults/commit-cut.test.ts': 87,
  'test/rails/walletpay/returned.test.ts': 84,
  'test/sequences/database.test.ts': 83,
  'test/faults/deploy.test.ts': 76,
  'test/ops/temporal-rotation.test.ts': 74,
  'test/bench/stack.test.ts': 71,
  'test/contract/xb-intasend.test.ts': 67,
  'test/contract/stk.test.ts': 66,
  'test/faults/random-kills.test.ts': 64,
  'test/contract/walletpay.test.ts': 63,
  'test/workflows/first-versions.test.ts': 63,
  'test/contract/cardproc.test.ts': 62,
  'test/faults/restore.test.ts': 60,
  'test/rails/momo/lost-sending.test.ts': 60,
  'test/reconciliation/nightly-statements.test.ts': 60,
  'test/rails/walletpay/at-once.test.ts': 60,
  'test/crash/crash-points.test.ts': 59,
  'test/cli/webhook.test.ts': 58,
  'test/verify/checks.test.ts': 56,
  'test/rails/walletpay/chargebacks.test.ts': 55,
  'test/rails/momo/cancel-payout.test.ts': 54,
  'test/faults/temporal-restart.test.ts': 53,
  'test/faults/starvation.test.ts': 50,
  'test/rails/momo/races.test.ts': 45,
  'test/payments/callbacks-stop.test.ts': 45,
  'test/faults/merchant-endpoint.test.ts': 44,
  'test/attacks/hints.test.ts': 43,
  'test/cli/time.test.ts': 41,
  'test/rails/stk/stk-push-provider.test.ts': 41,
  'test/workflows/replay.test.ts': 41,
  'test/store/unanswered.test.ts': 40,
  'test/workflows/long-story.test.ts': 40,
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
