/** Why a person looks at a payment, in the language of whoever does. English is the engine's own. */
import { caseReasons, type CaseReason } from '../../controls/cases';
import type { Language } from '../language';
import { caseAdviceEn, type CaseAdvice } from './case-advice-en';
import { caseAdviceSw } from './case-advice-sw';

const swCases: Record<CaseReason, string> = {
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

/** @param reason one that only a newer version knows is told by its own word. */
export function caseSentence(reason: string, language: Language): string {
  if (!Object.hasOwn(caseReasons, reason)) return reason;
  const known = reason as CaseReason;
  // What the command line adds for who types it stands on the pages as buttons.
  return language === 'sw' ? swCases[known] : caseReasons[known].replace(/ \(malipo [^()]*\)/g, '');
}

/** What is likely behind it, and what may safely be done; nothing of a reason that only a newer version knows. */
export function caseAdvice(reason: string, language: Language): CaseAdvice | undefined {
  const told: Readonly<Record<string, CaseAdvice>> = language === 'sw' ? caseAdviceSw : caseAdviceEn;
  return Object.hasOwn(told, reason) ? told[reason] : undefined;
}
