/** Passwords, of which only an Argon2id hash is kept. */
import { hash, verify } from '@node-rs/argon2';
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
const waiting: (() => void)[] = [];
let working = 0;

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
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

export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(password.normalize('NFKC'), cost));
}

/** @param stored undefined where there is none: it takes as long, and is never right. */
export async function isPassword(password: string, stored: string | null | undefined): Promise<boolean> {
  // What is longer than any password we take must not be worked on for longer.
  const given = password.normalize('NFKC').slice(0, 4 * passwordLengthMax);
  const against = stored ?? (await decoy);
  const isRight = await inTurn(() => verify(against, given));
  return isRight && typeof stored === 'string';
}
