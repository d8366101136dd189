import { join } from 'node:path';
import { buildWithGo } from '../sandbox/services/go-tool';
import { isExecutable } from '../sandbox/services/on-path';
import { cachedBinaries } from '../sandbox/services/user-cache';

/** The same server version as in the development server of `npm start` and the tests, so that both behave alike. */
const standard = '1.29.1';

export interface TemporalBinaries {
  server: string;
  /** Creates and upgrades the tables; it contains their versions. */
  sqlTool: string;
}

/**
 * Temporal publishes only images and source, so without images we build from source. @throws an Error that says what
 * helps.
 */
export async function findTemporalServer(version = standard): Promise<TemporalBinaries> {
  const server = join(cachedBinaries, `temporal-server-${version}`);
  const sqlTool = join(cachedBinaries, `temporal-sql-tool-${version}`);
  const has = async (target: string, path: string, progress: string): Promise<boolean> =>
    isExecutable(target) ||
    (await buildWithGo(target, `go.temporal.io/server/cmd/${path}@v${version}`, progress)) !== undefined;
  const built =
    (await has(
      server,
      'server',
      'building the Temporal server with Go (3 to 6 minutes, only once per user)',
    )) && (await has(sqlTool, 'tools/sql', 'building the tool for its tables'));
  if (built) return { server, sqlTool };
  throw new Error(
    [
      'There is no Go here to build the Temporal server. Either of these helps:',
      '  - install Go 1.25 or later; the next start builds it, once',
      `  - put \`temporal-server\` and \`temporal-sql-tool\` of Temporal ${version} at`,
      `    ${server} and ${sqlTool}`,
    ].join('\n'),
  );
}
