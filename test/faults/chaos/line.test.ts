/** The connection faults of the chaos test do nothing that TCP never does. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { startLine, type Line } from '../../../tools/lab/chaos/support/line';

interface Ends {
  line: Line;
  caller: Socket;
  called: Socket;
  /** The data that has arrived at the server. */
  arrived(): string;
}

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Waits for an event for as long as the test allows. */
const until = (isTrue: () => boolean, what: string): Promise<true> =>
  waitFor(() => Promise.resolve(isTrue() || undefined), { what, timeoutMs: 60_000, everyMs: 5 });

/** Also of a connection that is reset. */
const closed = (socket: Socket): Promise<unknown> => new Promise((resolve) => socket.once('close', resolve));

/** Nothing shows what the proxy has received. If it is too early, the test sees less, and nothing wrong. */
const theLineToHearIt = () => delay(50);

async function connected(): Promise<Ends> {
  const server = createServer({ allowHalfOpen: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  const line = await startLine();
  closers.push(() => line.close());
  line.leadTo(`127.0.0.1:${String((server.address() as AddressInfo).port)}`);
  const [host = '', port = ''] = line.address.split(':');
  const caller = connect({ host, port: Number(port), allowHalfOpen: true });
  const [called] = (await once(server, 'connection')) as [Socket];
  let text = '';
  called.on('data', (chunk: Buffer) => (text += chunk.toString()));
  for (const socket of [caller, called]) socket.on('error', () => undefined);
  closers.push(() => [caller, called].map((socket) => socket.destroy()));
  return { line, caller, called, arrived: () => text };
}

it('keeps the order of data, also of data sent after the slow time', async () => {
  const { line, caller, arrived } = await connected();
  caller.write('first ');
  await until(() => arrived() === 'first ', 'the first');
  line.slow(600_000);
  caller.write('second ');
  await theLineToHearIt();
  line.slow(0);
  caller.write('third');
  await theLineToHearIt();
  expect(arrived()).toBe('first ');
  line.heal();
  await until(() => arrived().endsWith('third'), 'all of it');
  expect(arrived()).toBe('first second third');
});

it('delivers all data before the end of a connection, then its end, and the other direction continues', async () => {
  const { line, caller, called, arrived } = await connected();
  line.slow(30);
  const isOver = once(called, 'end');
  caller.end('the last word');
  await isOver;
  expect(arrived()).toBe('the last word');
  const answer = once(caller, 'data') as Promise<[Buffer]>;
  called.write('heard');
  expect((await answer)[0].toString()).toBe('heard');
});

it('delivers nothing while it is frozen, and loses nothing', async () => {
  const { line, caller, called, arrived } = await connected();
  line.freeze();
  caller.write('held back');
  caller.end();
  let isReported = false;
  for (const event of ['end', 'close']) called.on(event, () => (isReported = true));
  await until(() => caller.writableFinished, 'all to be sent');
  await theLineToHearIt();
  expect({ isReported, text: arrived() }).toEqual({ isReported: false, text: '' });
  line.heal();
  await until(() => isReported, 'the end');
  expect(arrived()).toBe('held back');
});

it('leaves the client of a half-open connection unaware until it is repaired', async () => {
  const { line, caller, called } = await connected();
  const isCalledGone = closed(called);
  let isCallerInformed = false;
  for (const event of ['end', 'close']) caller.on(event, () => (isCallerInformed = true));
  line.halfOpen();
  await isCalledGone;
  caller.write('into the void');
  await theLineToHearIt();
  expect(isCallerInformed).toBe(false);
  line.heal();
  await until(() => isCallerInformed, 'the caller to be told');
});

it('delivers little at a time while it is narrow, and everything in the end', async () => {
  const { line, caller, arrived } = await connected();
  line.narrow(100);
  const sent = Array.from({ length: 30_000 }, (_, n) => String(n % 10)).join('');
  caller.write(sent);
  await until(() => arrived().length > 0, 'the beginning');
  // All of it would take five minutes.
  expect(arrived().length).toBeLessThan(sent.length);
  line.heal();
  await until(() => arrived().length === sent.length, 'all of it');
  expect(arrived()).toBe(sent);
});

it('resets open connections, and refuses new ones', async () => {
  const { line, caller, called } = await connected();
  const areGone = Promise.all([closed(caller), closed(called)]);
  line.refuse();
  await areGone;
  const [host = '', port = ''] = line.address.split(':');
  const again = connect({ host, port: Number(port) });
  again.on('error', () => undefined);
  await closed(again);
});
