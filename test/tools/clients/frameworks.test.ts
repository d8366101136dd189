/** Webhooks over HTTP to a shop in each framework: the client verifies them with the framework's own request. */
import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPhpFrameworks } from '../../../tools/sandbox/services/php-frameworks';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { signatureHeaders } from '../../../src/webhooks/post';
import { portReserve } from '../../support/ports';
import { languages, runnable, type Language } from './languages';

const root = join(__dirname, '..', '..', '..');
const clients = join(root, 'packages', 'clients');
const drivers = join(__dirname, 'drivers');
const folder = mkdtempSync(join(tmpdir(), 'malipo-frameworks-'));
const secretOf = (text: string) => `whsec_${Buffer.from(text.padEnd(32, '.')).toString('base64')}`;
const secret = secretOf('the secret of the shop');
const foreign = secretOf('another secret');

/** Each form in which a framework has the headers, or the body, is a handler of its own. */
const frameworks: Record<Language['name'], Record<string, { forms: string[]; parsed: string[] }>> = {
  node: {
    express: { forms: ['headers', 'request', 'raw'], parsed: ['parsed', 'unread'] },
    fastify: { forms: ['headers', 'request'], parsed: ['parsed'] },
    koa: { forms: ['headers', 'request', 'context'], parsed: [] },
    hono: { forms: ['request', 'headers', 'record', 'bytes'], parsed: ['parsed'] },
    request: { forms: ['request', 'headers', 'pairs'], parsed: [] },
    node: { forms: ['headers', 'request', 'distinct'], parsed: [] },
  },
  python: {
    django: { forms: ['request', 'headers', 'meta'], parsed: ['parsed'] },
    'django-asgi': { forms: ['request', 'headers', 'meta'], parsed: ['parsed'] },
    flask: { forms: ['request', 'headers', 'environ', 'text'], parsed: ['parsed'] },
    wsgi: { forms: ['environ'], parsed: [] },
    starlette: { forms: ['request', 'headers', 'scope'], parsed: ['parsed'] },
    asgi: { forms: ['scope', 'pairs'], parsed: [] },
  },
  php: {
    plain: { forms: ['server', 'headers'], parsed: ['parsed'] },
    symfony: { forms: ['request', 'headers'], parsed: ['parsed'] },
    laravel: { forms: ['request', 'headers'], parsed: ['parsed'] },
    nyholm: { forms: ['request', 'headers'], parsed: ['parsed'] },
    guzzle: { forms: ['request', 'headers'], parsed: ['parsed'] },
    wordpress: { forms: ['request', 'headers'], parsed: ['parsed'] },
  },
};

/** The first column of a README's table, and the package whose version is in the last. */
const provenWith: Record<Language['name'], [framework: string, packages: string[]][]> = {
  node: [
    ['Express', ['express']],
    ['Fastify', ['fastify']],
    ['Koa', ['koa']],
    ['Hono', ['hono']],
  ],
  python: [
    ['Django', ['django']],
    ['Flask', ['flask']],
    ['Starlette, FastAPI', ['starlette']],
    ['ASGI', ['uvicorn']],
  ],
  php: [
    ['Laravel', ['php-illuminate-http']],
    ['Symfony', ['php-symfony-http-foundation']],
    ['PSR-7, as in Slim, Mezzio', ['php-nyholm-psr7', 'php-guzzlehttp-psr7']],
    ['WordPress', ['wordpress']],
  ],
};

const body = '{ "callback_type": "Mobile-Money", "event_type":"deposit.succeeded",\n"name":"Wanjikũ" }\n';
const read = { id: 'msg_1', type: 'Mobile-Money', event: 'deposit.succeeded' };

type Pairs = [name: string, value: string][];

