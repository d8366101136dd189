import { setTimeout as delay } from 'node:timers/promises';
import type { SubmissionResult, ProviderResult, Recovery } from '../../../../domain/outcome';
import { creationTimeOf, msSince } from '../../../../payments/read/payment-clock';
import type { ProviderCheckups } from '../../../../rail-kit/provider-checkups';
import { providerFiles } from '../../../../rail-kit/provider-file';
import { providerHttp } from '../../../../rail-kit/provider-http';
import type { AskableWallets } from '../../../../rail-kit/provider-wallets';
import { sentAgain } from '../../../../rail-kit/provider-words';
import type { Operation, ProviderCall, RailSettings } from '../../../../rail-kit/rail';
import type { StatementSource } from '../../../../reconciliation/statement-source';
import type { PaymentRow } from '../../../../store/tables';
import type { NetworkDirectory, NetworkOperation } from '../../network';
import type { MomoSettings } from '../../settings';
import { readSubmission, receivedThere, type PawapaySubmission } from './answers';
import type { Ask } from './ask';
import { pawapayCheckups } from './checkups';
import { networkDirectory } from './directory';
import { isAboutItsWords } from './failure-codes';
import { submissionBody } from './submission-body';
import { requestSigner } from './signature';
import { resultOf, readTransaction, recordOf, type Transaction } from './transaction';
import { walletStatements } from './wallet-statements';
import { pawapayWallets } from './wallets';
import { wireJson } from '../../../../rail-kit/wire-json';

type Actions = Pick<Operation, 'initiate' | 'recover' | 'retrieveStatus' | 'readNotification'> &
  Required<Pick<Operation, 'cancel' | 'neverReceivedCode'>>;

export interface Pawapay {
  directory: NetworkDirectory;
  /** The PEM of one of the provider's signing keys. */
  findKey(keyId: string): Promise<string | undefined>;
  actionsOf(operation: NetworkOperation): Actions;
  /** @param collectedIn the countries in which another rail collects through the account. */
  checkups(notificationUrl: string, collectedIn?: readonly string[]): ProviderCheckups;
  wallets: AskableWallets;
  statementsTo(callbackUrl: string): StatementSource;
}

/** When a redirect provider's page is queried, in milliseconds after the submission. */
const pageAfterMs = [1_000, 2_000, 3_000, 5_000, 8_000, 11_000];
/** An id that the provider does not know may be sent again for this long: a later prompt would confuse the payer. */
const resendWithinMs = 2 * 60_000;
/** A lower limit in real time, however fast the sandbox's clock is: a lost answer may still arrive. */
const leastResendMs = 20_000;
/**
 * If the provider reported an id before and does not know it after this long, it is unknown to the provider, not late.
 */
const unknownAfterMs = 2 * 60_000;
/** An id that is still unknown after this long was never received. */
const notReceivedAfterMs = 15 * 60_000;
const neverReceivedCode = 'NOT_RECEIVED';
const directoryTimeoutMs = 5_000;
/** The configuration of an account in every country contains each network's prompts in two languages. */
const tableBytesMax = 1024 * 1024;
/** Leaves time for a status query if the answer to a submission is lost. */
const firstTryShare = 0.5;

