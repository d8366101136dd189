/** Programs from the archives of a release: verified, unpacked, and kept in our cache once per user. */
import { createHash } from 'node:crypto';
import { chmod, lstat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { isThisMachine } from '../../../src/domain/ip-address';
import { makeOnce } from './make-once';
import { runCommand } from './run-command';

export interface Release {
  /** For users, such as `the Temporal CLI 1.5.1`. */
  name: string;
  /** The folder of its files, with a slash at its end. */
  address: string;
  /** The archive for this machine, a `.tar.gz`. */
  archive: string;
  /** The name of the program at the top of the archive. */
  program: string;
}

export interface Bounds {
  /** From the name of the host to the end of the TLS handshake. */
  connectMs: number;
  /** Between a request and its answer, and within the answer. */
  silentMs: number;
  /** For all requests of a release together. */
  totalMs: number;
  archiveBytes: number;
}

const megabyte = 1_000_000;

/** The archive of the Temporal CLI has about 50 MB: 2.3 Mbit/s are enough for these bounds. */
export const standardBounds: Bounds = {
  connectMs: 5_000,
  silentMs: 10_000,
  totalMs: 180_000,
  archiveBytes: 150 * megabyte,
};

/** One line per archive, its SHA-256 in hexadecimal and its name, as `sha256sum` prints them. */
const checksumFile = 'checksums.txt';
const checksumBytes = megabyte;
const redirectsMax = 5;

/** @throws an Error with the reason in one sentence; then nothing is left in the cache. */
export function fetchRelease(target: string, release: Release, bounds = standardBounds): Promise<string> {
  const progress = `fetching ${release.name} from ${new URL(release.address).host}`;
  return makeOnce(target, progress, async (workshop) => {
    const path = join(workshop, 'archive.tar.gz');
    await writeFile(path, await verifiedArchive(release, bounds));
    return unpack(path, workshop, release);
  });
}

async function verifiedArchive({ address, archive }: Release, bounds: Bounds): Promise<Buffer> {
  const files = remoteFiles(address, bounds);
  try {
    const sums = (await files.get(checksumFile, checksumBytes)).toString();
    const listed = sums.split('\n').map((line) => /^([\da-f]{64}) [ *](\S+)$/.exec(line.trim()));
    const sum = listed.find((line) => line?.[2] === archive)?.[1];
    if (sum === undefined) throw new Error(`${checksumFile} has no line for ${archive}`);
    const content = await files.get(archive, bounds.archiveBytes);
    if (createHash('sha256').update(content).digest('hex') !== sum)
      throw new Error(`${archive} does not have the checksum of its release`);
    return content;
  } finally {
    await files.close();
  }
}

/** Only the program is unpacked. An archive that would write outside of its folder is refused as a whole. */
async function unpack(path: string, workshop: string, { archive, program }: Release): Promise<string> {
  const entries = (await runCommand('tar', ['-tzf', path])).split('\n');
  const outside = entries.find((entry) => entry.startsWith('/') || entry.split('/').includes('..'));
  if (outside !== undefined) throw new Error(`${archive} has an entry outside of its folder: ${outside}`);
  if (!entries.includes(program)) throw new Error(`${archive} has no file ${program}`);
  await runCommand('tar', ['-xzf', path, '-C', workshop, '--no-same-owner', program]);
  const unpacked = join(workshop, program);
  // A link would lead out of the folder.
  if (!(await lstat(unpacked)).isFile()) throw new Error(`${archive} has no file ${program}`);
  await chmod(unpacked, 0o755);
  return unpacked;
}

interface RemoteFiles {
  /** @throws an Error with the reason in one sentence. */
  get(file: string, bytesMax: number): Promise<Buffer>;
  close(): Promise<void>;
}

function remoteFiles(address: string, { connectMs, silentMs, totalMs }: Bounds): RemoteFiles {
  const agent = new Agent({
    connect: { timeout: connectMs },
    headersTimeout: silentMs,
    bodyTimeout: silentMs,
  });
  const signal = AbortSignal.timeout(totalMs);
  const isLocal = isLocalHttp(new URL(address));

  async function get(file: string, bytesMax: number): Promise<Buffer> {
    let url = new URL(file, address);
    for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
      // Without TLS anyone on the way could replace the checksum and the archive.
      if (url.protocol !== 'https:' && !(isLocal && isLocalHttp(url)))
        throw new Error(`${url.origin} is refused: it is not https`);
      const { status, location, content } = await answerOf(url, file, bytesMax);
      if (content === undefined) throw new Error(`${file} is larger than ${inMegabytes(bytesMax)}`);
      if (status === 200) return content;
      if (!isRedirect(status) || location === undefined || !URL.canParse(location, url.href))
        throw new Error(`${url.host} answered ${String(status)} for ${file}`);
      url = new URL(location, url);
    }
    throw new Error(`${url.host} redirected ${file} more than ${String(redirectsMax)} times`);
  }

  async function answerOf(url: URL, file: string, bytesMax: number): Promise<Answer> {
    try {
      const { statusCode, headers, body } = await request(url, { dispatcher: agent, signal });
      const location = headers.location;
      return {
        status: statusCode,
        location: typeof location === 'string' ? location : undefined,
        content: await contentOf(body, bytesMax),
      };
    } catch (error) {
      throw new Error(sentenceOf(error, url.host, file), { cause: error });
    }
  }

  function sentenceOf(error: unknown, host: string, file: string): string {
    const { code, name, message } = error as NodeJS.ErrnoException;
    if (name === 'TimeoutError') return `${file} took longer than ${inSeconds(totalMs)}`;
    if (code === 'UND_ERR_CONNECT_TIMEOUT') return `${host} did not connect within ${inSeconds(connectMs)}`;
    if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT')
      return `${host} was silent for ${inSeconds(silentMs)} (${file})`;
    // An error of several addresses at once has a code and no message.
    return `${host} did not send ${file}: ${message === '' ? (code ?? name) : message}`;
  }

  return { get, close: () => agent.destroy() };
}

interface Answer {
  status: number;
  location: string | undefined;
  /** Undefined where it is too large. */
  content: Buffer | undefined;
}

async function contentOf(body: AsyncIterable<Buffer>, bytesMax: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > bytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const isRedirect = (status: number) => [301, 302, 303, 307, 308].includes(status);
const inSeconds = (ms: number) => `${String(ms / 1_000)} s`;
const inMegabytes = (bytes: number) => `${String(bytes / megabyte)} MB`;

function isLocalHttp({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && isThisMachine(hostname);
}
