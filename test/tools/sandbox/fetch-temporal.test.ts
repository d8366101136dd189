/** Where `npm start` and the tests get Temporal from, against a release server of this file. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fetchRelease, standardBounds, type Release } from '../../../tools/sandbox/services/fetch-release';
import { temporalRelease } from '../../../tools/sandbox/services/find-temporal';
import { runCommand } from '../../../tools/sandbox/services/run-command';
import { waitFor } from '../../../tools/sandbox/services/wait-for';

const services = join(__dirname, '..', '..', '..', 'dist', 'tools', 'sandbox', 'services');

let folder: string;
let address: string;
let server: Server;
let archive: Buffer;
let connections = 0;
/** The requested paths, in their order. */
let asked: string[] = [];
/** What the server does with a file; by default it sends the right one. */
let answers: Record<string, (response: ServerResponse) => unknown> = {};
let served: typeof answers = {};

const release = (): Release => temporalRelease({ MALIPO_TEST_TEMPORAL_RELEASES: address });
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

/** An archive with these entries, as tar takes them from a folder. */
async function packed(entries: string[], fill: (folder: string) => void): Promise<Buffer> {
  const source = mkdtempSync(join(folder, 'packed-'));
  mkdirSync(join(source, 'inner'));
  fill(join(source, 'inner'));
  await runCommand('tar', ['-czPf', join(source, 'archive'), '-C', join(source, 'inner'), ...entries]);
  return readFileSync(join(source, 'archive'));
}

