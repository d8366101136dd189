/** What an operator asks a second one to approve, in a sentence that a person can read: who, what, whose, how much. */
import { formatAmount, isCurrency, parseAmount, type Currency } from '../domain/money';
import { legible, legibleCommand } from '../operators/approvals';
import { money } from '../portal/format';
import { fill, languages, type Language } from '../portal/language';
import type { Database } from '../store/database';
import type { ApprovalRow, LedgerAccountRow } from '../store/tables';
import type { Invocation } from './changes';

type Words = Readonly<Record<Language, string>>;

/** By the path of the command. `{…}` is filled in: what was given by its name, and what the database knows of it. */
export const approvalSentences: Readonly<Record<string, Words>> = {
  'float add': {
    en: '{who} asks to add {amount} to the float of {merchant} ({place}).',
    sw: '{who} anaomba kuongeza {amount} kwenye akiba ya {merchant} ({place}).',
  },
  'float withdraw': {
    en: '{who} asks to take {amount} from the float of {merchant} ({place}).',
    sw: '{who} anaomba kutoa {amount} kwenye akiba ya {merchant} ({place}).',
  },
  'wallet adjust': {
    en: '{who} asks to add {amount} to the wallet of {merchant}, from {against}.',
    sw: '{who} anaomba kuongeza {amount} kwenye pochi ya {merchant}, kutoka {against}.',
  },
  'wallet adjust, less': {
    en: '{who} asks to take {amount} from the wallet of {merchant}, to {against}.',
    sw: '{who} anaomba kutoa {amount} kwenye pochi ya {merchant}, kwenda {against}.',
  },
  'wallet transfer': {
    en: '{who} asks to move {amount} from the wallet of {merchant} to its float ({place}).',
    sw: '{who} anaomba kuhamisha {amount} kutoka pochi ya {merchant} kwenda kwenye akiba yake ({place}).',
  },
  'float-proof baseline': {
    en: '{who} asks to take what {provider} holds now in {currency} as right. The books change by {amount}.',
    sw: '{who} anaomba kukubali kile {provider} anachoshikilia sasa katika {currency}. Vitabu vinabadilika kwa {amount}.',
  },
  'float-proof moved': {
    en: '{who} asks to note that {amount} was moved in the wallet at {provider}.',
    sw: '{who} anaomba kuandika kwamba {amount} zilihamishwa kwenye pochi ya {provider}.',
  },
  'merchant create': {
    en: '{who} asks to add the merchant {name}, with API keys.',
    sw: '{who} anaomba kumwongeza mfanyabiashara {name}, pamoja na funguo za API.',
  },
  'merchant set': {
    en: '{who} asks to change settings of {merchant}.',
    sw: '{who} anaomba kubadilisha mipangilio ya {merchant}.',
  },
  'merchant rotate-key': {
    en: '{who} asks for a new API key of {merchant}.',
    sw: '{who} anaomba ufunguo mpya wa API wa {merchant}.',
  },
  'merchant revoke-key': {
    en: '{who} asks to end the API key {api_key} of {merchant}.',
    sw: '{who} anaomba kusitisha ufunguo wa API {api_key} wa {merchant}.',
  },
  'merchant rotate-webhook-secret': {
    en: '{who} asks for a new webhook secret of {merchant}.',
    sw: '{who} anaomba siri mpya ya webhook ya {merchant}.',
  },
  'operator create': {
    en: '{who} asks to add the operator {name}, with the role {role}.',
    sw: '{who} anaomba kumwongeza mwendeshaji {name}, mwenye jukumu {role}.',
  },
  'operator revoke': {
    en: '{who} asks to end the operator {name} for good.',
    sw: '{who} anaomba kumwondoa mwendeshaji {name} kabisa.',
  },
  'operator rotate': {
    en: '{who} asks for a new token of the operator {name}.',
    sw: '{who} anaomba tokeni mpya ya mwendeshaji {name}.',
  },
  'control accept': {
    en: '{who} asks to accept what somebody else than Malipo has changed about rights, the list {list} (how many, and their digest): read malipo control list first.',
    sw: '{who} anaomba kukubali safu za haki ambazo zimebadilishwa nje ya Malipo, orodha {list} (idadi na muhtasari wake): soma kwanza malipo control list.',
  },
  'user create': {
    en: '{who} asks to let {email} into the portal{work}.',
    sw: '{who} anaomba kumruhusu {email} kuingia kwenye tovuti{work}.',
  },
  'user end': {
    en: '{who} asks to end the account of {email} for good.',
    sw: '{who} anaomba kufunga akaunti ya {email} kabisa.',
  },
  'user reset-second-factor': {
    en: '{who} asks to take away the second factor of {email}.',
    sw: '{who} anaomba kuondoa uthibitisho wa pili wa {email}.',
  },
  'user sign-out': {
    en: '{who} asks to sign {email} out of the portal everywhere.',
    sw: '{who} anaomba kumwondoa {email} kwenye tovuti kila mahali.',
  },
  'limit set': {
    en: '{who} asks to set a limit on payouts of {merchant}: {kind} in {currency}.',
    sw: '{who} anaomba kuweka kikomo cha malipo ya nje ya {merchant}: {kind} kwa {currency}.',
  },
  'limit remove': {
    en: '{who} asks to remove a limit on payouts of {merchant}: {what}.',
    sw: '{who} anaomba kuondoa kikomo cha malipo ya nje ya {merchant}: {what}.',
  },
  'fee set': {
    en: '{who} asks to set what {merchant} is charged for each {operation} in {currency}.',
    sw: '{who} anaomba kuweka ada ya {merchant} kwa kila {operation} kwa {currency}.',
  },
  'fee remove': {
    en: '{who} asks to end a fee of {merchant}: {what}.',
    sw: '{who} anaomba kusitisha ada ya {merchant}: {what}.',
  },
  'restore begin': {
    en: '{who} asks to say that the database was restored to {to}: payouts stop until it is checked.',
    sw: '{who} anaomba kusema kwamba hifadhidata ilirejeshwa hadi {to}: malipo ya nje yanasimama hadi ihakikishwe.',
  },
  'restore end': {
    en: '{who} asks to end the stop of payouts after the restore: everything on hold goes out.',
    sw: '{who} anaomba kumaliza usimamishaji wa malipo ya nje baada ya kurejesha: yote yaliyozuiwa yanatumwa.',
  },
  'orphan claim': {
    en: '{who} asks to assign {amount}, which {provider} shows without a payment, to {target}.',
    sw: '{who} anaomba kuzipa {target} {amount} ambazo {provider} anaonyesha bila malipo.',
  },
  'orphan returned': {
    en: '{who} asks to note that {amount}, which {provider} shows without a payment, went back.',
    sw: '{who} anaomba kuandika kwamba {amount} ambazo {provider} anaonyesha bila malipo zilirudi.',
  },
  'provider-statement withdraw': {
    en: '{who} asks to withdraw the statement {statement_id}, which was brought by mistake.',
    sw: '{who} anaomba kuondoa taarifa {statement_id}, iliyoletwa kwa makosa.',
  },
  'case resolve': {
    en: '{who} asks to close case {case_id}{outcome}, about {amount} of {merchant}.',
    sw: '{who} anaomba kufunga kesi {case_id}{outcome}, kuhusu {amount} za {merchant}.',
  },
  'duplicate refund': {
    en: '{who} asks to refund {amount} to a customer of {merchant} who paid twice.',
    sw: '{who} anaomba kumrudishia {amount} mteja wa {merchant} aliyelipa mara mbili.',
  },
  'duplicate dismiss': {
    en: '{who} asks to say that both payments of a customer of {merchant} are right.',
    sw: '{who} anaomba kusema kwamba malipo yote mawili ya mteja wa {merchant} ni sahihi.',
  },
  'webhook replay': { en: '{who} asks to send a webhook again.', sw: '{who} anaomba kutuma webhook tena.' },
  'stop payouts': {
    en: '{who} asks to stop payouts of {merchant}.',
    sw: '{who} anaomba kusimamisha malipo ya nje ya {merchant}.',
  },
  'start payouts': {
    en: '{who} asks to let payouts of {merchant} go on.',
    sw: '{who} anaomba kuruhusu malipo ya nje ya {merchant} yaendelee.',
  },
  release: {
    en: '{who} asks to let a payout of {amount} by {merchant} go on.',
    sw: '{who} anaomba kuruhusu malipo ya nje ya {amount} ya {merchant} yaendelee.',
  },
  'approval-rule set': {
    en: '{who} asks to change when a second operator is needed: {kind}.',
    sw: '{who} anaomba kubadilisha ni lini mwendeshaji wa pili anahitajika: {kind}.',
  },
};

