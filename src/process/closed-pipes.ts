/**
 * `malipo payment list | head` closes our output while we still write. Whoever reads has read enough, and a command
 * that changes something must not be cut half-way for it: what is written from then on is lost, and nothing else.
 */
export function surviveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
