/** The statements API: a wallet's statement is requested, made after a while, and downloaded from its own address. */
import { randomUUID } from 'node:crypto';
import type { Request } from 'express';
import type { CallResponse } from '../../calls';
import type { Clock } from '../../clock';
import { recordOf, textOf } from '../../fields';
import type { Journal } from '../../journal';
import type { StatementLine, Statements } from '../../statement-lines';
import { ok, errors } from './answers';
import { wireTime } from './callback';
import { currency, firstFault, optional, required, shape, text, url } from './checks';
import { failure, failures, type Failure } from './failures';
import { countries } from './network/countries';
import { predictProvider } from './network/numbers';
import type { MomoSettings } from './settings';
import { pawapayStatement } from './statement';
import type { Wallets, WalletName } from './wallets';

const spanMaxMs = 31 * 86_400_000;
const dayMs = 86_400_000;

interface KeptStatement {
  id: string;
  wallet: WalletName;
  startDate: string;
  endDate: string;
  /** Virtual time. */
  created: number;
  csv: string;
  /** The end of its address. */
  file: string;
}

export interface WalletStatements {
  request(request: Request): CallResponse;
  status(request: Request): CallResponse;
  file(request: Request): CallResponse;
}

interface Parts {
  journal: Journal;
  clock: Clock;
  statements: Statements;
  wallets: Wallets;
  settings: MomoSettings;
}

/** Faults: what a statement claims to be. */
export const unmade = {
  not_ready: () => ok({ status: 'FOUND', data: { status: 'PROCESSING' } }),
  failed: () =>
    ok({
      status: 'FOUND',
      data: { status: 'FAILED', failureReason: { failureCode: 'UNKNOWN_ERROR', failureMessage: '' } },
    }),
} satisfies Record<string, () => CallResponse>;

const notFound = (): CallResponse => errors.instead?.not_found?.() ?? { drop: true };

/** UTC, without a zone. */
const localTime = (value: unknown): string | undefined =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(textOf(value)) ? undefined : 'It must be a date and a time.';
const momentOf = (value: unknown): number => Date.parse(`${textOf(value)}Z`);

const checks = [
  required(
    'wallet',
    shape('wallet', [required('country', text), required('currency', currency), optional('provider', text)]),
  ),
  required('callbackUrl', url),
  required('startDate', localTime),
  required('endDate', localTime),
  optional('compressed', (value) => (value === false ? undefined : 'Only uncompressed files are simulated.')),
];

export function openWalletStatements({
  journal,
  clock,
  statements,
  wallets,
  settings,
}: Parts): WalletStatements {
  const kept = journal.collection<KeptStatement>('momo.statements');

  return {
    request({ body }) {
      const fields = recordOf(body);
      const { country, currency: money } = recordOf(fields['wallet']);
      const wallet = { country: textOf(country), currency: textOf(money) };
      const [from, to] = [momentOf(fields['startDate']), momentOf(fields['endDate'])];
      const fault =
        firstFault(fields, checks) ??
        (wallets.exists(wallet) ? undefined : failure('INVALID_PARAMETER', 'wallet: There is none.')) ??
        (from < to && to - from <= spanMaxMs ? undefined : failure('INVALID_PARAMETER', 'endDate'));
      if (fault) return rejection(fault);
      const lines = statements
        .lines('momo')
        .filter((line) => Date.parse(line.at) >= from && Date.parse(line.at) < to && isIn(wallet, line));
      const statement: KeptStatement = {
        id: randomUUID(),
        wallet,
        startDate: textOf(fields['startDate']),
        endDate: textOf(fields['endDate']),
        created: clock.now(),
        csv: pawapayStatement(lines),
        file: `${randomUUID()}.csv`,
      };
      kept.put(statement.id, statement);
      return ok({ statementId: statement.id, status: 'ACCEPTED', created: wireTime(statement.created) });
    },

    status(request) {
      const statement = kept.get(String(request.params['id']));
      if (!statement) return notFound();
      const { id, wallet, startDate, endDate, created, csv, file } = statement;
      const madeAt = created + settings.soonMs;
      const reported = { statementId: id, wallet, created: wireTime(created), startDate, endDate };
      if (clock.now() < madeAt) return ok({ status: 'FOUND', data: { ...reported, status: 'PROCESSING' } });
      return ok({
        status: 'FOUND',
        data: {
          ...reported,
          status: 'COMPLETED',
          fileSize: Buffer.byteLength(csv),
          downloadUrl: `http://${request.get('host') ?? ''}/statement-files/${file}`,
          downloadUrlExpiresAt: wireTime(madeAt + dayMs),
          completedAt: wireTime(madeAt),
        },
      });
    },

    file(request) {
      const wanted = String(request.params['file']);
      const statement = [...kept.values()].find(({ file }) => file === wanted);
      if (!statement || clock.now() > statement.created + settings.soonMs + dayMs)
        return { status: 403, text: 'Expired', type: 'text/plain' };
      return { status: 200, text: statement.csv, type: 'text/csv' };
    },
  };
}

function rejection(fault: Failure): CallResponse {
  const { code, message } = fault;
  return {
    status: failures[code][0],
    json: { status: 'REJECTED', failureReason: { failureCode: code, failureMessage: message } },
  };
}

/** The books do not contain the country. If the number does not show it, it is the first country with the currency. */
function isIn(
  { country, currency: money }: WalletName,
  { phone = '', currency: of }: StatementLine,
): boolean {
  if (of !== money) return false;
  const having = countries.filter(({ providers }) =>
    providers.some((provider) => provider.money.some((limits) => limits.currency === of)),
  );
  const home = predictProvider(phone)?.country;
  return country === (having.find(({ code }) => code === home) ?? having[0])?.code;
}
