/** A lost answer counts as a proof that nothing was done, and the instruction is sent anew. */
const plant = require('./plant.cjs');

plant('worker.js', [['kind === "unknown" && isHarmlessWhenLost(context, payment)', 'kind === "unknown"']]);
