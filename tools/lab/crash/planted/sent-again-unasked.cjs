/**
 * An attempt that was found without an answer is sent again, and nobody is asked what became of it. The process that comes
 * next may be slow to come: that an attempt is not sent any more after a while must not hide the fault.
 */
const plant = require('./plant.cjs');

plant('worker.js', [
  ['if (attempt.isFound && ageMs <', 'if (false && ageMs <'],
  ['      if (isFound) {', '      if (false) {'],
  ['Date.now() - writtenAt.getTime() > sendWithinMs', 'false'],
]);
