import type { enLists } from './en-lists';

export const swLists: Record<keyof typeof enLists, string> = {
  'list.looked_to': 'Vyote vimeangaliwa kurudi hadi',
  'list.look_further': 'Angalia zaidi nyuma',
  'pager.first': 'Rudi ukurasa wa kwanza',
  'pager.next': 'Ukurasa unaofuata',
  'home.more': 'Wafanyabiashara wote',
  'ops.merchant.by_id': 'Wafanyabiashara ni wengi mno kwa orodha: kitambulisho kiko kwenye ukurasa wake.',
  'ops.cases.among':
    'Za pesa nyingi kati ya kesi {n} za zamani zaidi. Funga baadhi, na nyingine zitapimwa pia.',
  'error.form_too_large.title': 'Hayo yalikuwa mengi mno kwa fomu moja',
  'error.form_too_large.text': 'Hakuna kilichofanyika. Rudi nyuma, na utume maandishi machache.',
  'error.sent_before.title': 'Fomu hii imeshatumwa',
  'error.sent_before.text':
    'Kilichoombwa kimefanyika mara moja, au kinamsubiri mtu wa pili. Pakia ukurasa upya kabla ya kutuma nyingine.',
  'error.unseen.title': 'Maandishi yana alama zisizoonekana',
  'error.unseen.text': 'Hakuna kilichofanyika. Rudi nyuma, futa maandishi uliyobandika, kisha uyaandike.',
  'payouts.not_now.unserved':
    'Njia hii ya malipo haitumiki hapa kwa sasa, kwa hiyo hakuna kilichotumwa. Muulize anayeendesha huduma hii.',
  'live.pause': 'Simamisha usasishaji',
  'live.go_on': 'Endelea kusasisha',
  'error.suspended.title': 'Hakuna kinachoweza kufanyika kwa mfanyabiashara huyu sasa',
};
