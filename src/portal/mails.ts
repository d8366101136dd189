/** The mails of the portal: an invitation, a new password, and what happened to an account. */
import type { Currency } from '../domain/money';
import type { NewMail } from '../mail/enqueue-mail';
import { linkHours, type LinkKind } from '../users/links';
import { money, moment, utc } from './format';
import { fill, languageOf, type Language } from './language';
import { translator, isWord } from './words';
import { mailWords } from './words/mails';

/** What the portal sends; the rest of the mails belong to payments and vouchers. */
export const portalMailKinds = [
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
export function changeMail(
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