/** For a command that has none: only one that came with another version. */
const otherwise: Words = {
  en: '{who} asks to run a command: {command}',
  sw: '{who} anaomba kuendesha amri: {command}',
};

const everybody: Words = { en: 'all merchants', sw: 'wafanyabiashara wote' };
const factWords = {
  reason: { en: 'Reason', sw: 'Sababu' },
  now: { en: 'Balance now', sw: 'Salio la sasa' },
  after: { en: 'Balance after', sw: 'Salio baadaye' },
} as const satisfies Record<string, Words>;

/** A sentence, and what stands below it: reason, balances and every other option, each with its name. */
export interface ApprovalText {
  sentence: string;
  facts: [name: string, value: string][];
}

export type ApprovalTexts = Record<Language, ApprovalText>;

type Asked = Pick<ApprovalRow, 'asked_by' | 'currency' | 'amount_minor'> & { argv: readonly string[] };

/**
 * @param invocation the command as it is understood today; undefined where it is not any more.
 * @returns the texts in every language. Balances are those of now.
 */
export async function approvalTexts(
  db: Database,
  asked: Asked,
  invocation: Invocation | undefined,
): Promise<ApprovalTexts> {
  const given = invocation?.given ?? {};
  const word = (name: string) => wordOf(given[name]);
  const subject = await subjectOf(db, invocation);
  const account = invocation && (await accountOf(db, invocation, subject.merchantId));
  const in_ = (language: Language): ApprovalText => {
    const amount = amountIn(asked, given, language) ?? subject.amount?.(language) ?? '–';
    const values: Record<string, string> = {
      ...Object.fromEntries(Object.keys(given).map((name) => [name, word(name)])),
      ...{ who: asked.asked_by, amount, merchant: subject.merchant ?? everybody[language] },
      ...{ what: subject.what ?? '', provider: subject.provider ?? word('provider') },
      place: [word('rail') || word('toRail'), word('country')].filter(Boolean).join(' · '),
      against: word('against') || 'bank',
      role: word('role') || word('operatorRole'),
      name: word('name'),
      target: targetOf(given, subject.merchant, language),
      work: workOf(given, subject.merchant, language),
      outcome: word('outcome') === '' ? '' : ` (${word('outcome')})`,
      command: legibleCommand(asked.argv),
    };
    const words = sentenceOf(invocation?.path ?? '', word('amount')) ?? otherwise;
    return {
      sentence: legible(fill(words[language], values)),
      facts: factsOf(given, account, asked, language),
    };
  };
  return Object.fromEntries(languages.map((language) => [language, in_(language)])) as ApprovalTexts;
}

