/** Reads a Daraja client's request. The first error is reported, as Daraja does. */
import { Buffer } from 'node:buffer';
import type { CallResponse } from '../../calls';
import { isHttpUrl, recordOf, textOf, type Fields } from '../../fields';
import { firstFault, unknownMerchant, wrongCredentials } from './answers';
import type { StkSettings } from './settings';

export interface PromptRequest {
  phone: string;
  /** Whole shillings. */
  amount: number;
  callbackUrl: string;
  accountReference: string;
  description: string;
}

export type Read<T> = { value: T } | { refused: CallResponse };
type Rule = readonly [field: string, isRight: (value: string) => boolean];

const PHONE = /^254[17]\d{8}$/;
const AMOUNT_MIN = 1;
const AMOUNT_MAX = 150_000;
const ACCOUNT_REFERENCE_MAX = 12;

const isPhone = (value: string) => PHONE.test(value);
const isPresent = (value: string) => value.trim() !== '';
/** Half of a surrogate pair is not valid text. */
const isText = (value: string) => isPresent(value) && !/\p{Surrogate}/u.test(value);

/** The fields in the order of the documentation; numbers are read as their texts. */
const signedChecks: readonly Rule[] = [
  ['BusinessShortCode', (value) => /^\d{5,7}$/.test(value)],
  ['Password', isPresent],
  ['Timestamp', isTimestamp],
];
const promptChecks: readonly Rule[] = [
  ...signedChecks,
  ['TransactionType', (value) => value === 'CustomerPayBillOnline' || value === 'CustomerBuyGoodsOnline'],
  ['Amount', isAmount],
  ['PartyA', isPhone],
  ['PartyB', (value) => /^\d{5,7}$/.test(value)],
  ['PhoneNumber', isPhone],
  ['CallBackURL', isHttpUrl],
  ['AccountReference', (value) => isText(value) && value.length <= ACCOUNT_REFERENCE_MAX],
  ['TransactionDesc', isText],
];
const queryChecks: readonly Rule[] = [...signedChecks, ['CheckoutRequestID', isPresent]];

export function readPromptRequest(body: unknown, settings: StkSettings): Read<PromptRequest> {
  const fields = recordOf(body);
  const refused = faultIn(fields, promptChecks) ?? signatureFault(fields, settings);
  if (refused) return { refused };
  return {
    value: {
      phone: textOf(fields['PhoneNumber']),
      amount: Number(fields['Amount']),
      callbackUrl: textOf(fields['CallBackURL']),
      accountReference: textOf(fields['AccountReference']),
      description: textOf(fields['TransactionDesc']),
    },
  };
}

/** @returns the CheckoutRequestID of the query. */
export function readQueryRequest(body: unknown, settings: StkSettings): Read<string> {
  const fields = recordOf(body);
  const refused = faultIn(fields, queryChecks) ?? signatureFault(fields, settings);
  return refused ? { refused } : { value: textOf(fields['CheckoutRequestID']) };
}

function faultIn(fields: Fields, rules: readonly Rule[]): CallResponse | undefined {
  return firstFault(rules.map(([field, isRight]) => [field, isRight(textOf(fields[field]))]));
}

/** The Password proves the passkey, which is never sent. */
function signatureFault(fields: Fields, { shortcode, passkey }: StkSettings): CallResponse | undefined {
  if (textOf(fields['BusinessShortCode']) !== shortcode) return unknownMerchant();
  const expected = Buffer.from(`${shortcode}${passkey}${textOf(fields['Timestamp'])}`).toString('base64');
  return fields['Password'] === expected ? undefined : wrongCredentials();
}

function isTimestamp(value: string): boolean {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})$/.exec(value) ?? [];
  const iso = `${String(year)}-${String(month)}-${String(day)}T${String(hour)}:${String(minute)}:${String(second)}.000Z`;
  const moment = new Date(iso);
  // A date that does not exist, such as 30 February, becomes another one.
  return !Number.isNaN(moment.getTime()) && moment.toISOString() === iso;
}

function isAmount(value: string): boolean {
  return /^\d{1,6}$/.test(value) && Number(value) >= AMOUNT_MIN && Number(value) <= AMOUNT_MAX;
}
