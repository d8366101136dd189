/** Describes an action in one sentence, in every language: who, what, for which merchant, how much. */
import { formatAmount, isCurrency, parseAmount, type Currency } from '../domain/money';
import { legible } from '../users/approvals';
import { money, moment, fill, languages, type Language } from '../portal/format';
import type { Database } from '../store/database';
import { merchantName } from './names';
import type { ActionDefinition, Change, Names, Recorded, ShownValue, Words } from './action';

/** A sentence, and the named facts below it. */
export interface ActionText {
  sentence: string;
  facts: [name: string, value: string][];
}

export type ActionTexts = Record<Language, ActionText>;

/** Requested, done, or only previewed. */
export type Tense = 'asked' | 'done' | 'would';

const frames: Readonly<Record<Tense, Words>> = {
  asked: { en: '{who} requests to {phrase}.', sw: '{who} anaomba {phrase}.' },
  done: { en: 'Done: {phrase}.', sw: 'Imefanyika: {phrase}.' },
  would: {
    en: 'This would {phrase}. Nothing was changed.',
    sw: 'Ingekuwa {phrase}. Hakuna kilichobadilishwa.',
  },
};

const everybody: Words = { en: 'all merchants', sw: 'wafanyabiashara wote' };
const balance: Words = { en: 'Balance', sw: 'Salio' };
const reason: Words = { en: 'Reason', sw: 'Sababu' };
const missing: Words = { en: '{amount} is missing', sw: 'inapungua {amount}' };
const surplus: Words = { en: '{amount} is too much', sw: 'imezidi {amount}' };
const none: Words = { en: 'nothing differs', sw: 'hakuna tofauti' };
const nothing: Words = { en: '(nothing)', sw: '(hakuna)' };

/** The fields of the input. */
type Given = Readonly<Record<string, unknown>>;

/** @param moves the amount that the approval rule was checked with; the sentence prefers it to the typed amount. */
export async function actionTexts<Input>(
  db: Database,
  { phrase, names }: Pick<ActionDefinition<Input, unknown>, 'phrase' | 'names'>,
  {
    who,
    input,
    tense,
    money,
    changes,
    timezone,
  }: {
    who: string;
    input: Input;
    tense: Tense;
    money?: Recorded['money'];
    changes: readonly Change[];
    timezone: string;
  },
): Promise<ActionTexts> {
  const words = typeof phrase === 'function' ? phrase(input) : phrase;
  const known: Names = { ...(await merchantOf(db, input as Given)), ...(await names?.(db, input)) };
  const textIn = (language: Language): ActionText => {
    const values: Record<string, string> = {
      ...{ merchant: everybody[language], amount: '–', provider: '–', difference: '–' },
      ...Object.fromEntries(Object.entries(input as Given).map(([name, value]) => [name, plainText(value)])),
      ...Object.fromEntries(
        Object.entries(known).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, typeof value === 'string' ? value : value[language]]],
        ),
      ),
      ...amountIn(input as Given, money, language),
    };
    const sentence = fill(frames[tense][language], { who, phrase: fill(words[language], values) });
    return { sentence: legible(sentence), facts: factsOf(input as Given, changes, language, timezone) };
  };
  return Object.fromEntries(languages.map((language) => [language, textIn(language)])) as ActionTexts;
}

/** Texts with the kind of the action only, if the database cannot be queried for names. */
export function plainTexts(kind: string): ActionTexts {
  const textIn = (language: Language): ActionText => ({
    sentence: fill(frames.done[language], { phrase: kind }),
    facts: [],
  });
  return Object.fromEntries(languages.map((language) => [language, textIn(language)])) as ActionTexts;
}

async function merchantOf(db: Database, { merchant_id: id }: Given): Promise<Names> {
  const merchant = typeof id === 'string' ? await merchantName(db, id) : undefined;
  return merchant === undefined ? {} : { merchant };
}

function amountIn(
  given: Given,
  total: Recorded['money'],
  language: Language,
): { amount?: string; difference?: string } {
  if (total) {
    const { amountMinor: minor, currency } = total;
    const amount = money(minor < 0n ? -minor : minor, currency, language);
    const of = minor < 0n ? missing : minor > 0n ? surplus : none;
    return { amount, difference: fill(of[language], { amount }) };
  }
  const { amount, currency } = given;
  if (typeof amount !== 'string' || typeof currency !== 'string' || !isCurrency(currency)) return {};
  const minor = parseAmount(amount.replace(/^-/, ''), currency);
  return minor === undefined ? {} : { amount: money(minor, currency, language) };
}

function plainText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  return value === undefined || value === null || value === false ? '' : JSON.stringify(value);
}

/** Balances from → to, the reason, and every other field of the input. */
function factsOf(
  given: Given,
  changes: readonly Change[],
  language: Language,
  timezone: string,
): [string, string][] {
  const moved = changes.filter(({ of, field }) => of.kind === 'ledger_account' && field === 'balance');
  const { reason: why = given['note'], ...rest } = given;
  const facts: [string, string][] = [
    ...moved.map((change): [string, string] => [
      `${balance[language]} (${change.of.id.split(':', 1)[0] ?? ''})`,
      fromTo(change, language, timezone),
    ]),
    [reason[language], plainText(why)],
    ...Object.entries(rest).flatMap(([name, value]): [string, string][] =>
      ['merchant_id', 'note'].includes(name) ? [] : [[name, plainText(value)]],
    ),
  ];
  return facts.filter(([, value]) => value !== '').map(([name, value]) => [name, legible(value)]);
}

export function fromTo({ from, to }: Change, language: Language, timezone: string): string {
  const shown = (value: ShownValue) => shownValue(value, language, timezone) ?? nothing[language];
  return from === null && to !== null ? shown(to) : `${shown(from)} → ${shown(to)}`;
}

function shownValue(value: ShownValue, language: Language, timezone: string): string | undefined {
  if (value === null || value === '') return undefined;
  if (value instanceof Date) return moment(value, timezone, language, true);
  if (typeof value === 'object') return money(value.minor, value.currency, language);
  return String(value);
}

export const amountText = (minor: string, currency: Currency): string =>
  `${formatAmount(BigInt(minor), currency)} ${currency}`;
