/** How `npm start` and `npm run cluster` live: until a signal ends them, with everything that they started. */
import { surviveClosedPipes } from '../../src/process/closed-pipes';
import { printWarnings } from '../../src/telemetry/node-messages';
import { say } from './services/progress';
import { supervisor, type Supervisor } from './supervisor';

/** Resolves with the first signal to stop. A second Ctrl-C does not hurry: an orderly end loses nothing. */
function toldToStop(): Promise<NodeJS.Signals> {
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
  const stop = toldToStop();
  const failed = start(process.argv.slice(2), supervise).then(
    // Up: nothing ends it but a signal.
    () => stop,
    (error: unknown) => error,
  );
  const ending = await Promise.race([stop, failed]);
  if (typeof ending !== 'string') {
    say(`✗ ${ending instanceof Error ? ending.message : String(ending)}`);
    process.exitCode = 1;
  }
  await supervise.stop();
  // The start may have been stopped half-way; what it still waits for is not waited for.
  process.exit();
}
