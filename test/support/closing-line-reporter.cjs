const { writeFileSync } = require('node:fs');

/** Stores jest's counts by file for scripts/run-tests.mjs, which prints the totals at the end. */
module.exports = class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    const file = process.env.MALIPO_TEST_TOTALS;
    if (file) writeFileSync(file, JSON.stringify(results.testResults.map(countsOf)));
  }
};

/** A file that could not run counts as one failure. */
function countsOf({ testFilePath, testResults, testExecError, ...counted }) {
  const failed = testResults.filter(({ status }) => status === 'failed');
  const failures = failed.map(({ fullName }) => fullName);
  const reasons = failed.map(({ failureMessages }) => failureMessages.join('\n'));
  if (testExecError) {
    failures.push('the file could not be run');
    reasons.push(testExecError.message ?? '');
  }
  return {
    path: testFilePath,
    passed: counted.numPassingTests,
    failed: counted.numFailingTests + (testExecError ? 1 : 0),
    skipped: counted.numPendingTests + counted.numTodoTests,
    failures,
    reasons,
  };
}
