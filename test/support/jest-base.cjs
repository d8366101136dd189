const { join } = require('node:path');

/**
 * The common settings of all jest runs: the tiers of jest.config.cjs, and the test programs with a command of their
 * own.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  rootDir: join(__dirname, '..', '..'),
  roots: ['<rootDir>/test'],
  testEnvironment: '<rootDir>/test/support/one-world.cjs',
  runtime: '<rootDir>/test/support/kept-packages.cjs',
  testPathIgnorePatterns: ['/node_modules/'],
  transform: {
    '^.+\\.ts$': [
      '<rootDir>/test/support/compiled-by-worker.cjs',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } },
    ],
  },
  // Jest finds only test files by name; it finds the rest by import.
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.malipo/'],
  setupFiles: ['<rootDir>/test/support/watch-answers.ts'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  testSequencer: '<rootDir>/test/support/longest-first.cjs',
  // One long limit for all tests, because `waitFor` has its own: the duration of a test on a busy machine says nothing
  // about the code.
  testTimeout: 900_000,
};
