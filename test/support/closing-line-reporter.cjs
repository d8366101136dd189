const { writeFileSync } = require('node:fs');

/** Leaves what jest counted, by file, for scripts/run-tests.mjs, which closes with the totals. */
module.exports = class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    const file = process.env.MALIPO_TEST_TOTALS;
    if (file) writeFileSync(file, JSON.stringify(results.testResults.map(countsOf)));
  }
};

/** A file that could not be run counts as one failure: none of its promises was kept. */
function countsOf({ testFilePath, testResults, testExecError, ...counted }) {
  const failures = testResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
  if (testExecError) failures.push('the file could not be run');
  return {
    path: testFilePath,
    passed: counted.numPassingTests,
    failed: counted.numFailingTests + (testExecError ? 1 : 0),
    skipped: counted.numPendingTests + counted.numTodoTests,
    failures,
  };
}
