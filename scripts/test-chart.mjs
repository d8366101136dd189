/** `npm run test:chart`: the Helm chart, compared with the manifests by Helm itself; see docs/testing.md. */
import { existsSync } from 'node:fs';
import { bootstrap, handOver } from './bootstrap.mjs';

await bootstrap();
await handOver(['dist/tools/sandbox/services/prepare-tests.js', 'helm']);
const { deployTool } = await import('../dist/tools/sandbox/services/deploy-tools.js');
process.exitCode = existsSync(deployTool('helm'))
  ? await handOver([
      'scripts/test.mjs',
      'everyday',
      'test/tools/deploy/chart.test.ts',
      ...process.argv.slice(2),
    ])
  : 1;
