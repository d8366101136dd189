const base = require('../../support/jest-base.cjs');

/** @type {import('jest').Config} `npm run chaos` alone. */
module.exports = {
  ...base,
  testMatch: ['<rootDir>/test/faults/chaos/chaos.run.ts'],
  reporters: ['default'],
  maxWorkers: 1,
  // As long as it takes.
  testTimeout: 24 * 3_600_000,
};
