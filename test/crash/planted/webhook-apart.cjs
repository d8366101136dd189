/** The state and its posting are committed, and the webhook that tells of them a moment later by itself. */
const plant = require('./plant.cjs');

plant('worker.js', [
  [
    'const webhookId = move.announced === false ? void 0 : await announce(trx, context, moved);',
    `const webhookId = void 0;
     if (move.announced !== false)
       trx.executionPromise.then(() => announce(context.db, context, moved), () => undefined);`,
  ],
]);
