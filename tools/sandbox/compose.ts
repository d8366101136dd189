/** The service `sandbox` of docker-compose.yml: `npm start` in a container, with the servers of two others. */
import { publishLoopback } from './publish-loopback';
import { startSandbox } from './start-sandbox';
import type { ShellCommands } from './summary';
import { runUntilStopped } from './until-stopped';

const fromTheHost: ShellCommands = {
  files: (description) => `docker compose exec sandbox cat ${description}`,
  keys: (path) => `eval "$(docker compose exec -T sandbox cat ${path})"`,
  shop: (docs) => `${docs}/guides/shop.html`,
  listen: 'docker compose exec sandbox malipo listen',
  stop: [
    'To copy these lines: docker compose logs --no-log-prefix sandbox',
    'docker compose down stops all of it; docker compose up continues with its data.',
  ],
};

void runUntilStopped((args, supervise) =>
  startSandbox(args, supervise, {
    shell: fromTheHost,
    // `down --volumes` deletes the volumes of both.
    withSimulatorsBooks: true,
    whenReady: ({ api, ops, simulator, portal, providers }) =>
      publishLoopback(
        [api, ops, simulator, portal, ...Object.values(providers)].map((url) => Number(new URL(url).port)),
      ),
  }),
);
