/** The state and its posting are committed, and the webhook that tells of them a moment later by itself. */
const plant = require('./plant.cjs');

plant('worker.js', [
  [
    'const webhookId = await (0, write_webhook_1.tellOfMove)(trx, context, moved, { before: payment, announced: move.announced });',
    `const webhookId = void 0;
     const tells = () => (0, write_webhook_1.tellOfMove)(context.db, context, moved, { before: payment, announced: move.announced });
     trx.executionPromise.then(tells, () => undefined);`,
  ],
]);
