/** Types for the parts of PayPal's clients that the tests use; the clients have none. */
interface PayPalAnswer {
  statusCode: number;
  result: Record<string, unknown>;
}

interface PayPalRequest {
  headers: Record<string, string>;
  requestBody(body: object): this;
  prefer(representation: string): this;
  payPalRequestId(id: string): this;
}

interface PayPalCore {
  PayPalEnvironment: new (clientId: string, secret: string, baseUrl: string, webUrl: string) => object;
  PayPalHttpClient: new (environment: object) => { execute(request: PayPalRequest): Promise<PayPalAnswer> };
}

type Requests<Name extends string> = Record<Name, new (id?: string) => PayPalRequest>;

declare module '@paypal/checkout-server-sdk' {
  export const core: PayPalCore;
  export const orders: Requests<'OrdersCreateRequest' | 'OrdersGetRequest' | 'OrdersCaptureRequest'>;
  export const payments: Requests<'CapturesGetRequest' | 'CapturesRefundRequest' | 'RefundsGetRequest'>;
}

declare module '@paypal/payouts-sdk' {
  export const core: PayPalCore;
  export const payouts: Requests<
    'PayoutsPostRequest' | 'PayoutsGetRequest' | 'PayoutsItemGetRequest' | 'PayoutsItemCancelRequest'
  >;
}
