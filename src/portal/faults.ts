/** What is wrong with what somebody has typed, in the language of the page: validation itself speaks English. */
import type { FieldFault } from '../domain/errors';
import type { Visit } from './visit';
import type { Word } from './words';

/** By how the sentence of the check goes on after the name of its field. */
const sentences: readonly (readonly [part: string, word: Word])[] = [
  ['must be at most 2000 characters', 'fault.url.long'],
  ['must be a complete http or https URL', 'fault.url.whole'],
  ['must be an https URL', 'fault.url.https'],
  ['must not contain a user name or a password', 'fault.url.password'],
  ['must use port 80, 443 or one from 1024 up', 'fault.url.port'],
  ['must name a host on the public internet', 'fault.url.public'],
  ['must write an IPv4 address as four decimal numbers', 'fault.url.ipv4'],
  ['must be an IP address or a CIDR block', 'fault.range'],
  ['must be a host name', 'fault.host'],
  ['must be a time zone', 'fault.zone'],
  ['payment card number', 'fault.card'],
  ['must not contain control characters', 'fault.control'],
  ['characters that can be printed', 'fault.key_name'],
  ['is not allowed to be empty', 'fault.empty'],
  ['length must be less than or equal to', 'fault.long'],
  ['contains a duplicate value', 'fault.twice'],
  ['must contain less than or equal to', 'fault.many'],
  ['must be one of', 'fault.choose'],
];

const labels: Readonly<Record<string, Word>> = {
  name: 'dev.key.name',
  url: 'endpoints.url',
  webhookUrl: 'dev.address.webhookUrl',
  callbackUrl: 'dev.address.callbackUrl',
  returnUrl: 'dev.address.returnUrl',
  cancelUrl: 'dev.address.cancelUrl',
  walletCurrency: 'settings.wallet',
  timeZone: 'settings.zone',
  ipAllow: 'fault.field.ipAllow',
  checkoutHosts: 'fault.field.checkoutHosts',
};

/** `Allowed addresses, line 2: this is no address.` */
function faultText({ t }: Pick<Visit, 't'>, { field, message }: FieldFault): string {
  const [name = '', index] = field.split('.');
  const label = labels[name];
  const known = sentences.find(([part]) => message.includes(part))?.[1];
  const line = index === undefined ? '' : t('fault.line', { n: Number(index) + 1 });
  // What only a newer check says is told in its own words.
  return `${label ? t(label) : name}${line}: ${known ? t(known) : message}`;
}

export function faultsText(visit: Pick<Visit, 't'>, details: readonly FieldFault[] = []): string {
  return details.map((one) => faultText(visit, one)).join(' ');
}