/** pawaPay Merchant API v2. Our own id is its idempotency key, so every submission may be repeated with it. */
export function pawapayProvider(momo: MomoSettings, settings: RailSettings): Pawapay {
  const http = providerHttp('momo', momo.baseUrl, settings.observe);
  const sign = momo.requestKey && requestSigner(momo.requestKey);
  const headers = { authorization: `Bearer ${momo.token}` };

  const ask: Ask = (call, method, path, body, timeoutMs = directoryTimeoutMs) =>
    http.send({
      call,
      method,
      path,
      headers,
      timeoutMs,
      ...(method === 'GET' ? { answerBytesMax: tableBytesMax } : {}),
      ...(body === undefined ? {} : { body }),
      ...(sign && body !== undefined ? { sign } : {}),
    });
  const directory = networkDirectory(ask, settings.timeScale);
  const resendMs = Math.max(leastResendMs, resendWithinMs / settings.timeScale);
  // A last submission must have ended before the service concludes that nothing was received.
  const notReceivedMs = Math.max(2 * resendMs, notReceivedAfterMs / settings.timeScale);

  async function find(operation: NetworkOperation, id: string, timeoutMs: number) {
    const answer = await ask('query', 'GET', `/v2/${operation}s/${id}`, undefined, timeoutMs);
    if (answer.kind !== 'answered' || answer.status !== 200)
      return { kind: 'unknown' as const, text: answer.text };
    const { status, data } = recordOf(answer.json);
    const transaction = readTransaction(data);
    if (status === 'FOUND' && transaction?.id === id) return { kind: 'found' as const, transaction };
    return status === 'NOT_FOUND'
      ? { kind: 'not_found' as const }
      : { kind: 'unknown' as const, text: answer.text };
  }

  function actionsOf(operation: NetworkOperation): Actions {
    async function send(payment: PaymentRow, { timeoutMs }: ProviderCall): Promise<PawapaySubmission> {
      const body = submissionBody(operation, payment);
      return readSubmission(
        await ask('initiate', 'POST', `/v2/${operation}s`, body, timeoutMs),
        payment.payment_id,
      );
    }

    /** If the provider does not know the id, the payment may be sent again: the provider drops repeats of an id. */
    async function recover(payment: PaymentRow, call: ProviderCall): Promise<Recovery> {
      const found = await find(operation, payment.payment_id, call.timeoutMs);
      if (found.kind === 'found') return accepted(payment, found.transaction);
      if (found.kind === 'unknown') return { kind: 'unknown', text: found.text };
      if (msSince(payment, payment.created_at) > resendMs) {
        return {
          kind: 'unknown',
          text: 'the provider does not know it, and it is too late to send it again',
        };
      }
      const again = await send(payment, call);
      if (again.kind === 'repeated') {
        return { kind: 'accepted', providerReference: payment.payment_id, details: receivedThere };
      }
      return sentAgain(again, again.kind === 'refused' && isAboutItsWords(again.providerCode));
    }

    return {
      async initiate(payment, call) {
        const deadline = Date.now() + call.timeoutMs;
        const left = () => Math.max(1_000, deadline - Date.now());
        const answer = await send(payment, { ...call, timeoutMs: call.timeoutMs * firstTryShare });
        if (answer.kind === 'repeated' || answer.kind === 'unknown') {
          return recover(payment, { ...call, timeoutMs: Math.min(left(), 3_000) });
        }
        if (answer.kind !== 'accepted') return answer;
        if (answer.needsPage) return withPage(payment, answer, deadline);
        return operation === 'deposit' ? answer : withQueue(payment, answer, left());
      },

      recover,
      neverReceivedCode,

      async retrieveStatus(payment, { timeoutMs }): Promise<ProviderResult> {
        const found = await find(operation, payment.payment_id, timeoutMs);
        if (found.kind === 'found') return received(resultOf(found.transaction));
        if (found.kind === 'unknown') return { kind: 'unknown', text: found.text };
        return notFound(payment);
      },

      readNotification({ body }) {
        const transaction = readTransaction(wireJson(body));
        if (!transaction) return { kind: 'unknown', text: 'not a transaction' };
        // Only a signed callback proves that the provider has the payment, or may set the customer's page.
        return momo.signedCallbacks
          ? received(resultOf(transaction))
          : resultOf({ ...transaction, authorizationUrl: undefined });
      },

      async cancel(payment, { timeoutMs }) {
        const path = `/v2/${operation}s/fail-enqueued/${payment.payment_id}`;
        const answer = await ask('cancel', 'POST', path, {}, timeoutMs);
        const { status, failureReason } = recordOf(answer.kind === 'answered' ? answer.json : undefined);
        if (status === 'ACCEPTED') return 'taken';
        // It may not have received the payment yet.
        const isUnknownThere = recordOf(failureReason)['failureCode'] === 'NOT_FOUND';
        return status === 'REJECTED' && !isUnknownThere ? 'too_late' : 'unknown';
      },
    };

    function notFound(payment: PaymentRow): ProviderResult {
      const { state, accepted_at: acceptedAt } = payment;
      const unknownYet: ProviderResult = { kind: 'open', text: 'NOT_FOUND' };
      // The payment is just being submitted, or waits for it.
      if (acceptedAt === null && (state === 'received' || state === 'initiating')) return unknownYet;
      const ageMs = msSince(payment, creationTimeOf(payment));
      if (wasReceived(payment, momo)) {
        const text = 'NOT_FOUND, although the provider reported the payment before';
        return ageMs > unknownAfterMs / settings.timeScale
          ? { kind: 'open', text, unknownToProvider: true }
          : unknownYet;
      }
      if (ageMs <= notReceivedMs) return unknownYet;
      const text = 'The provider never received it';
      return { kind: 'failed', code: neverReceivedCode, text, neverReceived: true };
    }

    function accepted(payment: PaymentRow, transaction: Transaction): Recovery {
      const providerResult = resultOf(transaction);
      const kind = providerResult.kind === 'open' && providerResult.as === 'queued' ? 'queued' : 'accepted';
      return {
        kind,
        providerReference: payment.payment_id,
        details: { ...(providerResult.kind === 'open' && providerResult.details), ...receivedThere },
      };
    }

    /** The provider creates the page after it has accepted. If it is late, a later status query returns it. */
    async function withPage(
      payment: PaymentRow,
      answer: SubmissionResult & { kind: 'accepted' },
      deadline: number,
    ): Promise<SubmissionResult> {
      const begun = Date.now();
      for (const after of pageAfterMs) {
        const at = begun + after / settings.timeScale;
        if (at > deadline) break;
        await delay(Math.max(0, at - Date.now()));
        const found = await find(operation, payment.payment_id, Math.max(1_000, deadline - Date.now()));
        const url = found.kind === 'found' ? found.transaction.authorizationUrl : undefined;
        if (url !== undefined) return { ...answer, details: { ...answer.details, redirect_url: url } };
      }
      return answer;
    }

    /**
     * ENQUEUED may be missing in the answer to the submission, so the status is queried before the merchant gets an
     * answer.
     */
    async function withQueue(
      payment: PaymentRow,
      answer: SubmissionResult & { kind: 'accepted' },
      timeoutMs: number,
    ): Promise<SubmissionResult> {
      const found = await find(operation, payment.payment_id, Math.min(timeoutMs, 3_000));
      return found.kind === 'found' ? accepted(payment, found.transaction) : answer;
    }
  }

  return {
    directory,
    findKey: publicKeys(ask),
    actionsOf,
    checkups: (notificationUrl, collectedIn) => pawapayCheckups(momo, ask, notificationUrl, collectedIn),
    wallets: pawapayWallets(ask, momo.baseUrl),
    statementsTo: (callbackUrl) =>
      walletStatements({
        ...{ ask, callbackUrl, timeScale: settings.timeScale },
        files: providerFiles('momo', momo.baseUrl, settings.observe),
      }),
  };
}

