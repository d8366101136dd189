/** What is likely behind a case, and what may safely be done about it, in Swahili. */
import type { CaseReason } from '../../controls/cases';
import type { CaseAdvice } from './case-advice-en';

const lookUp = 'Yatafute malipo kwa mtoa huduma, kwa kumbukumbu yetu na kwa namba ya mteja.';

export const caseAdviceSw: Record<CaseReason, CaseAdvice> = {
  amount_differs: {
    likely: 'Mteja aliandika kiasi kingine, mtoa huduma alikata ada yake, au huzungusha kiasi.',
    safe: `${lookUp} Andika anachoonyesha kuwa kimelipwa, au funga kesi kama kimeandikwa sawa tayari.`,
  },
  currency_differs: {
    likely: 'Akaunti kwa mtoa huduma ina sarafu tofauti na mipangilio yetu.',
    safe: 'Linganisha sarafu ya akaunti na mipangilio yetu. Usiandike chochote kabla haijawa wazi.',
  },
  contradictory_outcome: {
    likely: 'Taarifa ilichelewa au ilikuja mara mbili, mtu aliighushi, au mtoa huduma alirudisha pesa.',
    safe: `${lookUp} Kama pesa zilirudi huko, amua hivyo; vinginevyo funga kesi: kufanikiwa kunabaki.`,
  },
  success_not_confirmed: {
    likely: 'Taarifa imeghushiwa, au mtoa huduma anaonyesha vitabu vyake dakika kadhaa baadaye.',
    safe: `${lookUp} Andika kuwa yamelipwa pale tu mtoa huduma mwenyewe anapoonyesha hivyo.`,
  },
  success_unconfirmed: {
    likely: 'Huduma ya mtoa huduma ya kuuliza hali haipatikani au ni ya polepole.',
    safe: `${lookUp} Anaendelea kuulizwa; amua kwa mkono ikiwa tu mtu anasubiri.`,
  },
  no_outcome: {
    likely: 'Mtoa huduma aliyapoteza, au taarifa zake hazitufikii.',
    safe: `${lookUp} Amua kama anavyoonyesha. Kama hajui lolote, mwulize kwa maandishi kabla ya kusema yameshindikana.`,
  },
  provider_disowns: {
    likely: 'Tokeni yetu au anwani ni ya mazingira au akaunti nyingine.',
    safe: 'Linganisha mipangilio ya njia hii na ya mtoa huduma. Hakuna kinachoanzishwa kwa sasa; funga kesi zote za aina hii ikisharekebishwa.',
  },
  instruction_unknown: {
    likely: 'Mawasiliano yalikatika tulipoomba, na mtoa huduma hajamwambia mtu yeyote.',
    safe: `${lookUp} Usiyatume tena kamwe. Kama anayo, amua kama anavyoonyesha; kama hana kwa hakika, sema yameshindikana.`,
  },
  late_success: {
    likely: 'Mtoa huduma aliendelea baada ya muda wake mwenyewe kwisha.',
    safe: 'Mfanyabiashara amerudishiwa pesa, na mpokeaji anazo pia: kubaliana na mfanyabiashara nani anabeba hasara.',
  },
  given_back_differs: {
    likely: 'Mtu alirudisha pesa kwenye ukurasa wa mtoa huduma, au anahesabu ada yake humo.',
    safe: 'Tafuta rejesho kwa mtoa huduma, na toa kinachopungua kwenye pochi kwa mkono.',
  },
  reversed: {
    likely: 'Mteja au benki ilirudisha malipo.',
    safe: 'Yameandikwa. Mjulishe mfanyabiashara; funga kesi akishajua.',
  },
  given_back_unclear: {
    likely: 'Sehemu ilirudishwa kwenye ukurasa wa mtoa huduma.',
    safe: 'Tafuta rejesho huko, na toa kiasi hicho hasa kwenye pochi kwa mkono.',
  },
  given_back_less: {
    likely: 'Tulishinda mgogoro, au mtoa huduma alirekebisha vitabu vyake.',
    safe: 'Tafuta mwendo huo wa pesa kwa mtoa huduma. Mwekee mfanyabiashara kwa mkono pale pesa zilipo zetu tena kweli.',
  },
  disputed: {
    likely: 'Mteja hayatambui malipo, au hakupata alicholipia.',
    safe: 'Mwombe mfanyabiashara ushahidi wa kilichopelekwa, na jibu kwa mtoa huduma kabla ya muda wake.',
  },
  reversal_told: {
    likely: 'Mtoa huduma ameanza kuyarudisha na bado hajaandika.',
    safe: 'Subiri: yanaangaliwa kwa siku kumi. Funga kesi pale tu mtoa huduma anaposema kwa maandishi kwamba malipo yanabaki.',
  },
  returned_differs: {
    likely: 'Mtoa huduma alibaki na ada kwenye kilichorudi.',
    safe: 'Linganisha na taarifa ya mtoa huduma, kisha sema kilichotokea.',
  },
  rate_missing: {
    likely: 'Chanzo cha viwango vya kubadilisha fedha hakipatikani, au faili lake ni la zamani.',
    safe: 'Rekebisha chanzo cha viwango. Malipo yanaendelea yenyewe kwa kiwango kijacho.',
  },
  receipt_reused: {
    likely: 'Taarifa ilinakiliwa, au mtoa huduma anaanza upya namba za risiti zake.',
    safe: 'Tafuta malipo yote mawili kwa mtoa huduma. Andika ya pili pale tu anapoonyesha pesa zake zenyewe.',
  },
  receipt_differs: {
    likely: 'Mstari wa taarifa uliunganishwa na malipo yasiyo yake, au mteja amelipa mara mbili.',
    safe: 'Tafuta risiti zote mbili kwa mtoa huduma. Dai ya pili kwa mwenyewe pale tu anapoonyesha pesa zake zenyewe.',
  },
  reference_reused: {
    likely: 'Mtoa huduma anajibu kwa majibu ya zamani, au alichanganya maombi mawili.',
    safe: 'Tafuta malipo yote mawili kwa mtoa huduma, na umwambie.',
  },
  unmatched_notification: {
    likely: 'Mtu analipa kwenye akaunti bila kupitia kwetu, au mfumo mwingine unaitumia pia.',
    safe: 'Zitafute pesa kwenye ulinganisho. Zidai hapo kama zina mwenyewe.',
  },
  refund_waits: {
    likely: 'Rejesho jingine la malipo yaleyale halijaamuliwa, au hakuna mfanyakazi anayeendesha kazi.',
    safe: 'Angalia rejesho lile jingine, na wafanyakazi. Linaendelea lenyewe.',
  },
  paid_twice: {
    likely: 'Mteja hakuwa na hakika kwamba malipo ya kwanza yalifanikiwa.',
    safe: 'Mfanyabiashara anaamua kwenye ukurasa wake. Rudisha mojawapo ikiwa tu amekuomba.',
  },
  stands_still: {
    likely: 'Hakuna mfanyakazi anayesikiliza, au wote ni wa toleo lisiloweza kusoma historia yake.',
    safe: 'Angalia wafanyakazi na workflow kwenye Temporal. Hakuna kinachopotea kwa sasa.',
  },
  look_unanswered: {
    likely: 'Huduma ya mtoa huduma ya kuuliza hali haijibu kuhusu malipo ya zamani.',
    safe: 'Mwombe mtoa huduma taarifa ya siku hizi, na uilete kwenye ulinganisho.',
  },
  rule_explains_much: {
    likely:
      'Mtoa huduma amebadilisha taarifa yake, mtu amebadilisha faili, au taarifa nyingi za papo hapo zilipotea.',
    safe: 'Linganisha mistari hiyo na ukurasa wa mtoa huduma. Ondoa taarifa iliyosomwa vibaya, kisha lete iliyo sahihi.',
  },
  float_short: {
    likely: 'Mtu alitoa pesa kwa mtoa huduma, au kuna malipo ya nje yasiyo kwenye vitabu vyetu.',
    safe: 'Linganisha taarifa ya mtoa huduma na yetu. Malipo ya nje yanasubiri: yaruhusu ikishaelezeka tu.',
  },
  float_over: {
    likely: 'Pesa zilizoongezwa bado hazijaandikwa, au mtu aliweka pesa bila kupitia kwetu.',
    safe: 'Andika pesa zilizoongezwa kwa mfanyabiashara wake. Vinginevyo tafuta mwenyewe kwenye ulinganisho.',
  },
  account_refused: {
    likely: 'Nenosiri au cheti kimekwisha muda, au mtoa huduma amesimamisha akaunti.',
    safe: 'Rekebisha akaunti na mtoa huduma. Kisha funga kesi zote za aina hii: malipo yanaendelea.',
  },
};
