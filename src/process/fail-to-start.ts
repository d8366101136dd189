import { showControls } from '../domain/controls';
import { redactText } from '../telemetry/redact';

/** Ends a process that could not be started, whatever it has opened so far: half of one must not look alive. */
export function failToStart(error: unknown): never {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${showControls(redactText(text))}\n`);
  process.exit(1);
}
