/**
 * `malipo payment list | head` closes our output while we still write. A command that changes data must not stop
 * half-way because of that. Later output is lost, and nothing else.
 */
export function surviveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
