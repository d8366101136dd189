import { formatAmount, type Currency } from '../domain/money';
import type { Movement, Statement } from './statement';

/** Who, what and when, with the balances at both ends. */
export function headOfStatement(statement: Statement) {
  const { merchantId, currency, zone, from, to, isFinal, accounts } = statement;
  return {
    merchant_id: merchantId,
    currency,
    from,
    to,
    time_zone: zone,
    is_final: isFinal,
    accounts: accounts.map(({ name, rail, country, openingMinor, closingMinor }) => ({
      account: name,
      rail,
      country,
      opening_balance: formatAmount(openingMinor, currency),
      closing_balance: formatAmount(closingMinor, currency),
    })),
  };
}

export function toldMovement(movement: Movement, currency: Currency) {
  return {
    account: movement.account,
    time: movement.at.toISOString(),
    type: movement.type,
    payment_id: movement.paymentId,
    rail: movement.rail,
    kind: movement.kind,
    order_id: movement.orderId,
    reference: movement.reference,
    source_id: movement.sourceId,
    amount: formatAmount(movement.amountMinor, currency),
    balance: formatAmount(movement.balanceMinor, currency),
  };
}
