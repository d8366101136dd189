const base = require('./test/support/jest-base.cjs');
const { tiers } = require('./test/support/tiers.cjs');

/** Settings of the run as a whole; each of the others is one of a project. */
const { testSequencer, testTimeout, ...ofProject } = base;

/** By the servers of a tier. */
const setups = {
  '': undefined,
  mysql: '<rootDir>/test/support/global-setup-mysql.ts',
  'mysql,temporal': base.globalSetup,
};

// Handed on to jest's workers. Most of what tests make is garbage at once: with more room for it, collecting it takes a
// seventh less of the processor's time.
process.execArgv.push('--max-semi-space-size=64');

/**
 * A project for each tier, chosen by its folder and by nothing else.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  rootDir: __dirname,
  testSequencer,
  testTimeout,
  reporters: ['default', '<rootDir>/test/support/closing-line-reporter.cjs'],
  // Twice the processors of the smallest machine: tests wait for timeouts for much of their time.
  maxWorkers: 4,
  forceExit: false,
  projects: Object.entries(tiers).map(([tier, { servers }]) => ({
    ...ofProject,
    globalSetup: setups[servers.join()],
    displayName: tier,
    roots: [`<rootDir>/test/${tier}`],
    testMatch: [`<rootDir>/test/${tier}/**/*.test.ts`],
  })),
};
