/** The state and its posting are committed, and the webhook of the change a moment later, separately. */
const plant = require('./plant.cjs');

plant('worker.js', [
  [
    'const webhookId = await (0, write_webhook_1.writeTransitionWebhook)(trx, context, moved, {',
    `const webhookId = void 0;
     const webhookLater = (change) => {
       const write = () => (0, write_webhook_1.writeTransitionWebhook)(context.db, context, moved, change);
       trx.executionPromise.then(write, () => undefined);
     };
     webhookLater({`,
  ],
]);