function writeProgram(path: string, lines: string): void {
  writeFileSync(path, `#!/bin/sh\n${lines}\n`);
  chmodSync(path, 0o755);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'malipo-fetch-'));
  archive = await packed(['LICENSE', 'temporal'], (inner) => {
    writeFileSync(join(inner, 'LICENSE'), 'MIT');
    writeProgram(join(inner, 'temporal'), 'echo from the release');
  });
  server = createServer((request, response) => {
    const file = request.url?.split('/').at(-1) ?? '';
    asked.push(request.url ?? '');
    (answers[file] ?? served[file] ?? send(404, ''))(response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  served = {
    [release().archive]: send(200, archive),
    'checksums.txt': sums(archive),
  };
});

const send = (status: number, content: string | Buffer, headers: Record<string, string> = {}) => {
  return (response: ServerResponse) => response.writeHead(status, headers).end(content);
};
/** A file of checksums with the line of this archive between others. */
const sums = (content: Buffer) => {
  const lines = [
    `${sha256(Buffer.from('another'))}  temporal_cli_0.0.1_plan9_amd64.tar.gz`,
    `${sha256(content)}  ${release().archive}`,
    `${sha256(Buffer.from('a third'))}  ${release().archive}.sbom`,
  ];
  return send(200, `${lines.join('\n')}\n`);
};

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

let home: string;
let bin: string;
beforeEach(() => {
  home = mkdtempSync(join(folder, 'home-'));
  bin = join(home, '.cache', 'malipo', 'bin');
  mkdirSync(join(home, 'path'));
  // The way after the release: Go, which takes minutes.
  writeProgram(
    join(home, 'path', 'go'),
    'echo "$*" >> "$HOME/go-was-asked"; printf "#!/bin/sh\\necho from Go\\n" > "$GOBIN/temporal"; chmod +x "$GOBIN/temporal"',
  );
  connections = 0;
  asked = [];
  answers = {};
});
afterEach(() => server.closeAllConnections());

interface Ended {
  code: number | null;
  output: string;
  child: ChildProcess;
}

/** Finds Temporal as `npm start` does, in a process of its own. */
function find(env: Record<string, string> = {}): { child: ChildProcess; ended: Promise<Ended> } {
  const program = `require(${JSON.stringify(join(services, 'find-temporal.js'))}).findTemporal()
    .then((found) => console.log(JSON.stringify(found)), (error) => { console.log(error.message); process.exitCode = 1; })`;
  const child = spawn(process.execPath, ['-e', program], {
    env: {
      PATH: [join(home, 'path'), '/usr/bin', '/bin'].join(delimiter),
      HOME: home,
      MALIPO_TEST_TEMPORAL_RELEASES: address,
      ...env,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, output, child }));
  return { child, ended };
}

/** What the found program prints, and everything that is in the cache. */
async function kept(): Promise<{ prints: string; cache: string[] }> {
  return { prints: await runCommand(join(bin, 'temporal'), []), cache: readdirSync(bin) };
}
const fromRelease = { prints: 'from the release\n', cache: ['temporal'] };
const fromGo = { prints: 'from Go\n', cache: ['temporal'] };
const wasGoAsked = () => existsSync(join(home, 'go-was-asked'));

describe('Temporal', () => {
  it('is taken from its release, with one line of progress, and the next start finds it', async () => {
    const { code, output } = await find().ended;
    expect([code, output]).toEqual([
      0,
      expect.stringContaining(`{"kind":"binary","path":"${bin}/temporal"}`),
    ]);
    expect(output).toMatch(/^✓ fetching the Temporal CLI 1\.5\.1 from 127\.0\.0\.1:\d+ \([\d.]+ s\)$/m);
    expect(await kept()).toEqual(fromRelease);
    expect(asked).toEqual([`/v1.5.1/checksums.txt`, `/v1.5.1/${release().archive}`]);
    expect(wasGoAsked()).toBe(false);

    connections = 0;
    expect((await find().ended).code).toBe(0);
    expect(connections).toBe(0);
  });

  it('is the server that the environment names, or the one on the PATH, before anything is fetched', async () => {
    const named = await find({ TEMPORAL_ADDRESS: 'temporal.example.org:7233' }).ended;
    expect(named.output).toBe('{"kind":"external","address":"temporal.example.org:7233"}\n');
    writeProgram(join(home, 'path', 'temporal'), 'echo installed');
    const installed = await find().ended;
    expect(installed.output).toBe(`{"kind":"binary","path":"${home}/path/temporal"}\n`);
    expect([connections, existsSync(bin)]).toEqual([0, false]);
  });

  it.each<Record<string, string>>([
    { MALIPO_TEMPORAL_DOWNLOAD: 'off' },
    { CI: 'true' },
    { CI: '1', MALIPO_TEMPORAL_DOWNLOAD: 'on' },
  ])('is not downloaded with %j', async (env) => {
    const { code, output } = await find(env).ended;
    expect([code, connections]).toEqual([0, 0]);
    expect(output).not.toContain('fetching');
    expect(await kept()).toEqual(fromGo);
  });

  it('is not searched with a setting that is neither on nor off', async () => {
    const { code, output } = await find({ MALIPO_TEMPORAL_DOWNLOAD: 'never' }).ended;
    expect([code, output, connections]).toEqual([1, 'MALIPO_TEMPORAL_DOWNLOAD must be on or off\n', 0]);
  });
});

describe('a release that cannot be used leaves nothing, and Go builds Temporal:', () => {
  /** The server's port is in no expected sentence. */
  const sentenceOf = (output: string) =>
    /^it is skipped: (.*)$/m.exec(output)?.[1]?.replaceAll(new URL(address).host, 'HOST');
  const name = () => release().archive;
  const endless = (response: ServerResponse) => {
    const zeros = Buffer.alloc(1024 * 1024);
    const more = () => {
      while (!response.destroyed && response.write(zeros));
    };
    response.writeHead(200).on('drain', more);
    more();
  };

  const cases: [title: string, answers: () => typeof answers, sentence: () => string][] = [
    [
      'a wrong checksum, which is found before anything is unpacked',
      () => ({ [name()]: send(200, 'not an archive') }),
      () => `${name()} does not have the checksum of its release`,
    ],
    [
      'half an archive',
      () => ({
        [name()]: (response) => {
          response.writeHead(200, { 'content-length': String(archive.length) });
          response.write(archive.subarray(0, archive.length / 2), () => response.destroy());
        },
      }),
      () => `HOST did not send ${name()}: other side closed`,
    ],
    ['no answer', () => ({ [name()]: () => undefined }), () => `HOST was silent for 10 s (${name()})`],
    ['no archive', () => ({ [name()]: send(404, '') }), () => `HOST answered 404 for ${name()}`],
    ['no checksums', () => ({ 'checksums.txt': send(404, '') }), () => `HOST answered 404 for checksums.txt`],
    [
      'checksums of other archives',
      () => ({ 'checksums.txt': send(200, `${sha256(archive)}  ${name()}.sbom\n`) }),
      () => `checksums.txt has no line for ${name()}`,
    ],
    ['an archive without an end', () => ({ [name()]: endless }), () => `${name()} is larger than 150 MB`],
    [
      'checksums without an end',
      () => ({ 'checksums.txt': endless }),
      () => `checksums.txt is larger than 1 MB`,
    ],
    [
      'a redirect without TLS',
      () => ({ [name()]: send(302, '', { location: 'http://192.0.2.1/archive' }) }),
      () => `http://192.0.2.1 is refused: it is not https`,
    ],
    [
      'redirects without an end',
      () => ({ [name()]: send(302, '', { location: `/v1.5.1/${name()}` }) }),
      () => `HOST redirected ${name()} more than 5 times`,
    ],
    ['a redirect to nowhere', () => ({ [name()]: send(302, '') }), () => `HOST answered 302 for ${name()}`],
  ];
  it.each(cases)('%s', async (_title, given, sentence) => {
    answers = given();
    const startedAt = Date.now();
    const { code, output } = await find().ended;
    expect([code, sentenceOf(output)]).toEqual([0, sentence()]);
    expect(output).toMatch(/^✗ fetching the Temporal CLI 1\.5\.1/m);
    expect(await kept()).toEqual(fromGo);
    expect(Date.now() - startedAt).toBeLessThan(30_000);
  });

  it('a verified file that is no archive', async () => {
    const other = Buffer.from('not an archive');
    answers = { [name()]: send(200, other), 'checksums.txt': sums(other) };
    const { code, output } = await find().ended;
    expect([code, sentenceOf(output)]).toEqual([0, expect.stringMatching(/^tar .* ended with \d+: .*tar: /)]);
    expect(await kept()).toEqual(fromGo);
  });

  it('nothing that listens', async () => {
    const { code, output } = await find({ MALIPO_TEST_TEMPORAL_RELEASES: 'http://127.0.0.1:1' }).ended;
    expect([code, sentenceOf(output)]).toEqual([
      0,
      '127.0.0.1:1 did not send checksums.txt: connect ECONNREFUSED 127.0.0.1:1',
    ]);
    expect(await kept()).toEqual(fromGo);
  });

  it('a server without TLS that is not this machine', async () => {
    const { output } = await find({ MALIPO_TEST_TEMPORAL_RELEASES: 'http://192.0.2.1' }).ended;
    expect(sentenceOf(output)).toBe('http://192.0.2.1 is refused: it is not https');
  });

  const archives: [title: string, entries: string[], fill: (inner: string) => void, sentence: string][] = [
    [
      'an entry outside of its folder',
      ['../outside', 'temporal'],
      (inner) => {
        writeFileSync(join(inner, '..', 'outside'), 'planted');
        writeProgram(join(inner, 'temporal'), 'echo planted');
      },
      'has an entry outside of its folder: ../outside',
    ],
    [
      'an entry with an absolute path',
      ['/etc/hostname', 'temporal'],
      (inner) => writeProgram(join(inner, 'temporal'), 'echo planted'),
      'has an entry outside of its folder: /etc/hostname',
    ],
    [
      'a link in place of the program',
      ['temporal'],
      (inner) => symlinkSync('/bin/sh', join(inner, 'temporal')),
      'has no file temporal',
    ],
    [
      'no program',
      ['LICENSE'],
      (inner) => writeFileSync(join(inner, 'LICENSE'), 'MIT'),
      'has no file temporal',
    ],
  ];
  it.each(archives)('%s', async (_title, entries, fill, sentence) => {
    const planted = await packed(entries, fill);
    answers = { [name()]: send(200, planted), 'checksums.txt': sums(planted) };
    const { code, output } = await find().ended;
    expect([code, sentenceOf(output)]).toEqual([0, `${name()} ${sentence}`]);
    expect(await kept()).toEqual(fromGo);
    expect(readdirSync(home).sort()).toEqual(['.cache', 'go-was-asked', 'path']);
  });

  it('an answer that stops', async () => {
    answers = { [name()]: (response) => response.writeHead(200).write('begins') };
    const bounds = { ...standardBounds, silentMs: 500 };
    await expect(fetchRelease(join(bin, 'temporal'), release(), bounds)).rejects.toThrow(
      `was silent for 0.5 s (${name()})`,
    );
    expect(readdirSync(bin)).toEqual([]);
  });

  it('a download that is too slow', async () => {
    answers = {
      [name()]: (response) => {
        response.writeHead(200);
        const drip = setInterval(() => response.write('x'), 20);
        response.once('close', () => clearInterval(drip));
      },
    };
    const bounds = { ...standardBounds, totalMs: 300 };
    await expect(fetchRelease(join(bin, 'temporal'), release(), bounds)).rejects.toThrow(
      `${name()} took longer than 0.3 s`,
    );
    expect(readdirSync(bin)).toEqual([]);
  });

  it('a host that accepts a connection and does not begin TLS', async () => {
    const silent = createTcpServer(() => undefined);
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const host = `127.0.0.1:${String((silent.address() as AddressInfo).port)}`;
    const bounds = { ...standardBounds, connectMs: 300 };
    await expect(
      fetchRelease(join(bin, 'temporal'), { ...release(), address: `https://${host}/` }, bounds),
    ).rejects.toThrow(`${host} did not connect within 0.3 s`);
    expect(readdirSync(bin)).toEqual([]);
    silent.close();
  });
});

describe('without a release, Docker has Temporal in an image:', () => {
  /** Prints its commands to a file; `create` and `cp` do what the real ones do with an image that has this program. */
  const docker = (lines: Partial<Record<'info' | 'create' | 'cp', string>> = {}) => {
    const { info = 'exit 0', create = 'echo c0ffee > "$3"; echo c0ffee', cp } = lines;
    const copies = `printf '#!/bin/sh\\necho from the image\\n' > "$3/temporal"; chmod +x "$3/temporal"`;
    writeProgram(
      join(home, 'path', 'docker'),
      `echo "$*" | sed "s#$HOME#~#g; s#making[^ /]*#making#" >> "$HOME/docker-was-asked"
      case "$1" in info) ${info};; create) ${create};; cp) ${cp ?? copies};; esac`,
    );
    return () => readFileSync(join(home, 'docker-was-asked'), 'utf8').trim().split('\n');
  };
  beforeEach(() => {
    answers = { 'checksums.txt': send(404, '') };
  });

  it('its program is copied, and the container is removed', async () => {
    const asked = docker();
    expect((await find().ended).code).toBe(0);
    expect(await kept()).toEqual({ ...fromRelease, prints: 'from the image\n' });
    const making = '~/.cache/malipo/bin/temporal.making';
    expect(asked()).toEqual([
      'info',
      `create --cidfile ${making}/container temporalio/temporal:1.5.1`,
      `cp c0ffee:/usr/local/bin/temporal ${making}`,
      'rm c0ffee',
    ]);
    expect(wasGoAsked()).toBe(false);
  });

  it.each([
    ['no daemon', { info: 'exit 1' }, ['info']],
    ['no image', { create: 'echo "no such image"; exit 125' }, ['info', 'create']],
    ['an image without the program', { cp: 'echo "no such path"; exit 1' }, ['info', 'create', 'cp', 'rm']],
  ])('%s: Go builds it', async (_title, lines, commands) => {
    const asked = docker(lines);
    const { code, output } = await find().ended;
    expect(code).toBe(0);
    expect(asked().map((line) => line.split(' ')[0])).toEqual(commands);
    expect(output.match(/^it is skipped: docker .*no such (image|path)$/gm)?.length ?? 0).toBe(
      commands.length > 1 ? 1 : 0,
    );
    expect(await kept()).toEqual(fromGo);
  });

  it('with the setting off, Docker is not asked', async () => {
    const asked = docker();
    await find({ MALIPO_TEMPORAL_DOWNLOAD: 'off' }).ended;
    expect(() => asked()).toThrow('ENOENT');
    expect(await kept()).toEqual(fromGo);
  });
});

describe('a release', () => {
  it('may be elsewhere: its redirects are followed', async () => {
    const file = release().archive;
    answers = {
      [file]: send(302, '', { location: `${address}/elsewhere/moved?sig=1` }),
      'moved?sig=1': send(307, '', { location: '/stored' }),
      stored: send(200, archive),
    };
    expect((await find().ended).code).toBe(0);
    expect(await kept()).toEqual(fromRelease);
    expect(asked).toEqual(['/v1.5.1/checksums.txt', `/v1.5.1/${file}`, '/elsewhere/moved?sig=1', '/stored']);
  });

  it('is fetched once by two processes', async () => {
    const both = await Promise.all([find().ended, find().ended]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(asked).toHaveLength(2);
    expect(await kept()).toEqual(fromRelease);
  });

  it('is fetched again after a process died in the middle, and what it left is deleted', async () => {
    let half: ServerResponse | undefined;
    answers = {
      [release().archive]: (response) => {
        response.writeHead(200, { 'content-length': String(archive.length) });
        response.write(archive.subarray(0, archive.length / 2), () => {
          half = response;
        });
      },
    };
    const { child, ended } = find();
    await waitFor(() => Promise.resolve(half !== undefined), { what: 'half', timeoutMs: 30_000 });
    child.kill('SIGKILL');
    await ended;
    expect(existsSync(join(bin, 'temporal'))).toBe(false);
    expect(readdirSync(bin)).not.toEqual([]);

    answers = {};
    expect((await find().ended).code).toBe(0);
    expect(await kept()).toEqual(fromRelease);
  });

  it('has the names of the official one', () => {
    const at = (platform: NodeJS.Platform, arch: string) => temporalRelease({}, platform, arch);
    expect(at('linux', 'x64')).toEqual({
      name: 'the Temporal CLI 1.5.1',
      address: 'https://github.com/temporalio/cli/releases/download/v1.5.1/',
      archive: 'temporal_cli_1.5.1_linux_amd64.tar.gz',
      program: 'temporal',
    });
    expect(at('darwin', 'arm64').archive).toBe('temporal_cli_1.5.1_darwin_arm64.tar.gz');
    expect(() => at('freebsd', 'x64')).toThrow('the Temporal CLI 1.5.1 has no release for freebsd x64');
    expect(() => at('linux', 'ppc64')).toThrow('the Temporal CLI 1.5.1 has no release for linux ppc64');
  });
});
