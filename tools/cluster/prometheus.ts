/** Prometheus beside the cluster: it scrapes every part, and evaluates the shipped alert rules. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild, whenReady, type Service } from '../sandbox/services/child-process';
import { listensOn } from '../sandbox/services/port-holder';
import { answersOk } from '../sandbox/services/wait-for';

const loopback = '127.0.0.1';

export interface PrometheusOptions {
  program: string;
  /** For its settings and data. */
  folder: string;
  port: number;
  /** Ports with /metrics, by the name of the job. */
  targets: Record<string, { name: string; port: number }[]>;
  /** The folder of the rules. */
  rulesFolder: string;
  logFile: string;
}

export interface PrometheusService extends Service {
  url: string;
}

export async function prometheus(options: PrometheusOptions): Promise<PrometheusService> {
  const { program, folder, port, logFile } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const settings = join(folder, 'prometheus.yml');
  // JSON is valid YAML.
  await writeFile(settings, JSON.stringify(await settingsOf(options), null, 2));
  const url = `http://${loopback}:${String(port)}`;
  return {
    name: 'Prometheus',
    url,
    spawn: () =>
      startChild({
        name: 'Prometheus',
        command: program,
        args: [
          `--config.file=${settings}`,
          `--storage.tsdb.path=${join(folder, 'data')}`,
          '--storage.tsdb.retention.time=1d',
          `--web.listen-address=${loopback}:${String(port)}`,
        ],
        logFile,
      }),
    ready: (child) =>
      whenReady(child, async () => (await answersOk(`${url}/-/ready`)) && listensOn(child.pid, port), {
        what: `Prometheus at ${url}`,
        timeoutMs: 60_000,
      }),
  };
}

async function settingsOf({ targets, rulesFolder }: PrometheusOptions): Promise<object> {
  const files = (await readdir(rulesFolder)).filter((file) => /^[\w-]+\.yml$/.test(file)).sort();
  return {
    global: { scrape_interval: '5s', evaluation_interval: '5s' },
    rule_files: files.map((file) => join(rulesFolder, file)),
    scrape_configs: Object.entries(targets).map(([job, parts]) => ({
      job_name: job,
      honor_labels: job.startsWith('malipo-'),
      static_configs: parts.map(({ name, port }) => ({
        targets: [`${loopback}:${String(port)}`],
        labels: { part: name, environment: 'sandbox' },
      })),
    })),
  };
}
