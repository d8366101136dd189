/** The Swahili of what is wrong with what somebody has typed. */
import type { enFaults } from './en-faults';

export const swFaults: Record<keyof typeof enFaults, string> = {
  'fault.line': ', mstari wa {n}',
  'fault.field.ipAllow': 'Anwani zinazoruhusiwa',
  'fault.field.checkoutHosts': 'Seva za malipo ya kadi',
  'fault.url.long': 'ni ndefu mno. Anwani inaweza kuwa na herufi 2,000 tu.',
  'fault.url.whole': 'andika anwani nzima bila nafasi, kama https://shop.example.com/paid.',
  'fault.url.https': 'lazima ianze na https://.',
  'fault.url.password': 'ondoa jina la mtumiaji na nenosiri ndani yake.',
  'fault.url.port': 'lazima itumie mlango wa 80, 443, au kuanzia 1024.',
  'fault.url.public': 'lazima ielekee kwenye seva iliyo wazi kwenye intaneti.',
  'fault.url.ipv4': 'andika namba za anwani kama namba nne za kawaida.',
  'fault.range': 'hii si anwani ya intaneti, kama 41.90.64.7, wala si kundi, kama 41.90.64.0/24.',
  'fault.host': 'andika jina la seva tu, kama shop.example.com.',
  'fault.zone': 'chagua saa za eneo kwenye orodha, kama Africa/Nairobi.',
  'fault.card': 'hii inasomeka kama namba ya kadi ya malipo, ambayo haihifadhiwi hapa kamwe.',
  'fault.control': 'kuna alama ndani yake isiyoweza kuonyeshwa. Iandike upya.',
  'fault.key_name': 'andika herufi au tarakimu 1 hadi 60.',
  'fault.empty': 'jaza hapa.',
  'fault.long': 'ni ndefu mno.',
  'fault.twice': 'ipo mara mbili.',
  'fault.many': 'ni nyingi mno: zisizidi 100.',
  'fault.choose': 'chagua moja kwenye orodha.',
};
