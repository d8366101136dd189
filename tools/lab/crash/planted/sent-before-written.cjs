/** The instruction is sent, and only then written down. */
const plant = require('./plant.cjs');

plant('worker.js', [
  [
    'const attempt = await (0, write_attempt_1.writeAttempt)(context, payment,',
    `const early = payment.state === 'received'
       ? await instruct(context, payment, { n: 1, writtenAt: new Date(), isFound: false }, stop)
       : undefined;
     const attempt = await (0, write_attempt_1.writeAttempt)(context, payment,`,
  ],
  [
    'timed(instruct(context, payment, attempt, stop))',
    'timed(early ? Promise.resolve(early) : instruct(context, payment, attempt, stop))',
  ],
]);