/** A result that does not end the payment still proves that the provider has it. */
function received(providerResult: ProviderResult): ProviderResult {
  return providerResult.kind === 'open'
    ? { ...providerResult, details: { ...providerResult.details, ...receivedThere } }
    : providerResult;
}

/**
 * With signed callbacks, the states that only the provider can cause prove it too. The reference proves nothing: it is
 * our own id.
 */
function wasReceived(
  { state, details }: Pick<PaymentRow, 'state' | 'details'>,
  { signedCallbacks }: MomoSettings,
): boolean {
  const isReported = signedCallbacks && (state === 'queued' || state === 'processing');
  return details['received_there'] !== undefined || isReported;
}

/** An unknown key id causes at most one query in this time, so that an attacker who sends many cannot cause more. */
const checkAgainAfterMs = 10_000;

/** The provider's signing keys by id. */
function publicKeys(ask: Ask): (keyId: string) => Promise<string | undefined> {
  let keys = new Map<string, string>();
  let checkedAt = -Infinity;
  let checking: Promise<void> | undefined;

  async function check(): Promise<void> {
    checkedAt = performance.now();
    const answer = await ask('keys', 'GET', '/v2/public-key/http');
    if (answer.kind !== 'answered' || answer.status !== 200 || !Array.isArray(answer.json)) return;
    keys = new Map(
      answer.json.map(recordOf).flatMap(({ id, key }) => {
        const pair: [string, string][] = typeof id === 'string' && typeof key === 'string' ? [[id, key]] : [];
        return pair;
      }),
    );
  }

  return async (keyId) => {
    if (!keys.has(keyId) && performance.now() - checkedAt > checkAgainAfterMs) {
      checking ??= check().finally(() => (checking = undefined));
    }
    await checking;
    return keys.get(keyId);
  };
}
