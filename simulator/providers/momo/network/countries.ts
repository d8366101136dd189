/** The networks, countries and limits: one line per provider. */
import { limits, type Limits } from './limits';

export type AuthType = 'PROVIDER_AUTH' | 'PREAUTH' | 'REDIRECT_AUTH';

export interface MobileProvider {
  provider: string;
  name: string;
  /** The prefixes of its numbers, after the country's. */
  prefixes: readonly string[];
  money: readonly Limits[];
  /** PROVIDER_AUTH, a PIN prompt on the handset, by default. */
  authType?: AuthType;
}

export interface Country {
  /** ISO 3166 alpha-3. */
  code: string;
  prefix: string;
  /** The number of digits after the country's prefix. */
  digits: readonly number[];
  en: string;
  fr: string;
  providers: readonly MobileProvider[];
}

const { ZMW, KES, UGX, TZS, RWF, GHS, MWK, MZN, CDF, USD, SLE, XOF, XAF } = limits;

/** Benin's numbers got a leading 01 at the end of 2024, and the old ones are still in use. */
const benin = (prefixes: readonly string[]) => prefixes.flatMap((prefix) => [prefix, `01${prefix}`]);

// Wave has no numbers of its own, so here it answers to those of networks that are not played.
// prettier-ignore
export const countries: readonly Country[] = [
  {
    code: 'ZMB', prefix: '260', digits: [9], en: 'Zambia', fr: 'Zambie',
    providers: [
      { provider: 'MTN_MOMO_ZMB', name: 'MTN', prefixes: ['76', '96', '56'], money: [ZMW('1', '20000')] },
      { provider: 'AIRTEL_OAPI_ZMB', name: 'Airtel', prefixes: ['77', '97', '57'], money: [ZMW('1', '20000')] },
      { provider: 'ZAMTEL_ZMB', name: 'Zamtel', prefixes: ['75', '95', '55'], money: [ZMW('1', '10000')] },
    ],
  },
  {
    code: 'KEN', prefix: '254', digits: [9], en: 'Kenya', fr: 'Kenya',
    providers: [{ provider: 'MPESA_KEN', name: 'M-Pesa', prefixes: ['7', '1'], money: [KES('1', '250000')] }],
  },
  {
    code: 'UGA', prefix: '256', digits: [9], en: 'Uganda', fr: 'Ouganda',
    providers: [
      { provider: 'MTN_MOMO_UGA', name: 'MTN', prefixes: ['76', '77', '78', '79', '39', '31'], money: [UGX('500', '5000000')] },
      { provider: 'AIRTEL_OAPI_UGA', name: 'Airtel', prefixes: ['70', '74', '75', '20'], money: [UGX('500', '5000000')] },
    ],
  },
  {
    code: 'TZA', prefix: '255', digits: [9], en: 'Tanzania', fr: 'Tanzanie',
    providers: [
      { provider: 'VODACOM_TZA', name: 'Vodacom', prefixes: ['74', '75', '76', '79'], money: [TZS('500', '5000000')] },
      { provider: 'AIRTEL_TZA', name: 'Airtel', prefixes: ['68', '69', '78'], money: [TZS('500', '5000000')] },
      { provider: 'TIGO_TZA', name: 'Mixx by Yas', prefixes: ['65', '67', '71', '77'], money: [TZS('500', '5000000')] },
    ],
  },
  {
    code: 'RWA', prefix: '250', digits: [9], en: 'Rwanda', fr: 'Rwanda',
    providers: [
      { provider: 'MTN_MOMO_RWA', name: 'MTN', prefixes: ['78', '79'], money: [RWF('100', '2000000')] },
      { provider: 'AIRTEL_RWA', name: 'Airtel', prefixes: ['72', '73'], money: [RWF('100', '2000000')] },
    ],
  },
  {
    code: 'GHA', prefix: '233', digits: [9], en: 'Ghana', fr: 'Ghana',
    providers: [
      { provider: 'MTN_MOMO_GHA', name: 'MTN', prefixes: ['24', '25', '53', '54', '55', '59'], money: [GHS('1', '10000')] },
      { provider: 'VODAFONE_GHA', name: 'Telecel', prefixes: ['20', '50'], money: [GHS('1', '10000')] },
      { provider: 'AIRTELTIGO_GHA', name: 'AirtelTigo', prefixes: ['26', '27', '56', '57'], money: [GHS('1', '10000')] },
    ],
  },
  {
    code: 'BEN', prefix: '229', digits: [8, 10], en: 'Benin', fr: 'Bénin',
    providers: [
      { provider: 'MTN_MOMO_BEN', name: 'MTN', prefixes: benin(['42', '46', '50', '51', '52', '53', '54', '61', '62', '66', '67', '69', '90', '91', '96', '97']), money: [XOF('100', '2000000')] },
      { provider: 'MOOV_BEN', name: 'Moov', prefixes: benin(['55', '58', '60', '63', '64', '65', '68', '94', '95', '98', '99']), money: [XOF('100', '2000000')] },
    ],
  },
  {
    code: 'BFA', prefix: '226', digits: [8], en: 'Burkina Faso', fr: 'Burkina Faso',
    providers: [
      { provider: 'ORANGE_BFA', name: 'Orange', prefixes: ['04', '05', '06', '07', '54', '55', '56', '57', '64', '65', '66', '67', '74', '75', '76', '77'], money: [XOF('100', '1000000')], authType: 'PREAUTH' },
      { provider: 'MOOV_BFA', name: 'Moov', prefixes: ['01', '02', '03', '50', '51', '52', '53', '60', '61', '62', '63', '70', '71', '72', '73'], money: [XOF('100', '1000000')] },
    ],
  },
  {
    code: 'SEN', prefix: '221', digits: [9], en: 'Senegal', fr: 'Sénégal',
    providers: [
      { provider: 'ORANGE_SEN', name: 'Orange', prefixes: ['77', '78'], money: [XOF('100', '1500000')] },
      { provider: 'WAVE_SEN', name: 'Wave', prefixes: ['70', '75', '76'], money: [XOF('100', '1500000')], authType: 'REDIRECT_AUTH' },
    ],
  },
  {
    code: 'CIV', prefix: '225', digits: [10], en: "Côte d'Ivoire", fr: "Côte d'Ivoire",
    providers: [
      { provider: 'MTN_MOMO_CIV', name: 'MTN', prefixes: ['05'], money: [XOF('100', '1500000')] },
      { provider: 'ORANGE_CIV', name: 'Orange', prefixes: ['07'], money: [XOF('100', '1500000')] },
      { provider: 'WAVE_CIV', name: 'Wave', prefixes: ['01'], money: [XOF('100', '1500000')], authType: 'REDIRECT_AUTH' },
    ],
  },
  {
    code: 'CMR', prefix: '237', digits: [9], en: 'Cameroon', fr: 'Cameroun',
    providers: [
      { provider: 'MTN_MOMO_CMR', name: 'MTN', prefixes: ['650', '651', '652', '653', '654', '67', '68'], money: [XAF('100', '500000')] },
      { provider: 'ORANGE_CMR', name: 'Orange', prefixes: ['655', '656', '657', '658', '659', '69'], money: [XAF('100', '500000')] },
    ],
  },
  {
    code: 'MWI', prefix: '265', digits: [9], en: 'Malawi', fr: 'Malawi',
    providers: [
      { provider: 'AIRTEL_MWI', name: 'Airtel', prefixes: ['99', '98'], money: [MWK('100', '750000')] },
      { provider: 'TNM_MWI', name: 'TNM', prefixes: ['88', '89', '31'], money: [MWK('100', '750000')] },
    ],
  },
  {
    code: 'MOZ', prefix: '258', digits: [9], en: 'Mozambique', fr: 'Mozambique',
    providers: [
      { provider: 'VODACOM_MOZ', name: 'Vodacom', prefixes: ['84', '85'], money: [MZN('1', '50000')] },
      { provider: 'MOVITEL_MOZ', name: 'Movitel', prefixes: ['86', '87'], money: [MZN('1', '50000')] },
    ],
  },
  {
    code: 'COD', prefix: '243', digits: [9], en: 'Democratic Republic of the Congo', fr: 'République démocratique du Congo',
    providers: [
      { provider: 'VODACOM_MPESA_COD', name: 'Vodacom', prefixes: ['81', '82', '83'], money: [CDF('500', '5000000'), USD('1', '2500')] },
      { provider: 'AIRTEL_COD', name: 'Airtel', prefixes: ['97', '98', '99'], money: [CDF('500', '5000000'), USD('1', '2500')] },
      { provider: 'ORANGE_COD', name: 'Orange', prefixes: ['80', '84', '85', '89'], money: [CDF('500', '5000000'), USD('1', '2500')] },
    ],
  },
  {
    code: 'SLE', prefix: '232', digits: [8], en: 'Sierra Leone', fr: 'Sierra Leone',
    providers: [{ provider: 'ORANGE_SLE', name: 'Orange', prefixes: ['7'], money: [SLE('1', '25000')] }],
  },
];