/** Of a negative amount, what takes. */
function sentenceOf(path: string, amount: string): Words | undefined {
  return (amount.startsWith('-') ? approvalSentences[`${path}, less`] : undefined) ?? approvalSentences[path];
}

function wordOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  return value === undefined || value === null || value === false ? '' : JSON.stringify(value);
}

/** What the approval itself keeps counts: the command's own amount may be read from the database. */
function amountIn(
  { currency, amount_minor: minor }: Asked,
  given: Record<string, unknown>,
  language: Language,
): string | undefined {
  if (minor !== null && currency !== null) return money(minor, currency, language);
  const named = wordOf(given['currency']).toUpperCase();
  const read = isCurrency(named) ? parseAmount(wordOf(given['amount']).replace(/^-/, ''), named) : undefined;
  return read === undefined || !isCurrency(named) ? undefined : money(read, named, language);
}

interface Subject {
  merchantId?: string | undefined;
  /** Its name. */
  merchant?: string | undefined;
  provider?: string | undefined;
  what?: string | undefined;
  amount?: ((language: Language) => string) | undefined;
}

const ascii = /^[\x21-\x7e]{1,160}$/;

/** Whose it is: named by the command, or by what the command names. */
async function subjectOf(db: Database, invocation: Invocation | undefined): Promise<Subject> {
  if (!invocation) return {};
  const { path, first, given } = invocation;
  const id = ascii.test(first) ? first : '';
  const named = wordOf(given['merchant_id']) || wordOf(given['merchant']);
  const withName = async (subject: Subject): Promise<Subject> => {
    const { merchantId = '' } = subject;
    if (!ascii.test(merchantId)) return subject;
    const merchant = await db('merchants').where({ merchant_id: merchantId }).first('name');
    return { ...subject, merchant: merchant?.name ?? merchantId };
  };
  const ofPayment = async (paymentId: string): Promise<Subject> => {
    const payment = ascii.test(paymentId)
      ? await db('payments').where({ payment_id: paymentId }).first()
      : undefined;
    return {
      merchantId: payment?.merchant_id,
      amount: payment && ((language) => money(payment.requested_minor, payment.currency, language)),
    };
  };
  if (named !== '') {
    const orphan = path.startsWith('orphan ') ? await orphanOf(db, id) : {};
    return withName({ ...orphan, merchantId: named });
  }
  if (path.startsWith('orphan ')) {
    const orphan = await orphanOf(db, id);
    const payment = await ofPayment(wordOf(given['payment']));
    return withName({ ...orphan, merchantId: payment.merchantId });
  }
  if (path === 'case resolve') {
    const found = /^\d{1,15}$/.test(id)
      ? await db('cases').where({ case_id: id }).first('payment_id')
      : undefined;
    return withName(await ofPayment(found?.payment_id ?? ''));
  }
  if (path.startsWith('duplicate ') || path === 'release') return withName(await ofPayment(id));
  if (path === 'limit remove') {
    const limit = id === '' ? undefined : await db('outflow_limits').where({ limit_id: id }).first();
    const bound =
      limit && (limit.amount === null ? String(limit.most ?? '') : amountText(limit.amount, limit.currency));
    return withName({
      merchantId: limit?.merchant_id ?? undefined,
      what: limit ? `${limit.kind} ${bound ?? ''}` : id,
    });
  }
  if (path === 'fee remove') {
    const fee = id === '' ? undefined : await db('fee_schedules').where({ fee_id: id }).first();
    return withName({
      merchantId: fee?.merchant_id ?? undefined,
      what: fee
        ? `${fee.operation} ${amountText(fee.fixed, fee.currency)} + ${String(fee.per_million / 1_000)} ‰`
        : id,
    });
  }
  return {};
}

