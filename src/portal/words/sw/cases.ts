/** Swahili: the reason of a case, its likely cause and the safe next step. */
import type { CaseReason } from '../../../controls/cases';
import type { CaseAdvice } from '../en/cases';

export const caseSentencesSw: Record<CaseReason, string> = {
  amount_differs: 'Mtoa huduma alithibitisha kiasi tofauti na tulichoomba.',
  currency_differs: 'Mtoa huduma alithibitisha sarafu tofauti na tuliyoomba. Hakuna pesa zilizowekwa.',
  contradictory_outcome: 'Kushindikana kuliripotiwa kwa malipo yaliyofanikiwa. Malipo yanabaki yamefanikiwa.',
  success_not_confirmed:
    'Kufanikiwa kuliripotiwa, lakini mtoa huduma anasema vinginevyo akiulizwa. Hakuna pesa zilizowekwa.',
  success_unconfirmed: 'Kufanikiwa kuliripotiwa, lakini mtoa huduma hakujibu swali letu kwa wakati.',
  no_outcome: 'Mtoa huduma hakuripoti matokeo kwa muda wote wa ufuatiliaji. Pesa zinabaki zilipo.',
  unknown_to_provider:
    'Mtoa huduma anasema hayajui malipo aliyoyaripoti awali. Huenda tokeni yetu au mazingira yake yamechanganywa. Pesa zinabaki zilipo. Hakuna malipo mapya kupitia akaunti hii mpaka kesi zote za aina hii zifungwe.',
  submission_unknown:
    'Ombi halikujibiwa, na mtoa huduma hajaripoti malipo tangu hapo. Huenda amechukua pesa hata hivyo: zitafute kwake.',
  late_success:
    'Malipo kwa watu yalifanikiwa baada ya sisi kutangaza kwamba yameshindikana. Kiasi kilichotengwa kilikuwa kimeachiliwa.',
  refund_differs:
    'Kilirudi zaidi ya kiasi cha malipo, au kwa sarafu nyingine. Hakuna kilichokatwa kwa kile mtoa huduma anachoonyesha mwisho. Marejesho yaliyoombwa na mfanyabiashara yanaandikwa hata hivyo.',
  reversed: 'Mtoa huduma alibatilisha malipo yaliyokuwa yameandikwa. Pochi ilikatwa, hata chini ya sifuri.',
  refund_unclear:
    'Mtoa huduma anaonyesha kiasi tofauti na kilichoandikwa. Inaonekana sehemu imerudi, na hasemi kiasi gani. Hakuna kilichokatwa: tafuta marejesho kwake, na uyatoe kwenye pochi mwenyewe.',
  refund_decreased:
    'Mtoa huduma anaonyesha marejesho madogo kuliko yaliyoandikwa, na hakuna mgogoro tunaoujua unaoeleza hilo. Hakuna pesa zilizowekwa.',
  disputed:
    'Mteja anapinga malipo kwa mtoa huduma: jibu huko kwa wakati. Kinachobatilishwa, au kinacholipwa tena, kinaandikwa mtoa huduma anapokionyesha. Kilichopo kwenye pochi kinatengwa mpaka kesi ifungwe.',
  reversal_reported:
    'Mtoa huduma ameripoti kwamba amebatilisha malipo, na bado haonyeshi hivyo. Hakuna kilichokatwa. Kilichopo kwenye pochi kinatengwa, na mfumo unaangalia malipo kwa siku kumi.',
  returned_differs:
    'Malipo kwa watu yalirudi kwa kiasi tofauti, au kwa sarafu nyingine. Hakuna kilichoandikwa.',
  rate_missing: 'Pesa zimefika, na hakuna kiwango kipya cha kubadilisha fedha. Malipo yanakisubiri.',
  receipt_reused: 'Namba ya risiti ni ya malipo mengine. Hakuna pesa zilizowekwa.',
  receipt_differs:
    'Kufanikiwa kuliripotiwa kwa risiti tofauti na tuliyo nayo. Hakuna kilichobadilishwa. Moja ya risiti hizi ni ya pesa za mtu mwingine, au mteja amelipa mara mbili.',
  reference_reused: 'Mtoa huduma alijibu kwa kumbukumbu ambayo ni ya malipo mengine.',
  unmatched_notification: 'Mtoa huduma aliripoti malipo tusiyoyajua. Tuliyatafuta, na hakuna kilichoandikwa.',
  refund_waits:
    'Marejesho haya yamesubiri zaidi ya saa moja. Marejesho mengine ya malipo yaleyale hayajakamilika, au hakuna worker iliyoweza kuyaanza.',
  duplicate_payment:
    'Kumbukumbu hii ililipwa awali: huenda mteja amelipa mara mbili. Rejesha moja, au thibitisha kwamba yote mawili ni sahihi. Kesi inajifunga moja ikirejeshwa.',
  stands_still:
    'Mfumo umeyaamsha tena na tena kwa saa nyingi, na workflow yake haikuendelea. Angalia kama worker zinasikiliza foleni ya kazi.',
  check_unanswered:
    'Kwa wiki nzima mtoa huduma hajajibu kama malipo haya yalibatilishwa, au yalirudi, tangu yaandikwe. Mfumo utauliza tena katika ukaguzi ujao uliopangwa: yatafute kwake.',
  rule_explains_much:
    'Kanuni ya ulinganisho imeeleza pesa nyingi kuliko siku nyingine, na inakisia bila uthibitisho. Linganisha mistari hiyo na ukurasa wa mtoa huduma. Kama ilisomwa vibaya, ondoa taarifa yake. Vinginevyo funga kesi hii kwa ulichogundua.',
  float_short:
    'Pochi kwa mtoa huduma ina pesa kidogo kuliko leja yetu, hata ukihesabu zilizo njiani. Malipo kwa watu kutoka humo yamesitishwa. Tafuta kilichochukua pesa, kisha tumia malipo float-check adjust, na malipo payouts resume.',
  float_over:
    'Pochi kwa mtoa huduma ina pesa nyingi kuliko leja yetu, hata ukihesabu zilizo njiani. Mtu ameweka pesa ambazo hakuna malipo yanayozieleza. Hakuna kilichositishwa.',
  account_refused:
    'Mtoa huduma anaikataa akaunti yetu wenyewe. Hakuna malipo ya njia hii yanayoweza kufanikiwa mpaka irekebishwe.',
};

