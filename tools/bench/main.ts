/**
 * `npm run bench [-- --json] [--quick] [--rounds N] [--payments N] [--flood | --volume | --hot | --settings | --cluster | --profile
 * | --slow-provider | --slow-merchants]`: the cost of a payment here, compared with that of Temporal alone.
 */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { say, step } from '../sandbox/services/progress';
import { volumeText } from './volume/report';
import { runVolumeTest } from './volume/run';
import { runCluster } from './cluster/run';
import { clusterText } from './cluster/text';
import { startBareSide } from './bare/processes';
import { bareSide } from './bare/side';
import { hotText } from './hot/report';
import { runHot } from './hot/run';
import { measureSides } from './measures/side';
import { readOptions, type BenchOptions } from './options';
import { diskMeter } from './ours/disk';
import { merchantClient } from './ours/merchant';
import { measureOverload } from './ours/overload';
import { paymentKinds, type PaymentKindName } from './ours/payments';
import { startReceiver } from './ours/receiver';
import { ourSide, untilQuiet } from './ours/side';
import { customerMs, startStack } from './ours/stack';
import { measureSteady } from './ours/steady';
import { profileText } from './profile/report';
import { runProfile } from './profile/run';
import { reportOf, type Report } from './report/report';
import { textOf } from './report/text';
import { settingsText } from './settings/report';
import { runSettings } from './settings/run';
import { floodText } from './flood/report';
import { runFlood } from './flood/run';
import { slowText } from './slow/report';
import { runSlow } from './slow/run';

async function bench(options: BenchOptions, folder: string): Promise<Report> {
  const receiver = await startReceiver();
  const stack = await startStack(folder, receiver.url);
  const bareProcesses = await step('starting the bare worker and its client', () =>
    startBareSide(stack.temporal, folder),
  );
  const merchant = merchantClient(stack.apiUrl, stack.merchant, receiver);
  try {
    const sideOf = (kind: PaymentKindName) => ourSide(stack, paymentKinds[kind].name, merchant.payBy(kind));
    const sides = {
      ours: sideOf('stk_push'),
      bare: bareSide(bareProcesses, stack.temporal, { temporal: stack.pids['temporal'] ?? 0 }),
      momo_deposit: sideOf('momo_deposit'),
      momo_payout: sideOf('momo_payout'),
    };
    const diskUsed = await diskMeter(stack.admin);
    const { ours, bare, ...rails } = await measureSides(sides, options.sides, step);
    const pay = merchant.payBy('stk_push');
    const steady = await step('payments at a steady 5 per second', () =>
      measureSteady(pay, stack.db, { perSecond: 5, seconds: options.steadySeconds }),
    );
    const overload = await step('three times the maximum load', () =>
      measureOverload(pay, stack.db, ours.settled_per_s, options.overloadSeconds),
    );
    await untilQuiet(stack.db);
    const diskBytes = await diskUsed();
    await step('verifying the books', () => stack.verify());
    return reportOf({ ours, bare, rails, steady, overload, diskBytes, customerMs });
  } finally {
    await merchant.close();
    receiver.close();
    await bareProcesses.stop();
    await stack.stop();
  }
}

async function printed(options: BenchOptions, folder: string): Promise<string> {
  const { json, floodSeconds, volume, hot, slow, settings, cluster, profile } = options;
  if (floodSeconds !== undefined) {
    const report = await runFlood(floodSeconds, folder);
    return json ? JSON.stringify(report) : floodText(report);
  }
  if (volume) {
    const report = await runVolumeTest(volume, folder);
    return json ? JSON.stringify(report) : volumeText(report);
  }
  if (hot) {
    const report = await runHot(hot, folder);
    return json ? JSON.stringify(report) : hotText(report);
  }
  if (slow) {
    const report = await runSlow(slow, folder);
    return json ? JSON.stringify(report) : slowText(report);
  }
  if (settings) {
    const report = await runSettings(settings, folder);
    return json ? JSON.stringify(report) : settingsText(report);
  }
  if (cluster) {
    const report = await runCluster(cluster, folder);
    return json ? JSON.stringify(report) : clusterText(report);
  }
  if (profile) {
    const report = await runProfile(profile, folder);
    return json ? JSON.stringify(report) : profileText(report);
  }
  const report = await bench(options, folder);
  return json ? JSON.stringify(report) : textOf(report);
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  const folder = await mkdtemp(join(tmpdir(), 'malipo-bench-'));
  let failed = false;
  // If interrupted, the run ends everything that it started, and leaves nothing behind.
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  process.once('exit', () => {
    if (!failed) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  try {
    process.stdout.write(`${await printed(options, folder)}\n`);
  } catch (error) {
    failed = true;
    say(`the logs of the run are kept in ${folder}`);
    throw error;
  }
}

main().catch((error: unknown) => {
  say(`✗ ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
