/** The portal's mails: their texts, the recipients of change mails, and the loop that sends them. */
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

/** The mails that the portal sends. Other mails belong to payments and vouchers. */
const portalMailKinds = [
  'portal-invitation',
  'portal-reset',
  'portal-notice',
  'portal-waits',
  'portal-change',
] as const;

/** The page of a link. It keeps the token out of all later URLs (pages/mailed-links.ts). */
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

export type UserMail =
  'password' | 'second_on' | 'second_off' | 'passkey_on' | 'passkey_off' | 'recovery' | 'refused';

/** The mail to the account's owner about a change, in case somebody else made it. */
export function userMail(url: string, { email, locale }: Recipient, providerEvent: UserMail): NewMail {
  const words = mailWords[languageOf(locale)];
  const what = words[`notice.${providerEvent}`];
  return {
    paymentId: null,
    kind: 'portal-notice',
    to: email,
    subject: words['notice.subject'],
    text: fill(words['notice.text'], { what, link: `${url}/forgot` }),
  };
}

/** The mail about a request that needs approval. */
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

/** @param path of the page where the payouts are checked and approved. */
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

/** The mail about a key that needs confirmation of its payout permission. */
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

/** A change of a merchant. */
export interface Change {
  what: ChangeWord;
  /** The values for `{…}` in its sentence. Roles and scopes are translated for the reader. */
  values: Readonly<Record<string, string | readonly string[]>>;
  /** The pending requests of the user that ended with this change. */
  ended?: { batches: readonly string[]; keys: readonly string[] };
}

/** The mail that informs owners at once about a change by another user. */
function changeMail(
  { email, locale }: Recipient,
  {
    change: { what, values, ended },
    ...reported
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
      ...{ merchant: reported.merchant, who: reported.who, link: reported.link },
      what: sentences.filter(Boolean).join('\n'),
      when: `${moment(reported.at, reported.zone, language)} (${reported.zone}; ${utc(reported.at)})`,
    }),
  };
}

// The loop that sends the portal's mails. It tries each mail until the server accepts it, also after a restart.

const checkEveryMs = 1_000;
const atOnce = 20;
/** The same time as an invitation is valid. */
const abandonedAfterHours = 72;

/** One attempt per mail and minute, over all processes. */
const oncePerMinute = { ratePerMinute: 1, burst: 1 };

export async function sendWaitingMails(db: Database, transport: MailTransport): Promise<void> {
  const waiting = await db('mails')
    .where({ state: 'new' })
    .whereIn('kind', [...portalMailKinds])
    .orderBy('created_at')
    .limit(atOnce)
    .select<{ mail_id: string; is_old: number | string }[]>(
      'mail_id',
      db.raw(`(created_at < UTC_TIMESTAMP(3) - INTERVAL ${String(abandonedAfterHours)} HOUR) AS is_old`),
    );
  for (const { mail_id: mailId, is_old: isOld } of waiting) {
    if (Number(isOld) === 1) await giveUpMail(db, mailId);
    else if ((await takeToken(db, { bucket: `portal:sends:${mailId}`, ...oncePerMinute })).allowed)
      await sendMail(db, transport, mailId);
  }
}

export function startMailPump(db: Database, transport: MailTransport, log: Log): Repeating {
  return repeat(() => sendWaitingMails(db, transport), {
    ...{ everyMs: checkEveryMs, firstMs: 0, log },
    otherwise: 'could not send mails',
  });
}

// Mails about changes of a merchant's team and keys. They go to every user who may decide about money, and to the user
// concerned. Mails to owners only would not be enough: an owner could add a second account of their own unnoticed.

export interface MailContext {
  /** The portal's URL. */
  url: string;
  sendsMail: boolean;
  merchantId: string;
  /** The deployment's time zone, used if the merchant has none. */
  timezone: string;
  /** The e-mail address or name of the acting user. */
  who: string;
}

/** @param about the user concerned, if there is one. */
export async function mailDecidersOf(
  trx: Transaction,
  { url, sendsMail, merchantId, timezone, who }: MailContext,
  change: Change,
  about?: { email: string; locale: string },
): Promise<void> {
  if (!sendsMail) return;
  const merchant = await trx('merchants').where({ merchant_id: merchantId }).first('name', 'time_zone');
  const deciders = await everybodyWithTheRight(trx, merchantId);
  const others = about && !deciders.some(({ email }) => email === about.email) ? [about] : [];
  const reported = {
    ...{ who, change, at: new Date(), merchant: merchant?.name ?? '' },
    zone: merchant?.time_zone ?? timezone,
    link: `${url}/m/${merchantId}`,
  };
  for (const one of [...deciders, ...others]) await enqueueMail(trx, changeMail(one, reported));
}

/** Only the host: the rest of a URL may contain a secret of the merchant. */
const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : '');

type Addresses = Partial<Record<'webhook_url' | 'callback_url' | 'return_url' | 'cancel_url', string | null>>;

/** @param changed the changed columns. */
export function addressesChange(now: Addresses, changed: readonly (keyof Addresses)[]): Change {
  const addresses = changed.map((column) => `${column}: ${hostOf(now[column] ?? '') || '–'}`);
  return { what: 'addresses_changed', values: { addresses: addresses.join(', ') } };
}

type EndpointChangeWord = 'endpoint_added' | 'endpoint_secret' | 'endpoint_ended';

export function endpointChange(what: EndpointChangeWord, url: string): Change {
  return { what, values: { host: hostOf(url) } };
}

/** For a change by the signed-in user of the page. */
export function mailDeciders(
  { place, session, settings, sendsMail, config }: MerchantVisit,
  trx: Transaction,
  change: Change,
  about?: { email: string; locale: string },
): Promise<void> {
  const mailing = {
    ...{ url: settings.url, sendsMail, timezone: config.timezone },
    ...{ merchantId: place.merchant.merchant_id, who: session.person.email },
  };
  return mailDecidersOf(trx, mailing, change, about);
}
