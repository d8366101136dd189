const base = require('../../../test/support/jest-base.cjs');

/** @type {import('jest').Config} `npm run mutation` alone: it is run by whoever wants to know, and never by the way. */
module.exports = {
  ...base,
  roots: ['<rootDir>/tools/lab'],
  testMatch: ['<rootDir>/tools/lab/mutation/mutation.run.ts'],
  reporters: ['default'],
  maxWorkers: 1,
  // As long as it takes.
  testTimeout: 24 * 3_600_000,
};
