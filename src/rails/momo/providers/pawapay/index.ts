import { setTimeout as delay } from 'node:timers/promises';
import type { Acceptance, Finding, Recovery } from '../../../../domain/outcome';
import { acceptanceOf, msSince } from '../../../../payments/read/payment-clock';
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
import { readAcceptance, receivedThere, type InitiationAnswer } from './answers';
import type { Ask } from './ask';
import { pawapayCheckups } from './checkups';
import { networkDirectory } from './directory';
import { isAboutItsWords } from './failure-codes';
import { instructionOf } from './instruction';
import { requestSigner } from './signature';
import { findingOf, readTransaction, recordOf, type Transaction } from './transaction';
import { walletStatements } from './wallet-statements';
import { pawapayWallets } from './wallets';

type Actions = Pick<Operation, 'initiate' | 'recover' | 'retrieveStatus' | 'readNotification'> &
  Required<Pick<Operation, 'cancel' | 'neverReceivedCode'>>;

export interface Pawapay {
  directory: NetworkDirectory;
  /** The PEM of one of the provider's signing keys. */
  findKey(keyId: string): Promise<string | undefined>;
  actionsOf(operation: NetworkOperation): Actions;
  checkups(notificationUrl: string): ProviderCheckups;
  wallets: AskableWallets;
  statementsTo(callbackUrl: string): StatementSource;
}

/** When a redirect provider's page is asked for, in milliseconds after the acceptance. */
const pageAfterMs = [1_000, 2_000, 3_000, 5_000, 8_000, 11_000];
/** An id the provider does not know may be sent again this long: a prompt that comes later confuses the payer. */
const resendWithinMs = 2 * 60_000;
/** However fast the sandbox's time goes: an answer that is lost is waited for in real seconds first. */
const leastResendMs = 20_000;
/** An id that the provider has told of before, and does not know after this long, is disowned and no latecomer. */
const disownedAfterMs = 2 * 60_000;
/** An id still unknown after this long was never received. */
const notReceivedAfterMs = 15 * 60_000;
const neverReceivedCode = 'NOT_RECEIVED';
const directoryTimeoutMs = 5_000;
/** The configuration of an account in every country tells each network's prompts in two languages. */
const tableBytesMax = 1024 * 1024;
/** Leaves time to ask what became of an instruction whose answer was lost. */
const firstTryShare = 0.5;

/** pawaPay Merchant API v2. Our own id is its idempotency key, so every instruction may be repeated under it. */
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
  // A last sending must have come to its end before anybody says that nothing was received.
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
    async function send(payment: PaymentRow, { timeoutMs }: ProviderCall): Promise<InitiationAnswer> {
      const body = instructionOf(operation, payment);
      return readAcceptance(
        await ask('initiate', 'POST', `/v2/${operation}s`, body, timeoutMs),
        payment.payment_id,
      );
    }

    /** The id is known there, or it is not: then it may be sent again, since repeats of it are dropped. */
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

      async retrieveStatus(payment, { timeoutMs }): Promise<Finding> {
        const found = await find(operation, payment.payment_id, timeoutMs);
        if (found.kind === 'found') return received(findingOf(found.transaction));
        if (found.kind === 'unknown') return { kind: 'unknown', text: found.text };
        return notFound(payment);
      },

      readNotification({ body }) {
        const transaction = readTransaction(JSON.parse(body));
        if (!transaction) return { kind: 'unknown', text: 'not a transaction' };
        // Nobody unproven has us believe that the provider had it, or sends anybody to a page.
        return momo.signedCallbacks
          ? received(findingOf(transaction))
          : findingOf({ ...transaction, authorizationUrl: undefined });
      },

      async cancel(payment, { timeoutMs }) {
        const path = `/v2/${operation}s/fail-enqueued/${payment.payment_id}`;
        const answer = await ask('cancel', 'POST', path, {}, timeoutMs);
        const status = answer.kind === 'answered' ? recordOf(answer.json)['status'] : undefined;
        if (status === 'ACCEPTED') return 'taken';
        return status === 'REJECTED' ? 'too_late' : 'unknown';
      },
    };

    function notFound(payment: PaymentRow): Finding {
      const { state, accepted_at: acceptedAt } = payment;
      const unknownYet: Finding = { kind: 'open', text: 'NOT_FOUND' };
      // It is being sent just now, or waits to be.
      if (acceptedAt === null && (state === 'received' || state === 'initiating')) return unknownYet;
      const ageMs = msSince(payment, acceptanceOf(payment));
      if (wasReceived(payment, momo)) {
        const text = 'NOT_FOUND, and the provider has told of it before';
        return ageMs > disownedAfterMs / settings.timeScale
          ? { kind: 'open', text, disowned: true }
          : unknownYet;
      }
      if (ageMs <= notReceivedMs) return unknownYet;
      const text = 'The provider never received it';
      return { kind: 'failed', code: neverReceivedCode, text, neverReceived: true };
    }

    function accepted(payment: PaymentRow, transaction: Transaction): Recovery {
      const finding = findingOf(transaction);
      const kind = finding.kind === 'open' && finding.as === 'queued' ? 'queued' : 'accepted';
      return {
        kind,
        providerReference: payment.payment_id,
        details: { ...(finding.kind === 'open' && finding.details), ...receivedThere },
      };
    }

    /** The provider makes the page after it has accepted; without it in time the status shows it later. */
    async function withPage(
      payment: PaymentRow,
      answer: Acceptance & { kind: 'accepted' },
      deadline: number,
    ): Promise<Acceptance> {
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

    /** ENQUEUED need not be in the answer to the instruction itself, so the status is read before it is told. */
    async function withQueue(
      payment: PaymentRow,
      answer: Acceptance & { kind: 'accepted' },
      timeoutMs: number,
    ): Promise<Acceptance> {
      const found = await find(operation, payment.payment_id, Math.min(timeoutMs, 3_000));
      return found.kind === 'found' ? accepted(payment, found.transaction) : answer;
    }
  }

  return {
    directory,
    findKey: publicKeys(ask),
    actionsOf,
    checkups: (notificationUrl) => pawapayCheckups(momo, ask, notificationUrl),
    wallets: pawapayWallets(ask, momo.baseUrl),
    statementsTo: (callbackUrl) =>
      walletStatements({
        ...{ ask, callbackUrl, timeScale: settings.timeScale },
        files: providerFiles('momo', momo.baseUrl, settings.observe),
      }),
  };
}

/** What does not end a payment still shows that the provider has it. */
function received(finding: Finding): Finding {
  return finding.kind === 'open'
    ? { ...finding, details: { ...finding.details, ...receivedThere } }
    : finding;
}

/**
 * Where callbacks are signed, the states that only the provider's word leads to tell it, too. The reference does not: it
 * is ours from the beginning.
 */
function wasReceived(
  { state, details }: Pick<PaymentRow, 'state' | 'details'>,
  { signedCallbacks }: MomoSettings,
): boolean {
  const isTold = signedCallbacks && (state === 'queued' || state === 'processing');
  return details['received_there'] !== undefined || isTold;
}

/** An unknown key id makes us look once; a stranger who sends many does not make us ask the provider each time. */
const lookAgainAfterMs = 10_000;

/** The provider's signing keys by id. */
function publicKeys(ask: Ask): (keyId: string) => Promise<string | undefined> {
  let keys = new Map<string, string>();
  let lookedAt = -Infinity;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    lookedAt = performance.now();
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
    if (!keys.has(keyId) && performance.now() - lookedAt > lookAgainAfterMs) {
      looking ??= look().finally(() => (looking = undefined));
    }
    await looking;
    return keys.get(keyId);
  };
}
