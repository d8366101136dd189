import { Writable } from 'node:stream';
import { createLog } from '../../../src/telemetry/logging';
import { createMailTransport } from '../../../src/mail/transport';
import { reply, startMailServer } from '../../support/mail/mail-support';

/** The log line of a value. */
function written(fields: Record<string, unknown>, message = 'a mail was not sent'): string {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  createLog({ level: 'debug', stream }).info(message, fields);
  return text;
}

describe('the log', () => {
  it.each([
    'ana.canary@example.org',
    "o'canary+shop@example.org",
    'canary#1@mail.example.co.ke',
    'josé.canary@correo.example.es',
    'canary@münchen.example',
  ])('never shows %s, in any field or sentence', (address) => {
    const lines = [
      written({}, `550 5.1.1 <${address}>: no such user`),
      written({ recipient: address, to: [address], envelope: { to: [`Ana <${address}>`] } }),
      written({ error: new Error(`rejected: ${address}`, { cause: new Error(`"${address}" is unknown`) }) }),
      written({
        url: `https://example.com/claim?to=${encodeURIComponent(address).replace(/%(?!40)/g, '')}&n=1`,
      }),
      written({ body: JSON.stringify({ text: `mailto:${address}` }) }),
    ];
    expect(lines.filter((line) => line.includes('canary'))).toEqual([]);
    expect(lines.every((line) => line.includes('[redacted]'))).toBe(true);
  });

  it("shows no address when a mail server's answer is logged", async () => {
    const server = await startMailServer({
      onRcptTo: ({ address }, _session, done) => {
        done(reply(550, `5.7.1 <${address}> is not served here`));
      },
    });
    const transport = createMailTransport({
      host: '127.0.0.1',
      port: server.port,
      tls: 'none',
      from: { name: '', address: 'payments@duka.example' },
    });
    const mail = {
      mailId: 'a',
      to: 'canary@example.org',
      subject: 'Hi',
      text: 'Hello',
      writtenAt: new Date(),
    };
    const handover = await transport.handOver(mail);
    await server.close();
    expect(JSON.stringify(handover)).toContain('canary@example.org');
    expect(written({ handover })).not.toContain('canary');
  });

  it('still shows text that only resembles an address', () => {
    const line = written({ package: '@temporalio/worker', at: '12:00 @ noon', version: 'knex@3' });
    expect(line).toContain('@temporalio/worker');
    expect(line).toContain('12:00 @ noon');
    expect(line).toContain('knex@3');
  });
});
