/** `npm run docker-drill -- sandbox|production`: starts a Docker of its own, makes the images, runs the drill, and removes all of it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { say } from '../sandbox/services/progress';
import { startDocker, type Docker } from './docker';
import { drillProduction } from './production';
import { drillSandbox } from './sandbox';
import { makeProductionStandIns, makeSandboxStandIns } from './stand-ins';

const drills = {
  sandbox: { makeStandIns: makeSandboxStandIns, run: drillSandbox },
  production: { makeStandIns: makeProductionStandIns, run: drillProduction },
};

async function main(args: string[]): Promise<void> {
  const [, drill] = Object.entries(drills).find(([name]) => name === args.join(' ')) ?? [];
  if (drill === undefined)
    throw new Error(`usage: npm run docker-drill -- ${Object.keys(drills).join(' | ')}`);
  const folder = await mkdtemp(join(tmpdir(), 'malipo-docker-'));
  let docker: Docker | undefined;
  const end = async () => {
    await docker?.stop();
    await rm(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void end().finally(() => process.exit(1)));
  }
  try {
    docker = await startDocker(folder);
    await drill.makeStandIns(docker, folder);
    const passed = await drill.run(docker, folder);
    say(`${String(passed)} passed, 0 failed`);
  } finally {
    await end();
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  say(`✗ ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
