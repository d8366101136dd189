/** The mails of the portal: what each says, who is told of what somebody changes, and that each reaches the server. */
import type { Log } from '../domain/log';
import type { Currency } from '../domain/money';
import { repeat, type Repeating } from '../domain/repeat';
import { enqueueMail, type NewMail } from '../mail/enqueue-mail';
import { giveUpMail, sendMail } from '../mail/send-mail';
import type { MailTransport } from '../mail/transport';
import { takeToken } from '../merchants/rate-limit';
import type { Database, Transaction } from '../store/database';
import { everybodyWithTheRight } from '../users/deciders';
import { linkHours, type LinkKind } from '../users/links';
import { money, moment, utc, fill, languageOf, type Language } from './format';
import type { MerchantVisit } from './visit';
import { translator, isWord } from './words';
import { mailWords } from './words/mails';

/** What the portal sends; the rest of the mails belong to payments and vouchers. */
const portalMailKinds = [
  'portal-invitation',
  'portal-reset',
  'portal-notice',
  'portal-waits',
  'portal-change',
] as const;

/** The page that a link opens; it keeps the token out of every later address (pages/mailed-links.ts). */
const linkPaths = { invitation: '/invitation', reset: '/reset' } as const satisfies Record<LinkKind, string>;

export function linkOf(url: string, kind: LinkKind, token: string): string {
  return `${url}${linkPaths[kind]}/${token}`;
}

interface Recipient {
  email: string;
  locale: string;
}

function withLink(
  url: string,
  { email, locale }: Recipient,
  { kind, token, place = '' }: { kind: LinkKind; token: string; place?: string },
): NewMail {
  const words = mailWords[languageOf(locale)];
  const text = (link: string) => fill(words[`${kind}.text`], { link, place, hours: linkHours[kind] });
  return {
    paymentId: null,
    kind: `portal-${kind}`,
    to: email,
    subject: words[`${kind}.subject`],
    text: text(linkOf(url, kind, token)),
    redactedText: text(`${url}${linkPaths[kind]}/…`),
  };
}

/** @param merchantName undefined for an operator. */
export function invitationMail(
  url: string,
  to: Recipient,
  { token, merchantName }: { token: string; merchantName: string | undefined },
): NewMail {
  const words = mailWords[languageOf(to.locale)];
  const place = merchantName === undefined ? '' : fill(words['invitation.place'], { merchant: merchantName });
  return withLink(url, to, { kind: 'invitation', token, place });
}

export function resetMail(url: string, to: Recipient, token: string): NewMail {
  return withLink(url, to, { kind: 'reset', token });
}

export type Notice =
  'password' | 'second_on' | 'second_off' | 'passkey_on' | 'passkey_off' | 'recovery' | 'refused';

/** So that who did not do it learns of it. */
export function noticeMail(url: string, { email, locale }: Recipient, notice: Notice): NewMail {
  const words = mailWords[languageOf(locale)];
  const what = words[`notice.${notice}`];
  return {
    paymentId: null,
    kind: 'portal-notice',
    to: email,
    subject: words['notice.subject'],
    text: fill(words['notice.text'], { what, link: `${url}/forgot` }),
  };
}

/** That something needs an approval. */
function waitingMail(
  { email, locale }: Recipient,
  what: 'payouts' | 'approval' | 'key',
  filled: Readonly<Record<string, string | number>>,
): NewMail {
  const words = mailWords[languageOf(locale)];
  return {
    paymentId: null,
    kind: 'portal-waits',
    to: email,
    subject: fill(words[`${what}.subject`], filled),
    text: fill(words[`${what}.text`], filled),
  };
}

/** @param path of the page where they are looked at, and approved. */
export function payoutsWaitMail(
  url: string,
  to: Recipient,
  { path, totals, ...filled }: WaitingPayouts & { path: string },
): NewMail {
  const language = languageOf(to.locale);
  const total = [...totals].map(([currency, minor]) => money(minor, currency, language)).join(' + ');
  return waitingMail(to, 'payouts', { ...filled, total, link: `${url}${path}` });
}

interface WaitingPayouts {
  who: string;
  merchant: string;
  count: number;
  /** Minor units by currency. */
  totals: ReadonlyMap<Currency, bigint>;
  hours: number;
}

interface WaitingText {
  sentence: string;
  facts: [name: string, value: string][];
}

export function approvalWaitsMail(
  url: string,
  to: Recipient,
  { approvalId, texts }: { approvalId: string; texts: Record<Language, WaitingText> },
): NewMail {
  const { sentence, facts } = texts[languageOf(to.locale)];
  const what = [sentence, ...facts.map(([name, value]) => `${name}: ${value}`)].join('\n');
  return waitingMail(to, 'approval', { what, id: approvalId, link: `${url}/ops/approvals` });
}

/** That a key waits until somebody confirms that it may pay out. */
export function keyWaitsMail(
  url: string,
  to: Recipient,
  { path, ...filled }: { path: string; who: string; merchant: string; key: string; hours: number },
): NewMail {
  return waitingMail(to, 'key', { ...filled, link: `${url}${path}` });
}

type MailWord = keyof (typeof mailWords)['en'];
export type ChangeWord = MailWord extends infer W
  ? W extends `change.what.${infer What}`
    ? What
    : never
  : never;

/** What somebody has changed about a merchant. */
export interface Change {
  what: ChangeWord;
  /** `{…}` of its sentence; a role and scopes are told in the reader's words. */
  values: Readonly<Record<string, string | readonly string[]>>;
  /** What of theirs has ended with it. */
  ended?: { batches: readonly string[]; keys: readonly string[] };
}

