/**
 * An attempt without an answer is sent again, without a status query. The next process may start late, so the limit on
 * the age of an attempt is removed too; otherwise it would hide the fault.
 */
const plant = require('./plant.cjs');

plant('worker.js', [
  ['if (attempt.isFound && ageMs <', 'if (false && ageMs <'],
  ['      if (isFound) {', '      if (false) {'],
  ['Date.now() - writtenAt.getTime() > sendWithinMs', 'false'],
]);
