/** The first service of docker-compose.yml: fails where Docker has a deployment of Malipo, so that nothing else starts. */
import { request } from 'node:http';

const project = 'malipo';
const label = 'com.docker.compose.project';
/** Of the deployment's project, or with its image, whatever its project is called. */
const isOfDeployment = ({ Image: image, Labels: labels }: Container) =>
  labels?.[label] === project || /(?:^|\/)malipo(?::|@|$)/.test(image);

/**
 * Asks Docker for the containers, running or not, and the volumes of a deployment. A volume that was restored by hand has
 * only the project's name.
 * @returns what was found, or undefined.
 */
export async function findDeployment(socketPath: string): Promise<string | undefined> {
  const containers = await read<Container[]>(socketPath, '/containers/json?all=true');
  const container = containers.find(isOfDeployment);
  if (container) return `the container ${container.Names[0]?.replace(/^\//, '') ?? 'without a name'}`;
  const { Volumes: volumes } = await read<Volumes>(socketPath, '/volumes');
  const volume = volumes?.find(
    ({ Name: name, Labels: labels }) => labels?.[label] === project || name.startsWith(`${project}_`),
  );
  return volume && `the volume ${volume.Name}`;
}

interface Container {
  Names: string[];
  Image: string;
  Labels: Record<string, string> | null;
}

interface Volumes {
  Volumes: { Name: string; Labels: Record<string, string> | null }[] | null;
}

function read<T>(socketPath: string, path: string): Promise<T> {
  const signal = AbortSignal.timeout(30_000);
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, path, signal }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('error', reject).on('end', () => {
        if (response.statusCode === 200) resolve(JSON.parse(text) as T);
        else reject(new Error(`${path} answered ${String(response.statusCode)}`));
      });
    });
    asked.on('error', reject).end();
  });
}

/** @returns why no sandbox may start, or undefined. A guard that sees nothing must refuse, too. */
export async function obstacle(socketPath: string): Promise<string | undefined> {
  try {
    const found = await findDeployment(socketPath);
    return found === undefined
      ? undefined
      : `This machine has a deployment of Malipo (${found}), and no sandbox starts beside it: ` +
          'use `docker compose --project-directory . --file deploy/compose/production.yml` for the deployment.';
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return (
      `Docker did not say whether it has a deployment of Malipo (${why}), so no sandbox starts: ` +
      'set MALIPO_DOCKER_SOCKET to the path of its socket, or use `npm start`.'
    );
  }
}

async function main(): Promise<void> {
  const sentence = await obstacle('/var/run/docker.sock');
  if (sentence === undefined) return;
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}

if (require.main === module) void main();