const amountText = (minor: string, currency: Currency) =>
  `${formatAmount(BigInt(minor), currency)} ${currency}`;

async function orphanOf(db: Database, id: string): Promise<Subject> {
  const orphan = /^\d{1,15}$/.test(id)
    ? await db('orphans').where({ orphan_id: id }).first('provider')
    : undefined;
  return { provider: orphan?.provider };
}

/** The account that an action of the table below takes from or adds to. */
const accounts: Readonly<Record<string, { class: 'float' | 'wallet'; sign: 1n | -1n }>> = {
  'float add': { class: 'float', sign: 1n },
  'float withdraw': { class: 'float', sign: -1n },
  'wallet adjust': { class: 'wallet', sign: 1n },
  'wallet transfer': { class: 'wallet', sign: -1n },
};

interface Affected {
  now: bigint;
  sign: 1n | -1n;
  currency: Currency;
}

async function accountOf(
  db: Database,
  { path, given }: Invocation,
  merchantId: string | undefined,
): Promise<Affected | undefined> {
  const affected = accounts[path];
  const currency = wordOf(given['currency']).toUpperCase();
  if (!affected || !merchantId || !ascii.test(merchantId) || !isCurrency(currency)) return undefined;
  const where: Partial<LedgerAccountRow> = { merchant_id: merchantId, class: affected.class, currency };
  const query = db('ledger_accounts').where(where);
  if (affected.class === 'float') {
    const [rail, country] = [wordOf(given['rail']), wordOf(given['country']).toUpperCase()];
    void query.where({ rail, country: country === '' ? null : country });
  }
  const row = await query.first('balance');
  return { now: BigInt(row?.balance ?? 0), sign: affected.sign, currency };
}

