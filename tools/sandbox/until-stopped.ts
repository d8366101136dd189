/** The life of `npm start` and `npm run cluster`: until a signal stops them, with everything that they started. */
import { surviveClosedPipes } from '../../src/process/closed-pipes';
import { printWarnings } from '../../src/telemetry/node-messages';
import { say } from './services/progress';
import { supervisor, type Supervisor } from './supervisor';

/** Resolves at the first signal. A second Ctrl-C changes nothing: an orderly stop loses no data. */
function askedToStop(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        resolve(signal);
      });
    }
  });
}

export async function runUntilStopped(
  start: (args: string[], supervise: Supervisor) => Promise<void>,
): Promise<never> {
  surviveClosedPipes();
  printWarnings(say);
  const supervise = supervisor();
  const stop = askedToStop();
  const failed = start(process.argv.slice(2), supervise).then(
    // Running: only a signal ends it.
    () => stop,
    (error: unknown) => error,
  );
  const ending = await Promise.race([stop, failed]);
  if (typeof ending !== 'string') {
    say(`✗ ${ending instanceof Error ? ending.message : String(ending)}`);
    process.exitCode = 1;
  }
  await supervise.stop();
  // The start may have been interrupted; its open handles are not awaited.
  process.exit();
}
