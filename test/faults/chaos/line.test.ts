/** The lines that chaos spoils: what TCP never does, they do not do either. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { startLine, type Line } from '../../../tools/lab/chaos/support/line';

interface Ends {
  line: Line;
  caller: Socket;
  called: Socket;
  /** What has arrived at the called end so far. */
  arrived(): string;
}

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Waits for what happens within the test's own patience. */
const until = (isTrue: () => boolean, what: string): Promise<true> =>
  waitFor(() => Promise.resolve(isTrue() || undefined), { what, timeoutMs: 60_000, everyMs: 5 });

/** Also of one that is reset. */
const closed = (socket: Socket): Promise<unknown> => new Promise((resolve) => socket.once('close', resolve));

/** Nobody tells what the line has and keeps. Where it has not heard it yet, the test sees less, and nothing wrong. */
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

it('keeps the order of what is sent, also of what is sent once it is slow no more', async () => {
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

it('brings what was sent before a connection ended, then its end, and the other direction goes on', async () => {
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

it('tells nobody of anything while it is frozen, and loses nothing', async () => {
  const { line, caller, called, arrived } = await connected();
  line.freeze();
  caller.write('held back');
  caller.end();
  let isTold = false;
  for (const event of ['end', 'close']) called.on(event, () => (isTold = true));
  await until(() => caller.writableFinished, 'all to be sent');
  await theLineToHearIt();
  expect({ isTold, text: arrived() }).toEqual({ isTold: false, text: '' });
  line.heal();
  await until(() => isTold, 'the end');
  expect(arrived()).toBe('held back');
});

it('leaves a half-open caller in its belief until it heals', async () => {
  const { line, caller, called } = await connected();
  const isCalledGone = closed(called);
  let isCallerTold = false;
  for (const event of ['end', 'close']) caller.on(event, () => (isCallerTold = true));
  line.halfOpen();
  await isCalledGone;
  caller.write('into the void');
  await theLineToHearIt();
  expect(isCallerTold).toBe(false);
  line.heal();
  await until(() => isCallerTold, 'the caller to be told');
});

it('lets little through at a time where it is narrow, and all of it in the end', async () => {
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

it('resets what there is, and refuses what comes', async () => {
  const { line, caller, called } = await connected();
  const areGone = Promise.all([closed(caller), closed(called)]);
  line.refuse();
  await areGone;
  const [host = '', port = ''] = line.address.split(':');
  const again = connect({ host, port: Number(port) });
  again.on('error', () => undefined);
  await closed(again);
});
