import type { Migrations } from './migration';
import * as foundation from './001-foundation';
import * as vouchers from './002-vouchers';
import * as looks from './003-looks';
import * as acceptance from './005-acceptance';
import * as rateWindows from './006-rate-windows';
import * as appendOnlyTriggers from './007-append-only-triggers';
import * as amountsTold from './008-amounts-told';
import * as hints from './010-hints';
import * as groupedCases from './011-grouped-cases';
import * as refunds from './021-refunds';
import * as bulkPayouts from './020-bulk-payouts';
import * as runningClaims from './009-running-claims';
import * as accessTokens from './015-access-tokens';
import * as missingReceipts from './016-missing-receipts';
import * as contestedHolds from './023-contested-holds';
import * as laterLooks from './023-later-looks';
import * as endsOfLife from './025-ends-of-life';
import * as voucherLooks from './028-voucher-looks';
import * as looksByRail from './027-looks-by-rail';
import * as stops from './022-stops';
import * as proofs from './026-proofs';
import * as operators from './033-operators';
import * as verdicts from './039-verdicts';
import * as verdictOfNews from './047-verdict-of-news';
import * as approvals from './034-approvals';
import * as reconciliation from './037-reconciliation';
import * as payoutStops from './031-payout-stops';
import * as ledgerLinks from './035-ledger-links';
import * as limits from './030-limits';
import * as payoutHolds from './032-payout-holds';
import * as callbackHealth from './045-callback-health';
import * as floatProofs from './043-float-proofs';
import * as fees from './041-fees';
import * as defaultLimits from './046-default-limits';
import * as postingSums from './036-posting-sums';
import * as paidTwice from './044-paid-twice';
import * as suspense from './040-suspense';
import * as statementFetches from './042-statement-fetches';
import * as payoutsSentBack from './049-payouts-sent-back';
import * as floatStops from './050-float-stops';
import * as floatMovements from './051-float-movements';
import * as balanceQuestions from './048-balance-questions';
import * as processVersions from './052-process-versions';
import * as events from './053-events';
import * as merchantReferences from './054-merchant-references';
import * as people from './056-people';
import * as apiKeyNames from './057-api-key-names';
import * as payoutBatches from './058-payout-batches';
import * as apiRequests from './060-api-requests';
import * as webhookEndpoints from './061-webhook-endpoints';
import * as passkeys from './062-passkeys';
import * as unusedIndexes from './063-unused-indexes';
import * as merchantTimeZones from './064-merchant-time-zones';
import * as lists from './065-lists';
import * as endpointTries from './066-endpoint-tries';
import * as linesOfNamelessPayments from './067-lines-of-nameless-payments';
import * as withdrawnStatements from './069-withdrawn-statements';
import * as invitedPeople from './070-invited-people';
import * as orderOfChanges from './071-order-of-changes';
import * as keyScopes from './073-key-scopes';
import * as standingRoles from './074-standing-roles';
import * as credentials from './075-credentials';
import * as auditRows from './077-audit-rows';
import * as ruleAlarms from './078-rule-alarms';
import * as realTimes from './079-real-times';
import * as approvedActions from './080-approved-actions';
import * as actionsOfEntries from './081-actions-of-entries';
import * as nextCheck from './082-next-check';

/**
 * The migrations in their order. A static list, so that names recorded in the database never depend on whether
 * the code runs as `.ts` or `.js`. A new one comes last, with the next number. A number 004 was never released.
 */
export const migrations: Migrations = {
  '001-foundation': foundation,
  '002-vouchers': vouchers,
  '003-looks': looks,
  '005-acceptance': acceptance,
  '006-rate-windows': rateWindows,
  '007-append-only-triggers': appendOnlyTriggers,
  '008-amounts-told': amountsTold,
  '010-hints': hints,
  '011-grouped-cases': groupedCases,
  '009-running-claims': runningClaims,
  '020-bulk-payouts': bulkPayouts,
  '015-access-tokens': accessTokens,
  '016-missing-receipts': missingReceipts,
  '023-later-looks': laterLooks,
  '025-ends-of-life': endsOfLife,
  '023-contested-holds': contestedHolds,
  '022-stops': stops,
  '021-refunds': refunds,
  '026-proofs': proofs,
  '028-voucher-looks': voucherLooks,
  '027-looks-by-rail': looksByRail,
  '033-operators': operators,
  '034-approvals': approvals,
  '037-reconciliation': reconciliation,
  '040-suspense': suspense,
  '031-payout-stops': payoutStops,
  '035-ledger-links': ledgerLinks,
  '030-limits': limits,
  '032-payout-holds': payoutHolds,
  '039-verdicts': verdicts,
  '036-posting-sums': postingSums,
  '044-paid-twice': paidTwice,
  '045-callback-health': callbackHealth,
  '043-float-proofs': floatProofs,
  '047-verdict-of-news': verdictOfNews,
  '041-fees': fees,
  '042-statement-fetches': statementFetches,
  '046-default-limits': defaultLimits,
  '049-payouts-sent-back': payoutsSentBack,
  '050-float-stops': floatStops,
  '051-float-movements': floatMovements,
  '048-balance-questions': balanceQuestions,
  '052-process-versions': processVersions,
  '053-events': events,
  '054-merchant-references': merchantReferences,
  '056-people': people,
  '057-api-key-names': apiKeyNames,
  '058-payout-batches': payoutBatches,
  '060-api-requests': apiRequests,
  '061-webhook-endpoints': webhookEndpoints,
  '062-passkeys': passkeys,
  '063-unused-indexes': unusedIndexes,
  '064-merchant-time-zones': merchantTimeZones,
  '065-lists': lists,
  '066-endpoint-tries': endpointTries,
  '067-lines-of-nameless-payments': linesOfNamelessPayments,
  '069-withdrawn-statements': withdrawnStatements,
  '070-invited-people': invitedPeople,
  '071-order-of-changes': orderOfChanges,
  '073-key-scopes': keyScopes,
  '074-standing-roles': standingRoles,
  '075-credentials': credentials,
  '077-audit-rows': auditRows,
  '078-rule-alarms': ruleAlarms,
  '079-real-times': realTimes,
  '080-approved-actions': approvedActions,
  '081-actions-of-entries': actionsOfEntries,
  '082-next-check': nextCheck,
};

/** What a process that runs this code knows. */
export const newestMigration = Object.keys(migrations).at(-1) ?? '';
