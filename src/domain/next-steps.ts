/**
 * What to do next about a payment, in English and Swahili: for the customer (or recipient), and for the merchant.
 * Every answer, page, mail, webhook and command uses these sentences. They are data, so that speakers of the language
 * can review them.
 */

interface Sentences {
  /**
   * A second request to the customer, or a second payout, cannot be paid twice: no money has moved, and nothing that
   * was started can still move it.
   */
  safe: boolean;
  /** For the customer, or the recipient of a payout. */
  en: string;
  sw: string;
  /** For the merchant, and for an operator who inspects the merchant's payment. */
  merchant: { en: string; sw: string };
}

const untilDecided = {
  en: 'You do not need to do anything: we query the provider until the payment is final, and notify you by webhook. Do not ask the customer to pay again yet.',
  sw: 'Huhitaji kufanya chochote: tunamuuliza mtoa huduma hadi iamuliwe, na kukuambia kwa webhook. Usimwombe mteja alipe tena bado.',
};

export const nextSteps = {
  // A collection.
  paid: {
    safe: false,
    en: 'Your payment has been received. Thank you.',
    sw: 'Malipo yako yamepokelewa. Asante.',
    merchant: {
      en: 'You can hand over the goods.',
      sw: 'Unaweza kukabidhi bidhaa.',
    },
  },
  paid_less: {
    safe: false,
    en: 'Your payment has been received. It is less than the requested amount: ask the seller how much is left to pay.',
    sw: 'Malipo yako yamepokelewa. Ni pungufu ya kiasi kilichoombwa: muulize muuzaji kiasi kilichobaki.',
    merchant: {
      en: 'The customer paid less than the requested amount, and the payment is booked. Compare both amounts before you hand over the goods.',
      sw: 'Kilicholipwa ni pungufu ya kilichoombwa, na kimeandikwa. Linganisha viwango vyote viwili kabla ya kukabidhi bidhaa.',
    },
  },
  paid_otherwise: {
    safe: false,
    en: 'Your payment arrived, but the amount or currency differs from the request. Do not pay again: ask the seller.',
    sw: 'Malipo yako yamefika, lakini si kama yalivyoombwa. Usilipe tena: muulize muuzaji.',
    merchant: {
      en: 'Money arrived in another amount or currency, and is not booked yet. Do not request the payment again: an operator must decide.',
      sw: 'Pesa zimefika kwa kiasi au sarafu nyingine, na bado hazijaandikwa. Usiombe tena: mwendeshaji lazima aamue.',
    },
  },
  enter_pin: {
    safe: false,
    en: 'Look at your phone. When you are asked, enter your PIN to pay.',
    sw: 'Angalia simu yako. Ukiombwa, weka PIN yako ili kulipa.',
    merchant: untilDecided,
  },
  open_page: {
    safe: false,
    en: 'Finish the payment on the payment page.',
    sw: 'Kamilisha malipo kwenye ukurasa wa malipo.',
    merchant: untilDecided,
  },
  wait: {
    safe: false,
    en: 'Your payment is being processed. Please wait, and do not pay again.',
    sw: 'Malipo yako yanashughulikiwa. Tafadhali subiri, na usilipe tena.',
    merchant: untilDecided,
  },
  check_sms: {
    safe: false,
    en: 'We do not know yet whether your payment went through. Check your SMS, and do not pay again before you have asked the seller.',
    sw: 'Bado hatujui kama malipo yako yamefanikiwa. Angalia SMS zako, na usilipe tena kabla ya kumuuliza muuzaji.',
    merchant: {
      en: 'Do not ask the customer to pay again before the result is clear. Ask for the message that confirms the payment. Money that still arrives is booked, and reported as a correction.',
      sw: 'Usimwombe mteja alipe tena kabla haijawa wazi. Mwombe ujumbe unaoonyesha kwamba amelipa. Pesa zikifika baadaye zinaandikwa, na kuelezwa kama masahihisho.',
    },
  },
  check_sms_then_pay: {
    safe: false,
    en: 'We got no answer in time. If no message from your network or bank says that you paid, pay again.',
    sw: 'Hatukupata jibu kwa wakati. Ikiwa hukupata ujumbe wa mtandao au benki yako unaosema kwamba umelipa, lipa tena.',
    merchant: {
      en: 'First ask the customer whether a message of the network or bank confirms the payment. Request the payment again only if there is none. Money that still arrives is booked, and reported as a correction.',
      sw: 'Kwanza muulize mteja kama ujumbe wa mtandao au benki unaonyesha kwamba amelipa. Omba malipo tena ikiwa tu hakuna. Pesa zikifika baadaye zinaandikwa, na kuelezwa kama masahihisho.',
    },
  },
  pay_again: {
    safe: true,
    en: 'The payment did not go through, and you were not charged. You can pay again.',
    sw: 'Malipo hayakufanikiwa, na hukutozwa pesa yoyote. Unaweza kulipa tena.',
    merchant: {
      en: 'You can request the payment again.',
      sw: 'Unaweza kumwomba mteja tena.',
    },
  },
  pay_again_later: {
    safe: true,
    en: 'The payment is not possible right now, and you were not charged. Please pay again in a few minutes.',
    sw: 'Malipo hayawezekani kwa sasa, na hukutozwa pesa yoyote. Tafadhali lipa tena baada ya dakika chache.',
    merchant: {
      en: 'You can request the payment again in a few minutes.',
      sw: 'Unaweza kumwomba mteja tena baada ya dakika chache.',
    },
  },
  try_page_again: {
    safe: false,
    en: 'The payment did not go through. Please try again on the same payment page.',
    sw: 'Malipo hayakufanikiwa. Tafadhali jaribu tena kwenye ukurasa uleule wa malipo.',
    merchant: {
      en: 'Do not start another payment: the customer can try again on the same payment page.',
      sw: 'Usianzishe malipo mengine: mteja anaweza kujaribu tena kwenye ukurasa uleule wa malipo.',
    },
  },
  start_over: {
    safe: true,
    en: 'The time to pay is over, and you were not charged. You can start a new payment.',
    sw: 'Muda wa kulipa umekwisha, na hukutozwa pesa yoyote. Unaweza kuanza malipo mapya.',
    merchant: {
      en: 'The time to pay is over. You can start a new payment.',
      sw: 'Muda wa kulipa umekwisha. Unaweza kuanza malipo mapya.',
    },
  },
  add_money: {
    safe: true,
    en: 'You do not have enough money in your account. Add money, then pay again.',
    sw: 'Salio lako halitoshi. Ongeza pesa kwenye akaunti yako, kisha ulipe tena.',
    merchant: {
      en: 'The account has too little money. You can request the payment again.',
      sw: 'Salio la mteja halikutosha. Unaweza kumwomba mteja tena.',
    },
  },
  check_pin: {
    safe: true,
    en: 'The PIN was wrong, or there is a problem with your account. Pay again with the right PIN; if that does not help, ask your network.',
    sw: 'PIN haikuwa sahihi, au akaunti yako ina tatizo. Lipa tena kwa PIN sahihi; ikishindikana, wasiliana na mtandao wako.',
    merchant: {
      en: 'The PIN was wrong, or the account has a problem. You can request the payment again.',
      sw: 'PIN haikuwa sahihi, au akaunti ina tatizo. Unaweza kumwomba mteja tena.',
    },
  },
  close_other_prompt: {
    safe: true,
    en: 'Another payment request is open on your phone. Finish or cancel it, wait two minutes, then pay again.',
    sw: 'Kuna ombi lingine la malipo kwenye simu yako. Likamilishe au lighairi, subiri dakika mbili, kisha ulipe tena.',
    merchant: {
      en: 'Another request is open on the phone. You can ask again in two minutes.',
      sw: 'Ombi lingine liko wazi kwenye simu. Unaweza kuomba tena baada ya dakika mbili.',
    },
  },
  check_number: {
    safe: true,
    en: 'This phone number cannot pay. Check the number, then pay again.',
    sw: 'Nambari hii ya simu haiwezi kulipa. Hakikisha kwamba nambari ni sahihi, kisha ulipe tena.',
    merchant: {
      en: 'This number cannot pay. Check it with the customer; then you can request the payment again.',
      sw: 'Namba hii haiwezi kulipa. Ihakikishe na mteja; kisha unaweza kuomba tena.',
    },
  },
  ask_network: {
    safe: true,
    en: 'Your network did not allow this payment, and you were not charged. Please ask your network, then pay again.',
    sw: 'Mtandao wako haukuruhusu malipo haya, na hukutozwa pesa yoyote. Tafadhali wasiliana na mtandao wako, kisha ulipe tena.',
    merchant: {
      en: 'The network did not allow the payment. The customer must contact the network; then you can request the payment again.',
      sw: 'Mtandao haukuruhusu. Mteja awasiliane na mtandao; kisha unaweza kuomba tena.',
    },
  },
  pay_another_way: {
    safe: true,
    en: 'This card or account cannot make this payment, and you were not charged. Please pay in another way.',
    sw: 'Kadi au akaunti hii haiwezi kufanya malipo haya, na hukutozwa pesa yoyote. Tafadhali lipa kwa njia nyingine.',
    merchant: {
      en: 'This card or account cannot pay. You can offer the customer another way to pay.',
      sw: 'Kadi au akaunti hii haiwezi kulipa. Unaweza kumpa mteja njia nyingine ya kulipa.',
    },
  },
  ask_seller: {
    safe: true,
    en: 'The payment was not possible, and you were not charged. Please ask the seller.',
    sw: 'Malipo hayakuwezekana, na hukutozwa pesa yoyote. Tafadhali muulize muuzaji.',
    merchant: {
      en: 'The customer was not charged. Read the reason below, and correct it before you request the payment again.',
      sw: 'Mteja hakutozwa pesa. Soma sababu hapa chini, na uirekebishe kabla ya kuomba tena.',
    },
  },
  money_given_back: {
    safe: false,
    en: 'Money of this payment was returned to you. If you expected something else, ask the seller.',
    sw: 'Umerudishiwa pesa za malipo haya. Ikiwa hukutarajia hivyo, muulize muuzaji.',
    merchant: {
      en: 'See below how much was returned, and when.',
      sw: 'Tazama hapa chini ni kiasi gani kimerudi, na lini.',
    },
  },
  // A payout, for its recipient.
  money_on_its_way: {
    safe: false,
    en: 'The money is on its way to you. Please wait.',
    sw: 'Pesa ziko njiani kuja kwako. Tafadhali subiri.',
    merchant: {
      en: 'Do not pay again: the money may be on its way. We query the provider until the payout is final, and notify you by webhook.',
      sw: 'Usilipe tena: pesa huenda ziko njiani. Tunauliza hadi iamuliwe, na kukuambia kwa webhook.',
    },
  },
  money_waits: {
    safe: false,
    en: 'The network is delayed. The money will be sent to you as soon as possible.',
    sw: 'Huduma ya mtandao imechelewa. Pesa zitatumwa kwako mara tu itakapowezekana.',
    merchant: {
      en: 'Do not pay again: the payout continues automatically. You can cancel it while it is in the queue.',
      sw: 'Usilipe tena: yanaendelea yenyewe. Yakiwa kwenye foleni yanaweza kusitishwa.',
    },
  },
  money_on_hold: {
    safe: false,
    en: 'The money has not been sent yet. Please ask the sender when it will be.',
    sw: 'Pesa bado hazijatumwa. Tafadhali muulize mtumaji zitatumwa lini.',
    merchant: {
      en: 'Do not pay again: nothing has been sent yet. The payout is sent when the hold ends, and fails after 72 hours. You can cancel it.',
      sw: 'Usilipe tena: bado hakuna kilichotumwa. Yatatumwa zuio likiisha, na yatashindikana baada ya saa 72. Unaweza kuyasitisha.',
    },
  },
  claim_money: {
    safe: false,
    en: 'Money is waiting for you. To receive it, follow the e-mail that you were sent within 30 days.',
    sw: 'Kuna pesa zinazokusubiri. Ili kuzipokea, fuata maelekezo ya barua pepe uliyotumiwa ndani ya siku 30.',
    merchant: {
      en: 'Do not pay again: the recipient was asked by e-mail to claim the money. You can cancel the payout while it is unclaimed.',
      sw: 'Usilipe tena: mpokeaji ameombwa kwa barua pepe kuzichukua pesa. Kabla hajazichukua yanaweza kusitishwa.',
    },
  },
  money_sent: {
    safe: false,
    en: 'The money was sent to you. Please check your account.',
    sw: 'Pesa zimetumwa kwako. Tafadhali angalia akaunti yako.',
    merchant: {
      en: 'Nothing more happens.',
      sw: 'Hakuna kingine kinachotokea.',
    },
  },
  money_unknown: {
    safe: false,
    en: 'We do not know yet whether the money reached you. Check your account; the sender must not send it again yet.',
    sw: 'Bado hatujui kama pesa zimekufikia. Angalia akaunti yako; mtumaji asizitume tena kwa sasa.',
    merchant: {
      en: 'Do not pay again before the result is clear. Ask the recipient whether the money arrived; an operator must check it with the provider.',
      sw: 'Usilipe tena kabla haijawa wazi. Muulize mpokeaji kama pesa zimefika; mwendeshaji lazima ahakikishe na mtoa huduma.',
    },
  },
  money_not_sent: {
    safe: true,
    en: 'The money was not sent. Please ask the sender.',
    sw: 'Pesa hazikutumwa. Tafadhali muulize mtumaji.',
    merchant: {
      en: 'You can make the payout again. Read the reason below first.',
      sw: 'Unaweza kulipa tena. Kwanza soma sababu hapa chini.',
    },
  },
  check_recipient: {
    safe: true,
    en: 'This number or account cannot receive the money. Please give the sender another one.',
    sw: 'Nambari au akaunti hii haiwezi kupokea pesa hizi. Tafadhali mpe mtumaji nyingine.',
    merchant: {
      en: 'Check the number or account with the recipient before you pay again.',
      sw: 'Hakikisha namba au akaunti na mpokeaji kabla ya kulipa tena.',
    },
  },
  receive_less: {
    safe: true,
    en: 'Your account cannot receive this much now. Please ask your network; the sender can then send the money again.',
    sw: 'Akaunti yako haiwezi kupokea kiasi hiki kwa sasa. Tafadhali wasiliana na mtandao wako; kisha mtumaji anaweza kutuma pesa tena.',
    merchant: {
      en: 'The account cannot receive this much now. You can pay again later, or pay less.',
      sw: 'Akaunti haiwezi kupokea kiasi hiki kwa sasa. Unaweza kulipa tena baadaye, au kiasi kidogo.',
    },
  },
  money_came_back: {
    safe: true,
    en: 'The money was returned to the sender. Please ask the sender to send it again.',
    sw: 'Pesa zimerudi kwa mtumaji. Tafadhali mwombe azitume tena.',
    merchant: {
      en: 'The money was returned to you. Check the recipient before you pay again.',
      sw: 'Pesa ni zako tena. Hakikisha mpokeaji kabla ya kulipa tena.',
    },
  },
  // A refund, for the customer.
  refund_on_its_way: {
    safe: false,
    en: 'Your refund is on its way. Please wait.',
    sw: 'Pesa unazorudishiwa ziko njiani. Tafadhali subiri.',
    merchant: {
      en: 'Do not refund again: we query the provider until the refund is final, and notify you by webhook.',
      sw: 'Usirejeshe tena: tunauliza hadi iamuliwe, na kukuambia kwa webhook.',
    },
  },
  refund_on_hold: {
    safe: false,
    en: 'Your refund has not been sent yet. Please ask the seller when it will be.',
    sw: 'Pesa unazorudishiwa bado hazijatumwa. Tafadhali muulize muuzaji zitatumwa lini.',
    merchant: {
      en: 'Do not refund again: nothing has been sent yet. The refund is sent automatically when the hold ends.',
      sw: 'Usirejeshe tena: bado hakuna kilichotumwa. Yatatumwa yenyewe zuio likiisha.',
    },
  },
  refund_done: {
    safe: false,
    en: 'Your money has been sent back. Please check your account.',
    sw: 'Umerudishiwa pesa zako. Tafadhali angalia akaunti yako.',
    merchant: {
      en: 'Nothing more happens.',
      sw: 'Hakuna kingine kinachotokea.',
    },
  },
  refund_unknown: {
    safe: false,
    en: 'We do not know yet whether your refund reached you. Please check your account, and ask the seller.',
    sw: 'Bado hatujui kama pesa ulizorudishiwa zimekufikia. Tafadhali angalia akaunti yako, na umuulize muuzaji.',
    merchant: {
      en: 'Do not refund again before the result is clear. Ask the customer whether the money arrived; an operator must check it with the provider.',
      sw: 'Usirejeshe tena kabla haijawa wazi. Muulize mteja kama pesa zimefika; mwendeshaji lazima ahakikishe na mtoa huduma.',
    },
  },
  refund_failed: {
    safe: true,
    en: 'The refund did not go through. Please ask the seller.',
    sw: 'Pesa hazikurudishwa. Tafadhali muulize muuzaji.',
    merchant: {
      en: 'You can request the refund again. Read the reason below first.',
      sw: 'Unaweza kuomba marejesho tena. Kwanza soma sababu hapa chini.',
    },
  },
} as const satisfies Record<string, Sentences>;

export type NextStep = keyof typeof nextSteps;

/** As an answer contains it. */
export interface NextStepFields {
  next_step: { code: NextStep; en: string; sw: string; safe_to_repeat: boolean };
}
