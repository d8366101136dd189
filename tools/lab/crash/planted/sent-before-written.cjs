/** The submission is sent before its attempt is stored. */
const plant = require('./plant.cjs');

plant('worker.js', [
  [
    'const attempt = await (0, write_attempt_1.writeAttempt)(context, payment,',
    `const early = payment.state === 'received'
       ? await sendSubmission(context, payment, { n: 1, writtenAt: new Date(), isFound: false }, stop)
       : undefined;
     const attempt = await (0, write_attempt_1.writeAttempt)(context, payment,`,
  ],
  [
    'timed(sendSubmission(context, payment, attempt, stop))',
    'timed(early ? Promise.resolve(early) : sendSubmission(context, payment, attempt, stop))',
  ],
]);
