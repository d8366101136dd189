const { relative } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Seconds of the files that take longest, so that none of them is what the run waits for in the end. Jest goes by
 * what it has measured itself as soon as it has; a fresh clone has measured nothing.
 */
const usualSeconds = {
  'test/contract/momo.test.ts': 145,
  'test/rails/momo/queued-too-long.test.ts': 105,
  'test/faults/commit-cut.test.ts': 100,
  'test/faults/step-kill.test.ts': 90,
  'test/faults/deploy.test.ts': 88,
  'test/contract/xb-intasend.test.ts': 67,
  'test/contract/walletpay.test.ts': 64,
  'test/contract/stk.test.ts': 64,
  'test/contract/cardproc.test.ts': 58,
  'test/faults/random-kills.test.ts': 55,
  'test/rails/walletpay/returned.test.ts': 55,
  'test/rails/momo/cancel-payout.test.ts': 53,
  'test/faults/temporal-restart.test.ts': 50,
  'test/rails/momo/lost-sending.test.ts': 48,
  'test/faults/starvation.test.ts': 45,
  'test/rails/stk/stk-push-provider.test.ts': 40,
  'test/faults/merchant-endpoint.test.ts': 40,
  'test/rails/walletpay/chargebacks.test.ts': 35,
  'test/rails/stk/receipts.test.ts': 35,
  'test/rails/walletpay/kills.test.ts': 33,
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
