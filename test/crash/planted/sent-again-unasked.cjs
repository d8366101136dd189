/** An attempt that was found without an answer is sent again, and nobody is asked what became of it. */
const plant = require('./plant.cjs');

plant('worker.js', [
  ['if (attempt.isFound && ageMs <', 'if (false && ageMs <'],
  ['      if (isFound) {', '      if (false) {'],
]);
