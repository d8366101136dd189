/** Passwords, of which only an Argon2id hash is kept. */
import { hash, verify } from '@node-rs/argon2';
import { addressBlock } from '../domain/ip-address';
import { PeopleRefusal } from './refusal';

/** OWASP's password storage cheat sheet: 19 MiB, two passes, one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** NIST SP 800-63B asks for 8 at least where there is a second factor, for 15 where there is none; and for 64 to be taken. */
const passwordLengthMin = 12;
const passwordLengthMax = 128;
const nameLengthMin = 4;

/** Of no password: who has none, or does not exist, costs as much as who does. */
const decoy = hash('a password that nobody has', cost);

/** How many are worked on at once, each with its 19 MiB: more would keep the threads from everything else. */
const atOnceMax = 2;
/** How many wait beside those: the last of them waits for a second or two, on a slow machine for ten. */
const waitingMax = 24;
/** Of one network, at work and waiting: however many it sends, there is room for others. */
const ofNetworkMax = 8;
const waiting: (() => void)[] = [];
const ofNetwork = new Map<string, number>();
let working = 0;

/** Too many passwords are worked on: nothing was done, and later it is. */
export class PasswordsBusy extends Error {
  readonly retryAfterSeconds = 5;
  /** @param isOfNetwork whether it is their own network's share that is used up. */
  constructor(readonly isOfNetwork: boolean) {
    super('too many passwords are worked on');
  }
}

/** @throws PasswordsBusy */
async function inTurn<T>(address: string, work: () => Promise<T>): Promise<T> {
  const network = addressBlock(address);
  const theirs = ofNetwork.get(network) ?? 0;
  // Of no network is what this deployment does by itself.
  if (network !== '' && theirs >= ofNetworkMax) throw new PasswordsBusy(true);
  if (working >= atOnceMax && waiting.length >= waitingMax) throw new PasswordsBusy(false);
  ofNetwork.set(network, theirs + 1);
  try {
    if (working >= atOnceMax) await new Promise<void>((go) => waiting.push(go));
    else working += 1;
    try {
      return await work();
    } finally {
      // The place is handed on, so that nobody slips in between.
      const next = waiting.shift();
      if (next) next();
      else working -= 1;
    }
  } finally {
    const left = (ofNetwork.get(network) ?? 1) - 1;
    if (left > 0) ofNetwork.set(network, left);
    else ofNetwork.delete(network);
  }
}

/** @throws PeopleRefusal password_weak */
export function expectUsablePassword(password: string, email: string): void {
  // As it is worked on: what grows by that must not be longer than what is compared.
  const { length } = password.normalize('NFKC');
  const [name = email] = email.split('@');
  // A name of a few letters is part of every other word.
  const hasName = name.length >= nameLengthMin && password.toLowerCase().includes(name);
  const isPlain = new Set(password).size < 5 || hasName;
  if (length >= passwordLengthMin && length <= passwordLengthMax && !isPlain) return;
  throw new PeopleRefusal(
    'password_weak',
    `A password has ${String(passwordLengthMin)} to ${String(passwordLengthMax)} characters, five different ones at least, and not the name of the mail address in it.`,
  );
}

/** One that may be set, and is hashed. */
export interface PreparedPassword {
  hashed: string;
}

/** @param address of who asks for it. @throws PeopleRefusal password_weak, PasswordsBusy */
export async function preparePassword(
  password: string,
  email: string,
  address = '',
): Promise<PreparedPassword> {
  expectUsablePassword(password, email);
  return { hashed: await hashPassword(password, address) };
}

/** @param address of who asks for it. @throws PasswordsBusy */
export function hashPassword(password: string, address = ''): Promise<string> {
  return inTurn(address, () => hash(password.normalize('NFKC'), cost));
}

/**
 * @param stored undefined where there is none: it takes as long, and is never right.
 * @param address of who asks.
 * @throws PasswordsBusy
 */
export async function isPassword(
  password: string,
  stored: string | null | undefined,
  address = '',
): Promise<boolean> {
  // What is longer than any password we take must not be worked on for longer.
  const given = password.normalize('NFKC').slice(0, 4 * passwordLengthMax);
  const against = stored ?? (await decoy);
  const isRight = await inTurn(address, () => verify(against, given));
  return isRight && typeof stored === 'string';
}
