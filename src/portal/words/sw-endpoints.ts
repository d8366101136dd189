/** The Swahili of further addresses that a merchant is told at. */
import type { enEndpoints } from './en-endpoints';

export const swEndpoints: Record<keyof typeof enEndpoints, string> = {
  'endpoints.title': 'Anwani nyingine',
  'endpoints.text':
    'Seva zako nyingine zinazoambiwa kinachotokea, kama za uhasibu au ghala: kila moja na siri yake, na kwa kile inachotaka kujua tu. Anwani yako ya webhook inaendelea kama ilivyo.',
  'endpoints.none.title': 'Bado hakuna anwani nyingine',
  'endpoints.none.text': 'Yeyote mwingine anayehitaji kujua kilicholipwa anapewa anwani hapa.',
  'endpoints.url': 'Anwani',
  'endpoints.types': 'Inaambiwa kuhusu',
  'endpoints.wanted': 'Inaambiwa kuhusu nini',
  'endpoints.kind.deposit': 'Malipo ya wateja',
  'endpoints.kind.payout': 'Malipo kwa watu',
  'endpoints.kind.refund': 'Marejesho',
  'endpoints.single': 'Matukio mamoja mamoja badala yake',
  'endpoints.add': 'Ongeza anwani',
  'endpoints.made': 'Anwani yako mpya inaambiwa kuanzia sasa',
  'endpoints.made.text': 'Kwa siri hii seva yake inahakikisha kwamba inachoambiwa kimetoka kwetu.',
  'endpoints.state.works': 'inafanya kazi',
  'endpoints.state.new': 'bado hakuna kilichotumwa',
  'endpoints.state.failing': 'haipokei kinachotumwa',
  'endpoints.delivered': 'Kilichofika mwisho',
  'endpoints.skipped': 'Zilizoachwa',
  'endpoints.end': 'Iondoe',
  'endpoints.full': 'Kuna anwani {n}, na haziwezi kuzidi. Ondoa moja kwanza.',
  'endpoints.none_chosen': 'Chagua angalau aina moja ya tukio.',
  'endpoints.changed':
    'Anwani zimebadilika tangu ukurasa huu ulipofunguliwa. Angalia orodha, kisha ujaribu tena.',
  'endpoints.done.ended': 'Haiambiwi kitu tena.',
  'dev.endpoints': 'Anwani nyingine',
};
