import { createTransport, type SendMailOptions } from 'nodemailer';
import { createSimulator } from '../../../simulator/simulator';
import { startTestBench, temporaryFolder, type TestBench } from '../../support/simulator/bench';
import { credentials } from '../../support/simulator/credentials';

let bench: TestBench;
beforeEach(async () => {
  bench = await startTestBench({ smtpPort: 0 });
});
afterEach(() => bench.stop());

interface KeptMail {
  id: string;
  from: string;
  to: string;
  subject: string;
  text: string;
  at: string;
}

async function send(mail: SendMailOptions, auth?: { user: string; pass: string }): Promise<void> {
  const port = bench.simulator.smtpPort ?? 0;
  const transport = createTransport({
    host: '127.0.0.1',
    port,
    secure: false,
    ignoreTLS: true,
    ...(auth && { auth }),
  });
  try {
    await transport.sendMail({ from: 'Malipo <no-reply@malipo.example>', to: 'ana@example.org', ...mail });
  } finally {
    transport.close();
  }
}
const mails = async () => (await bench.xb.call<{ mails: KeptMail[] }>('/control/mail')).body.mails;
const pageAt = async (path: string) => (await fetch(`${bench.simulator.url}${path}`)).text();

it('a mail sent over SMTP is stored with its sender, receivers, subject and text', async () => {
  await send({
    to: ['ana@example.org', 'ben@example.org'],
    subject: 'Malipo yako €',
    text: 'Karibu, Ana.\nCode: ABCD-€\n',
  });
  expect(await mails()).toEqual([
    {
      id: expect.any(String),
      from: 'no-reply@malipo.example',
      to: 'ana@example.org, ben@example.org',
      subject: 'Malipo yako €',
      text: 'Karibu, Ana.\nCode: ABCD-€',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    },
  ]);
});

it('the text is stored, not its HTML; a mail with only HTML is stored as its source', async () => {
  await send({ subject: 'both', text: 'plain words', html: '<p>rich words</p>' });
  await send({ subject: 'rich', html: '<p>rich words</p>' });
  expect((await mails()).map(({ text }) => text)).toEqual(['plain words', '<p>rich words</p>']);
});

it('any login is accepted', async () => {
  await send({ subject: 'hello', text: 'x' }, { user: 'mailer', pass: 'whatever' });
  expect(await mails()).toHaveLength(1);
});

it('a mail of more than a megabyte is refused, and the next one is accepted', async () => {
  await expect(send({ subject: 'large', text: 'x'.repeat(1_100_000) })).rejects.toThrow(/552/);
  await send({ subject: 'small', text: 'x' });
  expect((await mails()).map(({ subject }) => subject)).toEqual(['small']);
});

it('mails survive a restart', async () => {
  await send({ subject: 'kept', text: 'x' });
  await bench.restart();
  expect((await mails()).map(({ subject }) => subject)).toEqual(['kept']);
  await send({ subject: 'second', text: 'x' });
  expect(await mails()).toHaveLength(2);
});

it('no mail server listens unless a port is given', async () => {
  const silent = await startTestBench();
  try {
    expect(silent.simulator).not.toHaveProperty('smtpPort');
  } finally {
    await silent.stop();
  }
});

it('a mail port in use is reported at the start', async () => {
  const state = temporaryFolder();
  const { smtpPort = 0 } = bench.simulator;
  try {
    await expect(
      createSimulator({ env: credentials, port: 0, stateFolder: state.path, smtpPort }),
    ).rejects.toThrow('EADDRINUSE');
  } finally {
    state.remove();
  }
});

describe('the mailbox page', () => {
  it('lists mails newest first, and shows one as plain text', async () => {
    await send({ subject: 'first', text: 'one' });
    await send({ subject: 'second', text: 'line 1\nline 2' });
    const list = await pageAt('/mail');
    expect(list.indexOf('>second<')).toBeGreaterThan(0);
    expect(list.indexOf('>second<')).toBeLessThan(list.indexOf('>first<'));
    const [, second] = await mails();
    const shown = await pageAt(`/mail/${second?.id ?? ''}`);
    expect(shown).toContain('line 1\nline 2');
    expect(shown).toContain('ana@example.org');
    expect(list).toContain(`href="/mail/${second?.id ?? ''}"`);
    expect(await pageAt('/')).toContain('href="/mail"');
  });

  it('runs no script that a mail contains', async () => {
    const attack = '<script>alert(1)</script><img src=x onerror=alert(1)>';
    await send({ subject: attack, text: attack });
    const [mail] = await mails();
    const response = await fetch(`${bench.simulator.url}/mail/${mail?.id ?? ''}`);
    const html = await response.text();
    for (const shown of [html, await pageAt('/mail')]) {
      expect(shown).toContain('&lt;script&gt;');
      expect(shown).not.toMatch(/<script|<img/);
    }
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('reports an empty mailbox and an unknown mail', async () => {
    expect(await pageAt('/mail')).toContain('No mail yet');
    expect((await fetch(`${bench.simulator.url}/mail/unknown`)).status).toBe(404);
  });
});