/** The headers of an authentic webhook, as pairs, because some tests repeat one. */
function signed({ of = body, by = [secret], minutesAgo = 0 } = {}): Pairs {
  const at = new Date(Date.now() - minutesAgo * 60_000);
  const headers = signatureHeaders(read.id, at, of, by);
  return [...Object.entries(headers), ['X-Callback-Type', 'STK-Push']];
}
const named = (change: (name: string) => string): Pairs =>
  signed().map(([name, value]) => [change(name), value]);
const without = (gone: string): Pairs => signed().filter(([name]) => name.toLowerCase() !== gone);
const again = (name: string, value: string): Pairs => [...signed(), [name, value]];
const titled = (name: string) => name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());

interface Sent {
  headers: () => Pairs;
  /** Its body, unless it is the usual one. */
  sent?: string;
}

const authentic: Record<string, Sent> = {
  'in lower case': { headers: () => named((name) => name.toLowerCase()) },
  'in title case': { headers: () => named(titled) },
  'in upper case': { headers: () => named((name) => name.toUpperCase()) },
  'with the signature of another secret first': { headers: () => signed({ by: [foreign, secret] }) },
};

const isForeign = 'The signature is wrong';
const hasNoTime = 'The webhook-timestamp header is missing or not a time';
const isOld = 'The webhook is too old, or its time is in the future';
const isNoObject = 'The body is not a JSON object';
const refused: Record<string, Sent & { message: string }> = {
  'signed with another secret': { headers: () => signed({ by: [foreign] }), message: isForeign },
  'with another body': { headers: signed, sent: body.replace('Wanjikũ', 'Wambui'), message: isForeign },
  'with the same JSON in other bytes': { headers: signed, sent: body.trim(), message: isForeign },
  'six minutes old': { headers: () => signed({ minutesAgo: 6 }), message: isOld },
  'from the future': { headers: () => signed({ minutesAgo: -6 }), message: isOld },
  'without webhook-id': { headers: () => without('webhook-id'), message: isForeign },
  'without webhook-timestamp': { headers: () => without('webhook-timestamp'), message: hasNoTime },
  'without webhook-signature': { headers: () => without('webhook-signature'), message: isForeign },
  'without any header': { headers: () => [], message: hasNoTime },
  'with a second webhook-id': { headers: () => again('webhook-id', 'msg_2'), message: isForeign },
  'with a second webhook-timestamp': {
    headers: () => again('webhook-timestamp', '1700000000'),
    message: hasNoTime,
  },
  'with two foreign signatures in two headers': {
    headers: () => [...signed({ by: [foreign] }), ['webhook-signature', 'v1,AAAA']],
    message: isForeign,
  },
  'with a signature that is not ASCII': {
    headers: () => [...without('webhook-signature'), ['webhook-signature', 'v1,\xe9']],
    message: isForeign,
  },
  'signed, but empty': { headers: () => signed({ of: '' }), sent: '', message: isNoObject },
  'signed, but a list': { headers: () => signed({ of: '[]' }), sent: '[]', message: isNoObject },
};

/** The README's table of frameworks, and the samples below it that its rows need. */
function tableOf(language: Language['name']): { rows: string[][]; samples: string[] } {
  const text = readFileSync(join(clients, language, 'README.md'), 'utf8');
  const [, table = '', below = ''] =
    /^\| framework .*\n\| -.*\n((?:\|.*\n)+)([^]*?)^Deliver the order /m.exec(text) ?? [];
  return {
    rows: table
      .split('\n')
      .map((row) => row.split('|').slice(1, -1))
      .filter((row) => row.length > 0)
      .map((row) => row.map((cell) => cell.trim())),
    samples: [...below.matchAll(/^```\w+\n([^]*?)^```$/gm)].map(([, sample = '']) => sample.trim()),
  };
}
const endings = { node: 'ts', python: 'py', php: 'php' };
/** Without the assertions that only our linter needs, and however it is wrapped. */
const plain = (code: string) => code.replaceAll(' as Buffer', '').replaceAll(/\s+/g, ' ');

