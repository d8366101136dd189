const everyday = require('../../../jest.config.cjs');

/** @type {import('jest').Config} `npm run chaos` alone. */
module.exports = {
  ...everyday,
  testMatch: ['<rootDir>/test/faults/chaos/chaos.run.ts'],
  reporters: ['default'],
  maxWorkers: 1,
  // As long as it takes.
  testTimeout: 24 * 3_600_000,
};
