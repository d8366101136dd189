/** A lost answer counts as proof that nothing was done, and the submission is sent again. */
const plant = require('./plant.cjs');

plant('worker.js', [['kind === "unknown" && isHarmlessWhenLost(context, payment)', 'kind === "unknown"']]);