/** So that no owner learns later than at once what somebody else has done. */
function changeMail(
  { email, locale }: Recipient,
  {
    change: { what, values, ended },
    ...told
  }: { change: Change; merchant: string; who: string; at: Date; zone: string; link: string },
): NewMail {
  const language = languageOf(locale);
  const words = mailWords[language];
  const t = translator(language);
  const read = (word: string) => (isWord(word) ? t(word) : word);
  const filled = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' ? (name.startsWith('role') ? read(`role.${value}`) : value) : scopeWords(value),
  ]);
  function scopeWords(scopes: readonly string[]): string {
    return scopes.map((scope) => read(`scope.${scope}`)).join(', ');
  }
  const [batches, keys] = [ended?.batches.length ?? 0, ended?.keys.length ?? 0];
  const sentences = [
    fill(words[`change.what.${what}`], Object.fromEntries(filled) as Record<string, string>),
    batches + keys === 0 ? '' : fill(words['change.ended'], { batches, keys }),
  ];
  return {
    paymentId: null,
    kind: 'portal-change',
    to: email,
    subject: words['change.subject'],
    text: fill(words['change.text'], {
      ...{ merchant: told.merchant, who: told.who, link: told.link },
      what: sentences.filter(Boolean).join('\n'),
      when: `${moment(told.at, told.zone, language)} (${told.zone}; ${utc(told.at)})`,
    }),
  };
}

// Hands the portal's mails to the server: each until it is taken, however often this process is killed meanwhile.

const lookEveryMs = 1_000;
const atOnce = 20;
/** As long as an invitation works. */
const givenUpAfterHours = 72;

/** Once a minute for each mail, of all processes together. */
const oncePerMinute = { ratePerMinute: 1, burst: 1 };

export async function sendWaitingMails(db: Database, transport: MailTransport): Promise<void> {
  const waiting = await db('mails')
    .where({ state: 'new' })
    .whereIn('kind', [...portalMailKinds])
    .orderBy('created_at')
    .limit(atOnce)
    .select<{ mail_id: string; is_old: number | string }[]>(
      'mail_id',
      db.raw(`(created_at < UTC_TIMESTAMP(3) - INTERVAL ${String(givenUpAfterHours)} HOUR) AS is_old`),
    );
  for (const { mail_id: mailId, is_old: isOld } of waiting) {
    if (Number(isOld) === 1) await giveUpMail(db, mailId);
    else if ((await takeToken(db, { bucket: `portal:sends:${mailId}`, ...oncePerMinute })).allowed)
      await sendMail(db, transport, mailId);
  }
}

export function startMailPump(db: Database, transport: MailTransport, log: Log): Repeating {
  return repeat(() => sendWaitingMails(db, transport), {
    ...{ everyMs: lookEveryMs, firstMs: 0, log },
    otherwise: 'mails could not be sent',
  });
}

// Mails about who works for a merchant, and what its keys may do: to everybody there who decides about its money, and to
// whom it is about. One person with two addresses could let in the second alone, where only owners were told.

export interface Telling {
  /** Of the portal. */
  url: string;
  sendsMail: boolean;
  merchantId: string;
  /** The deployment's zone, where the merchant has none. */
  timezone: string;
  /** Who did it. */
  who: string;
}

/** @param about whom it is about besides, where that is somebody. */
export async function tellDecidersOf(
  trx: Transaction,
  { url, sendsMail, merchantId, timezone, who }: Telling,
  change: Change,
  about?: { email: string; locale: string },
): Promise<void> {
  if (!sendsMail) return;
  const merchant = await trx('merchants').where({ merchant_id: merchantId }).first('name', 'time_zone');
  const deciders = await everybodyWithTheRight(trx, merchantId);
  const others = about && !deciders.some(({ email }) => email === about.email) ? [about] : [];
  const told = {
    ...{ who, change, at: new Date(), merchant: merchant?.name ?? '' },
    zone: merchant?.time_zone ?? timezone,
    link: `${url}/m/${merchantId}`,
  };
  for (const one of [...deciders, ...others]) await enqueueMail(trx, changeMail(one, told));
}

/** Where it is, and no more: the rest of an address may be a secret of its owner's. */
const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : '');

type Addresses = Partial<Record<'webhook_url' | 'callback_url' | 'return_url' | 'cancel_url', string | null>>;

/** @param changed the columns that are others now. */
export function addressesChange(now: Addresses, changed: readonly (keyof Addresses)[]): Change {
  const addresses = changed.map((column) => `${column}: ${hostOf(now[column] ?? '') || '–'}`);
  return { what: 'addresses_changed', values: { addresses: addresses.join(', ') } };
}

type EndpointChangeWord = 'endpoint_added' | 'endpoint_secret' | 'endpoint_ended';

export function endpointChange(what: EndpointChangeWord, url: string): Change {
  return { what, values: { host: hostOf(url) } };
}

/** By who sits before the page. */
export function tellDeciders(
  { place, session, settings, sendsMail, config }: MerchantVisit,
  trx: Transaction,
  change: Change,
  about?: { email: string; locale: string },
): Promise<void> {
  const telling = {
    ...{ url: settings.url, sendsMail, timezone: config.timezone },
    ...{ merchantId: place.merchant.merchant_id, who: session.person.email },
  };
  return tellDecidersOf(trx, telling, change, about);
}