function factsOf(
  given: Record<string, unknown>,
  account: Affected | undefined,
  { amount_minor: minor }: Asked,
  language: Language,
): [string, string][] {
  const shown = { now: '', after: '' };
  if (account && minor !== null) {
    const typed = wordOf(given['amount']).startsWith('-') ? -BigInt(minor) : BigInt(minor);
    shown.now = money(account.now, account.currency, language);
    shown.after = money(account.now + account.sign * typed, account.currency, language);
  }
  // What the sentence says in its own words is not said twice.
  const said = new Set(['merchant_id', 'reason', 'note', 'as', 'json']);
  const rest = Object.entries(given).flatMap(([name, value]): [string, string][] =>
    said.has(name) || wordOf(value) === '' ? [] : [[name, wordOf(value)]],
  );
  const facts: [string, string][] = [
    [factWords.now[language], shown.now],
    [factWords.after[language], shown.after],
    [factWords.reason[language], wordOf(given['reason']) || wordOf(given['note'])],
    ...rest,
  ];
  return facts.filter(([, value]) => value !== '').map(([name, value]) => [name, legible(value)]);
}

function targetOf(given: Record<string, unknown>, merchant: string | undefined, language: Language): string {
  const words: Record<string, Words> = {
    payment: { en: 'a payment of {merchant}', sw: 'malipo ya {merchant}' },
    float: { en: 'the float of {merchant}', sw: 'akiba ya {merchant}' },
    wallet: { en: 'the wallet of {merchant}', sw: 'pochi ya {merchant}' },
    bank: { en: 'our own bank account', sw: 'akaunti yetu ya benki' },
  };
  const chosen = given['bank'] ? 'bank' : given['payment'] ? 'payment' : given['float'] ? 'float' : 'wallet';
  return fill(words[chosen]?.[language] ?? '', { merchant: merchant ?? '–' });
}

function workOf(given: Record<string, unknown>, merchant: string | undefined, language: Language): string {
  const words: Record<'merchant' | 'operator', Words> = {
    merchant: { en: ' as {role} of {merchant}', sw: ' kama {role} wa {merchant}' },
    operator: { en: ' as the operator {operator} ({role})', sw: ' kama mwendeshaji {operator} ({role})' },
  };
  const operator = wordOf(given['operator']);
  if (operator !== '')
    return fill(words.operator[language], { operator, role: wordOf(given['operatorRole']) });
  return merchant === undefined
    ? ''
    : fill(words.merchant[language], { merchant, role: wordOf(given['role']) });
}