function versionOf(language: Language['name'], name: string): string | undefined {
  if (language === 'php') return /^\d+\.\d+/.exec(findPhpFrameworks()?.versions[name] ?? '')?.[0];
  if (language === 'python')
    return new RegExp(`^${name}==(\\S+)`, 'm').exec(
      readFileSync(join(__dirname, 'requirements.txt'), 'utf8'),
    )?.[1];
  const file = join(root, 'node_modules', name, 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
const isBookworm =
  existsSync('/etc/os-release') &&
  readFileSync('/etc/os-release', 'utf8').includes('VERSION_CODENAME=bookworm');

/** A process whose own variables have the names of the headers must not disturb them. */
const env = {
  ...process.env,
  MALIPO_WEBHOOK_SECRET: secret,
  ...{ WEBHOOK_ID: 'wh_1', WEBHOOK_TIMESTAMP: 'never', WEBHOOK_SIGNATURE: 'v1,AAAA' },
};

const ports = portReserve();
const children: ChildProcess[] = [];
afterAll(async () => {
  await Promise.all(
    children.map(
      (child) =>
        new Promise((resolve) => {
          if (child.exitCode !== null || child.signalCode !== null) resolve(undefined);
          else child.once('exit', resolve).kill();
        }),
    ),
  );
  ports.letGo();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs shops until the probe finds them ready, with what they have printed. It ends early, with the reason, if they do. */
async function run<T>(
  [command = '', ...args]: string[],
  more: NodeJS.ProcessEnv,
  probe: (printed: string) => Promise<T | undefined>,
): Promise<T> {
  const child = spawn(command, args, { env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let [printed, reported] = ['', ''];
  child.stdout.on('data', (text) => (printed += String(text)));
  child.stderr.on('data', (text) => (reported += String(text)));
  const ended = new AbortController();
  child.once('error', (error) => {
    ended.abort(error);
  });
  child.once('exit', () => {
    ended.abort(new Error(`${args.join(' ')} ended: ${reported}`));
  });
  const what = `the shops of ${args.join(' ')}`;
  return waitFor(() => probe(printed), { what, timeoutMs: 60_000, signal: ended.signal });
}

const addresses = (printed: string) =>
  Promise.resolve(printed.endsWith('\n') ? (JSON.parse(printed) as Record<string, string>) : undefined);

/** Starts the shops of a language. @returns the address of a handler. */
const start: Record<
  Language['name'],
  (command: string) => Promise<(framework: string, form: string) => string>
> = {
  async node(command) {
    const program = runnable(join(drivers, 'frameworks.ts'), folder, 'frameworks.cjs');
    const urls = await run([command, program], {}, addresses);
    return (framework, form) => `${urls[framework] ?? ''}/${form}`;
  },
  async python(command) {
    const urls = await run([command, join(drivers, 'frameworks.py')], languages.python.env, addresses);
    return (framework, form) => `${urls[framework] ?? ''}/${framework}/${form}`;
  },
  async php(command) {
    const packages = join(findPhpFrameworks()?.folder ?? '', 'usr', 'share');
    const host = `127.0.0.1:${String(await ports.take())}`;
    const settings = ['-d', 'display_errors=stderr'];
    await run(
      [command, ...settings, '-S', host, join(drivers, 'frameworks.php')],
      { ...languages.php.env, FRAMEWORKS: join(packages, 'php'), WORDPRESS: wordpressIn(packages) },
      async () => (await fetch(`http://${host}`)).status,
    );
    return (framework, form) => `http://${host}/${framework}/${form}`;
  },
};

/** Its own files, and as the content of the site a database that is empty. */
function wordpressIn(packages: string): string {
  const site = join(folder, 'wordpress');
  mkdirSync(join(site, 'wp-content'), { recursive: true });
  for (const name of ['wp-includes', 'wp-admin', 'wp-settings.php'])
    symlinkSync(join(packages, 'wordpress', name), join(site, name));
  cpSync(join(drivers, 'wordpress-database.php'), join(site, 'wp-content', 'db.php'));
  return site;
}

function post(url: string, headers: Pairs, text: string): Promise<unknown> {
  const bytes = Buffer.from(text);
  const all: Pairs = [
    ['Host', new URL(url).host],
    ['Content-Type', 'application/json'],
    ['Content-Length', String(bytes.length)],
    ...headers,
  ];
  return new Promise((resolve, reject) => {
    const request = send(url, { method: 'POST', headers: all.flat() }, (response) => {
      let answer = '';
      response.on('data', (chunk) => (answer += String(chunk)));
      response.on('end', () => {
        try {
          resolve(JSON.parse(answer));
        } catch {
          reject(new Error(`${url} answered ${String(response.statusCode)}: ${answer}`));
        }
      });
    });
    request.on('error', reject).end(bytes);
  });
}

for (const { name: language, command } of Object.values(languages)) {
  const isHere = command !== undefined && (language !== 'php' || findPhpFrameworks() !== undefined);
  if (!isHere && process.env['CI'] === 'true')
    throw new Error(`CI has no ${language}, or not its frameworks`);
  if (!isHere) process.stderr.write(`… not tested: webhooks with the frameworks in ${language}\n`);
  const describeThere = isHere ? describe : describe.skip;

  describeThere(`a webhook in ${language}`, () => {
    let urlOf: (framework: string, form: string) => string;
    beforeAll(async () => {
      urlOf = await start[language](command ?? '');
    }, 120_000);

    const handlers = Object.entries(frameworks[language]);
    const everyForm = handlers.flatMap(([framework, { forms }]) =>
      forms.map((form) => ({ framework, form })),
    );
    it.each(everyForm)('is read in $framework from its $form', async ({ framework, form }) => {
      const answers: Record<string, unknown> = {};
      for (const [what, { headers }] of Object.entries(authentic))
        answers[what] = await post(urlOf(framework, form), headers(), body);
      expect(answers).toEqual(Object.fromEntries(Object.keys(authentic).map((what) => [what, read])));
    });

    it.each(everyForm)('is refused in $framework by its $form', async ({ framework, form }) => {
      const answers: Record<string, unknown> = {};
      const wanted: Record<string, unknown> = {};
      for (const [what, { headers, message, sent = body }] of Object.entries(refused)) {
        answers[what] = await post(urlOf(framework, form), headers(), sent);
        wanted[what] = { error: 'WebhookError', message };
      }
      expect(answers).toEqual(wanted);
    });

    describe('in the README', () => {
      const { rows, samples } = tableOf(language);
      const source = plain(readFileSync(join(drivers, `frameworks.${endings[language]}`), 'utf8'));

      it('has in each row a line of these handlers', () => {
        const calls = rows.map(([, call = '']) => /`([^`]+)`/.exec(call)?.[1] ?? call);
        expect(calls.length).toBeGreaterThan(4);
        expect([...calls, ...samples].filter((code) => !source.includes(plain(code)))).toEqual([]);
      });

      // The versions of the README are those of CI's release of Debian.
      const isProven = language !== 'php' || process.env['CI'] === 'true' || isBookworm;
      (isProven ? it : it.skip)('has the versions of these frameworks', () => {
        for (const [framework, packages] of provenWith[language]) {
          const [, , tested = ''] = rows.find(([first]) => first === framework) ?? [];
          const versions = packages.map((name) => versionOf(language, name));
          expect([framework, tested.match(/\d+\.[\d.]*\d/g)]).toEqual([framework, versions]);
        }
      });
    });

    const everyParsed = handlers.flatMap(([framework, { parsed }]) =>
      parsed.map((form) => ({ framework, form })),
    );
    it.each(everyParsed)(
      'is refused in $framework with a body that is $form',
      async ({ framework, form }) => {
        expect(await post(urlOf(framework, form), signed(), body)).toEqual({
          error: 'WebhookError',
          message: expect.stringMatching(
            /^The body must be the received (bytes|text|bytes or text), before any parser$/,
          ),
        });
      },
    );
  });
}
