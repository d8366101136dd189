/**
 * Sign-ins while the password queue is full: the status says whether the network's share or the whole queue is used up.
 */
import type * as argon2 from '@node-rs/argon2';
import { verify } from '@node-rs/argon2';
import { Agent, request } from 'undici';
import { csrfOf } from '../../../src/portal/forms';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { startPortal, type TestPortal } from '../../support/portal/portal-support';

jest.mock('@node-rs/argon2', () => {
  const real: typeof argon2 = jest.requireActual('@node-rs/argon2');
  return { ...real, verify: jest.fn(real.verify) };
});

let portal: TestPortal;
const agents: Agent[] = [];
beforeAll(async () => {
  portal = await startPortal();
});
afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.close()));
  await portal.stop();
});

let persons = 0;
/** A new account each time, so that the account's own rate limit does not apply. */
async function signInFrom(localAddress: string) {
  const dispatcher = new Agent({ localAddress, connections: 12 });
  agents.push(dispatcher);
  const visit = 'v'.repeat(43);
  const form = {
    csrf: csrfOf(visit),
    email: `p${String((persons += 1))}@busy.example`,
    password: 'x'.repeat(12),
  };
  const answer = await request(`${portal.url}/sign-in`, {
    dispatcher,
    method: 'POST',
    headers: {
      ...{ cookie: `malipo-visit=${visit}`, origin: portal.url },
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams(form).toString(),
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, wait: answer.headers['retry-after'], text };
}

it('is 429 if one network has used up its share, and 503 if the queue is full', async () => {
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const real = jest.requireActual<typeof argon2>('@node-rs/argon2').verify;
  jest.mocked(verify).mockImplementation(async (...given: Parameters<typeof real>) => {
    await held;
    return real(...given);
  });
  const answered: Awaited<ReturnType<typeof signInFrom>>[] = [];
  const begun: Promise<unknown>[] = [];
  const begin = (address: string) => {
    begun.push(signInFrom(address).then((answer) => answered.push(answer)));
  };
  const nth = (n: number) =>
    waitFor(() => Promise.resolve(answered[n]), { what: 'an answer', timeoutMs: 20_000, everyMs: 10 });
  // Two run and 24 wait, at most eight of one network. So one of nine fails at once.
  for (let i = 0; i < 9; i += 1) begin('127.0.3.1');
  expect(await nth(0)).toMatchObject({ status: 429, wait: '5' });
  for (let i = 0; i < 19; i += 1) begin(`127.0.3.${String(i + 2)}`);
  expect(await nth(1)).toMatchObject({ status: 503, wait: '5' });
  // Pages without a password still work.
  expect((await request(`${portal.url}/sign-in`)).statusCode).toBe(200);
  letGo();
  await Promise.all(begun);
  const statuses = answered.map(({ status }) => status);
  expect([statuses.length, statuses.filter((status) => status === 422).length]).toEqual([28, 26]);
  jest.mocked(verify).mockImplementation(real);
});
