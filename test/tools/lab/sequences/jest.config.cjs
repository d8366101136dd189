const base = require('../../../support/jest-base.cjs');

/** @type {import('jest').Config} `npm run sequences` alone; a few of them are run with all other tests. */
module.exports = {
  ...base,
  testMatch: ['<rootDir>/test/tools/lab/sequences/sequences.run.ts'],
  reporters: ['default'],
  maxWorkers: 1,
  // As long as it takes.
  testTimeout: 24 * 3_600_000,
};
