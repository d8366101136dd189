/** The simulator as a process: `node dist/bundle/simulator.js`. */
import { complain } from './complain';
import { createSimulator } from './simulator';
import { SettingsError } from './settings';

/** Node's own warning would quote a caller's text. Its code is enough. */
process.removeAllListeners('warning');
process.on('warning', ({ name, code }: Error & { code?: string }) => {
  complain(JSON.stringify({ warning: name, code }));
});

async function main(): Promise<void> {
  const simulator = await createSimulator({ env: process.env });
  console.log(JSON.stringify({ listening: simulator.url, providers: simulator.origins }));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      void simulator.close().then(() => process.exit(0));
    });
  }
}

main().catch((error: unknown) => {
  if (error instanceof SettingsError) complain(error.message);
  else complain('the simulator could not be started:', error);
  process.exitCode = 1;
});