const lookUp = 'Tafuta malipo kwa mtoa huduma, kwa kumbukumbu yetu na kwa namba ya mteja.';

export const caseAdviceSw: Record<CaseReason, CaseAdvice> = {
  amount_differs: {
    likely: 'Mteja aliandika kiasi kingine, au mtoa huduma alikata ada au kukadiria kiasi.',
    safe: `${lookUp} Andika kiasi anachoonyesha kuwa kimelipwa. Funga kesi kama kiasi hicho kimeshaandikwa.`,
  },
  currency_differs: {
    likely: 'Akaunti kwa mtoa huduma ina sarafu tofauti na mipangilio yetu.',
    safe: 'Linganisha sarafu ya akaunti na mipangilio yetu. Usiandike chochote kabla haijawa wazi.',
  },
  contradictory_outcome: {
    likely: 'Arifa ilichelewa, ilikuja mara mbili au ilighushiwa, au mtoa huduma alibatilisha malipo.',
    safe: `${lookUp} Kama pesa zilirudi huko, weka kuwa yamerudi. Vinginevyo funga kesi: malipo yanabaki yamefanikiwa.`,
  },
  success_not_confirmed: {
    likely: 'Arifa imeghushiwa, au huduma ya hali ya mtoa huduma imechelewa dakika kadhaa.',
    safe: `${lookUp} Weka kuwa yamelipwa pale tu mtoa huduma mwenyewe anapoonyesha hivyo.`,
  },
  success_unconfirmed: {
    likely: 'Huduma ya hali ya mtoa huduma haipatikani au ni ya polepole.',
    safe: `${lookUp} Mfumo unaendelea kuuliza hali. Amua mwenyewe ikiwa tu mtu anasubiri.`,
  },
  no_outcome: {
    likely: 'Mtoa huduma alipoteza malipo, au arifa zake hazitufikii.',
    safe: `${lookUp} Amua kama anavyoonyesha. Kama hana rekodi, mwulize kwa maandishi kabla ya kuweka kuwa yameshindikana.`,
  },
  unknown_to_provider: {
    likely: 'Tokeni yetu au anwani ni ya mazingira au akaunti nyingine.',
    safe: 'Linganisha mipangilio ya njia hii ya kulipa na ukurasa wa mtoa huduma. Hakuna malipo mapya yanayoanza kwa sasa. Funga kesi zote za aina hii baada ya marekebisho.',
  },
  submission_unknown: {
    likely: 'Mawasiliano yalikatika tulipotuma ombi, na mtoa huduma hatumi arifa yake.',
    safe: `${lookUp} Usiyatume tena kamwe. Kama mtoa huduma anayo, amua kama anavyoonyesha. Akithibitisha kwamba hana rekodi, weka kuwa yameshindikana.`,
  },
  late_success: {
    likely: 'Mtoa huduma alishughulikia malipo baada ya muda wake mwenyewe kwisha.',
    safe: 'Mfanyabiashara amerudishiwa pesa, na mpokeaji anazo pia. Kubaliana na mfanyabiashara nani anabeba hasara.',
  },
  refund_differs: {
    likely: 'Mtu alirejesha pesa kwenye ukurasa wa mtoa huduma, au mtoa huduma anajumuisha ada yake.',
    safe: 'Tafuta marejesho kwa mtoa huduma, na utoe kiasi kinachopungua kwenye pochi mwenyewe.',
  },
  reversed: {
    likely: 'Mteja au benki ilibatilisha malipo.',
    safe: 'Ubatilishaji umeandikwa. Mjulishe mfanyabiashara, kisha funga kesi.',
  },
  refund_unclear: {
    likely: 'Sehemu ilirejeshwa kwenye ukurasa wa mtoa huduma.',
    safe: 'Tafuta marejesho huko, na utoe kiasi hicho hasa kwenye pochi mwenyewe.',
  },
  refund_decreased: {
    likely: 'Tulishinda mgogoro, au mtoa huduma alirekebisha vitabu vyake.',
    safe: 'Tafuta muamala huo kwa mtoa huduma. Mwekee mfanyabiashara pesa mwenyewe pale tu tunapokuwa nazo tena kweli.',
  },
  disputed: {
    likely: 'Mteja hayatambui malipo, au hakupata alicholipia.',
    safe: 'Mwombe mfanyabiashara ushahidi wa kilichopelekwa, na umjibu mtoa huduma kabla ya muda wake kwisha.',
  },
  reversal_reported: {
    likely: 'Mtoa huduma ameanza kubatilisha malipo na bado hajaandika.',
    safe: 'Subiri: mfumo unaangalia malipo kwa siku kumi. Funga kesi pale tu mtoa huduma anaposema kwa maandishi kwamba malipo hayabatilishwi.',
  },
  returned_differs: {
    likely: 'Mtoa huduma alikata ada kwenye pesa zilizorudi.',
    safe: 'Linganisha na taarifa ya mtoa huduma, kisha amua matokeo.',
  },
  rate_missing: {
    likely: 'Chanzo cha viwango vya kubadilisha fedha hakipatikani, au faili lake ni la zamani.',
    safe: 'Rekebisha chanzo cha viwango. Malipo yanaendelea yenyewe kwa kiwango kijacho.',
  },
  receipt_reused: {
    likely: 'Arifa ilinakiliwa, au mtoa huduma anatumia tena namba za risiti.',
    safe: 'Tafuta malipo yote mawili kwa mtoa huduma. Andika ya pili pale tu anapoonyesha pesa zake zenyewe.',
  },
  receipt_differs: {
    likely: 'Mstari wa taarifa uliunganishwa na malipo yasiyo yake, au mteja amelipa mara mbili.',
    safe: 'Tafuta risiti zote mbili kwa mtoa huduma. Kabidhi ya pili pale tu anapoonyesha pesa zake zenyewe.',
  },
  reference_reused: {
    likely: 'Mtoa huduma anajibu kwa majibu ya zamani, au alichanganya maombi mawili.',
    safe: 'Tafuta malipo yote mawili kwa mtoa huduma, na umjulishe.',
  },
  unmatched_notification: {
    likely: 'Mtu analipa kwenye akaunti bila kupitia Malipo, au mfumo mwingine unaitumia pia.',
    safe: 'Tafuta pesa kwenye ulinganisho. Zikabidhi hapo kama unamjua mwenyewe.',
  },
  refund_waits: {
    likely: 'Marejesho mengine ya malipo yaleyale bado hayana matokeo, au hakuna worker inayofanya kazi.',
    safe: 'Angalia marejesho hayo mengine, na worker zote. Kisha haya yanaendelea yenyewe.',
  },
  duplicate_payment: {
    likely: 'Mteja hakuwa na uhakika kwamba malipo ya kwanza yalifanikiwa.',
    safe: 'Mfanyabiashara anaamua kwenye ukurasa wake. Rejesha moja ikiwa tu amekuomba.',
  },
  stands_still: {
    likely:
      'Hakuna worker inayosikiliza foleni ya kazi, au zote ni za toleo lisiloweza kusoma historia ya workflow.',
    safe: 'Angalia worker zote, na workflow kwenye Temporal. Hakuna kinachopotea kwa sasa.',
  },
  check_unanswered: {
    likely: 'Huduma ya hali ya mtoa huduma haijibu kuhusu malipo ya zamani.',
    safe: 'Mwombe mtoa huduma taarifa ya siku hizi, na uipakie kwenye ulinganisho.',
  },
  rule_explains_much: {
    likely:
      'Mtoa huduma amebadilisha muundo wa taarifa yake, mtu amebadilisha faili, au arifa nyingi zilipotea.',
    safe: 'Linganisha mistari hiyo na ukurasa wa mtoa huduma. Kama taarifa ilisomwa vibaya, iondoe na upakie iliyo sahihi.',
  },
  float_short: {
    likely: 'Mtu alitoa pesa kwa mtoa huduma, au kuna malipo kwa watu yasiyo kwenye leja yetu.',
    safe: 'Linganisha taarifa ya mtoa huduma na leja yetu. Malipo kwa watu yamesitishwa kwa sasa: yaendeleze tofauti ikishaelezeka tu.',
  },
  float_over: {
    likely: 'Pesa zilizoongezwa bado hazijaandikwa, au mtu aliweka pesa bila kupitia Malipo.',
    safe: 'Andika pesa zilizoongezwa kwa mfanyabiashara wake. Vinginevyo tafuta mwenyewe kwenye ulinganisho.',
  },
  account_refused: {
    likely: 'Nenosiri au cheti kimekwisha muda, au mtoa huduma amesimamisha akaunti.',
    safe: 'Rejesha akaunti pamoja na mtoa huduma. Kisha funga kesi zote za aina hii: malipo yanaendelea.',
  },
};
