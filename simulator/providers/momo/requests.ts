/** The allowed fields of each initiation, and their meaning. */
import { isRecord, recordOf, textOf, type Fields } from '../../fields';
import {
  amount,
  clientReferenceId,
  currency,
  customerMessage,
  firstFault,
  metadata,
  optional,
  preAuthorisationCode,
  required,
  shape,
  text,
  url,
  uuidV4,
  type FieldCheck,
} from './checks';
import { failure, type Failure } from './failures';
import { operations, type Operation } from './operations';

const party = (field: string) =>
  required(
    field,
    shape(field, [
      required('type', (value) => (value === 'MMO' ? undefined : 'It must be MMO.')),
      required(
        'accountDetails',
        shape(`${field}.accountDetails`, [required('phoneNumber', text), required('provider', text)]),
      ),
    ]),
  );
const remarks = [optional('clientReferenceId', clientReferenceId), optional('metadata', metadata)];
const payment = [required('amount', amount), required('currency', currency)];

const checks: Readonly<Record<Operation, readonly FieldCheck[]>> = {
  DEPOSIT: [
    required('depositId', uuidV4),
    ...payment,
    party('payer'),
    optional('preAuthorisationCode', preAuthorisationCode),
    optional('successfulUrl', url),
    optional('failedUrl', url),
    optional('customerMessage', customerMessage),
    ...remarks,
  ],
  PAYOUT: [
    required('payoutId', uuidV4),
    ...payment,
    party('recipient'),
    optional('customerMessage', customerMessage),
    ...remarks,
  ],
  REFUND: [
    required('refundId', uuidV4),
    required('depositId', uuidV4),
    optional('amount', amount),
    optional('currency', currency),
    ...remarks,
  ],
};

/** The values of a valid body. Fields of other operations are empty. */
export interface Submission {
  id: string;
  amount?: string;
  currency?: string;
  phone: string;
  provider: string;
  depositId?: string;
  preAuthorisationCode?: string;
  successfulUrl?: string;
  failedUrl?: string;
  /** Stored with the transaction unchanged. */
  remarks: { customerMessage?: string; clientReferenceId?: string; metadata?: Fields };
}

/** The id, if there is one, even if the rest of the body is invalid. */
export function idOf(body: unknown, operation: Operation): string {
  return textOf(recordOf(body)[operations[operation].idField]);
}

export function phoneOf(body: unknown, operation: Operation): string {
  return textOf(accountOf(body, operation)['phoneNumber']);
}

export function providerOf(body: unknown, operation: Operation): string {
  return textOf(accountOf(body, operation)['provider']);
}

export function readSubmission(
  body: unknown,
  operation: Operation,
): { value: Submission } | { refused: Failure } {
  if (!isRecord(body)) return { refused: failure('INVALID_INPUT') };
  const refused = firstFault(body, checks[operation]);
  if (refused) return { refused };
  const account = accountOf(body, operation);
  const texts = (names: readonly string[]) =>
    Object.fromEntries(names.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]));
  return {
    value: {
      id: idOf(body, operation),
      ...texts(['amount', 'currency', 'preAuthorisationCode', 'successfulUrl', 'failedUrl']),
      ...(operation === 'REFUND' && { depositId: textOf(body['depositId']) }),
      phone: textOf(account['phoneNumber']),
      provider: textOf(account['provider']),
      remarks: {
        ...texts(['customerMessage', 'clientReferenceId']),
        ...(Array.isArray(body['metadata']) && { metadata: flat(body['metadata']) }),
      },
    },
  };
}

function accountOf(body: unknown, operation: Operation): Fields {
  return recordOf(recordOf(recordOf(body)[operations[operation].partyField])['accountDetails']);
}

/** Sent as a list of single fields, returned as one object. */
function flat(entries: readonly unknown[]): Fields {
  const { isPII: _, ...fields } = Object.assign({}, ...entries.map(recordOf)) as Fields;
  return fields;
}
