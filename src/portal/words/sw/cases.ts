/** Why a person looks at a payment, what is likely behind it, and what may safely be done about it, in Swahili. */
import type { CaseReason } from '../../../controls/cases';
import type { CaseAdvice } from '../en/cases';

export const caseSentencesSw: Record<CaseReason, string> = {
  amount_differs: 'Mtoa huduma alithibitisha kiasi tofauti na tulichoomba.',
  currency_differs: 'Mtoa huduma alithibitisha sarafu tofauti na tuliyoomba. Hakuna kilichoingizwa.',
  contradictory_outcome: 'Kushindwa kuliripotiwa kwa malipo yaliyofanikiwa. Kufanikiwa kunabaki.',
  success_not_confirmed:
    'Kufanikiwa kuliripotiwa, lakini mtoa huduma anasema vinginevyo akiulizwa. Hakuna kilichoingizwa.',
  success_unconfirmed: 'Kufanikiwa kuliripotiwa, na mtoa huduma hajajibu swali letu kwa wakati.',
  no_outcome: 'Mtoa huduma hakuripoti matokeo kwa muda wote tuliotazama. Pesa zinabaki zilipo.',
  provider_disowns:
    'Mtoa huduma anasema hajui alichokieleza awali: huenda tokeni yetu, au mazingira yake, yamechanganywa. Pesa zinabaki zilipo, na hakuna kinachoanzishwa kwa akaunti hii mpaka kesi zote za aina hii zifungwe.',
  instruction_unknown:
    'Agizo halikujibiwa kamwe, na hakuna aliyelieleza tangu hapo. Huenda mtoa huduma amechukua pesa hata hivyo: zitafute kwake.',
  late_success:
    'Malipo ya nje yalifanikiwa baada ya sisi kutangaza kwamba hayakufanikiwa. Yaliyokuwa yametengwa yalirudishwa.',
  given_back_differs:
    'Kilirudi zaidi ya kile malipo yalicholeta, au kwa sarafu nyingine. Hakuna kilichokatwa kwa kile mtoa huduma anachoonyesha mwisho; rejesho lililoombwa na mfanyabiashara linaandikwa hata hivyo.',
  reversed:
    'Mtoa huduma alirudisha malipo yaliyokuwa yameandikwa. Pochi ilikatwa, chini ya sifuri pale ilipopungua.',
  given_back_unclear:
    'Mtoa huduma anaonyesha kiasi tofauti na kilichoandikwa: inaonekana sehemu imerudi, na hasemi kiasi gani. Hakuna kilichokatwa: tafuta rejesho kwake, na ulitoe kwenye pochi kwa mkono.',
  given_back_less:
    'Mtoa huduma anaonyesha kilichorudi kuwa kidogo kuliko kilichoandikwa, na hakuna mgogoro tunaoujua unaoeleza hilo. Hakuna kilichoingizwa.',
  disputed:
    'Mteja anapinga malipo kwa mtoa huduma: jibu huko kwa wakati. Kinachorudishwa, au kinacholipwa tena, kinaandikwa mara mtoa huduma anapokionyesha; kilichopo kwenye pochi kinashikiliwa mpaka kesi ifungwe.',
  reversal_told:
    'Mtoa huduma amesema kwamba ameyarudisha malipo, na bado haonyeshi hivyo. Hakuna kilichokatwa; kilichopo kwenye pochi kinashikiliwa, na yanaangaliwa tena kwa siku kumi.',
  returned_differs:
    'Kilichokuwa kimetoka kilirudi kwa kiasi tofauti, au kwa sarafu nyingine. Hakuna kilichoandikwa.',
  rate_missing: 'Pesa zimefika, na hakuna kiwango kipya cha kubadilisha fedha. Zinakisubiri.',
  receipt_reused: 'Namba ya risiti ni ya malipo mengine. Hakuna kilichoingizwa.',
  receipt_differs:
    'Mafanikio yaliripotiwa kwa risiti tofauti na tuliyo nayo. Hakuna kilichobadilishwa: mojawapo ni pesa za mtu mwingine, au mteja amelipa mara mbili.',
  reference_reused: 'Mtoa huduma alijibu kwa kumbukumbu ambayo ni ya malipo mengine.',
  unmatched_notification: 'Mtoa huduma alieleza malipo tusiyoyajua. Yalitafutwa, na hakuna kilichoandikwa.',
  refund_waits:
    'Rejesho hili limesubiri zaidi ya saa moja: rejesho jingine la malipo yaleyale halijaisha, au hakuna mfanyakazi aliyeweza kulianza.',
  paid_twice:
    'Kumbukumbu hii ililipwa awali: huenda mteja amelipa mara mbili. Rudisha mojawapo, au sema kwamba yote ni sahihi; inajifunga mojawapo ikirudi.',
  stands_still:
    'Yaliamshwa tena na tena kwa saa nyingi, na workflow yake haikuendelea. Angalia kama wafanyakazi wanasikiliza foleni ya kazi.',
  look_unanswered:
    'Kwa wiki nzima mtoa huduma hajajibu kama malipo haya yalirudishwa, au yalirudi, tangu yaandikwe. Ataulizwa tena mara nyingine inapopangwa: yatafute kwake.',
  rule_explains_much:
    'Kanuni ya ulinganisho imeeleza pesa nyingi kuliko siku nyingine, na inakisia bila uthibitisho. Linganisha mistari hiyo na ukurasa wa mtoa huduma. Ikiwa ilisomwa vibaya, ondoa taarifa yake; la sivyo funga kesi hii kwa ulichogundua.',
  float_short:
    'Pochi kwa mtoa huduma ina pesa kidogo kuliko vitabu vyetu vinavyosema, zaidi ya kile kilicho njiani. Malipo ya nje kutoka humo yamesimamishwa: tafuta kilichochukua pesa; kisha malipo float-proof baseline, na malipo start payouts.',
  float_over:
    'Pochi kwa mtoa huduma ina pesa nyingi kuliko vitabu vyetu vinavyosema, zaidi ya kile kilicho njiani: mtu ameweka pesa ambazo hakuna malipo yanayozieleza. Hakuna kilichosimamishwa.',
  account_refused:
    'Mtoa huduma anaikataa akaunti yetu wenyewe. Hakuna malipo ya njia hii yanayoweza kufanikiwa mpaka irekebishwe.',
};

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
